"""Screenshots of views with fixed data and a fixed clock, against those in pictures/. KEEP=1 writes them anew.

Pictures depend on the version of chromium and on fonts: at most 1 in 1,000 points may differ. Another version is not compared.
"""
import base64
import os
import pathlib
import subprocess
import unittest

from browser import CHROMIUM, browser, open_page, show_view
from figures import RECEIVER, FastHandler, FastServer

FOLDER = pathlib.Path(__file__).parent / "pictures"
PICTURES = {"now-light": ("now", "light", 320, 1100), "now-night": ("now", "night", 1000, 640), "sky-dark": ("sky", "dark", 1000, 640)}
MOST = 0.001
TIME = "2026-06-01T12:00:00.000Z"
LOCATION = {"timestamp": TIME, "latitude": 52.1, "longitude": 4.27, "horizontalAccuracy": 2.4, "accuracySource": "gst", "altitude": 5.2, "verticalAccuracy": 3.1,
            "speed": 3.1, "speedAccuracy": 0.1, "course": 240, "mode": "3d", "quality": "differential", "satellitesUsed": 24, "hdop": 0.8, "receiver": "r"}
# Counts the points of two pictures that differ, in the browser: no other reader of PNG is needed.
COMPARE = """async ([first, second]) => {
    const pixels = async (data) => {
        const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + data)).blob());
        const pen = new OffscreenCanvas(image.width, image.height).getContext('2d');
        pen.drawImage(image, 0, 0);
        return pen.getImageData(0, 0, image.width, image.height);
    };
    const [one, two] = [await pixels(first), await pixels(second)];
    if (one.width !== two.width || one.height !== two.height) return 1;
    let different = 0;
    for (let at = 0; at < one.data.length; at += 4) if ([0, 1, 2].some((part) => Math.abs(one.data[at + part] - two.data[at + part]) > 8)) different++;
    return different / (one.data.length / 4);
}"""


class StillHandler(FastHandler):
    """Sends one position and one state, then nothing."""
    receivers = [RECEIVER]

    def stream(self):
        self.answer(200, "text/event-stream")
        self.event("hello", {"version": "1", "edit": True})
        status = {"version": "1.0", "enabled": True, "stateDirectory": "/var/lib/sextant", "state": {"freeBytes": 5e9}, "uptime": 100}
        self.event("status", {"status": status, "consumers": [], "activities": [], "allowsSleep": True})
        self.event("receivers", {"receivers": self.receivers})
        self.event("location", {"sequence": 1, "dropped": 0, "location": LOCATION})
        while True:
            self.rfile.read(1)


class PictureTests(unittest.TestCase):
    def test_views_look_as_they_did(self):
        version = subprocess.run([CHROMIUM, "--version"], capture_output=True, text=True, check=True).stdout.split()[1].split(".")[0]
        kept = FOLDER / "chromium-version"
        is_kept = bool(os.environ.get("KEEP"))
        if not is_kept and kept.read_text().strip() != version:
            self.skipTest(f"the pictures are of chromium {kept.read_text().strip()}, this is {version}")
        server = FastServer(1)
        server.RequestHandlerClass = StillHandler
        with browser() as program:
            for name, (view, theme, width, height) in PICTURES.items():
                page = open_page(program, "about:blank", width, height, theme=theme, pace="watch")
                page.clock.install(time=TIME)
                page.goto(server.url)
                page.wait_for_selector(".radius:has-text('±')")
                show_view(page, view)
                page.wait_for_selector(".drawing canvas")
                page.wait_for_selector(".credit:has-text('to scale')" if view == "now" else ".bars b")
                page.clock.pause_at("2026-06-01T12:00:10.000Z")
                # Two frames, in which drawings catch up.
                page.clock.run_for(200)
                # Not the ages, which depend on the speed of this machine.
                picture = page.screenshot(animations="disabled", mask=[page.locator(".bar"), page.locator(".facts > :nth-child(7)")])
                if is_kept:
                    FOLDER.mkdir(exist_ok=True)
                    (FOLDER / f"{name}.png").write_bytes(picture)
                else:
                    pictures = [base64.b64encode(one).decode() for one in (picture, (FOLDER / f"{name}.png").read_bytes())]
                    blank = program.new_page()
                    with self.subTest(name):
                        self.assertLessEqual(blank.evaluate(COMPARE, pictures), MOST)
                    blank.close()
                page.context.close()
        server.shutdown()
        if is_kept:
            kept.write_text(version + "\n")


if __name__ == "__main__":
    unittest.main()
