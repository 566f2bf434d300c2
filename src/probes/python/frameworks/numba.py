

class Numba(Framework):
    '''Numba's CUDA target: its own old one, or that of numba-cuda, which takes its place.'''
    name = module = 'numba'
    operations = ('elementwise',)

    def enter(self):
        import importlib
        self.loaded = importlib.import_module('numba')
        try:
            self.cuda = importlib.import_module('numba.cuda')
        except BaseException:
            self.loaded = None
            raise

    def about(self, out):
        out.fields['cuda_file'] = getattr(self.cuda, '__file__', None)

    def sees(self, out, allowed):
        cuda = self.cuda
        out.read('available', lambda: bool(cuda.is_available()))
        reason = out.read('reason', lambda: cuda.cuda_error() if hasattr(cuda, 'cuda_error') else None)
        del out.fields['reason']
        if reason:
            out.fields['init_error'] = {'message': said(reason).strip()}
        # NUMBA_ENABLE_CUDASIM=1 puts Python code in the place of CUDA, which computes the right results on the processor.
        if 'simulator' in said(type(getattr(cuda, 'gpus', None)).__module__):
            out.fields.update(available=False, device_count=0, init_error={
                'message': "Numba's simulator stands in for CUDA: everything is computed on the processor"})
            return
        count = out.read('device_count', lambda: len(cuda.gpus))
        for index in range(min(count or 0, LIST_MAX)):
            row = Readings(index=index)
            row.read('name', lambda: cuda.gpus[index].name.decode('utf-8', 'replace'))
            row.read('capability', lambda: list(cuda.gpus[index].compute_capability))
            out.fields['devices'].append(row.all())

    def wait(self, index):
        with self.cuda.gpus[index]:
            self.cuda.synchronize()

    def place(self, index, left, right):
        import numpy
        global cuda  # a kernel finds the module among the globals, also in numba's simulator
        cuda = self.cuda
        with cuda.gpus[index]:
            self.a, self.b = (cuda.to_device(numpy.array(rows, 'float32')) for rows in (left, right))
            self.c = cuda.device_array((16, 16), 'float32')

        def kernel(a, b, c):
            row, column = cuda.threadIdx.x, cuda.threadIdx.y
            c[row, column] = a[row, column] * 2 + b[row, column]
        self.kernel = cuda.jit(kernel)

    def operate(self, operation, index):
        with self.cuda.gpus[index]:
            self.kernel[1, (16, 16)](self.a, self.b, self.c)
        return self.c

    def back(self, result):
        return result.copy_to_host().tolist()


FRAMEWORK = Numba
