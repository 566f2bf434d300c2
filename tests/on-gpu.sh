#!/usr/bin/env bash
# Checks the whole chain on a machine with a working NVIDIA GPU, with nothing but the copied program:
#
#   tests/on-gpu.sh GPU-DOCTOR [FLAG...]
#
# FLAG... is given to every check, as `--python ./env/bin/python`. What is compared: the facts with what nvidia-smi says,
# the verdict, the masks, the snapshot, what is left behind, time and memory. Needs bash and coreutils; with python3 the
# JSON is read, and a GPU is kept busy. It changes no setting, and takes less than five minutes. Prints "N passed, N
# failed"; exits with 1 where something failed.
set -u

(($# >= 1)) || { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2; }
doctor=$(realpath -- "$1")
shift
flags=("$@")
work=$(mktemp -d)
export ON_GPU=$work
holder=
trap '[[ -z $holder ]] || kill "$holder" 2>/dev/null; rm -rf "$work"' EXIT
unset CUDA_VISIBLE_DEVICES
export LC_ALL=C
python=$(command -v python3 || true)
passed=0 failed=0 skipped=0

pass() { passed=$((passed + 1)); printf 'ok    %s\n' "$1"; }
fail() { failed=$((failed + 1)); printf 'FAIL  %s\n' "$1"; }
skip() { skipped=$((skipped + 1)); printf 'skip  %s\n' "$1"; }
note() { printf '      %s\n' "$1"; }
# is TEXT WANTED GOT
is() { if [[ $2 == "$3" ]]; then pass "$1 ($2)"; else fail "$1: expected '$2', got '$3'"; fi; }
# Probes of this run that are still there: they have its folder in their environment.
left() {
    local process
    for process in /proc/[0-9]*; do
        tr '\0' '\n' 2>/dev/null <"$process/environ" | grep -qxF "ON_GPU=$work" || continue
        tr '\0' ' ' 2>/dev/null <"$process/cmdline" | grep -o '__probe [a-z]*\|-B -c' || true
    done 2>/dev/null | sort | paste -sd, -
}
now() { date +%s%N; }

# run NAME ARGUMENT...: a check; its document in NAME.json, its words on stderr in NAME.err, its exit status in $code
run() {
    local name=$1 began
    shift
    began=$(now)
    timeout 280 "$doctor" check --json ${flags[@]+"${flags[@]}"} "$@" >"$work/$name.json" 2>"$work/$name.err"
    code=$?
    took=$((($(now) - began) / 1000000))
    [[ ! -s $work/$name.err ]] || fail "$name: something on stderr: $(head -c 300 "$work/$name.err")"
}

# ask NAME EXPRESSION: a value from a document, by a Python expression over `report`, with helpers
ask() {
    "$python" - "$work/$1.json" "$2" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1], encoding='utf-8'))
def values(key):
    return {f['subject']['id']: f.get('value') for f in report['facts'] if f['key'] == key and f.get('state') == 'seen'
            and not f.get('context', {}).get('variant')}
def value(key):
    return next(iter(values(key).values()), None)
def rows(check):
    return [r['status'] for r in report['checks'] if r['id'] == check]
def causes():
    return ' '.join('%s(%s)' % (c['slug'], c['confidence']) for c in report['root_causes'] if c['severity'] != 'note')
def short(address):
    return address.lower().split(':', 1)[1]
print(eval(sys.argv[2]))
PYTHON
}

# ---- what nvidia-smi says

smi() { nvidia-smi --query-gpu="$1" --format=csv,noheader,nounits 2>/dev/null; }
if ! command -v nvidia-smi >/dev/null || ! smi index >"$work/smi"; then
    echo "FAIL  nvidia-smi does not answer here: this script is for a machine that works"
    echo "0 passed, 1 failed"
    exit 1
fi
gpus=$(wc -l <"$work/smi")
note "$gpus GPU(s): $(smi name | sort | uniq -c | tr -s ' ' | paste -sd, -); driver $(smi driver_version | head -1)"
mig=$(smi mig.mode.current | grep -c Enabled || true)
modes=$(smi compute_mode | sort -u | paste -sd, -)
busy=$(nvidia-smi --query-compute-apps=pid --format=csv,noheader 2>/dev/null | grep -c '[0-9]' || true)
before=$(find /dev -maxdepth 2 -name 'nvidia*' 2>/dev/null | sort)
cache=$(find "${HOME:-/root}/.nv" -type f 2>/dev/null | sort)

# ---- the program itself

is "it says its version" 0 "$("$doctor" --version >/dev/null 2>&1; echo $?)"
is "it explains a cause" 0 "$("$doctor" explain GD501 >/dev/null 2>&1; echo $?)"
is "wrong usage is 2" 2 "$("$doctor" check --no-such-flag >/dev/null 2>&1; echo $?)"

# ---- the full check

run full
note "the full check took $took ms"
if ((busy == 0)); then is "exit status of the full check" 0 "$code"; else skip "exit status: another process computes here"; fi
if ((took < 120000)); then pass "the full check is over in two minutes"; else fail "the full check took $took ms"; fi
[[ $(head -c 1 "$work/full.json") == "{" ]] && pass "a document on stdout" || fail "no document on stdout"

"$doctor" check --from "$work/full.json" >"$work/full.txt" 2>&1
is "the snapshot has the same exit status" "$code" "$?"
sed 's/^/      /' "$work/full.txt"
if grep -q $'\033' "$work/full.txt"; then fail "colour in a file"; else pass "no colour in a file"; fi
"$doctor" check --from "$work/full.json" 2>"$work/pipe" | head -n 1 >/dev/null
if [[ -s $work/pipe ]]; then fail "a closed pipe is complained about"; else pass "a closed pipe is no error"; fi
head -c 500 "$work/full.json" >"$work/cut.json"
is "a truncated snapshot is 2" 2 "$("$doctor" check --from "$work/cut.json" >/dev/null 2>&1; echo $?)"

if [[ -z $python ]]; then
    skip "what is in the documents: there is no python3"
else
    if ((busy == 0)); then is "verdict" ready "$(ask full "report['verdict'] if report['verdict'] == 'ready' else (report['verdict'], causes())")"; fi
    is "NVML counts as nvidia-smi does" "$gpus" "$(ask full "value('nvml.count')")"
    is "driver version" "$(smi driver_version | head -1)" "$(ask full "value('nvml.driver_version')")"
    module=$(ask full "value('kernel.nvidia.version')")
    if [[ $module == None ]]; then skip "the module's version cannot be read here"; else
        is "the module has that version" "$(smi driver_version | head -1)" "$module"
    fi
    is "names" "$(smi name | sort | paste -sd, -)" "$(ask full "','.join(sorted(values('nvml.name').values()))")"
    is "UUIDs" "$(smi uuid | sort | paste -sd, -)" "$(ask full "','.join(sorted(values('nvml.uuid').values()))")"
    if smi compute_cap | grep -q '^[0-9]'; then is "compute capabilities" "$(smi compute_cap | sort | paste -sd, -)" "$(ask full "','.join(sorted(values('nvml.compute_capability').values()))")"; fi
    is "memory in MiB" "$(smi memory.total | sort -n | paste -sd, -)" \
        "$(ask full "','.join(map(str, sorted(m['total'] >> 20 for m in values('nvml.memory').values())))")"
    is "addresses" "$(smi pci.bus_id | tr '[:upper:]' '[:lower:]' | sed 's/^[^:]*://' | sort | paste -sd, -)" \
        "$(ask full "','.join(sorted(map(short, values('nvml.handle'))))")"
    is "nvidia-smi passes" "['pass']" "$(ask full "rows('nvidia-smi')[:1]")"
    is "no probe ended badly" "{}" "$(ask full "values('probe.end')")"
    if ((mig == 0)); then
        is "CUDA counts the same" "$gpus" "$(ask full "value('cuda.count')")"
        is "CUDA's names" "$(smi name | sort | paste -sd, -)" "$(ask full "','.join(sorted(d['name'] for d in values('cuda.device').values()))")"
    else
        skip "CUDA's count: MIG is on"
    fi
    if ((busy == 0)); then
        is "every device computes" "{'done'}" "$(ask full "set(c['stage'] for c in values('cuda.compute').values())")"
    fi
    if [[ $(ask full "bool(values('framework.available'))") == True ]]; then
        is "the framework sees the GPU" "{True}" "$(ask full "set(values('framework.available').values())")"
        if ((busy == 0)); then is "the tensor" pass "$(ask full "rows('tensor')[0]")"; fi
    else
        skip "frameworks: none in the Python in use ($(ask full "rows('framework')"))"
    fi
    is "a device library that was really loaded" True "$(ask full "'libcuda' in (value('cuda.library') or {}).get('path', '')")"
fi

# ---- nothing is left behind

after=$(find /dev -maxdepth 2 -name 'nvidia*' 2>/dev/null | sort)
is "no node below /dev is taken away" "" "$(comm -23 <(echo "$before") <(echo "$after") | paste -sd' ' -)"
# A driver that is loaded makes nodes on demand, for this program as for any other.
[[ $before == "$after" ]] || note "new below /dev: $(comm -13 <(echo "$before") <(echo "$after") | paste -sd' ' -)"
is "no cache of CUDA's compiler" "$cache" "$(find "${HOME:-/root}/.nv" -type f 2>/dev/null | sort)"
is "no process is left" "" "$(left)"

# ---- masks

if [[ -n $python && $mig == 0 ]]; then
    CUDA_VISIBLE_DEVICES='' run hidden
    is "an empty mask: exit status" 1 "$code"
    is "an empty mask: cause" "cuda-visible-devices-hides-all(certain)" "$(ask hidden "causes()")"
    CUDA_VISIBLE_DEVICES=$gpus run beyond
    is "a mask out of range: exit status" 1 "$code"
    is "a mask out of range: cause" "cuda-visible-devices-out-of-range(certain)" "$(ask beyond "causes()")"
    CUDA_VISIBLE_DEVICES=0 run first
    is "a mask with one GPU" 1 "$(ask first "value('cuda.count')")"
    if ((busy == 0)); then is "a mask with one GPU: exit status" 0 "$code"; fi
else
    skip "masks"
fi

# ---- flags

run expected --expect-gpus "$gpus" --skip framework --skip tensor
note "without frameworks: $took ms"
if ((busy == 0 && mig == 0)); then is "as many GPUs as expected" 0 "$code"; fi
if [[ -n $python && $mig == 0 && $busy == 0 ]]; then
    run more --expect-gpus $((gpus + 1)) --strict --skip framework --skip tensor
    is "fewer than expected, strict" 1 "$code"
    is "fewer than expected: cause" "fewer-gpus-than-expected(possible)" "$(ask more "causes()")"
fi
run only --only kernel-driver
is "--only kernel-driver" 0 "$code"
run passive --passive
is "--passive: exit status" 0 "$code"
if [[ -n $python ]]; then
    is "--passive makes no context" "{}" "$(ask passive "values('cuda.compute')")"
    is "--passive: verdict" ready "$(ask passive "report['verdict']")"
fi

# ---- a GPU that is busy

if [[ -n $python && $busy == 0 && $mig == 0 ]]; then
    "$python" - >"$work/holder" 2>&1 <<'PYTHON' &
import ctypes, time
cuda, context = ctypes.CDLL('libcuda.so.1'), ctypes.c_void_p()
assert cuda.cuInit(0) == 0
assert cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
print('held', flush=True)
time.sleep(120)
PYTHON
    holder=$!
    for _ in $(seq 100); do grep -q held "$work/holder" && break; sleep 0.1; done
    if ! nvidia-smi --query-compute-apps=pid --format=csv,noheader 2>/dev/null | grep -q '[0-9]'; then
        skip "a busy GPU: NVML shows no process here (a container with process ids of its own)"
    else
        run busy --skip framework --skip tensor
        is "a busy GPU gets no context" True "$(ask busy "any(w.startswith('busy') for w in values('cuda.no_context').values())")"
        if ((gpus == 1)); then is "a busy GPU: exit status" 3 "$code"; fi
        run all --busy --skip framework --skip tensor
        if [[ $modes == Default ]]; then
            is "--busy computes all the same" "{'done'}" "$(ask all "set(c['stage'] for c in values('cuda.compute').values())")"
        else
            skip "--busy: the compute mode is $modes"
        fi
    fi
    kill "$holder" 2>/dev/null
    wait "$holder" 2>/dev/null
    holder=
else
    skip "a busy GPU"
fi
case $modes in
*Exclusive*) if ((busy == 0)); then pass "exclusive mode: the full check above is not its own culprit"; fi ;;
*) skip "exclusive mode: it is $modes, and no setting is changed" ;;
esac

# ---- another user

if [[ $(id -u) == 0 ]] && command -v setpriv >/dev/null; then
    cp "$doctor" "$work/doctor"
    chmod 755 "$work" "$work/doctor"
    setpriv --reuid 65534 --regid 65534 --clear-groups "$work/doctor" check --json ${flags[@]+"${flags[@]}"} \
        --skip framework --skip tensor >"$work/nobody.json" 2>/dev/null
    code=$?
    if [[ -n $python ]]; then
        note "as nobody: exit status $code, $(ask nobody "report['verdict'], causes()")"
        is "as nobody: a document" True "$(ask nobody "'schema_version' in report")"
    fi
else
    skip "another user: needs root and setpriv"
fi

# ---- memory and time

"$doctor" check --json ${flags[@]+"${flags[@]}"} >/dev/null 2>&1 &
pid=$! peak=0
while [[ -r /proc/$pid/status ]]; do
    kib=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status" 2>/dev/null)
    [[ -n $kib ]] || break
    peak=$kib
    sleep 0.05
done
wait "$pid"
note "memory of the main process: at most $peak KiB"
if ((peak > 0 && peak < 64 * 1024)); then pass "the main process stays below 64 MiB"; else fail "memory: $peak KiB"; fi
for n in 1 2 3; do run "time$n" --skip framework --skip tensor; note "without frameworks, run $n: $took ms"; done
if [[ -n $python ]]; then
    began=$(now)
    "$python" -c 'import torch; torch.cuda.is_available()' >/dev/null 2>&1 && note "python -c 'import torch; ...': $((($(now) - began) / 1000000)) ms"
fi

printf '%s passed, %s failed, %s skipped, in %s s\n' "$passed" "$failed" "$skipped" "$SECONDS"
((failed == 0))
