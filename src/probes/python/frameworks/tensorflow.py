

class TensorFlow(Framework):
    '''TensorFlow. Listing the physical devices makes no context; the first operation makes one on every visible device.'''
    name = module = 'tensorflow'

    def about(self, out):
        build = out.read('build', self.build)
        del out.fields['build']
        out.errors.pop('build', None)
        if build is None:  # a release that cannot say it
            return
        self.info = build
        out.fields.update(
            cuda=build.get('cuda_version') or None,
            hip=build.get('hip_version') or ('unknown' if build.get('is_rocm_build') else None),
            cudnn=build.get('cudnn_version'),
            gpu_build=bool(build.get('is_cuda_build') or build.get('is_rocm_build')),
        )

    info = {}

    def build(self):
        return dict(self.loaded.sysconfig.get_build_info())

    def sees(self, out, allowed):
        config = self.loaded.config
        self.gpus = out.read('all', lambda: list(config.list_physical_devices('GPU')))
        out.fields.pop('all')
        out.read('backends', lambda: sorted(set(device.device_type for device in config.list_physical_devices())))
        out.fields['arch_list'] = list(self.info.get('cuda_compute_capabilities') or [])
        if self.gpus is None:
            # What cannot list its devices cannot use one.
            out.fields['available'] = False
            return
        out.fields.update(available=bool(self.gpus), device_count=len(self.gpus))
        for index in range(min(len(self.gpus), LIST_MAX)):
            row = Readings(index=index)
            details = row.read('details', config.experimental.get_device_details, self.gpus[index]) or {}
            del row.fields['details']
            row.fields.update(name=details.get('device_name'), capability=details.get('compute_capability'))
            out.fields['devices'].append(row.all())

    a = None

    def place(self, index, left, right):
        tf = self.loaded
        if self.a is None:
            # The first operation makes a context on every visible device: only those that were granted are.
            granted = [self.gpus[number] for number in self.indexes]
            tf.config.set_visible_devices(granted, 'GPU')
            for gpu in granted:
                tf.config.experimental.set_memory_growth(gpu, True)
        self.device = '/GPU:%d' % self.indexes.index(index)
        with tf.device(self.device):
            self.a, self.b = (tf.identity(tf.constant(rows, dtype='float32')) for rows in (left, right))
        self.check(self.a)
        self.check(self.b)

    def operate(self, operation, index):
        tf = self.loaded
        with tf.device(self.device):
            result = self.a * 2 + self.b if operation == 'elementwise' else tf.matmul(self.a, self.b)
        self.check(result)
        return result

    @staticmethod
    def check(value):
        if 'GPU' not in value.device:
            raise RuntimeError('it is on %s' % value.device)

    def back(self, result):
        return result.numpy().tolist()


FRAMEWORK = TensorFlow
