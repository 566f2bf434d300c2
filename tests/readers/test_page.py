'''The page of `--format html` in a real browser, at the widths of a phone and of a desk, light and dark, with and without
scripts, and on paper.

Run as test_formats.py is; needs Debian's chromium. GPU_DOCTOR_SHOTS=FOLDER keeps the pictures that were taken.
'''
import os
import shutil
import subprocess
import tempfile
import unittest

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

MACHINES = os.environ['GPU_DOCTOR_MACHINES']
BINARY = os.path.abspath(os.environ['GPU_DOCTOR_TEST_BINARY'])
NAMES = ['ready', 'degraded', 'not-ready', 'inconclusive', 'hostile', 'largest']
PHONE, DESK = {'width': 360, 'height': 740}, {'width': 1280, 'height': 900}


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        chromium = shutil.which('chromium')
        assert chromium, "the browser is missing: apt-get install chromium"
        cls.folder = tempfile.mkdtemp()
        cls.shots = os.environ.get('GPU_DOCTOR_SHOTS', cls.folder)
        cls.pages = {}
        for name in NAMES:
            path = os.path.join(cls.folder, name + '.html')
            command = [BINARY, 'check', '--format', 'html', '--from', '%s/%s.json' % (MACHINES, name)]
            with open(path, 'wb') as file:
                subprocess.run(command, stdout=file)
            cls.pages[name] = 'file://' + path
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path=chromium, args=['--no-sandbox'])

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()
        shutil.rmtree(cls.folder)

    def open(self, name, size, **how):
        '''A page, and the list that collects what must not happen on it.'''
        context = self.browser.new_context(viewport=size, **how)
        self.addCleanup(context.close)
        page, wrong = context.new_page(), []
        page.on('console', lambda message: wrong.append(message.text))
        page.on('pageerror', lambda error: wrong.append(str(error)))
        page.on('dialog', lambda dialog: wrong.append('dialog ' + dialog.message))
        page.on('request', lambda request: request.url == self.pages[name] or wrong.append(request.url))
        page.goto(self.pages[name])
        return page, wrong

    def test_every_machine_at_every_width_in_every_light_is_shown_without_a_complaint_or_a_request(self):
        for name in NAMES:
            for size, where in ((PHONE, 'phone'), (DESK, 'desk')):
                for scheme in ('light', 'dark'):
                    with self.subTest(name=name, where=where, scheme=scheme):
                        page, wrong = self.open(name, size, color_scheme=scheme)
                        shot = os.path.join(self.shots, '%s-%s-%s.png' % (name, where, scheme))
                        page.screenshot(path=shot, full_page=name != 'largest')
                        self.assertGreater(os.path.getsize(shot), 10000)
                        self.assertEqual(wrong, [])
                        wide = page.evaluate('document.documentElement.scrollWidth')
                        self.assertLessEqual(wide, size['width'], 'has to be scrolled sideways')
                        paper = page.evaluate('getComputedStyle(document.body).backgroundColor')
                        self.assertEqual(paper, {'light': 'rgb(255, 255, 255)', 'dark': 'rgb(15, 20, 25)'}[scheme])

    def test_axe_finds_nothing_that_keeps_anybody_out(self):
        for name in ('ready', 'degraded', 'not-ready', 'inconclusive', 'hostile'):
            for scheme in ('light', 'dark'):
                with self.subTest(name=name, scheme=scheme):
                    # axe is a script of its own, which the page's policy would keep out.
                    page, _ = self.open(name, DESK, color_scheme=scheme, bypass_csp=True)
                    page.evaluate('for (const d of document.querySelectorAll("details")) d.open = true')
                    found = Axe().run(page)
                    self.assertEqual(found.violations_count, 0, found.generate_report())

    def test_the_picture_names_its_links_and_marks_the_broken_one(self):
        page, _ = self.open('not-ready', DESK)
        label = page.get_attribute('figure.chain', 'aria-label')
        self.assertIn('fail, here the chain breaks', label)
        self.assertEqual(page.locator('.link.broken').count(), 1)
        page, _ = self.open('ready', DESK)
        self.assertNotIn('breaks', page.get_attribute('figure.chain', 'aria-label'))
        self.assertEqual(page.locator('.link.broken').count(), 0)
        page, _ = self.open('largest', DESK)
        gpus = page.locator('.link', has=page.locator('.name', has_text='GPU present')).or_(page.locator('.link').first)
        self.assertGreaterEqual(gpus.first.locator('.mark').count(), 16)

    def test_a_button_copies_its_command(self):
        page, wrong = self.open('not-ready', DESK, permissions=['clipboard-read', 'clipboard-write'])
        commands, buttons = page.locator('.command'), page.locator('.command button')
        self.assertGreater(commands.count(), 0)
        self.assertEqual(buttons.count(), commands.count())
        buttons.first.click()
        page.wait_for_function('document.querySelector(".command button").textContent == "Copied"')
        self.assertEqual(page.evaluate('navigator.clipboard.readText()'), commands.first.locator('code').text_content())
        self.assertEqual(wrong, [])

    def test_without_a_script_everything_can_be_read(self):
        page, wrong = self.open('not-ready', PHONE, java_script_enabled=False)
        self.assertEqual(page.locator('button').count(), 0)
        for what in ('h1', '.verdict', 'figure.chain', '.cause', '.cause ol', 'table.rows'):
            self.assertTrue(page.locator(what).first.is_visible(), what)
        page.locator('summary').first.click()
        self.assertTrue(page.locator('table.facts').is_visible())
        self.assertEqual(wrong, [])

    def test_on_paper_there_are_no_buttons(self):
        page, _ = self.open('not-ready', DESK)
        page.emulate_media(media='print')
        self.assertFalse(page.locator('.command button').first.is_visible())
        self.assertTrue(page.pdf().startswith(b'%PDF'))

    def test_nothing_that_was_seen_becomes_a_part_of_the_page(self):
        page, wrong = self.open('hostile', DESK)
        self.assertEqual(page.locator('script').count(), 1)
        self.assertEqual(page.locator('img, iframe, object, a, form, link').count(), 0)
        self.assertIn('<script>alert(1)</script>', page.locator('main').text_content())
        self.assertEqual(wrong, [])


if __name__ == '__main__':
    unittest.main()
