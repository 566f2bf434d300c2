'''The promises of gpu-doctor-torch, on a machine without a GPU.

    GPU_DOCTOR_TEST_TORCH_HELPER=.../gpu-doctor-torch GPU_DOCTOR_TEST_TORCH_PYTHON=.../bin/python \\
        python3 -B -m unittest discover -s tests/python

The interpreter has the CUDA build of torch whose libtorch the helper was built for.
'''
import glob
import json
import os
import subprocess
import tempfile
import unittest

HELPER = os.environ.get('GPU_DOCTOR_TEST_TORCH_HELPER')
PYTHON = os.environ.get('GPU_DOCTOR_TEST_TORCH_PYTHON')


@unittest.skipUnless(HELPER and PYTHON, 'needs the helper and its libtorch')
class Helper(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        find = 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])'
        package = subprocess.run([PYTHON, '-c', find], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
        cls.lib = os.path.join(package, 'lib')
        # Where the wheel's libraries find those of the other wheels by themselves, a copy elsewhere does not.
        cls.wheels = glob.glob(os.path.join(os.path.dirname(package), 'nvidia', '*', 'lib'))

    def run_helper(self, *folders, **changes):
        environment = dict(os.environ, LD_LIBRARY_PATH=os.pathsep.join(folders), **changes)
        process = subprocess.run([HELPER], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env=environment, timeout=60)
        self.assertEqual(process.returncode, 0, process.stderr)
        lines = [json.loads(line) for line in process.stdout.decode().splitlines()]
        self.assertEqual(lines[-1], {'done': True})
        return dict((line['stage'], line) for line in lines if 'stage' in line)

    def copy(self, folder, without):
        for name in os.listdir(self.lib):
            if name not in without:
                os.symlink(os.path.join(self.lib, name), os.path.join(folder, name))

    def test_names_no_folder_and_not_the_cuda_part(self):
        dynamic = subprocess.run(['readelf', '-d', HELPER], stdout=subprocess.PIPE, check=True).stdout.decode()
        self.assertIn('[libtorch_cpu.so]', dynamic)
        for word in ('RPATH', 'RUNPATH', 'libtorch_cuda', 'libcuda'):
            self.assertNotIn(word, dynamic)

    def test_loads_the_cuda_part_by_itself(self):
        stages = self.run_helper(self.lib)
        self.assertEqual(stages['load']['libtorch_cuda'], os.path.join(self.lib, 'libtorch_cuda.so'))
        line = stages['libtorch']
        self.assertEqual((line['cuda_available'], line['device_count'], line['errors']), (False, 0, {}))
        # These words are libtorch_cuda's: without it they would be about a missing back end.
        self.assertTrue(line['init_error']['message'].startswith('Found no NVIDIA driver on your system.'))
        self.assertEqual(stages['tensor-skipped']['reason'], 'no-device')

    def test_libtorch_without_a_cuda_part(self):
        with tempfile.TemporaryDirectory() as folder:
            self.copy(folder, ['libtorch_cuda.so'])
            stages = self.run_helper(folder, *self.wheels)
        self.assertEqual(stages['load'], {'stage': 'load', 'libtorch': os.path.join(folder, 'libtorch_cpu.so'),
                                          'libtorch_cuda': None})
        self.assertEqual(stages['libtorch'], {'stage': 'libtorch', 'built_for': '2.13.0', 'cuda_available': False,
                                              'device_count': 0, 'cudnn_available': False, 'errors': {}})

    def test_cuda_part_that_does_not_load(self):
        with tempfile.TemporaryDirectory() as folder:
            self.copy(folder, ['libtorch_cuda.so'])
            with open(os.path.join(folder, 'libtorch_cuda.so'), 'w') as file:
                file.write('no library')
            line = self.run_helper(folder, *self.wheels)['load']
        self.assertIsNone(line['libtorch_cuda'])
        self.assertIn(os.path.join(folder, 'libtorch_cuda.so') + ': file too short', line['error'])

    def test_switched_off(self):
        stages = self.run_helper(self.lib, GPU_DOCTOR_TENSOR='0')
        self.assertEqual(stages['tensor-skipped']['reason'], 'environment')


if __name__ == '__main__':
    unittest.main()
