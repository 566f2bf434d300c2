

class Paddle(Framework):
    '''PaddlePaddle, by its own statement.'''
    name = module = 'paddle'
    operations = ()

    def about(self, out):
        paddle = self.loaded
        cuda = out.read('with_cuda', lambda: bool(paddle.is_compiled_with_cuda()))
        rocm = out.read('with_rocm', lambda: bool(paddle.is_compiled_with_rocm()))
        version = out.read('cuda', lambda: paddle.version.cuda() if cuda else None)
        out.fields['cuda'] = None if version in (None, False, 'False') else said(version)
        out.fields['hip'] = 'unknown' if rocm else None
        out.fields['gpu_build'] = None if cuda is None else bool(cuda or rocm)

    def sees(self, out, allowed):
        count = out.read('device_count', lambda: int(self.loaded.device.cuda.device_count()))
        out.fields['available'] = None if count is None else count > 0
        out.read('backends', lambda: [said(name) for name in self.loaded.device.get_all_device_type()])


FRAMEWORK = Paddle
