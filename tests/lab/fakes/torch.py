'''PyTorch as far as the doctor looks at it, on top of whatever libcuda the loader finds.

A real CUDA runtime refuses the fake libcuda, so a real PyTorch never sees the fakes' GPUs. This one asks libcuda itself,
and answers as the real one does with the real library: the same words, the same codes. It is installed as
`site-packages/torch/__init__.py`; beside it, `version.py` says what the build is for, as in a wheel, and
`architectures.txt` what it has code for.

Real are: a runtime runs on every driver of its own major version; code for sm_XY runs on X.Y and later X.*; code for
compute_XY is compiled for anything newer; a build without code for a GPU still lists it, and fails at the first kernel.
'''
import ctypes
import os
import types
import warnings

from . import version
from .version import __version__

float32 = 'float32'
with open(os.path.join(os.path.dirname(__file__), 'architectures.txt')) as listed:
    ARCHITECTURES = listed.read().split()

NAMES = {2: 'out of memory', 46: 'CUDA-capable device(s) is/are busy or unavailable', 214: 'uncorrectable ECC error encountered',
         209: 'no kernel image is available for execution on the device', 802: 'system not yet initialized',
         100: 'no CUDA-capable device is detected'}


class AcceleratorError(RuntimeError):
    def __init__(self, code):
        RuntimeError.__init__(self, 'CUDA error: %s' % NAMES.get(code, 'unknown error'))
        self.error_code = code


class Driver(object):
    '''libcuda, started once.'''

    def __init__(self):
        self.version, self.code, self.count = 0, None, 0
        try:
            self.library = ctypes.CDLL('libcuda.so.1')
        except OSError:
            return
        value = ctypes.c_int()
        if self.library.cuDriverGetVersion(ctypes.byref(value)) == 0:
            self.version = value.value
        if self.too_old():
            return
        self.code = self.library.cuInit(0)
        if self.code == 0:
            self.library.cuDeviceGetCount(ctypes.byref(value))
            self.count = value.value

    def too_old(self):
        return self.version // 1000 < int(version.cuda.split('.')[0])

    def why_none(self):
        if self.version == 0:
            return 'CUDA initialization: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU ' \
                   'and installed a driver from http://www.nvidia.com/Download/index.aspx'
        if self.too_old():
            return 'CUDA initialization: The NVIDIA driver on your system is too old (found version %d). Please update ' \
                   'your GPU driver by downloading and installing a new version' % self.version
        if self.code == 100:
            return None
        return 'CUDA initialization: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before ' \
               'calling NumCudaDevices() that might have already set an error? Error %d: %s' \
               % (self.code, NAMES.get(self.code, 'unknown error'))

    def context(self, index):
        context = ctypes.c_void_p()
        self.check(self.library.cuDevicePrimaryCtxRetain(ctypes.byref(context), index))
        self.check(self.library.cuCtxSetCurrent(context))
        memory = ctypes.c_uint64()
        self.check(self.library.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(1024)))

    @staticmethod
    def check(code):
        if code:
            raise AcceleratorError(code)

    def attribute(self, index, number):
        value = ctypes.c_int()
        self.library.cuDeviceGetAttribute(ctypes.byref(value), number, index)
        return value.value

    def capability(self, index):
        return self.attribute(index, 75), self.attribute(index, 76)


def numbers(name):
    digits = name.split('_')[1]
    return (int(digits[:-1]), int(digits[-1])) if digits.isdigit() else None


def has_code(capability):
    for name in ARCHITECTURES:
        built = numbers(name)
        if built is None:
            continue
        if name.startswith('sm_') and built[0] == capability[0] and built[1] <= capability[1]:
            return True
        if name.startswith('compute_') and built <= capability:
            return True
    return False


if version.cuda:
    driver = Driver()
else:
    driver = types.SimpleNamespace(count=0, why_none=lambda: None)


def device_count():
    if driver.count == 0:
        why = driver.why_none()
        if why:
            warnings.warn(why)
    return driver.count


class Tensor(object):
    def __init__(self, rows, device=None):
        self.rows, self.device = rows, device

    def to(self, device):
        index = int(device.split(':')[1])
        driver.context(index)
        return Tensor(self.rows, index)

    def computed(self, rows):
        if not has_code(driver.capability(self.device)):
            raise AcceleratorError(209)
        return Tensor(rows, self.device)

    def cpu(self):
        return self

    def tolist(self):
        return [[float(value) for value in row] for row in self.rows]

    def __mul__(self, number):
        return self.computed([[number * value for value in row] for row in self.rows])

    def __add__(self, other):
        return self.computed([[x + y for x, y in zip(*rows)] for rows in zip(self.rows, other.rows)])


def tensor(rows, dtype=None):
    return Tensor(rows)


def matmul(a, b):
    return a.computed([[sum(x * y for x, y in zip(row, column)) for column in zip(*b.rows)] for row in a.rows])


class Properties(object):
    def __init__(self, index):
        name = ctypes.create_string_buffer(256)
        driver.library.cuDeviceGetName(name, 256, index)
        self.name = name.value.decode()
        self.major, self.minor = driver.capability(index)
        memory = ctypes.c_size_t()
        driver.library.cuDeviceTotalMem_v2(ctypes.byref(memory), index)
        self.total_memory = memory.value


class cuda(object):
    is_available = staticmethod(lambda: bool(version.cuda) and device_count() > 0)
    device_count = staticmethod(device_count)
    get_arch_list = staticmethod(lambda: ARCHITECTURES if driver.count else [])
    get_device_properties = staticmethod(Properties)
    synchronize = staticmethod(lambda index: None)

    @staticmethod
    def init():
        if not version.cuda:
            raise AssertionError('Torch not compiled with CUDA enabled')
        why = driver.why_none()
        raise RuntimeError(why.replace('CUDA initialization: ', '') if why else 'No CUDA GPUs are available')


class backends(object):
    class cudnn(object):
        version = staticmethod(lambda: 90100)


_C = types.SimpleNamespace()
if version.cuda:
    _C._cuda_getDeviceCount = device_count
    _C._cuda_getArchFlags = lambda: ' '.join(ARCHITECTURES)
