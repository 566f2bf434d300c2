'''Reports in every format, read by programs that were not written here.

    GPU_DOCTOR_MACHINES=FOLDER cargo test --test formats the_machines
    GPU_DOCTOR_MACHINES=FOLDER GPU_DOCTOR_TEST_BINARY=target/debug/gpu-doctor \\
      GPU_DOCTOR_TEST_READERS=$(tests/lab/fetch readers) GPU_DOCTOR_TEST_MONITORING=$(tests/lab/fetch monitoring) \\
      $(tests/lab/fetch readers)/bin/python -m unittest discover -s tests/readers

The folder holds one snapshot per machine: ready, degraded, not-ready, inconclusive, hostile and largest.
'''
import glob
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.request

import junitparser
import xmlschema
from actions_toolkit.command import Command
from prometheus_client.parser import text_string_to_metric_families

MACHINES = os.environ['GPU_DOCTOR_MACHINES']
BINARY = os.path.abspath(os.environ['GPU_DOCTOR_TEST_BINARY'])
READERS = os.environ['GPU_DOCTOR_TEST_READERS']
MONITORING = os.environ['GPU_DOCTOR_TEST_MONITORING']
NAMES = ['ready', 'degraded', 'not-ready', 'inconclusive', 'hostile', 'largest']
# Begins what the names and messages of the hostile machine end with.
HOSTILE = '::error title=pwned::pwned'


def doctor(form, machine, *flags):
    command = [BINARY, 'check', '--format', form, '--from', '%s/%s.json' % (MACHINES, machine)]
    environment = {name: value for name, value in os.environ.items() if name != 'GITHUB_STEP_SUMMARY'}
    return subprocess.run(command + list(flags), capture_output=True, env=environment)


def report(machine):
    return json.loads(doctor('json', machine).stdout)


class Readers(unittest.TestCase):
    def each(self, form):
        for machine in NAMES:
            with self.subTest(machine=machine):
                done = doctor(form, machine)
                self.assertEqual(done.stderr, b'')
                # Strict: what is no UTF-8 raises.
                yield machine, done.stdout.decode(), done.returncode

    def test_the_machines_are_those_that_are_meant(self):
        self.assertEqual(sorted(os.path.basename(p)[:-5] for p in glob.glob(MACHINES + '/*.json')), sorted(NAMES))
        self.assertIn(HOSTILE, json.dumps(report('hostile')))


class JUnit(Readers):
    def test_jenkins_schemas_hold(self):
        paths = glob.glob(READERS + '/schemas/junit-10-*.xsd')
        self.assertEqual(len(paths), 2)
        schemas = [xmlschema.XMLSchema(path) for path in paths]
        for _, text, _ in self.each('junit'):
            for schema in schemas:
                schema.validate(text)
        # They can say no.
        with self.assertRaises(xmlschema.XMLSchemaException):
            schemas[0].validate(text.replace('<testcase ', '<case ', 1).replace('</testcase>', '</case>', 1))

    def test_a_reader_sees_each_row_with_its_result(self):
        for machine, text, _ in self.each('junit'):
            rows = report(machine)['checks']
            suites = junitparser.JUnitXml.fromstring(text.encode())
            cases = [case for suite in suites for case in suite]
            self.assertEqual([case.classname for case in cases], ['gpu-doctor.' + row['id'] for row in rows])
            for case, row in zip(cases, rows):
                kind = type(case.result[0]).__name__ if case.result else 'Passed'
                unknown = 'Error' if machine == 'inconclusive' else 'Skipped'
                expected = {'pass': 'Passed', 'warn': 'Passed', 'fail': 'Failure', 'unknown': unknown}
                self.assertEqual(kind, expected.get(row['status'], 'Skipped'), (machine, row))
            suite = next(iter(suites))
            counts = [type(case.result[0]).__name__ if case.result else 'Passed' for case in cases]
            self.assertEqual((suite.tests, suite.failures, suite.errors, suite.skipped),
                             (len(cases), counts.count('Failure'), counts.count('Error'), counts.count('Skipped')))


class GitHub(Readers):
    # As the runner reads a line: leading blanks go, two colons, the name, the properties, two colons, the message.
    LINE = re.compile(r'^::(error|warning|notice) title=([^,]*?)::(.*)$')

    @staticmethod
    def unescape(text, signs):
        for sign in signs:
            text = text.replace('%%%02X' % ord(sign), sign)
        return text.replace('%25', '%')

    def test_lines_are_those_that_the_toolkit_writes(self):
        for machine, text, _ in self.each('github'):
            self.assertGreater(text.count('\n'), 0)
            for line in text.splitlines(keepends=True):
                self.assertTrue(line.endswith('\n'))
                match = self.LINE.match(line[:-1])
                self.assertIsNotNone(match, line)
                name, title, message = match.groups()
                title, message = self.unescape(title, '\r\n:,'), self.unescape(message, '\r\n')
                self.assertEqual(str(Command(name, {'title': title}, message)) + '\n', line)

    def test_a_hostile_text_arrives_as_it_was(self):
        lines = doctor('github', 'hostile').stdout.decode().splitlines()
        whole = [self.unescape(self.LINE.match(line).group(3), '\r\n') for line in lines]
        self.assertTrue(any(HOSTILE in message and '%0A %25 100%' in message for message in whole), whole)


class Prometheus(Readers):
    def test_the_python_client_reads_it(self):
        for machine, text, _ in self.each('prometheus'):
            families = {family.name: family for family in text_string_to_metric_families(text)}
            self.assertGreaterEqual(len(families), 5)
            for family in families.values():
                self.assertEqual(family.type, 'gauge', family.name)
                self.assertTrue(family.documentation)
                for sample in family.samples:
                    self.assertIsNone(sample.timestamp)
            said = report(machine)
            holds = [s.labels['verdict'] for s in families['gpu_doctor_verdict'].samples if s.value == 1]
            self.assertEqual(holds, [said['verdict']])
            rows = sum(sample.value for sample in families['gpu_doctor_check_results'].samples)
            self.assertEqual(rows, len(said['checks']))
            causes = families.get('gpu_doctor_root_cause')
            self.assertEqual(sorted(s.labels['code'] for s in causes.samples) if causes else [],
                             sorted({cause['code'] for cause in said['root_causes']}))

    def test_promtool_has_nothing_to_complain_about(self):
        for _, text, _ in self.each('prometheus'):
            done = subprocess.run([MONITORING + '/bin/promtool', 'check', 'metrics'], input=text.encode(),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual((done.returncode, done.stdout), (0, b''))
        # It can say no.
        done = subprocess.run([MONITORING + '/bin/promtool', 'check', 'metrics'], input=b'a_total{b="c} 1\n', capture_output=True)
        self.assertNotEqual(done.returncode, 0)

    def test_the_node_exporter_serves_what_was_written(self):
        with tempfile.TemporaryDirectory() as folder:
            # For another user, who may not look into the cache either.
            os.chmod(folder, 0o755)
            program = shutil.copy(MONITORING + '/bin/prometheus-node-exporter', folder)
            doctor('prometheus', 'hostile', '-o', folder + '/gpu-doctor.prom')
            with socket.socket() as probe:
                probe.bind(('127.0.0.1', 0))
                port = probe.getsockname()[1]
            exporter = subprocess.Popen(
                [program, '--collector.disable-defaults', '--collector.textfile',
                 '--collector.textfile.directory=' + folder, '--web.listen-address=127.0.0.1:%d' % port,
                 '--web.disable-exporter-metrics'], stderr=subprocess.PIPE,
                **({'user': 65534, 'group': 65534, 'extra_groups': []} if os.getuid() == 0 else {}))
            try:
                served = self.fetch('http://127.0.0.1:%d/metrics' % port)
            finally:
                exporter.kill()
                exporter.communicate()
        self.assertIn('node_textfile_scrape_error 0', served)
        self.assertIn('gpu_doctor_verdict{verdict="not_ready"} 1', served)
        self.assertIn('node_textfile_mtime_seconds{file="%s/gpu-doctor.prom"}' % folder, served)

    @staticmethod
    def fetch(url):
        for _ in range(100):
            try:
                with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url) as answer:
                    return answer.read().decode()
            except OSError:
                time.sleep(0.1)
        raise AssertionError('the exporter did not come up')


class Plugins(Readers):
    STATES = {'ready': 'OK', 'degraded': 'WARNING', 'not_ready': 'CRITICAL', 'inconclusive': 'UNKNOWN'}
    PARSER = r'''
        use Monitoring::Plugin::Functions qw(%ERRORS);
        use Monitoring::Plugin::Performance;
        my ($state, $figures) = @ARGV;
        print $ERRORS{$state}, "\n";
        for (Monitoring::Plugin::Performance->parse_perfstring($figures)) {
            die "not clean: " . $_->label unless $_->label eq $_->clean_label;
            print join(" ", $_->label, $_->value, $_->uom, $_->min), "\n";
        }'''

    def test_the_perl_module_of_monitoring_plugins_reads_nagios(self):
        for machine, text, code in self.each('nagios'):
            said = report(machine)
            match = re.match(r'^GPU-DOCTOR ([A-Z]+) - ([^|]+) \| ([^|]+)\n\Z', text)
            self.assertIsNotNone(match, text)
            state, _, figures = match.groups()
            self.assertEqual(state, self.STATES[said['verdict']])
            done = subprocess.run(['perl', '-I' + MONITORING + '/perl5', '-e', self.PARSER, state, figures],
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            lines = done.stdout.splitlines()
            self.assertEqual(int(lines[0]), code)
            rows = [row['status'] for row in said['checks']]
            faults = {severity: len({c['group'] for c in said['root_causes'] if c['severity'] == severity})
                      for severity in ['error', 'warning']}
            self.assertEqual(lines[1:], [
                'problems %d  0' % faults['error'], 'warnings %d  0' % faults['warning'], 'passed %d  0' % rows.count('pass'),
                'failed %d  0' % rows.count('fail'), 'unknown %d  0' % rows.count('unknown')])

    def test_node_problem_detector_keeps_the_whole_line(self):
        # It trims blanks, cuts after 80 bytes wherever that is, and knows 0, 1 and all else.
        codes = {'ready': 0, 'degraded': 0, 'not_ready': 1, 'inconclusive': 2}
        for machine, text, code in self.each('npd'):
            kept = text.encode().strip()[:80].decode()
            self.assertEqual(kept, text.strip())
            self.assertEqual(code, codes[report(machine)['verdict']])
            self.assertEqual(text.count('\n'), 1)


if __name__ == '__main__':
    unittest.main()
