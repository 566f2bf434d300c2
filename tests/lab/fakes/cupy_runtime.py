

# ---- from here on: put behind the real cupy/__init__.py by a test. The runtime that is linked into CuPy refuses the fake
# libcuda, so what it says of devices comes from the fake itself. To compile is left to CuPy: the real NVRTC, or the real
# exception that there is none.
def _played():
    import contextlib
    import ctypes

    library = ctypes.CDLL('libcuda.so.1')
    code = library.cuInit(0)

    class runtime(object):
        is_hip = False
        runtimeGetVersion = staticmethod(cuda.runtime.runtimeGetVersion)
        deviceSynchronize = staticmethod(lambda: None)

        @staticmethod
        def getDeviceCount():
            if code:
                raise RuntimeError('cudaErrorNoDevice: no CUDA-capable device is detected')
            value = ctypes.c_int()
            library.cuDeviceGetCount(ctypes.byref(value))
            return value.value

        @staticmethod
        def getDeviceProperties(index):
            name, major, minor = ctypes.create_string_buffer(256), ctypes.c_int(), ctypes.c_int()
            library.cuDeviceGetName(name, 256, index)
            library.cuDeviceComputeCapability(ctypes.byref(major), ctypes.byref(minor), index)
            return {'name': name.value, 'major': major.value, 'minor': minor.value}

    class Array(object):
        def __init__(self, rows):
            self.rows = rows

        def __mul__(self, number):
            from cupy_backends.cuda.libs import nvrtc
            nvrtc.createProgram('extern "C" __global__ void kernel() {}', 'kernel.cu', (), ())
            return Array([[number * value for value in row] for row in self.rows])

        def __add__(self, other):
            return Array([[x + y for x, y in zip(*rows)] for rows in zip(self.rows, other.rows)])

        def get(self):
            return self

        def tolist(self):
            return self.rows

    def multiply(a, b):
        return Array([[sum(x * y for x, y in zip(row, column)) for column in zip(*b.rows)] for row in a.rows])

    @contextlib.contextmanager
    def device(index):
        yield

    cuda.runtime = runtime
    cuda.Device = device
    return lambda rows, dtype=None: Array(rows), multiply


asarray, matmul = _played()
