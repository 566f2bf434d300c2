'''The promises of src/probes/python/*.py, kept by running them as the doctor does.

    python3 -B -m unittest discover -s tests/python

The interpreter that runs them must have no torch.
GPU_DOCTOR_TEST_PYTHONS names more interpreters, separated like PATH; GPU_DOCTOR_TEST_TORCH_PYTHON one that has a CUDA
build of torch. The machine needs no GPU: a working one is played by a small package named torch (FAKE_TORCH).
'''
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'src', 'probes', 'python')
MODULES = ['torch', 'jax', 'tensorflow', 'onnxruntime', 'cupy', 'numba', 'paddle', 'llama_cpp', 'ctranslate2', 'vllm',
           'bitsandbytes', 'triton', 'flash_attn', 'xformers']


def script(framework, first=False):
    '''The script of a child, put together as the doctor does.'''
    files = ['core.py'] + (['packages.py'] if first else []) + ['frameworks/%s.py' % framework]
    text = ''
    for name in files:
        with open(os.path.join(FOLDER, name), encoding='utf-8') as file:
            text += file.read()
    return text + '\n\nmain(FRAMEWORK()%s)\n' % (', lambda: packages(%r)' % MODULES if first else '')


SOURCE = script('torch', first=True)
PYTHONS = [sys.executable] + [path for path in os.environ.get('GPU_DOCTOR_TEST_PYTHONS', '').split(os.pathsep) if path]

# A GPU build of torch on a machine with GPUs, as far as the probe looks. FAULT breaks one thing.
FAKE_TORCH = '''
import os, types, warnings
FAULT = os.environ.get('FAULT', '')
COUNT = int(os.environ.get('COUNT', '1'))
POISONED = False
__version__ = '2.6.0+cu124'
version = types.SimpleNamespace(cuda='12.4', hip=None, xpu=None)
float32 = 'float32'


class AcceleratorError(RuntimeError):
    pass


def fault(step, device):
    global POISONED
    if POISONED:
        raise RuntimeError('CUDA error: an illegal memory access was encountered')
    if FAULT == step + str(device):
        error = AcceleratorError('CUDA error: no kernel image is available for execution on the device')
        error.error_code = 209
        raise error
    if FAULT == 'sticky-' + step + str(device):
        POISONED = True
        raise RuntimeError('CUDA error: an illegal memory access was encountered')


class Tensor(object):
    def __init__(self, rows, device=None):
        self.rows, self.device = rows, device

    def to(self, device):
        fault('place', int(device.split(':')[1]))
        return Tensor(self.rows, int(device.split(':')[1]))

    def cpu(self):
        fault('copy_back', self.device)
        return self

    def tolist(self):
        if FAULT == 'compare' + str(self.device):
            return [[float('nan')] * 16 for row in self.rows]
        return [[float(value) for value in row] for row in self.rows]

    def __mul__(self, number):
        fault('compute', self.device)
        return Tensor([[number * value for value in row] for row in self.rows], self.device)

    def __add__(self, other):
        return Tensor([[x + y for x, y in zip(*rows)] for rows in zip(self.rows, other.rows)], self.device)


def tensor(rows, dtype=None):
    return Tensor(rows)


def matmul(a, b):
    fault('matmul', a.device)
    return Tensor([[sum(x * y for x, y in zip(row, column)) for column in zip(*b.rows)] for row in a.rows], a.device)


class Properties(object):
    name, major, minor, total_memory = 'NVIDIA Fake 1', 8, 9, 25769803776
    uuid = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
    pci_domain_id, pci_bus_id, pci_device_id = 0, 0x41, 0


class cuda(object):
    is_available = staticmethod(lambda: COUNT > 0)
    device_count = staticmethod(lambda: COUNT)
    get_arch_list = staticmethod(lambda: [])

    @staticmethod
    def get_device_properties(index):
        warnings.warn('NVIDIA Fake 1 with CUDA capability sm_89 is a fake')
        if FAULT == 'properties' + str(index):
            raise RuntimeError('CUDA error: unknown error')
        return Properties()

    @staticmethod
    def init():
        raise RuntimeError('No CUDA GPUs are available')

    @staticmethod
    def synchronize(index):
        fault('synchronize', index)


class _C(object):
    _cuda_getDeviceCount = staticmethod(lambda: COUNT)
    _cuda_getArchFlags = staticmethod(lambda: 'sm_80 sm_90 compute_90')


class backends(object):
    class cudnn(object):
        @staticmethod
        def version():
            raise RuntimeError('cuDNN version incompatibility: PyTorch was compiled against (9, 1, 0) but found 8.9.2')
'''


def setUpModule():
    if importlib.util.find_spec('torch'):
        raise RuntimeError('%s has a torch of its own: run these tests with another Python' % sys.executable)


class Run(object):
    '''One run of the probe: its lines, exit status and stderr.'''

    def __init__(self, lines, status, stderr):
        self.lines, self.status, self.stderr = lines, status, stderr

    def stage(self, name):
        found = [line for line in self.lines if line.get('stage') == name]
        if len(found) != 1:
            raise AssertionError('%d lines of stage %s in %r' % (len(found), name, self.lines))
        return found[0]

    def tensors(self):
        return [line for line in self.lines if line.get('stage') == 'tensor']

    def began(self):
        return [line['begin'] for line in self.lines if 'begin' in line]

    def done(self):
        return self.lines[-1:] == [{'done': True}]


def command(python):
    return [python, '-B', '-c', SOURCE]


def environment(**changes):
    kept = dict((key, value) for key, value in os.environ.items() if not key.startswith('PYTHON'))
    kept.update(changes)
    return kept


def probe(python=sys.executable, answer='', cwd=None, flags=(), **changes):
    line = [python] + list(flags) + command(python)[1:]
    process = subprocess.run(line, input=answer.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd,
                             env=environment(**changes), timeout=60)
    lines = [json.loads(line) for line in process.stdout.decode('ascii').splitlines()]
    return Run(lines, process.returncode, process.stderr.decode('utf-8', 'replace'))


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = os.path.realpath(temporary.name)

    def write(self, name, text=''):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(textwrap.dedent(text))
        return path

    def torch(self, text, **options):
        '''Runs the probe with a package torch of this text.'''
        self.write('torch/__init__.py', text)
        return probe(PYTHONPATH=self.folder, **options)


class EveryInterpreter(Case):
    def test_runs_to_its_end_without_torch(self):
        for python in PYTHONS:
            with self.subTest(python=python):
                said = subprocess.run([python, '-c', 'import sys; print("%d.%d.%d" % sys.version_info[:3])'],
                                      stdout=subprocess.PIPE, check=True, env=environment()).stdout.decode().strip()
                # -I: neither the user's folder nor PYTHONPATH; -W error: no syntax that a release warns about
                run = probe(python, flags=['-W', 'error'] + (['-I'] if said[0] == '3' else []))
                self.assertEqual((run.status, run.stderr), (0, ''))
                self.assertTrue(run.done())
                line = run.stage('interpreter')
                self.assertEqual(line['version'], said)
                self.assertEqual(line['bits'], 64)
                self.assertNotIn('', line['sys_path'])
                if said.startswith('2.'):
                    self.assertEqual(line['unsupported'], 'Python %s is older than 3.6' % said)
                    self.assertEqual(len(run.lines), 2)
                    continue
                self.assertNotIn('unsupported', line)
                self.assertEqual(run.began(), ['packages', 'import'])
                error = run.stage('import')['error']
                self.assertEqual((error['type'], error['module']), ('ModuleNotFoundError', 'torch'))
                self.assertNotIn('torch', run.stage('packages')['present'])
                self.assertEqual(run.stage('tensor-skipped')['reason'], 'not-imported')

    def test_working_gpu(self):
        self.write('torch/__init__.py', FAKE_TORCH)
        for python in PYTHONS:
            with self.subTest(python=python):
                run = probe(python, PYTHONPATH=self.folder, answer='go\n')
                if 'unsupported' in run.stage('interpreter'):
                    continue
                self.assertEqual((run.status, run.stderr, run.done()), (0, '', True))
                self.assertEqual([line['ok'] for line in run.tensors()], [True])

    def test_fits_a_command_line_of_windows(self):
        quoted = SOURCE.replace('\\"', '\\\\"').replace('"', '\\"')
        self.assertLess(len(quoted.encode('utf-16-le')) // 2, 32000)

    def test_leaves_nothing_behind(self):
        self.write('torch/__init__.py', FAKE_TORCH)
        probe(PYTHONPATH=self.folder, cwd=self.folder, HOME=self.folder, answer='go\n')
        self.assertEqual([name for _, folders, files in os.walk(self.folder) for name in folders + files],
                         ['torch', '__init__.py'])


class Import(Case):
    def error(self, text):
        run = self.torch(text)
        self.assertEqual((run.status, run.done()), (0, True))
        self.assertIs(run.stage('import')['ok'], False)
        self.assertEqual(run.stage('tensor-skipped')['reason'], 'not-imported')
        return run.stage('import')['error']

    def test_missing_wheels(self):
        error = self.error('''
            raise ValueError("libcublasLt.so.*[0-9] not found in the system path ['/a', '/b']")''')
        self.assertEqual(error['type'], 'ValueError')
        self.assertEqual(error['library'], 'libcublasLt.so.*[0-9]')
        self.assertEqual(error['message'], "libcublasLt.so.*[0-9] not found in the system path ['/a', '/b']")
        self.assertTrue(error['traceback'].endswith(
            "ValueError: libcublasLt.so.*[0-9] not found in the system path ['/a', '/b']\n"))

    def test_loader_errors(self):
        for text, library, symbol in [
                ('libcudart.so.12: cannot open shared object file: No such file or directory', 'libcudart.so.12', None),
                ('/x/libtorch_cuda.so: undefined symbol: ncclCommRegister', '/x/libtorch_cuda.so', 'ncclCommRegister'),
                ("/lib64/libm.so.6: version `GLIBC_2.29' not found (required by /x/libtorch_cpu.so)",
                 '/lib64/libm.so.6', 'GLIBC_2.29'),
                ('dlopen(/x/_C.so, 2): Library not loaded: @rpath/libc10.dylib', '@rpath/libc10.dylib', None)]:
            with self.subTest(text=text):
                error = self.error('raise ImportError(%r)' % text)
                self.assertEqual(error['type'], 'ImportError')
                self.assertEqual((error['library'], error.get('symbol')), (library, symbol))

    def test_loader_error_of_windows(self):
        error = self.error(r'''
            raise OSError(r"""[WinError 126] The specified module could not be found. """
                          r"""Error loading "C:\torch\lib\fbgemm.dll" or one of its dependencies.""")''')
        self.assertEqual(error['library'], 'C:\\torch\\lib\\fbgemm.dll')
        self.assertNotIn('code', error)

    def test_errno(self):
        error = self.error("open('/nowhere/at/all')")
        self.assertEqual((error['type'], error['errno']), ('FileNotFoundError', 2))

    def test_missing_dependency_is_not_missing_torch(self):
        self.assertEqual(self.error('import no_such_dependency')['module'], 'no_such_dependency')

    def test_cause_is_kept(self):
        error = self.error('''
            try:
                raise OSError('libc10.so: file too short')
            except OSError as inner:
                raise ImportError('torch is broken') from inner''')
        self.assertEqual(error['caused_by'], ['OSError: libc10.so: file too short'])

    def test_leaving_by_exit_or_interrupt(self):
        self.assertEqual(self.error("raise SystemExit('no licence')")['exit'], 'no licence')
        self.assertEqual(self.error('raise KeyboardInterrupt()')['type'], 'KeyboardInterrupt')

    def test_exception_without_a_text(self):
        error = self.error('''
            class Broken(Exception):
                def __str__(self):
                    raise RuntimeError('no')
            raise Broken()''')
        self.assertEqual(error['type'], 'torch.Broken')
        self.assertEqual(error['message'], '<Broken whose text cannot be had: RuntimeError>')

    def test_texts_are_bounded_and_valid(self):
        error = self.error("raise ImportError('\\udcff \\U0001f600 ' + 'x' * 1000000)")
        self.assertTrue(error['message'].startswith('\ufffd \U0001f600 xxx'))
        self.assertLess(len(error['message']), 8300)
        self.assertLessEqual(len(error['traceback']), 4096)

    def test_sudden_exit_ends_the_channel(self):
        run = self.torch('import os; os._exit(7)')
        self.assertEqual((run.status, run.began()[-1], run.done()), (7, 'import', False))

    @unittest.skipUnless(os.name == 'posix', 'signals')
    def test_crash_leaves_the_stack_on_stderr(self):
        run = self.torch('import ctypes\nctypes.string_at(0)')
        self.assertEqual((run.status, run.began()[-1], run.done()), (-signal.SIGSEGV, 'import', False))
        self.assertIn(os.path.join(self.folder, 'torch', '__init__.py') + '", line 2', run.stderr)

    @unittest.skipUnless(os.name == 'posix', 'signals')
    def test_hang_leaves_the_stack_on_stderr(self):
        self.write('torch/__init__.py', 'import time\ntime.sleep(60)')
        process = subprocess.Popen(command(sys.executable), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment(PYTHONPATH=self.folder))
        for line in process.stdout:
            if json.loads(line.decode()).get('begin') == 'import':
                break
        time.sleep(0.3)
        process.terminate()
        rest, stderr = process.communicate(timeout=10)
        self.assertEqual((rest, process.returncode), (b'', -signal.SIGTERM))
        self.assertIn(b'__init__.py", line 2', stderr)

    def test_prints_do_not_reach_the_channel(self):
        run = self.torch('''
            import os, sys
            print('by print')
            os.write(1, b'by descriptor\\n')
            os.system('echo by a child')''')
        self.assertTrue(run.done())
        self.assertTrue(run.stage('import')['ok'])
        for text in ('by print', 'by descriptor', 'by a child'):
            self.assertIn(text, run.stderr)

    def test_output_of_a_library_may_be_closed(self):
        for text in ('import sys; sys.stdout = None', 'import sys; sys.stdout.close()', 'import os; os.close(1)'):
            with self.subTest(text=text):
                run = self.torch(text)
                self.assertEqual((run.status, run.done()), (0, True))

    def test_does_not_read_the_parents_answer(self):
        run = self.torch('import sys\nsys.stdin.read()\n' + FAKE_TORCH, answer='go\n')
        self.assertEqual([line['ok'] for line in run.tensors()], [True])

    def test_warnings_without_those_to_developers(self):
        run = self.torch('''
            import warnings
            warnings.warn('Failed to initialize NumPy: _ARRAY_API not found')
            warnings.warn('old', DeprecationWarning)''', PYTHONWARNINGS='error')
        self.assertEqual(run.stage('import')['warnings'], [
            {'category': 'UserWarning', 'message': 'Failed to initialize NumPy: _ARRAY_API not found'}])


class Packages(Case):
    def test_folders_of_what_an_import_would_find(self):
        self.write('torch/__init__.py', 'import os; os._exit(1)')
        self.write('onnxruntime.py')
        self.write('jax/lib/left.txt')  # the remains of a removed one
        present = probe(PYTHONPATH=self.folder).stage('packages')['present']
        self.assertEqual(present['torch'], os.path.join(self.folder, 'torch'))
        self.assertEqual(present['onnxruntime'], self.folder)
        self.assertNotIn('jax', present)

    def test_managers(self):
        self.write('conda-meta/history')
        self.assertEqual(self.in_prefix().stage('interpreter')['managers'],
                         [{'name': 'conda', 'evidence': os.path.join(self.folder, 'conda-meta')}])

    def test_mark_of_a_managed_interpreter_counts_outside_of_virtual_environments(self):
        self.write('EXTERNALLY-MANAGED')
        self.assertIs(self.in_prefix().stage('interpreter')['externally_managed'], True)
        run = self.in_prefix('sys.base_prefix = "/usr"')
        self.assertIs(run.stage('interpreter')['externally_managed'], False)
        os.remove(os.path.join(self.folder, 'EXTERNALLY-MANAGED'))
        self.assertIs(self.in_prefix().stage('interpreter')['externally_managed'], False)

    def in_prefix(self, then=''):
        '''Runs the probe as if the interpreter and its library were installed in the test's folder.'''
        start = 'import os, sys; sys.prefix = sys.base_prefix = %r; os.__file__ = %r; %s\n' % (
            self.folder, os.path.join(self.folder, 'os.py'), then)
        process = subprocess.run([sys.executable, '-B', '-c', start + SOURCE], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, env=environment(), timeout=60, check=True)
        return Run([json.loads(line) for line in process.stdout.decode('ascii').splitlines()], 0, '')

    @unittest.skipUnless(os.name == 'posix', 'symbolic links')
    def test_virtual_environment_of_uv(self):
        os.makedirs(os.path.join(self.folder, '.venv', 'bin'))
        python = os.path.join(self.folder, '.venv', 'bin', 'python')
        os.symlink(os.path.realpath(sys.executable), python)
        config = self.write('.venv/pyvenv.cfg', '''\
            home = %s
            uv = 0.9.2
            include-system-site-packages = false''' % os.path.dirname(os.path.realpath(sys.executable)))
        self.write('uv.lock')
        line = probe(python).stage('interpreter')
        self.assertEqual(line['prefix'], os.path.join(self.folder, '.venv'))
        self.assertEqual(line['executable'], python)
        self.assertEqual((line['venv']['uv'], line['venv']['system_site_packages']), ('0.9.2', False))
        self.assertIn({'name': 'uv', 'evidence': config}, line['managers'])
        self.assertEqual(line['lock_files'], ['uv.lock'])
        self.assertIs(line['externally_managed'], False)


class CurrentDirectory(Case):
    def test_is_not_imported_from(self):
        trap = 'raise SystemExit("trapped")'
        self.write('torch.py', trap)
        self.write('json.py', trap)
        self.write('installed/torch/__init__.py', FAKE_TORCH)
        for path in ('installed', 'installed:', ':installed', '.:installed'):
            with self.subTest(PYTHONPATH=path):
                installed = os.path.join(self.folder, 'installed')
                run = probe(cwd=self.folder, PYTHONPATH=path.replace('installed', installed))
                self.assertTrue(run.stage('import')['ok'])
                self.assertEqual(run.stage('packages')['present']['torch'], os.path.join(installed, 'torch'))
                line = run.stage('interpreter')
                self.assertEqual(line['cwd_removed'], ['first'] if path == 'installed' else ['first', 'PYTHONPATH'])
                self.assertNotIn(self.folder, line['sys_path'])

    def test_stays_where_it_was_named(self):
        self.write('torch/__init__.py', FAKE_TORCH)
        run = probe(cwd=self.folder, PYTHONPATH=self.folder)
        self.assertTrue(run.stage('import')['ok'])
        self.assertEqual(run.stage('packages')['present']['torch'], os.path.join(self.folder, 'torch'))
        self.assertEqual(run.stage('interpreter')['cwd_removed'], ['first'])

    @unittest.skipUnless(os.name == 'posix', 'a directory in use can be removed')
    def test_deleted(self):
        gone = os.path.join(self.folder, 'gone')
        os.mkdir(gone)
        line = ['sh', '-c', 'cd "$0" && rmdir "$0" && exec "$@"', gone] + command(sys.executable)
        process = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment(), timeout=60)
        self.assertEqual(json.loads(process.stdout.decode().splitlines()[-1]), {'done': True})


class Cuda(Case):
    def test_working_gpu(self):
        run = self.torch(FAKE_TORCH, COUNT='2')
        line = run.stage('sees')
        self.assertEqual((line['built'], line['available'], line['device_count']), (True, True, 2))
        self.assertEqual(line['arch_list'], ['sm_80', 'sm_90', 'compute_90'])
        self.assertEqual(line['devices'][1], {
            'index': 1, 'name': 'NVIDIA Fake 1', 'capability': [8, 9], 'memory_bytes': 25769803776,
            'uuid': '6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'pci': '0000:41:00.0', 'gcn_arch': None})
        self.assertEqual(line['warnings'], [
            {'category': 'UserWarning', 'message': 'NVIDIA Fake 1 with CUDA capability sm_89 is a fake'}])

    def test_one_reading_may_fail_alone(self):
        line = self.torch(FAKE_TORCH, COUNT='2', FAULT='properties0').stage('sees')
        self.assertIsNone(line['cudnn_version'])
        self.assertIn('cuDNN version incompatibility', line['errors']['cudnn_version']['message'])
        self.assertEqual(line['devices'][0]['errors']['properties']['message'], 'CUDA error: unknown error')
        self.assertEqual(line['devices'][1]['name'], 'NVIDIA Fake 1')

    def test_no_gpu(self):
        run = self.torch(FAKE_TORCH, COUNT='0', answer='go\n')
        line = run.stage('sees')
        self.assertIs(line['available'], False)
        self.assertEqual(line['init_error']['message'], 'No CUDA GPUs are available')
        self.assertEqual(run.stage('tensor-skipped')['reason'], 'no-device')
        self.assertNotIn({'waiting': 'tensor', 'framework': 'torch'}, run.lines)

    def test_code_in_a_warning(self):
        run = self.torch(FAKE_TORCH.replace("is_available = staticmethod(lambda: COUNT > 0)", textwrap.dedent('''
            @staticmethod
            def is_available():
                warnings.warn('CUDA initialization: Unexpected error from cudaGetDeviceCount(). Error 804: forward '
                              'compatibility was attempted on non supported HW')
                return False
            ''').replace('\n', '\n    ')))
        self.assertEqual([warning['code'] for warning in run.stage('sees')['warnings']], [804])

    def test_package_that_is_no_torch(self):
        run = self.torch('x = 1')
        self.assertEqual((run.status, run.done()), (0, True))
        self.assertEqual(run.stage('sees')['errors']['available']['type'], 'AttributeError')


class Tensor(Case):
    def tensors(self, **options):
        run = self.torch(FAKE_TORCH, **options)
        self.assertEqual((run.status, run.done()), (0, True))
        return run

    def test_answers(self):
        for answer, indexes in [('go\n', [0, 1, 2]), ('go', [0, 1, 2]), ('go 2,0\n', [2, 0]), ('go 1\n', [1]),
                                ('no\n', None), ('', None), ('go x\n', None), ('gone\n', None), ('go 1 2\n', None)]:
            with self.subTest(answer=answer):
                run = self.tensors(COUNT='3', answer=answer)
                self.assertIn({'waiting': 'tensor', 'framework': 'torch'}, run.lines)
                self.assertEqual([line['index'] for line in run.tensors()], indexes or [])
                if indexes is None:
                    self.assertEqual(run.stage('tensor-skipped')['reason'], 'not-granted')
                else:
                    self.assertEqual(run.began().count('tensor'), len(indexes))

    def test_switched_off(self):
        run = self.tensors(GPU_DOCTOR_TENSOR='0', answer='go\n')
        self.assertNotIn({'waiting': 'tensor', 'framework': 'torch'}, run.lines)
        self.assertEqual(run.stage('tensor-skipped')['reason'], 'environment')

    def test_every_step_can_fail(self):
        for fault, step, operation in [('place0', 'place', None), ('synchronize0', 'place', None),
                                       ('compute0', 'compute', 'elementwise'), ('matmul0', 'compute', 'matmul'),
                                       ('copy_back0', 'copy_back', 'elementwise')]:
            with self.subTest(fault=fault):
                first, second = self.tensors(COUNT='2', answer='go\n', FAULT=fault).tensors()
                self.assertIs(first['ok'], False)
                self.assertEqual((first['step'], first['operation'], first['sticky']), (step, operation, False))
                self.assertEqual(first['error']['code'], 209)
                self.assertEqual(first['error']['type'], 'torch.AcceleratorError')
                self.assertIs(second['ok'], True)

    def test_wrong_result(self):
        line, = self.tensors(answer='go\n', FAULT='compare0').tensors()
        self.assertEqual((line['ok'], line['step'], line['operation']), (False, 'compare', 'elementwise'))
        # by hand: 2 * (0 % 7 - 3) + (0 % 5 - 2)
        self.assertEqual(line['error']['message'], '256 of 256 elements differ; [0][0] should be -8 and is nan')

    def test_error_that_lasts_ends_the_stage(self):
        run = self.tensors(COUNT='3', answer='go\n', FAULT='sticky-compute0')
        self.assertEqual([(line['index'], line['sticky']) for line in run.tensors()], [(0, True)])
        self.assertEqual(run.stage('tensor-stopped'),
                         {'stage': 'tensor-stopped', 'framework': 'torch', 'after': 0, 'not_run': [1, 2]})


@unittest.skipUnless('GPU_DOCTOR_TEST_TORCH_PYTHON' in os.environ, 'needs an interpreter with a CUDA build of torch')
class RealTorch(Case):
    def test_on_a_machine_without_a_gpu(self):
        run = probe(os.environ['GPU_DOCTOR_TEST_TORCH_PYTHON'])
        self.assertEqual((run.status, run.done()), (0, True))
        folder, loaded, line = run.stage('packages')['present']['torch'], run.stage('import'), run.stage('sees')
        self.assertEqual(os.path.join(folder, '__init__.py'), loaded['file'])
        self.assertEqual((line['built'], line['available'], line['device_count']), (True, False, 0))
        self.assertIn('sm_90', line['arch_list'])
        self.assertIn('driver', line['init_error']['message'])
        self.assertIn('libtorch_cuda.so', [os.path.basename(path) for path in line['libraries']])


if __name__ == '__main__':
    unittest.main()
