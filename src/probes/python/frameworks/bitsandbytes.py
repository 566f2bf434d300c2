

class BitsAndBytes(Framework):
    '''bitsandbytes: which of its native libraries it loaded for the CUDA of torch.'''
    name = module = 'bitsandbytes'
    operations = ()

    def sees(self, out, allowed):
        import importlib
        native = out.read('native', lambda: importlib.import_module('bitsandbytes.cextension'))
        del out.fields['native']
        library = getattr(native, 'lib', None)
        if library is None:
            return
        # A library that could not be loaded is a stand-in that raises when it is used, with the reason. Any other attribute of
        # it is a function of the native library.
        out.fields['backends'] = [type(library).__name__]
        out.fields['available'] = bool(getattr(type(library), 'compiled_with_cuda', False))
        error = vars(library).get('error_msg')
        if error:
            out.fields['init_error'] = {'message': said(error)}



FRAMEWORK = BitsAndBytes
