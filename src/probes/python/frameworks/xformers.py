

class Xformers(Framework):
    '''xFormers: whether its C++ and CUDA operators could be loaded.'''
    name = module = 'xformers'
    operations = ()

    def about(self, out):
        # Its warning about operators built for another torch or CUDA comes when they are registered.
        import importlib
        out.read('library', lambda: importlib.import_module('xformers._cpp_lib'))
        del out.fields['library']
        self.library = sys.modules.get('xformers._cpp_lib')

    def sees(self, out, allowed):
        failed = getattr(self.library, '_cpp_library_load_exception', None)
        if failed is not None:
            out.fields['init_error'] = {'message': said(failed)}
            out.fields['available'] = False
        build = getattr(self.library, '_build_metadata', None)
        if build is not None:
            out.fields['build_info'] = said(getattr(build, 'cuda_version', None))


FRAMEWORK = Xformers
