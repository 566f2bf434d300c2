

class OnnxRuntime(Framework):
    '''ONNX Runtime. The providers that it lists are compiled in, not usable: only a session tells, since it falls back to
    the CPU without an exception. A session makes a context.'''
    name = module = 'onnxruntime'
    makes_context = True
    # In the order of preference; TensorRT and others need libraries of their own.
    GPU = ('CUDAExecutionProvider', 'ROCMExecutionProvider', 'MIGraphXExecutionProvider', 'DmlExecutionProvider')
    provider = None

    def about(self, out):
        ort = self.loaded
        out.read('backends', lambda: list(ort.get_available_providers()))
        self.provider = next((name for name in self.GPU if name in (out.fields['backends'] or [])), None)
        info = out.read('info', self.info)
        del out.fields['info']
        out.errors.pop('info', None)
        out.fields.update(package=getattr(info, 'package_name', None), cuda=None, hip=None)
        out.fields['cuda'] = getattr(info, 'cuda_version', None)
        out.fields['gpu_build'] = self.provider is not None if out.fields['backends'] is not None else None

    @staticmethod
    def info():
        import importlib
        return importlib.import_module('onnxruntime.capi.build_and_package_info')

    def sees(self, out, allowed):
        out.fields['backends'] = list(self.loaded.get_available_providers())
        if self.provider is None:
            out.fields['available'] = False
            return
        if allowed is None:
            return
        first = 0 if allowed == ALL else allowed[0]
        used = out.read('session_providers', lambda: self.session('Add', first).get_providers())
        if used is not None:
            out.fields['available'] = self.provider in used
            indexes = [first] if allowed == ALL else allowed
            out.fields['devices'] = [{'index': index} for index in indexes] if out.fields['available'] else []

    def session(self, operator, index, strict=False):
        '''A session of a model of one node on one device. A strict one fails where the node would run on the CPU.'''
        options = self.loaded.SessionOptions()
        if strict:
            options.add_session_config_entry('session.disable_cpu_ep_fallback', '1')
        providers = [(self.provider, {'device_id': str(index)}), 'CPUExecutionProvider'][:1 if strict else 2]
        return self.loaded.InferenceSession(model(operator), options, providers=providers)

    def device_name(self, index):
        return '%s:%d' % ('cuda' if self.provider.startswith('CUDA') else self.provider, index)

    def place(self, index, left, right):
        import numpy
        # 2 * left + right in one node
        doubled = [[2 * value for value in row] for row in left]
        self.inputs = dict(
            (operation, dict(a=numpy.array(rows, 'float32'), b=numpy.array(right, 'float32')))
            for operation, rows in (('elementwise', doubled), ('matmul', left)))
        self.sessions = {'elementwise': self.session('Add', index, True), 'matmul': self.session('MatMul', index, True)}
        for session in self.sessions.values():
            if self.provider not in session.get_providers():
                raise RuntimeError('the session runs with %s' % ', '.join(session.get_providers()))

    def operate(self, operation, index):
        return self.sessions[operation].run(None, self.inputs[operation])[0]

    def back(self, result):
        return result.tolist()


def model(operator):
    '''c = operator(a, b) on matrices of 16 by 16 floats, as the protobuf message ModelProto of onnx.proto.'''
    def field(number, value):
        if isinstance(value, int):
            return bytes([number << 3, value])
        data = value if isinstance(value, bytes) else value.encode()
        size = len(data)
        length = bytes([size]) if size < 128 else bytes([size & 127 | 128, size >> 7])
        return bytes([number << 3 | 2]) + length + data

    def matrix(name):
        shape = field(1, field(1, 16)) * 2  # two dim, each dim_value 16
        return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))  # elem_type 1 is float

    node = field(1, 'a') + field(1, 'b') + field(2, 'c') + field(4, operator)
    graph = field(1, node) + field(2, 'g') + field(11, matrix('a')) + field(11, matrix('b')) + field(12, matrix('c'))
    # ir_version 7 and opset 13: ONNX Runtime 1.7 and later
    return field(1, 7) + field(7, graph) + field(8, field(1, '') + field(2, 13))


FRAMEWORK = OnnxRuntime
