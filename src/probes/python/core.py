'''What one Python interpreter knows about one of its GPU frameworks, as JSON lines.

Run by the interpreter that is to be examined, as `python -B -c SCRIPT`, where SCRIPT is this file, one of frameworks/
and a last line that calls main(). It has no opinion: it only says what it saw. It needs nothing but the standard
library, writes nothing and opens no connection.

The channel. Lines of JSON go to the stdout that the process was started with. That descriptor is kept aside and
descriptor 1 then points at stderr, so that nothing a library prints can get between the lines; descriptor 0 is kept
aside in the same way. Python objects that a library breaks are not used: only os.read and os.write.

    {"begin": STAGE, ...}     before something that may hang or crash
    {"stage": STAGE, ...}     what it gave
    {"waiting": "tensor"}     the parent answers on stdin: "go", "go 0,2", or anything else to go without
    {"done": true}            the end; a channel that ends before it means a crash, an exit or a kill

Stages, in order: interpreter, packages (of one child per interpreter), then import, sees, and tensor per device, or
tensor-skipped; tensor-stopped when an error makes every later call of the process fail. A framework that makes a
context by looking for devices asks before `sees`, the others after it. A value that could not be had is null, and
`errors` of the same line says why; `error` stands for the whole line. Exit status 0 whenever the script came to its
end. A crash, or SIGTERM while it hangs, leaves the Python stack on stderr.

Kept to syntax that Python 2.7 accepts, so that an interpreter which is too old can say so; single quotes and few
bytes, because Windows limits a command line to 32,767 characters.
'''
import sys

# `python -c` puts the current directory first on the path: a torch.py lying there must not run, nor a json.py.
CWD_REMOVED = []
if sys.path and sys.path[0] == '':
    del sys.path[0]
    CWD_REMOVED.append('first')

import os


def forget_cwd():
    '''Takes the current directory off the path where only an empty part of PYTHONPATH put it there, as
    PYTHONPATH=/a:$PYTHONPATH does when the variable was not set.'''
    try:
        here = os.getcwd()
    except OSError:  # deleted
        return
    parts = os.environ.get('PYTHONPATH', '').split(os.pathsep)
    empty = '.' in parts or len(parts) > 1 and '' in parts
    own = [os.path.dirname(os.__file__)] + [path for path in sys.path if path.endswith('-packages')]
    if empty and here in sys.path and here not in parts + own:
        sys.path[:] = [path for path in sys.path if path != here]
        CWD_REMOVED.append('PYTHONPATH')


sys.path[:] = [path for path in sys.path if isinstance(path, str)]
forget_cwd()

import json
import re
import time

TEXT_MAX = 8192  # characters of one text
TAIL_MAX = 4096  # characters of a traceback
LIST_MAX = 512


# ---- the channel

class Channel(object):
    '''The descriptors that the process was started with, out of the reach of libraries.'''

    def __init__(self):
        self.out = os.dup(1)
        try:
            self.into = os.dup(0)
        except OSError:  # started without a stdin
            self.into = None
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        try:
            os.dup2(2, 1)
        except OSError:  # started without a stderr
            os.dup2(null, 1)
            os.dup2(null, 2)

    def send(self, **fields):
        line = (json.dumps(clean(fields)) + '\n').encode('ascii')
        while line:
            line = line[os.write(self.out, line):]

    def ask(self):
        '''One line from the parent; empty when it has closed its end.'''
        line = b''
        while self.into is not None and not line.endswith(b'\n') and len(line) < TEXT_MAX:
            byte = os.read(self.into, 1)
            if not byte:
                break
            line += byte
        return line.decode('ascii', 'replace').strip()


def clean(value, limit=TEXT_MAX):
    '''The value in a form that every JSON reader accepts: bounded, and without lone surrogates.'''
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else repr(value)
    if isinstance(value, dict):
        return dict((clean(k), clean(v)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return [clean(v) for v in list(value)[:LIST_MAX]]
    text = value if isinstance(value, str) else said(value)
    if len(text) > limit:
        text = text[:limit] + ' [%d more characters]' % (len(text) - limit)
    if sys.version_info < (3,):
        return text.decode('utf-8', 'replace')
    return text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')


def said(value):
    '''str() of an object of a library, whose own __str__ may be broken.'''
    try:
        return str(value)
    except Exception as error:
        return '<%s whose text cannot be had: %s>' % (type(value).__name__, type(error).__name__)


# ---- errors

# What the loader and torch say about a library, with the public wording that each pattern was written for. FILE begins
# only where a word begins: a pattern that may begin anywhere takes minutes on a megabyte without spaces.
FILE = r'(?<![^\s:"(])(?P<library>[^\s:"(]+\.so[^\s:]*)'
LIBRARY_TEXTS = [re.compile(pattern) for pattern in (
    # ImportError: libcudart.so.12: cannot open shared object file: No such file or directory
    FILE + r': (?:cannot open shared object file|file too short|invalid ELF header|failed to map segment)',
    # ValueError: libcublasLt.so.*[0-9] not found in the system path [...]
    FILE + r' not found',
    # ImportError: .../libtorch_cuda.so: undefined symbol: ncclCommRegister
    FILE + r': undefined symbol: (?P<symbol>[^\s,]+)',
    # ImportError: /lib64/libm.so.6: version `GLIBC_2.29' not found (required by .../libtorch_cpu.so)
    FILE + r': version [`\'](?P<symbol>[^\']+)\' not found',
    # OSError: [WinError 126] The specified module could not be found. Error loading '...\fbgemm.dll' or one of ...
    r'Error loading ["\'](?P<library>[^"\']+)["\']',
    # ImportError: dlopen(...): Library not loaded: @rpath/libc10.dylib
    r'Library not loaded: (?P<library>\S+)',
)]
# 'Error 804: forward compatibility was attempted on non supported HW', 'CUDA error 700: ...', '(error code: 35)'
CUDA_CODE = re.compile(r'(?:\bError|CUDA error|error code:?) ?\(?(\d{1,3})\b')


def describe(error):
    '''An exception as data. Every field but type and message is there only if it could be had.'''
    kind = type(error)
    module = kind.__module__
    out = {'type': kind.__name__ if module == 'builtins' else '%s.%s' % (module, kind.__name__), 'message': said(error)}
    if isinstance(error, OSError):
        out.update(errno=error.errno, winerror=getattr(error, 'winerror', None))
    if isinstance(error, ImportError):
        out['module'] = error.name
    if isinstance(error, SystemExit):
        out['exit'] = said(error.code)
    for pattern in LIBRARY_TEXTS:
        match = pattern.search(out['message'])
        if match:
            out.update(match.groupdict())
            break
    code = getattr(error, 'error_code', None)  # torch.AcceleratorError
    out['code'] = code if isinstance(code, int) else cuda_code(out['message'])
    chain, link = [], error.__cause__ or error.__context__
    while link is not None and len(chain) < 4:
        chain.append('%s: %s' % (type(link).__name__, said(link)))
        link = link.__cause__ or link.__context__
    out['caused_by'] = chain
    try:
        import traceback
        out['traceback'] = ''.join(traceback.format_exception(kind, error, error.__traceback__))[-TAIL_MAX:]
    except Exception:
        pass  # the message is what matters
    return dict((k, v) for k, v in out.items() if v not in (None, []))


def cuda_code(text):
    match = CUDA_CODE.search(text)
    return int(match.group(1)) if match else None


class Readings(object):
    '''Fields of one line, each of which may fail on its own.'''

    def __init__(self, **fields):
        self.fields = fields
        self.errors = {}

    def read(self, name, function, *arguments):
        self.fields[name] = None
        try:
            self.fields[name] = function(*arguments)
        except BaseException as error:
            self.errors[name] = describe(error)
        return self.fields[name]

    def all(self):
        return dict(self.fields, errors=self.errors) if self.errors else self.fields


class Heard(object):
    '''Collects the warnings of a block and what it logs as a warning or worse, once each, without what is addressed to
    developers.'''

    def __enter__(self):
        import logging
        import warnings
        heard = self.heard = []

        class Listener(logging.Handler):
            def emit(self, record):
                text = record.getMessage()
                error = record.exc_info and record.exc_info[1]
                heard.append((record.levelname, '%s: %s' % (text, said(error)) if error else text))

        self.listener = Listener(logging.WARNING)
        logging.getLogger().addHandler(self.listener)
        self.catcher = warnings.catch_warnings(record=True)
        self.caught = self.catcher.__enter__()
        warnings.simplefilter('default')
        for kind in (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter('ignore', kind)
        return self

    def __exit__(self, *error):
        import logging
        self.catcher.__exit__(*error)
        logging.getLogger().removeHandler(self.listener)

    def texts(self):
        out = []
        rows = [(warning.category.__name__, said(warning.message)) for warning in self.caught]
        for category, text in (rows + self.heard)[:32]:
            row = {'category': category, 'message': text, 'code': cuda_code(text)}
            out.append(dict((k, v) for k, v in row.items() if v is not None))
        return out


# ---- files

def read_text(path, limit=65536):
    '''The beginning of a file as text, or None if it cannot be read.'''
    try:
        with open(path, 'rb') as file:
            return file.read(limit).decode('utf-8', 'replace')
    except (IOError, OSError):
        return None


def names_in(folder):
    try:
        return sorted(os.listdir(folder or '.'))
    except (IOError, OSError):  # not there, a zip file, not readable
        return []


def mapped_libraries():
    '''The CUDA and framework libraries in this process, by the kernel's own list; None where there is no such list.'''
    text = read_text('/proc/self/maps', 1 << 24)
    if text is None:
        return None
    found = re.findall(r'(/\S.*/lib(?:cuda|cudnn|cublas|cufft|curand|cusolver|cusparse|cupti|nvrtc|nvJitLink|nvidia|nccl'
                       r'|torch_cuda|torch_hip|amdhip64)[^/\n]*)$', text, re.M)
    return sorted(set(found))


# ---- interpreter

def interpreter():
    import struct
    base = getattr(sys, 'base_prefix', sys.prefix)
    out = {
        'executable': sys.executable,
        'version': '%d.%d.%d' % sys.version_info[:3],
        'release': ''.join(str(part) for part in sys.version_info[3:]),  # 'final0', 'candidate1'
        'bits': struct.calcsize('P') * 8,
        'prefix': sys.prefix,
        'base_prefix': base,
        'sys_path': list(sys.path),
    }
    if sys.version_info < (3, 6):
        return dict(out, unsupported='Python %s is older than 3.6' % out['version'])
    stdlib = os.path.dirname(getattr(os, '__file__', None) or '')
    managed = os.path.join(stdlib, 'EXTERNALLY-MANAGED')
    out.update(
        implementation=sys.implementation.name,
        free_threaded='free-threading' in sys.version,
        # the loader of that C library is mapped into every process that uses it
        musl='/ld-musl-' in (read_text('/proc/self/maps', 1 << 24) or ''),
        machine=os.uname().machine if hasattr(os, 'uname') else os.environ.get('PROCESSOR_ARCHITECTURE'),
        platform=sys.platform,
        # pip obeys the mark only outside of virtual environments (PEP 668)
        externally_managed=bool(stdlib) and sys.prefix == base and os.path.exists(managed),
        user_site=user_site(),
        venv=venv(),
        managers=managers(base),
        lock_files=lock_files(base),
        cwd_removed=CWD_REMOVED,
        switches=dict((name, os.environ[name]) for name in SWITCHES if name in os.environ),
    )
    return out


# Variables that keep a framework off the GPU: start-up code may have set them.
SWITCHES = ('CUDA_VISIBLE_DEVICES', 'HIP_VISIBLE_DEVICES', 'JAX_PLATFORMS', 'JAX_PLATFORM_NAME', 'NUMBA_DISABLE_CUDA',
            'NUMBA_ENABLE_CUDASIM')


def user_site():
    import site
    path = getattr(site, 'getusersitepackages', lambda: None)()
    return {'enabled': bool(getattr(site, 'ENABLE_USER_SITE', False)), 'path': path, 'on_path': path in sys.path}


def venv():
    '''pyvenv.cfg of the environment, or None outside of one.'''
    path = os.path.join(sys.prefix, 'pyvenv.cfg')
    text = read_text(path)
    if text is None:
        return None
    pairs = (line.split('=', 1) for line in text.splitlines() if '=' in line)
    settings = dict((key.strip().lower(), value.strip()) for key, value in pairs)
    return {
        'config': path,
        'home': settings.get('home'),
        'system_site_packages': settings.get('include-system-site-packages', '').lower() == 'true',
        'uv': settings.get('uv'),
    }


def lock_files(base):
    '''The lock files of a project that keeps its environment within itself.'''
    names = ('uv.lock', 'poetry.lock', 'pdm.lock', 'Pipfile.lock', 'pylock.toml')
    project = os.path.dirname(sys.prefix)
    return [name for name in names if sys.prefix != base and os.path.exists(os.path.join(project, name))]


def managers(base):
    '''Who looks after this environment, each with the file or path that says so.'''
    conda = os.path.join(sys.prefix, 'conda-meta')
    config = os.path.join(sys.prefix, 'pyvenv.cfg')
    inside = sys.prefix.replace('\\', '/') + '/'
    marks = [
        ('conda', conda, os.path.isdir(conda)),
        ('pixi', os.path.join(conda, 'pixi'), os.path.exists(os.path.join(conda, 'pixi'))),
        ('pixi', sys.prefix, '/.pixi/envs/' in inside),
        ('uv', config, re.search(r'(?m)^\s*uv\s*=', read_text(config) or '') is not None),
        ('uv', sys.prefix, '/uv/tools/' in inside),
        ('pipx', os.path.join(sys.prefix, 'pipx_metadata.json'), None),
        ('poetry', sys.prefix, '/pypoetry/virtualenvs/' in inside),
        ('pyenv', base, '/.pyenv/versions/' in base.replace('\\', '/') + '/'),
    ]
    out = {}
    for name, evidence, holds in marks:
        if os.path.exists(evidence) if holds is None else holds:
            out.setdefault(name, evidence)
    return [{'name': name, 'evidence': evidence} for name, evidence in sorted(out.items())]


# ---- frameworks

ALL = 'all'  # every device that the framework sees


class Framework(object):
    '''What is asked of every framework; a file in frameworks/ says how.'''
    name = module = None
    makes_context = False  # by looking for devices
    operations = ('elementwise', 'matmul')  # of the computation; none where nothing tiny can be computed
    indexes = ()  # the devices that are computed on

    def load(self):
        '''Imports it.'''
        out, start = Readings(ok=False), time.perf_counter()
        with Heard() as heard:
            out.read('module', self.enter)
            if self.loaded is not None:
                out.fields.update(ok=True, file=getattr(self.loaded, '__file__', None),
                                  version=getattr(self.loaded, '__version__', None))
                self.about(out)
        out.fields.update(seconds=round(time.perf_counter() - start, 3), warnings=heard.texts())
        del out.fields['module']
        error = out.errors.pop('module', None)
        if error:
            out.fields.update(error=error, libraries=mapped_libraries())
        return out.all()

    loaded = None

    def enter(self):
        self.loaded = __import__(self.module)

    def about(self, out):
        '''Adds what the imported framework says of its own build: cuda, hip, xpu.'''

    def look(self, allowed):
        '''What it says about GPUs. `allowed` is what the parent granted, where looking makes a context.'''
        out = Readings(devices=[])
        with Heard() as heard:
            self.sees(out, allowed)
        out.fields.update(warnings=heard.texts(), libraries=mapped_libraries())
        return out.all()

    def sees(self, out, allowed):
        '''Reads available, device_count, devices, backends as far as it knows of them.'''
        raise NotImplementedError

    # The computation: place() puts both operands on the device, operate() computes and waits for the device, since CUDA
    # reports a failed kernel only at a later call, and back() gives rows of numbers.

    def device_name(self, index):
        return 'cuda:%d' % index

    def wait(self, index):
        '''Waits for the device; raises what a kernel did wrong.'''

    def tensor(self, index):
        '''Arithmetic on one device, its result compared with plain Python's.'''
        start = time.perf_counter()
        left = [[(3 * row + 5 * column) % 7 - 3 for column in range(16)] for row in range(16)]
        right = [[(2 * row + 3 * column) % 5 - 2 for column in range(16)] for row in range(16)]
        hand = {
            'elementwise': [[2 * x + y for x, y in zip(*rows)] for rows in zip(left, right)],
            'matmul': [[sum(x * y for x, y in zip(row, column)) for column in zip(*right)] for row in left],
        }
        out = {'index': index, 'ok': False}
        step, operation = 'place', None
        try:
            self.place(index, left, right)
            # Elementwise first: the framework's own kernel, built for the architectures of the build; matmul is cuBLAS's.
            for operation in self.operations:
                step = 'compute'
                result = self.operate(operation, index)
                self.wait(index)
                step = 'copy_back'
                back = self.back(result)
                step = 'compare'
                wrong = [[x, y, hand[operation][x][y], back[x][y]] for x in range(16) for y in range(16)
                         if back[x][y] != hand[operation][x][y]]
                if wrong:
                    raise ArithmeticError('%d of 256 elements differ; [%d][%d] should be %d and is %r'
                                          % tuple([len(wrong)] + wrong[0]))
            out['ok'] = True
        except BaseException as error:
            out.update(step=step, operation=operation, error=describe(error), sticky=False)
            if step in ('compute', 'copy_back'):
                # After an illegal address, an assertion or an uncorrectable error every later call fails as well.
                try:
                    self.wait(index)
                except BaseException:
                    out['sticky'] = True
        out['seconds'] = round(time.perf_counter() - start, 3)
        return out


# ---- the whole

def examine(framework, channel):
    def send(**fields):
        channel.send(framework=framework.name, **fields)

    def ask():
        if os.environ.get('GPU_DOCTOR_TENSOR') == '0':
            return None
        send(waiting='tensor')
        return granted(channel.ask())

    send(begin='import')
    line = looked(framework.load)
    send(stage='import', **line)
    if not line.get('ok'):
        send(stage='tensor-skipped', reason='not-imported')
        return
    allowed = ask() if framework.makes_context else None
    send(begin='sees')
    line = looked(framework.look, allowed)
    send(stage='sees', **line)
    seen = [device['index'] for device in line.get('devices') or []]
    reason = None if framework.operations else 'no-computation'
    if framework.makes_context and allowed is None:
        reason = reason or 'not-granted'
    reason = reason or (None if seen else 'no-device')
    if reason is None and not framework.makes_context:
        allowed = ask()
        reason = 'not-granted' if allowed is None else None
    if reason == 'not-granted' and os.environ.get('GPU_DOCTOR_TENSOR') == '0':
        reason = 'environment'
    if reason:
        send(stage='tensor-skipped', reason=reason)
        return
    indexes = seen if allowed == ALL else [index for index in allowed if index in seen]
    framework.indexes = list(indexes)
    while indexes:
        index = indexes.pop(0)
        send(begin='tensor', index=index)
        line = framework.tensor(index)
        send(stage='tensor', device=framework.device_name(index), **line)
        if line.get('sticky') and indexes:
            send(stage='tensor-stopped', after=index, not_run=indexes)
            return


def granted(answer):
    '''The device indexes that the parent's answer allows, or ALL; None for none.'''
    words = answer.split()
    if words == ['go']:
        return ALL
    if len(words) == 2 and words[0] == 'go' and re.match(r'\d+(,\d+)*$', words[1]):
        return [int(index) for index in words[1].split(',')]
    return None


def looked(function, *arguments):
    '''The fields of a line, or the error that kept this script from having them.'''
    try:
        return function(*arguments)
    except Exception as error:
        return {'error': describe(error)}


def show_stack_when_killed():
    '''A crash or SIGTERM then leaves the Python stack on stderr: where it hung is worth more than that it hung.'''
    import faulthandler
    faulthandler.enable(file=2, all_threads=False)
    if hasattr(faulthandler, 'register'):
        import signal
        faulthandler.register(signal.SIGTERM, file=2, all_threads=False, chain=True)


def main(framework, survey=None):
    '''Asks one framework. `survey` is what to say of the installed packages before, if anything.'''
    channel = Channel()
    line = looked(interpreter)
    channel.send(stage='interpreter', **line)
    if 'unsupported' not in line:
        try:
            show_stack_when_killed()
        except Exception:
            pass  # only a comfort
        if survey:
            channel.send(begin='packages')
            channel.send(stage='packages', **looked(survey))
        examine(framework, channel)
    channel.send(done=True)
    try:
        sys.stdout.flush()
    except Exception:
        pass  # what a library printed, or made of stdout
    # The interpreter's own end would run the libraries' exit handlers, which can hang or crash and say nothing more.
    os._exit(0)
