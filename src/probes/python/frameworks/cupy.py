

class CuPy(Framework):
    '''CuPy. Its own kernels are compiled on the spot by NVRTC, which it finds by itself or not.'''
    name = module = 'cupy'

    def about(self, out):
        runtime = out.read('runtime', lambda: self.loaded.cuda.runtime)
        del out.fields['runtime']
        if runtime is None:
            return
        number = out.read('number', runtime.runtimeGetVersion)
        del out.fields['number']
        out.errors.pop('number', None)
        hip = bool(getattr(runtime, 'is_hip', False))
        version = '%d.%d' % (number // 1000, number % 1000 // 10) if number and not hip else None
        out.fields.update(cuda=version, hip='unknown' if hip else None, gpu_build=True)

    def sees(self, out, allowed):
        runtime = self.loaded.cuda.runtime
        count = out.read('device_count', lambda: int(runtime.getDeviceCount()))
        # "no driver" and "no device" come as exceptions
        out.fields['available'] = bool(count)
        for index in range(min(count or 0, LIST_MAX)):
            row = Readings(index=index)
            seen = row.read('seen', runtime.getDeviceProperties, index) or {}
            del row.fields['seen']
            name = seen.get('name')
            row.fields.update(name=name.decode('utf-8', 'replace') if isinstance(name, bytes) else name,
                              capability=[seen.get('major'), seen.get('minor')])
            out.fields['devices'].append(row.all())

    def wait(self, index):
        with self.loaded.cuda.Device(index):
            self.loaded.cuda.runtime.deviceSynchronize()

    def place(self, index, left, right):
        with self.loaded.cuda.Device(index):
            self.a, self.b = (self.loaded.asarray(rows, dtype='float32') for rows in (left, right))
        self.wait(index)

    def operate(self, operation, index):
        with self.loaded.cuda.Device(index):
            return self.a * 2 + self.b if operation == 'elementwise' else self.loaded.matmul(self.a, self.b)

    def back(self, result):
        return result.get().tolist()


FRAMEWORK = CuPy
