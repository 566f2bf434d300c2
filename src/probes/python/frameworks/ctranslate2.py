

class CTranslate2(Framework):
    '''CTranslate2, by its own statement.'''
    name = module = 'ctranslate2'
    operations = ()

    def sees(self, out, allowed):
        count = out.read('device_count', lambda: int(self.loaded.get_cuda_device_count()))
        out.fields['available'] = None if count is None else count > 0
        out.read('compute_types', lambda: sorted(self.loaded.get_supported_compute_types('cuda')))
        error = out.errors.pop('compute_types', None)
        if error:
            out.fields['init_error'] = error
            if 'not compiled with CUDA' in error['message']:
                out.fields['gpu_build'] = False


FRAMEWORK = CTranslate2
