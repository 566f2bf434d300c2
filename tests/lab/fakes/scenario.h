// The scenario: the machine that the fakes pretend to be. One text file, read by all of them.
//
//     # a comment
//     driver_version = 535.183.01
//     [gpu 0]
//     name = NVIDIA L4
//
// Its path is in GPU_DOCTOR_SCENARIO; without that, it is the file `scenario` beside the library
// or program. A key or value that nobody understands ends the process at once: a test with a
// typing error must not pass because it silently did nothing.
#ifndef SCENARIO_H
#define SCENARIO_H

#define _GNU_SOURCE

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef _WIN32
#include <windows.h>
#include <io.h>
#include <process.h>
#define API __declspec(dllexport)
#define strtok_r strtok_s
#define O_CLOEXEC 0
#else
#include <dlfcn.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
#define O_BINARY 0
#define API __attribute__((visibility("default")))
#endif

enum { SC_GPUS = 16, SC_MIGS = 64, SC_PAIRS = 96, MIB = 1 << 20 };

// `type` is "text", "num", "list" (of texts), "calls" (function names), "faults" (function:code),
// or the words that may stand there, each with the number that the API has for it.
typedef struct { const char *name, *type; } sc_key;

#define SC_YES_NO "no=0 yes=1 0=0 1=1"

static const sc_key sc_machine_keys[] = {
    {"driver_version", "text"},      // of the kernel driver
    {"library_version", "text"},     // of the user-space libraries; driver_version if not given
    {"cuda_version", "num"},         // what cuDriverGetVersion says: 12020
    {"nvml_init", "num"},            // code that nvmlInit returns
    {"smi_init", "num"},             // the same for nvidia-smi alone; nvml_init if not given
    {"cu_init", "num"},              // code that cuInit returns
    {"granted", "list"},             // sections that this container was given; all if not given
    {"nvml_print", "text"},          // a banner that nvmlInit writes to stdout
    {"cu_print", "text"},            // a banner that cuInit writes to stdout
    {"hang_at", "calls"},            // never return, whatever is asked politely
    {"crash_at", "calls"},           // a segmentation fault
    {"slow_ms", "num"},              // delay of the calls in slow_at
    {"slow_at", "calls"},            // nvmlInit*, cuInit and nvidia-smi if not given
    {"uvm_node", "text"},            // file that stands for /dev/nvidia-uvm; without it cuInit gives 999
    {"uvm_on_demand", SC_YES_NO},    // cuInit creates it, as with a setuid nvidia-modprobe
    {"calls", "text"},               // file to which each call is appended: "pid function"
    {"nvml_error", "faults"},
    {"cu_error", "faults"},
    {"conf_compute", SC_YES_NO},     // confidential computing is on
    {"conf_ready", SC_YES_NO},       // ... and the GPUs accept work
    {"p2p", "ok=0 chipset_not_supported=1 gpu_not_supported=2 topology_not_supported=3"
            " disabled_by_regkey=4 not_supported=5 unknown=6"},
    {"nvlink_remote", "gpu=0 processor=1 switch=2"},
    {"topology", "internal=0 single=10 multiple=20 hostbridge=30 node=40 system=50"},
    {"smi_output", "normal=0 garbage=1 invalid_utf8=2 empty=3"},
    {"smi_exit", "num"},             // exit status of nvidia-smi, whatever it prints
    {0}};

static const sc_key sc_gpu_keys[] = {
    {"name", "text"}, {"cc", "text"}, {"memory_total", "num"},      // these three must be there
    {"uuid", "text"}, {"pci", "text"}, {"minor", "num"},            // these have a default
    {"pci_device_id", "num"}, {"pci_subsystem_id", "num"}, {"serial", "text"}, {"vbios", "text"},
    {"brand", "num"}, {"integrated", SC_YES_NO}, {"sm_count", "num"},
    {"memory_used", "num"}, {"memory_reserved", "num"},             // MiB
    {"mig", SC_YES_NO}, {"mig_pending", SC_YES_NO},
    {"mig_instances", "list"},                                      // uuid[:profile[:MiB]]
    {"compute_mode", "default=0 exclusive_thread=1 prohibited=2 exclusive_process=3"},
    {"ecc", SC_YES_NO}, {"ecc_pending", SC_YES_NO},
    {"ecc_corrected_volatile", "num"}, {"ecc_uncorrected_volatile", "num"},
    {"ecc_corrected_aggregate", "num"}, {"ecc_uncorrected_aggregate", "num"},
    {"retired_sbe", "num"}, {"retired_dbe", "num"}, {"retired_pending", SC_YES_NO},
    {"remapped_correctable", "num"}, {"remapped_uncorrectable", "num"},
    {"remapped_pending", SC_YES_NO}, {"remapped_failure", SC_YES_NO},
    {"temperature", "num"}, {"temperature_memory", "num"},          // degrees Celsius
    {"temperature_slowdown", "num"}, {"temperature_shutdown", "num"},
    {"temperature_gpu_max", "num"}, {"temperature_memory_max", "num"},
    {"power_usage", "num"}, {"power_limit", "num"}, {"power_enforced", "num"},   // W
    {"power_default", "num"}, {"power_min", "num"}, {"power_max", "num"},
    {"clock_graphics", "num"}, {"clock_sm", "num"}, {"clock_memory", "num"}, {"clock_video", "num"},
    {"clock_graphics_max", "num"}, {"clock_sm_max", "num"},         // MHz
    {"clock_memory_max", "num"}, {"clock_video_max", "num"},
    {"clock_reasons", "num"}, {"clock_reasons_supported", "num"},   // bits
    {"pcie_gen", "num"}, {"pcie_gen_max", "num"}, {"pcie_width", "num"}, {"pcie_width_max", "num"},
    {"pcie_replays", "num"},
    {"processes", "list"}, {"graphics_processes", "list"},          // pid:MiB[:name]; MiB may be "-"
    {"utilization_gpu", "num"}, {"utilization_memory", "num"},      // per cent
    {"pstate", "num"}, {"fan", "num"}, {"persistence", SC_YES_NO}, {"display_active", SC_YES_NO},
    {"driver_model", "wddm=0 wdm=1 mcdm=2"},
    {"virtualization", "none=0 passthrough=1 vgpu=2 host_vgpu=3 host_vsga=4"},
    {"fabric_state", "not_supported=0 not_started=1 in_progress=2 completed=3"},
    {"fabric_status", "num"}, {"fabric_health", "num"}, {"fabric_clique", "num"},
    {"nvlink", "list"},                                             // one 0 or 1 per link
    {"recovery_action", "none=0 gpu_reset=1 node_reboot=2 drain_p2p=3 drain_and_reset=4"},
    {"nvml_error", "faults"}, {"cu_error", "faults"},
    {"wrong_result", SC_YES_NO},                                    // copies back come corrupted
    {"cuda_hidden", SC_YES_NO},                                     // NVML lists it, CUDA does not
    {"cuda_rank", "num"},            // place in CUDA's "fastest first" order, if not NVML's
    {0}};

typedef struct {
    int index;                       // N of [gpu N]; -1 for the machine
    int count;
    struct { const char *key, *value; double number; } pair[SC_PAIRS];
} sc_section;

typedef struct {
    const sc_section *gpu;
    char uuid[96], profile[32];
    int gi, ci;
    double memory;                   // MiB; negative if not given
} sc_mig_device;

static sc_section sc_machine = {.index = -1}, sc_all[SC_GPUS];
static const sc_section *sc_gpu[SC_GPUS];        // the granted ones, in NVML's order
static sc_mig_device sc_mig[SC_MIGS];
static int sc_gpus, sc_alls, sc_migs;
static char sc_file[4096];

static _Noreturn void sc_die(int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "fake: %s:%d: ", sc_file, line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    fflush(stderr);
#ifdef _WIN32
    TerminateProcess(GetCurrentProcess(), 134);  // abort() would open a dialog
#endif
    abort();
}

static const char *sc_text(const sc_section *s, const char *key) {
    for (int i = 0; i < s->count; i++)
        if (!strcmp(s->pair[i].key, key)) return s->pair[i].value;
    return NULL;
}

static bool sc_num(const sc_section *s, const char *key, double *out) {
    for (int i = 0; i < s->count; i++)
        if (!strcmp(s->pair[i].key, key)) return *out = s->pair[i].number, true;
    return false;
}

static double sc_or(const sc_section *s, const char *key, double otherwise) {
    sc_num(s, key, &otherwise);
    return otherwise;
}

// The i-th item of a list with commas, without blanks around it; false past the end.
static bool sc_item(const char *list, int i, char *out, size_t size) {
    while (list && i-- > 0) list = (list = strchr(list, ',')) ? list + 1 : NULL;
    if (!list) return false;
    while (isspace((unsigned char)*list)) list++;
    size_t n = strcspn(list, ",");
    while (n && isspace((unsigned char)list[n - 1])) n--;
    snprintf(out, size, "%.*s", (int)n, list);
    return true;
}

static bool sc_listed(const char *list, const char *name) {
    char item[128];
    for (int i = 0; sc_item(list, i, item, sizeof item); i++)
        if (!strcmp(item, name)) return true;
    return false;
}

// The code that `function` is to return, or 0. "*" stands for every function of that API, and the
// first entry that fits counts: "nvmlDeviceGetName:0, *:15" is a card that still tells its name.
static int sc_fault(const sc_section *s, const char *key, const char *function) {
    char item[128], *colon;
    for (int p = 0; p < s->count; p++)
        for (int i = 0; !strcmp(s->pair[p].key, key) && sc_item(s->pair[p].value, i, item, sizeof item); i++) {
            if (!(colon = strrchr(item, ':'))) continue;
            *colon = 0;
            if (!strcmp(item, function) || !strcmp(item, "*")) return atoi(colon + 1);
        }
    return 0;
}

// A name in the scenario, relative to the scenario's own folder.
static const char *sc_path(const char *name) {
    static char path[2 * sizeof sc_file];
    const char *slash = strrchr(sc_file, '/');
    if (*name == '/' || !slash) return name;
    snprintf(path, sizeof path, "%.*s/%s", (int)(slash - sc_file), sc_file, name);
    return path;
}

static void sc_sleep_ms(double ms) {
#ifdef _WIN32
    Sleep((DWORD)ms);
#else
    struct timespec t = {(time_t)(ms / 1000), (long)((uint64_t)ms % 1000 * 1000000)};
    nanosleep(&t, NULL);
#endif
}

// Everything that happens to a call before it does its work.
static void sc_enter(const char *function) {
    const char *calls = sc_text(&sc_machine, "calls"), *slow = sc_text(&sc_machine, "slow_at");
    if (calls) {  // one write per line, so that lines of several processes do not mix
        char line[160];
        int n = snprintf(line, sizeof line, "%d %s\n", (int)getpid(), function);
        int fd = open(sc_path(calls), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (fd < 0 || write(fd, line, n) != n) sc_die(0, "cannot write %s", calls);
        close(fd);
    }
    if (sc_listed(slow ? slow : "nvmlInit,nvmlInit_v2,nvmlInitWithFlags,cuInit,nvidia-smi", function))
        sc_sleep_ms(sc_or(&sc_machine, "slow_ms", 0));
    if (sc_listed(sc_text(&sc_machine, "crash_at"), function)) {
        volatile int *volatile nowhere = NULL;  // a real fault: a raised signal can be survived
        *nowhere = 1;
    }
    if (sc_listed(sc_text(&sc_machine, "hang_at"), function)) {
        signal(SIGTERM, SIG_IGN);  // a call that is stuck in the driver does not hear it either
        signal(SIGINT, SIG_IGN);
#ifndef _WIN32
        signal(SIGHUP, SIG_IGN);
#endif
        for (;;) sc_sleep_ms(60000);
    }
}

static void sc_banner(const char *key) {
    const char *text = sc_text(&sc_machine, key);
    if (text) printf("%s\n", text), fflush(stdout);
}

// Each fake knows its own functions only; names of the other API are left to the other fake.
#ifndef SC_PREFIX
#error "define SC_PREFIX, the beginning of this fake's function names"
#endif
static void sc_check_function(int line, const char *name, void *self) {
    if (!strcmp(name, "*")) return;
    bool nvml = !strncmp(name, "nvml", 4) && isupper((unsigned char)name[4]);
    bool cuda = !strncmp(name, "cu", 2) && isupper((unsigned char)name[2]);
    if (!nvml && !cuda && strcmp(name, "nvidia-smi"))
        sc_die(line, "no fake has a function '%s'", name);
    if (!self || strncmp(name, SC_PREFIX, strlen(SC_PREFIX))) return;
#ifdef _WIN32
    bool known = GetProcAddress((HMODULE)self, name) != NULL;
#else
    bool known = dlsym(self, name) != NULL;
#endif
    if (!known) sc_die(line, "this fake has no function '%s'", name);
}

static void sc_set(sc_section *s, int line, char *key, char *value, void *self) {
    const sc_key *k = s->index < 0 ? sc_machine_keys : sc_gpu_keys;
    while (k->name && strcmp(k->name, key)) k++;
    if (!k->name) sc_die(line, "unknown key '%s'", key);
    bool faults = !strcmp(k->type, "faults");
    if (!faults && sc_text(s, key)) sc_die(line, "'%s' is given twice", key);
    if (s->count == SC_PAIRS) sc_die(line, "too many lines in this section");

    char *end = value, item[128];
    double number = 0;
    if (!strcmp(k->type, "num")) {
        number = strtod(value, &end);
        if (end == value || *end) sc_die(line, "'%s' is not a number", value);
    } else if (faults || !strcmp(k->type, "calls")) {
        for (int i = 0; sc_item(value, i, item, sizeof item); i++) {
            char *colon = strrchr(item, ':');
            if (faults) {
                if (!colon || !isdigit((unsigned char)colon[1])) sc_die(line, "'%s' is not function:code", item);
                *colon = 0;
            }
            sc_check_function(line, item, self);
        }
    } else if (strchr(k->type, '=')) {
        char words[256], *rest = words, *word;
        snprintf(words, sizeof words, "%s", k->type);
        while ((word = strtok_r(rest, " ", &rest)))
            if (!strncmp(word, value, strlen(value)) && word[strlen(value)] == '=') {
                number = atoi(word + strlen(value) + 1);
                break;
            }
        if (!word) sc_die(line, "'%s' is none of: %s", value, k->type);
    }
    s->pair[s->count].key = k->name;
    s->pair[s->count].value = strdup(value);
    s->pair[s->count++].number = number;
}

static char *sc_trim(char *s) {
    while (isspace((unsigned char)*s)) s++;
    for (char *end = s + strlen(s); end > s && isspace((unsigned char)end[-1]);) *--end = 0;
    return s;
}

// Where the scenario is, and this library's handle (NULL for a program).
static void *sc_find(void) {
    const char *path = getenv("GPU_DOCTOR_SCENARIO");
    char self[sizeof sc_file - 16] = "";
    void *handle = NULL;
#ifdef _WIN32
    HMODULE module = NULL;
    GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                       (LPCSTR)(void *)sc_find, &module);
    GetModuleFileNameA(module, self, sizeof self);
    for (char *c = self; *c; c++)
        if (*c == '\\') *c = '/';
    handle = module;
#elif defined SC_PROGRAM
    // The path it was started by: /proc/self/exe would follow a link to the build folder.
    snprintf(self, sizeof self, "%s", (const char *)getauxval(AT_EXECFN));
#else
    Dl_info info;
    if (dladdr((void *)sc_find, &info)) {
        snprintf(self, sizeof self, "%s", info.dli_fname);
        handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }
#endif
    char *slash = strrchr(self, '/');
    if (slash) *slash = 0;
    if (path && *path) snprintf(sc_file, sizeof sc_file, "%s", path);
    else snprintf(sc_file, sizeof sc_file, "%s/scenario", slash ? self : ".");
#ifdef _WIN32
    for (char *c = sc_file; *c; c++)
        if (*c == '\\') *c = '/';
#endif
    return handle;
}

static void sc_complete(sc_section *s, int line) {
    char value[64];
    const char *must[] = {"name", "cc", "memory_total"};
    for (int i = 0; i < 3; i++)
        if (!sc_text(s, must[i])) sc_die(line, "[gpu %d] has no '%s'", s->index, must[i]);
    snprintf(value, sizeof value, "GPU-00000000-0000-4000-8000-%012d", s->index);
    if (!sc_text(s, "uuid")) sc_set(s, line, "uuid", value, NULL);
    snprintf(value, sizeof value, "0000:%02x:00.0", s->index + 1);
    if (!sc_text(s, "pci")) sc_set(s, line, "pci", value, NULL);
    if (sscanf(sc_text(s, "pci"), "%*x:%*x:%*x.%c", value) != 1) sc_die(line, "pci is like 0000:01:00.0");
    if (sscanf(sc_text(s, "cc"), "%*u.%1[0-9]", value) != 1) sc_die(line, "cc is like 8.9");
}

static void sc_grant(const sc_section *s, int line) {
    char item[192];
    sc_gpu[sc_gpus++] = s;
    for (int i = 0; sc_item(sc_text(s, "mig_instances"), i, item, sizeof item); i++) {
        if (sc_migs == SC_MIGS) sc_die(line, "too many MIG instances");
        // The ids of seven 1g instances on an A100 are 7 to 13, each with compute instance 0.
        sc_mig_device *m = &sc_mig[sc_migs++];
        *m = (sc_mig_device){.gpu = s, .gi = 7 + i, .memory = -1};
        if (sscanf(item, "%95[^:]:%31[^:]:%lf", m->uuid, m->profile, &m->memory) < 1 || strncmp(m->uuid, "MIG-", 4))
            sc_die(line, "a MIG instance is MIG-uuid[:profile[:MiB]]");
    }
}

__attribute__((constructor)) static void sc_load(void) {
    void *self = sc_find();
    FILE *f = fopen(sc_file, "rb");
    if (!f) sc_die(0, "cannot open the scenario: %s", strerror(errno));
    char text[4096];
    int line = 0, n;
    sc_section *section = &sc_machine;
    while (fgets(text, sizeof text, f)) {
        line++;
        // A "#" starts a comment at the beginning of a line or after a blank: texts may contain it.
        for (char *c = text; (c = strchr(c, '#')); c++)
            if (c == text || isspace((unsigned char)c[-1])) {
                *c = 0;
                break;
            }
        char *key = sc_trim(text), *equals = strchr(key, '=');
        if (!*key) continue;
        if (*key == '[') {
            char end = 0;
            if (sscanf(key, "[gpu %d%c", &n, &end) != 2 || end != ']') sc_die(line, "a section is [gpu N]");
            if (sc_alls == SC_GPUS) sc_die(line, "too many GPUs");
            section = &sc_all[sc_alls++];
            section->index = n;
            continue;
        }
        if (!equals) sc_die(line, "not 'key = value': %s", key);
        *equals = 0;
        sc_set(section, line, sc_trim(key), sc_trim(equals + 1), self);
    }
    fclose(f);
    if (!sc_text(&sc_machine, "driver_version")) sc_die(line, "no 'driver_version'");

    const char *granted = sc_text(&sc_machine, "granted");
    char item[32];
    for (int i = 0; i < sc_alls; i++) {
        sc_complete(&sc_all[i], line);
        snprintf(item, sizeof item, "%d", sc_all[i].index);
        if (!granted || sc_listed(granted, item)) sc_grant(&sc_all[i], line);
    }
    for (int i = 0; sc_item(granted, i, item, sizeof item); i++) {
        bool found = !*item;  // "granted =" gives nothing
        for (int g = 0; g < sc_gpus; g++) found |= sc_gpu[g]->index == atoi(item);
        if (!found) sc_die(line, "granted: there is no [gpu %s]", item);
    }
}

#endif
