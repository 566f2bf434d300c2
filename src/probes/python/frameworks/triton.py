

class Triton(Framework):
    '''Triton: its back ends. Whether one is active it asks torch, which is asked by itself.'''
    name = module = 'triton'
    operations = ()

    def sees(self, out, allowed):
        import importlib
        backends = out.read('backends', lambda: sorted(importlib.import_module('triton.backends').backends))
        if backends is None:  # a release before 3.0
            out.errors.pop('backends')


FRAMEWORK = Triton
