

class Jax(Framework):
    '''JAX. The plugin for CUDA registers itself before any back end exists; looking for devices makes a context on each.'''
    name = module = 'jax'
    makes_context = True

    def about(self, out):
        import importlib
        out.read('plugins', self.plugins)
        names = out.fields['plugins'] or []
        version = said(getattr(importlib.import_module('jaxlib.version'), '__version__', ''))
        cuda = re.findall(r'cuda_?(\d+)', ' '.join(names + [version]))
        out.fields.update(cuda=cuda[-1] if cuda else None, hip=None)
        # Older releases have the CUDA back end within jaxlib.
        inside = names_in(os.path.join(os.path.dirname(importlib.import_module('jaxlib').__file__), 'cuda'))
        gpu = [name for name in names if re.search('cuda|rocm', name)] + [n for n in inside if n.startswith('_versions')]
        out.fields['gpu_build'] = bool(gpu or cuda)

    @staticmethod
    def plugins():
        import importlib
        import pkgutil
        plugins = getattr(importlib.import_module('jax._src.xla_bridge'), 'jax_plugins', None)
        return sorted(module.name for module in pkgutil.iter_modules(plugins.__path__)) if plugins else []

    def sees(self, out, allowed):
        jax = self.loaded
        if allowed is None:
            return
        if allowed != ALL:
            out.read('chosen', lambda: jax.config.update('jax_cuda_visible_devices', ','.join(map(str, allowed))))
        # What the user asks for by JAX_PLATFORMS counts; an exception here is his as well.
        devices = out.read('all', lambda: list(jax.devices()))
        out.fields.pop('all', None)
        out.fields.pop('chosen', None)
        out.read('backends', lambda: sorted(self.platforms()))
        out.read('cuda', self.cuda)
        if devices is None:
            # A back end that cannot be started ends every program of this environment.
            out.fields['available'] = False
            return
        gpus = [device for device in devices if device.platform not in ('cpu', 'interpreter')]
        ordinals = range(len(gpus)) if allowed == ALL else allowed
        self.gpus = dict(zip(ordinals, gpus))
        out.fields['available'] = bool(gpus)
        # Where devices were left out, the number is not the framework's own.
        out.fields['device_count'] = len(gpus) if allowed == ALL else None
        for index, gpu in self.gpus.items():
            row = Readings(index=index, name=said(gpu.device_kind), platform=gpu.platform)
            row.read('capability', lambda: said(getattr(gpu, 'compute_capability', None) or '') or None)
            out.fields['devices'].append(row.all())

    @staticmethod
    def cuda():
        '''The CUDA of the build, of the module that JAX itself has loaded by now.'''
        for package in ('jax_cuda13_plugin', 'jax_cuda12_plugin', 'jaxlib.cuda'):
            versions = sys.modules.get(package + '._versions')
            if versions:
                number = versions.cuda_runtime_build_version()
                return '%d.%d' % (number // 1000, number % 1000 // 10)
        return None

    def platforms(self):
        import importlib
        return importlib.import_module('jax._src.xla_bridge').backends()

    def place(self, index, left, right):
        self.a, self.b = (
            self.loaded.device_put(self.rows(rows), self.gpus[index]).block_until_ready() for rows in (left, right))

    @staticmethod
    def rows(rows):
        import numpy
        return numpy.array(rows, 'float32')

    def operate(self, operation, index):
        numbers = __import__('jax.numpy').numpy
        result = self.a * 2 + self.b if operation == 'elementwise' else numbers.matmul(self.a, self.b)
        return result.block_until_ready()

    def back(self, result):
        import numpy
        return numpy.asarray(result).tolist()


FRAMEWORK = Jax
