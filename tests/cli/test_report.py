"""weft report: a page that needs nothing but itself, looked at in Debian's Chromium without a window."""

import base64
import json
import re
import shutil
import struct
import subprocess
import unittest
import zlib
from html.parser import HTMLParser

from weft_cli import CASE, WRONG_INPUT, CommandLineTest, extended, replaced

BOX = 'box = { origin = [0, 0], size = [1, 1], cells = [4, 4], cell = "triangle" }'
SOLID_BOX = 'box = { size = [1, 2, 1], cells = [6, 8, 6], cell = "hexahedron" }'
SOLID_CASE = replaced(replaced(CASE, "boundary = {", "x0 = {"), BOX, SOLID_BOX)
TRANSIENT_CASE = replaced(CASE, "- f*test(u)", "- f*test(u) + dt(u)*test(u)") + """
[initial]
u = "sin(pi*x)"
[time]
end = 0.3
step = 0.02
[output]
every = 0.02
probes = [[0.5, 0.5]]
"""
ELASTIC_CASE = """\
title = "Beam"
[mesh]
box = { size = [4, 1], cells = [16, 4], cell = "quadrilateral" }
[fields]
u = { element = "P1", shape = "vector" }
[dirichlet]
x0 = { u = [0, 0] }
[weak_form]
cells.all = "inner(2*sym(grad(u)) + tr(grad(u))*identity, grad(test(u))) + 0.001*test(u)[1]"
"""

CHROMIUM = shutil.which("chromium")
# Its own renderer in place of a graphics card, which this machine may lack.
SOFTWARE = ["--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu-sandbox", "--use-gl=angle",
            "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-background-networking"]
LONGEST_LOOK_S = 180


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the texts of some."""

    def __init__(self, html):
        super().__init__()
        self.elements = []
        self.texts = {}
        self.inside = None
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.inside = dict(attributes).get("id")

    def handle_data(self, data):
        if self.inside:
            self.texts[self.inside] = self.texts.get(self.inside, "") + data

    def handle_endtag(self, tag):
        self.inside = None

    def by_id(self, name):
        return next(attributes for _, attributes in self.elements if attributes.get("id") == name)


def pixels_of(png):
    """The rows of an RGB or RGBA picture, as tuples."""
    width, height, depth, colours = struct.unpack(">IIBB", png[16:26])
    assert depth == 8 and colours in (2, 6)
    channels = 3 if colours == 2 else 4
    data, at = b"", 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        data += png[at + 8 : at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    raw, before, rows = zlib.decompress(data), bytes(width * channels), []
    for row in range(height):
        start = row * (width * channels + 1)
        before = unfiltered(raw[start], raw[start + 1 : start + 1 + width * channels], before, channels)
        rows.append([tuple(before[i : i + 3]) for i in range(0, len(before), channels)])
    return rows


def unfiltered(kind, line, above, step):
    """A row of a PNG file from its differences (ISO/IEC 15948, clause 9)."""
    result = bytearray(line)
    for i, _ in enumerate(line):
        left = result[i - step] if i >= step else 0
        corner = above[i - step] if i >= step else 0
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = above[i]
        elif kind == 3:
            guess = (left + above[i]) // 2
        elif kind == 4:
            far = [abs(above[i] - corner), abs(left - corner), abs(left + above[i] - 2 * corner)]
            guess = (left, above[i], corner)[far.index(min(far))]
        else:
            guess = 0
        result[i] = (result[i] + guess) & 255
    return bytes(result)


class Report(CommandLineTest):
    def page(self, name="out/report.html"):
        return (self.folder / name).read_text()

    def chromium(self, *arguments):
        return subprocess.run([CHROMIUM, *SOFTWARE, f"--user-data-dir={self.folder / 'profile'}", *arguments,
                               f"file://{self.folder / 'out' / 'report.html'}"],
                              capture_output=True, timeout=LONGEST_LOOK_S, check=True)

    def look(self):
        """The page after its scripts have run: its elements, and the colours of its picture.

        A busy machine may not have come to draw it yet: it gets more time, twice.
        """
        shot = self.folder / "shot.png"
        for budget in ("--virtual-time-budget=4000", "--virtual-time-budget=16000", "--virtual-time-budget=64000"):
            page = Elements(self.chromium(budget, "--dump-dom").stdout.decode())
            self.chromium(budget, "--window-size=1000,900", f"--screenshot={shot}")
            # To the left of the legend, those of the map.
            seen = {pixel for row in pixels_of(shot.read_bytes()) for pixel in row[:700]}
            coloured = {c for c in seen if max(c) - min(c) > 60}
            if "data-drawn-ms" in page.by_id("canvas") and len(coloured) > 200:
                break
        return page, coloured

    def assert_drawn(self, page, coloured):
        self.assertEqual(page.texts.get("script-errors", "").strip(), "")
        self.assertNotIn("hidden", page.by_id("canvas"))
        self.assertIn("hidden", page.by_id("still"))
        self.assertGreater(int(page.by_id("canvas")["data-drawn-ms"]), 0)
        self.assertGreater(len(coloured), 200)

    def test_page_holds_all_it_shows(self):
        self.run_case(TRANSIENT_CASE, "--report")
        html = self.page()
        page = Elements(html)
        for tag, attributes in page.elements:
            for key in ("src", "href", "data", "action", "srcset", "poster"):
                self.assertTrue(attributes.get(key, "data:").startswith("data:"), (tag, attributes))
            self.assertNotIn(tag, ("link", "iframe", "object", "embed", "base"))
        style = "".join(re.findall("<style>(.*?)</style>", html, re.S))
        self.assertNotIn("@import", style)
        self.assertNotIn("url(", style)
        self.assertLess(len(html), 500_000)
        # Fifteen steps and the start: some are drawn, the first and the last among them.
        picture = json.loads(page.texts["picture-data"])
        self.assertEqual(len(picture["times"]), 12)
        self.assertEqual((picture["times"][0], picture["times"][-1]), (0, 0.3))
        self.assertIn("Of 16 outputs over time, 12 evenly spread ones", html)
        self.assertIn("Functionals over the steps", html)
        self.assertIn("Fields at probes", html)

    def test_picture_has_the_values_of_the_field(self):
        self.run_case(CASE, "--report")
        picture = json.loads(Elements(self.page()).texts["picture-data"])
        surface = picture["sheets"][0]
        values = struct.unpack("<25H", base64.b64decode(surface["values"][0]))
        least, most = picture["fields"][0]["ranges"][0]
        self.assertEqual(least, 0)
        self.assertEqual((min(values), max(values)), (0, 65534))
        self.assertEqual(values.count(0), 16)  # the boundary of four by four cells
        self.assertGreater(most, 0.05)

    def test_report_of_a_case_or_of_its_folder(self):
        self.write("case.toml", CASE)
        self.weft("run", "case.toml")
        self.assertFalse((self.folder / "out" / "report.html").exists())
        self.weft("report", "case.toml")
        page = self.page()
        self.weft("report", "out", "--out", "page.html")
        self.assertEqual(self.page("page.html"), page)
        self.assertIn("[weak_form]", page)

    def test_case_may_not_name_a_folder_elsewhere(self):
        self.write("stranger.toml", CASE + '[output]\ndirectory = "/usr"\n')
        done = self.weft("report", "stranger.toml", expect=WRONG_INPUT)
        self.assert_error(done, "[output] directory")

    def test_slices_where_they_are_asked(self):
        self.run_case(SOLID_CASE)
        self.weft("report", "out", "--slice", "y=0.5", "--slice", "y=1.5")
        picture = json.loads(Elements(self.page()).texts["picture-data"])
        self.assertEqual([sheet["name"] for sheet in picture["sheets"]], ["surface", "y = 0.5", "y = 1.5"])
        for slice_ in ("y", "w=1", "x=", "x=nan", "y=1m"):
            self.assert_error(self.weft("report", "out", "--slice", slice_, expect=WRONG_INPUT), "--slice", slice_)

    def test_what_is_no_run_is_refused(self):
        self.assert_error(self.weft("report", "nothing", expect=WRONG_INPUT), "nothing")
        (self.folder / "empty").mkdir()
        self.assert_error(self.weft("report", "empty", expect=WRONG_INPUT), "results.json", "run the case first")
        self.run_case(CASE)
        fields = self.folder / "out" / "fields.vtu"
        fields.write_bytes(fields.read_bytes()[:2000])
        self.assert_error(self.weft("report", "out", expect=WRONG_INPUT), "fields.vtu", "the file ends")

    def test_strangers_texts_are_text(self):
        evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
        self.run_case(replaced(CASE, '"Small"', f"'{evil}'") + f"# {evil}\n", "--report")
        page = Elements(self.page())
        self.assertEqual(sum(tag == "script" for tag, _ in page.elements), 2)
        self.assertEqual([attributes["id"] for tag, attributes in page.elements if tag == "img"], ["still"])

    def test_failed_runs_have_a_page(self):
        stopped = 'method = "cg"\nmax_iterations = 1'
        done = self.run_case(replaced(CASE, "tolerance = 1e-10", stopped), "--report", expect=1)
        self.assertIn("not converged", done.stderr)
        self.assertIn("not converged</span>", self.page())

    @extended
    @unittest.skipUnless(CHROMIUM, "SKIPPED: chromium is not installed")
    def test_page_in_a_browser(self):
        for name, case in (("solid", SOLID_CASE), ("transient", TRANSIENT_CASE), ("elastic", ELASTIC_CASE)):
            with self.subTest(case=name):
                self.run_case(case, "--report")
                self.assert_drawn(*self.look())

    @unittest.skipUnless(CHROMIUM, "SKIPPED: chromium is not installed")
    def test_page_without_webgl_shows_the_still_picture(self):
        self.run_case(SOLID_CASE, "--report")
        dom = self.chromium("--disable-3d-apis", "--virtual-time-budget=4000", "--dump-dom").stdout.decode()
        page = Elements(dom)
        self.assertEqual(page.texts.get("script-errors", "").strip(), "")
        self.assertIn("hidden", page.by_id("canvas"))
        self.assertNotIn("hidden", page.by_id("still"))
        png = base64.b64decode(page.by_id("still")["src"].partition(",")[2])
        self.assertGreater(len({pixel for row in pixels_of(png) for pixel in row}), 100)


if __name__ == "__main__":
    unittest.main()
