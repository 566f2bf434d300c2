'''The promises of src/probes/python/frameworks/*.py: with fakes that play a GPU, and with real frameworks whose processor
plays it.

GPU_DOCTOR_TEST_FRAMEWORKS names interpreters with real ones, as NAME=PATH, separated like PATH: jax, tensorflow,
onnxruntime, numba.
'''
import json
import os
import subprocess
import sys
import tempfile
import unittest

from test_probe import Run, environment, script

REAL = dict(pair.split('=', 1) for pair in os.environ.get('GPU_DOCTOR_TEST_FRAMEWORKS', '').split(os.pathsep) if pair)

# A module numpy as far as the probes need it: rows that can be given and taken back.
NUMPY = '''
class Rows(list):
    dtype = 'float32'
    def tolist(self):
        return [list(row) for row in self]
def array(rows, dtype=None):
    return Rows([list(map(float, row)) for row in rows])
asarray = array
'''

# ONNX Runtime with CUDA. FALLBACK: sessions run on the CPU without an exception. WRONG: the device computes nonsense.
ONNXRUNTIME = '''
import os, sys
__version__ = '1.31.1'
FALLBACK, WRONG = os.environ.get('FALLBACK'), os.environ.get('WRONG')
def get_available_providers():
    return ['CUDAExecutionProvider', 'CPUExecutionProvider']
class SessionOptions(object):
    def __init__(self):
        self.entries = {}
    def add_session_config_entry(self, name, value):
        self.entries[name] = value
class InferenceSession(object):
    def __init__(self, model, options, providers):
        assert isinstance(model, bytes)
        self.operator = 'Add' if b'Add' in model else 'MatMul'
        self.cpu = bool(FALLBACK)
        self.device = providers[0][1]['device_id']
        if self.cpu and options.entries.get('session.disable_cpu_ep_fallback') == '1':
            raise RuntimeError('This session contains graph nodes that are assigned to the default CPU EP')
    def get_providers(self):
        return ['CPUExecutionProvider'] if self.cpu else ['CUDAExecutionProvider', 'CPUExecutionProvider']
    def run(self, outputs, inputs):
        import numpy
        a, b = inputs['a'], inputs['b']
        if WRONG:
            return [numpy.array([[0] * 16] * 16)]
        if self.operator == 'Add':
            return [numpy.array([[x + y for x, y in zip(*rows)] for rows in zip(a, b)])]
        return [numpy.array([[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a])]
'''

# CuPy with COUNT devices.
CUPY = '''
import os, contextlib
__version__ = '14.2.0'
COUNT = int(os.environ.get('COUNT', '1'))
class runtime(object):
    is_hip = False
    runtimeGetVersion = staticmethod(lambda: 12090)
    getDeviceProperties = staticmethod(lambda index: {'name': b'NVIDIA Fake 1', 'major': 8, 'minor': 9})
    deviceSynchronize = staticmethod(lambda: None)
    @staticmethod
    def getDeviceCount():
        if not COUNT:
            raise RuntimeError('cudaErrorNoDevice: no CUDA-capable device is detected')
        return COUNT
class cuda(object):
    runtime = runtime
    @staticmethod
    @contextlib.contextmanager
    def Device(index):
        yield
class Array(object):
    def __init__(self, rows): self.rows = rows
    def __mul__(self, n):
        if os.environ.get('NO_NVRTC'):
            raise RuntimeError('CuPy failed to load libnvrtc.so.12: OSError: libnvrtc.so.12: cannot open shared object file')
        return Array([[n * x for x in row] for row in self.rows])
    def __add__(self, other): return Array([[x + y for x, y in zip(*rows)] for rows in zip(self.rows, other.rows)])
    def get(self): return self
    def tolist(self): return self.rows
def asarray(rows, dtype=None): return Array(rows)
def matmul(a, b): return Array([[sum(x * y for x, y in zip(row, column)) for column in zip(*b.rows)] for row in a.rows])
'''


class Case(unittest.TestCase):
    def probe(self, framework, packages, answer='go\n', **changes):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, text in packages.items():
            os.makedirs(os.path.join(folder.name, name))
            with open(os.path.join(folder.name, name, '__init__.py'), 'w', encoding='utf-8') as file:
                file.write(text)
        process = subprocess.run([sys.executable, '-B', '-c', script(framework)], input=answer.encode(),
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env=environment(PYTHONPATH=folder.name, **changes), timeout=60)
        lines = [json.loads(line) for line in process.stdout.decode('ascii').splitlines()]
        run = Run(lines, process.returncode, process.stderr.decode('utf-8', 'replace'))
        self.assertTrue(run.done(), run.stderr)
        return run


class OnnxRuntime(Case):
    def test_the_node_runs_on_the_device_that_was_granted(self):
        run = self.probe('onnxruntime', {'onnxruntime': ONNXRUNTIME, 'numpy': NUMPY}, answer='go 1\n')
        self.assertEqual([(line['index'], line['ok']) for line in run.tensors()], [(1, True)])
        self.assertIs(run.stage('sees')['available'], True)
        # a session makes a context: the question comes before it
        names = [line.get('waiting') or line.get('begin') for line in run.lines]
        self.assertLess(names.index('tensor'), names.index('sees'))

    def test_a_silent_fall_back_is_seen(self):
        run = self.probe('onnxruntime', {'onnxruntime': ONNXRUNTIME, 'numpy': NUMPY}, FALLBACK='1')
        line = run.stage('sees')
        self.assertIs(line['available'], False)
        self.assertIn('CUDAExecutionProvider', line['backends'])
        self.assertEqual(line['session_providers'], ['CPUExecutionProvider'])
        self.assertEqual(run.stage('tensor-skipped')['reason'], 'no-device')

    def test_nothing_is_tried_without_a_grant(self):
        run = self.probe('onnxruntime', {'onnxruntime': ONNXRUNTIME, 'numpy': NUMPY}, answer='no\n')
        self.assertNotIn('available', run.stage('sees'))
        self.assertEqual(run.stage('tensor-skipped')['reason'], 'not-granted')

    def test_wrong_result(self):
        run = self.probe('onnxruntime', {'onnxruntime': ONNXRUNTIME, 'numpy': NUMPY}, WRONG='1')
        line, = run.tensors()
        self.assertEqual((line['ok'], line['step'], line['operation']), (False, 'compare', 'elementwise'))

    def test_a_package_for_the_processor(self):
        cpu = ONNXRUNTIME.replace("'CUDAExecutionProvider', ", '')
        run = self.probe('onnxruntime', {'onnxruntime': cpu})
        self.assertIs(run.stage('import')['gpu_build'], False)
        self.assertIs(run.stage('sees')['available'], False)


class CuPy(Case):
    def test_devices_and_computation(self):
        run = self.probe('cupy', {'cupy': CUPY}, answer='go 0\n', COUNT='2')
        line = run.stage('sees')
        self.assertEqual((line['available'], line['device_count']), (True, 2))
        self.assertEqual(line['devices'][1], {'index': 1, 'name': 'NVIDIA Fake 1', 'capability': [8, 9]})
        self.assertEqual(run.stage('import')['cuda'], '12.9')
        self.assertEqual([(line['index'], line['ok']) for line in run.tensors()], [(0, True)])

    def test_no_device_is_an_exception_and_said(self):
        line = self.probe('cupy', {'cupy': CUPY}, COUNT='0').stage('sees')
        self.assertIs(line['available'], False)
        self.assertIn('no CUDA-capable device', line['errors']['device_count']['message'])

    def test_a_compiler_that_is_not_there(self):
        line, = self.probe('cupy', {'cupy': CUPY}, NO_NVRTC='1').tensors()
        self.assertEqual((line['ok'], line['step'], line['operation']), (False, 'compute', 'elementwise'))
        self.assertEqual(line['error']['library'], 'libnvrtc.so.12')


class Statements(Case):
    def test_llama_cpp_names_its_back_ends(self):
        module = '''
            def llama_supports_gpu_offload(): return %s
            def llama_print_system_info(): return b'%s'
        '''
        import textwrap
        cuda = textwrap.dedent(module % (True, 'CUDA : ARCHS = 500,610,890 | USE_GRAPHS = 1 | CPU : SSE3 = 1 | AVX = 1 | '))
        line = self.probe('llama_cpp', {'llama_cpp': cuda}).stage('sees')
        self.assertEqual((line['available'], line['backends'], line['arch_list'], line['gpu_build']),
                         (True, ['CPU', 'CUDA'], ['sm_50', 'sm_61', 'sm_89'], True))
        cpu = textwrap.dedent(module % (False, 'CPU : SSE3 = 1 | '))
        line = self.probe('llama_cpp', {'llama_cpp': cpu}).stage('sees')
        self.assertEqual((line['available'], line['gpu_build']), (False, None))

    def test_ctranslate2(self):
        module = '''
def get_cuda_device_count(): return 0
def get_supported_compute_types(device): raise ValueError('This CTranslate2 package was not compiled with CUDA support')
'''
        line = self.probe('ctranslate2', {'ctranslate2': module}).stage('sees')
        self.assertEqual((line['available'], line['device_count'], line['gpu_build']), (False, 0, False))

    def test_an_import_that_fails_is_a_fact(self):
        for framework, module in [('tensorflow', 'tensorflow'), ('jax', 'jax'), ('vllm', 'vllm'), ('paddle', 'paddle'),
                                  ('bitsandbytes', 'bitsandbytes'), ('xformers', 'xformers'), ('triton', 'triton'),
                                  ('flash_attn', 'flash_attn'), ('numba', 'numba')]:
            with self.subTest(framework=framework):
                run = self.probe(framework, {module: 'raise ImportError("libcudart.so.12: cannot open shared object '
                                                     'file: No such file or directory")'})
                self.assertEqual(run.stage('import')['error']['library'], 'libcudart.so.12')


# The real frameworks compute on the processor what the probe has the GPU compute.
ON_THE_PROCESSOR = {
    'jax': 'probe.gpus = {0: probe.loaded.devices("cpu")[0]}',
    'tensorflow': '''
import tensorflow
probe.check = lambda value: None
probe.gpus, probe.indexes = tensorflow.config.list_physical_devices('CPU'), [0]
tensorflow.config.set_visible_devices = lambda *a: None
tensorflow.config.experimental.set_memory_growth = lambda *a: None
tensorflow.config.set_soft_device_placement(True)
''',
    'onnxruntime': 'probe.provider = "CPUExecutionProvider"\n'
                   'whole = probe.session\n'
                   'probe.session = lambda operator, index, strict=False: probe.loaded.InferenceSession(\n'
                   '    model(operator), providers=[probe.provider])',
    'numba': '',
}


@unittest.skipUnless(REAL, 'needs interpreters with real frameworks (GPU_DOCTOR_TEST_FRAMEWORKS)')
class Real(unittest.TestCase):
    def test_the_computation_is_what_each_framework_understands(self):
        for name, python in REAL.items():
            with self.subTest(framework=name):
                text = script(name).rsplit('\n\nmain(', 1)[0]
                text += '\n\nprobe = FRAMEWORK()\nassert probe.load()["ok"]\n' + ON_THE_PROCESSOR[name]
                text += '\nline = probe.tensor(0)\nprint(json.dumps(clean(line)))\n'
                process = subprocess.run([python, '-B', '-c', text], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                         env=environment(NUMBA_ENABLE_CUDASIM='1', JAX_PLATFORMS='cpu'), timeout=120)
                line = json.loads(process.stdout.decode().splitlines()[-1])
                self.assertIs(line['ok'], True, line)


if __name__ == '__main__':
    unittest.main()
