

class Vllm(Framework):
    '''vLLM: the platform that it takes itself to be on.'''
    name = module = 'vllm'
    operations = ()

    def sees(self, out, allowed):
        import importlib
        platform = out.read('platform', lambda: importlib.import_module('vllm.platforms').current_platform)
        del out.fields['platform']
        if platform is None:
            return
        out.read('backends', lambda: [said(getattr(platform, 'device_name', '') or type(platform).__name__)])
        out.read('available', lambda: bool(platform.is_cuda_alike() or getattr(platform, 'is_xpu', bool)()))
        # A failed import of its operators is only logged; what is missing of torch in them decides.
        out.read('operators', lambda: importlib.import_module('vllm._C').__name__)
        failed = out.errors.pop('operators', {}).get('message', '')
        del out.fields['operators']
        if 'undefined symbol' in failed:
            out.fields['available'] = False
            out.fields['init_error'] = {'message': failed}


FRAMEWORK = Vllm
