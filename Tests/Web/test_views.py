"""What viewers see: every view filled, faults of receiver, daemon and server, keys alone, small screens, pole and antimeridian."""
import contextlib
import signal
import unittest

from browser import VIEWS, browser, is_wider_than_window, open_page, show_view, wait_for_position
from figures import RECEIVER, FastServer
from scene import Scene, wait
from test_pictures import StillHandler


@contextlib.contextmanager
def page_with_position(*receiver):
    """A scene and a page of it that shows a position."""
    with Scene(*receiver) as scene, browser() as program:
        page = open_page(program, scene.url)
        wait_for_position(page)
        yield scene, page


class ViewTests(unittest.TestCase):
    def test_every_view_is_filled_without_an_error(self):
        with Scene() as scene, browser() as program:
            scene.call("Monitor.Add", {"name": "boat", "conditions": [
                {"identifier": "harbour", "circle": {"center": {"latitude": 51.48, "longitude": 0}, "radius": 3000}}]})
            page = open_page(program, scene.url)
            wait_for_position(page)
            page.wait_for_selector(".verdict[data-state=ok] h2:has-text('Everything works')")
            page.wait_for_selector(".map canvas")
            self.assertRegex(page.inner_text(".coordinates"), r"51\.\d{5}° N\s+\d\.\d{5}° [EW]")
            self.assertIn("not real", page.inner_text("main"))
            show_view(page, "sky")
            page.wait_for_selector(".legend li:has-text('GPS')")
            page.wait_for_selector(".items li:has-text('has a position')")
            page.click("summary")
            self.assertGreater(page.locator("tbody tr").count(), 5)
            show_view(page, "fences")
            page.wait_for_selector(".items li:has-text('harbour')")
            show_view(page, "power")
            page.wait_for_selector(".items li:has-text('this page') .state:has-text('keeps it on')")
            page.wait_for_selector(".shares li")
            show_view(page, "charts")
            page.wait_for_selector("figure:has-text('Accuracy') strong:has-text('m')")
            show_view(page, "visits")
            page.wait_for_selector("main:has-text('No visits yet')")
            self.assertEqual(page.problems, [])

    def test_a_device_at_rest_shows_its_scatter(self):
        with Scene("--stationary", "48.1,11.5", "--rate", "5") as scene, browser() as program:
            page = open_page(program, scene.url + "#charts")
            page.wait_for_selector(".scatter canvas", timeout=60000)
            self.assertIn("68 % within", page.inner_text(".facts"))

    def test_words_units_and_coordinates_follow_the_settings(self):
        with page_with_position("--stationary", "48.1,11.5,100") as (_, page):
            page.click("#open-settings")
            page.select_option("#setting-language", "de")
            page.wait_for_selector("h2:has-text('Einstellungen')")
            page.wait_for_selector("h2:has-text('Wie sicher')", state="attached")
            page.select_option("#setting-coordinates", "minutes")
            page.select_option("#setting-units", "nautical")
            page.wait_for_selector(".coordinates:has-text('48° 6,0')")
            page.wait_for_selector(".facts:has-text('kn')")
            page.select_option("#setting-coordinates", "utm")
            page.wait_for_selector(".coordinates:has-text('32U')")
            self.assertEqual(page.evaluate("document.documentElement.lang"), "de")
            self.assertEqual(page.problems, [])

    def test_no_view_scrolls_sideways_at_320_pixels(self):
        with Scene() as scene, browser() as program:
            scene.call("Monitor.Add", {"name": "boat", "conditions": [
                {"identifier": "x" * 200, "circle": {"center": {"latitude": 51.48, "longitude": 0}, "radius": 3000}}]})
            for language in ("en", "de"):
                page = open_page(program, scene.url, 320, 640, language=language)
                wait_for_position(page)
                for view in VIEWS:
                    show_view(page, view)
                    page.wait_for_timeout(300)
                    self.assertFalse(is_wider_than_window(page), f"{view} in {language}")
                page.context.close()

    def test_a_hostile_name_stays_text(self):
        name = "<img src=x onerror=alert(1)>"
        with Scene() as scene, browser() as program:
            scene.call("Monitor.Add", {"name": "boat", "conditions": [
                {"identifier": name, "circle": {"center": {"latitude": 51.48, "longitude": 0}, "radius": 3000}}]})
            page = open_page(program, scene.url + "#fences")
            page.wait_for_selector(".item-name")
            self.assertEqual(page.inner_text(".item-name"), name)
            self.assertEqual(page.locator("main img").count(), 0)


class FaultTests(unittest.TestCase):
    def test_in_a_tunnel_the_page_says_so_and_the_position_is_called_old(self):
        with page_with_position("--fault", "dropout@20s+20s") as (_, page):
            page.wait_for_selector(".verdict[data-state=wrong]", timeout=40000)
            self.assertIn("finds no position", page.inner_text(".verdict"))
            page.wait_for_selector("main:has-text('Last known position')")
            page.wait_for_selector("main:has-text('Where it is now is not known')")
            page.wait_for_selector(".marker", state="hidden")
            page.wait_for_selector(".pulse[data-state=bad]")
            page.wait_for_selector(".verdict[data-state=ok]", timeout=40000)

    def test_without_its_receiver_the_page_names_the_reason_and_what_to_do(self):
        with page_with_position("--fault", "unplug@20s+20s") as (_, page):
            page.wait_for_selector(".verdict:has-text('The receiver is disconnected')", timeout=40000)
            self.assertIn("connect the receiver", page.inner_text(".verdict"))
            page.wait_for_selector(".verdict[data-state=ok]", timeout=40000)

    def test_a_killed_daemon_is_named_and_its_return_needs_no_hand(self):
        with page_with_position() as (scene, page):
            scene.end("daemon", signal=9)
            page.wait_for_selector("#banner:has-text('does not answer')")
            page.wait_for_selector(".verdict[data-state=wrong]")
            page.wait_for_selector(".card.old .coordinates")
            scene.start_daemon()
            page.wait_for_selector("#banner", state="hidden", timeout=40000)
            page.wait_for_selector(".pulse[data-state=good]", timeout=40000)

    def test_a_killed_server_is_named_and_its_return_needs_no_hand(self):
        with page_with_position() as (scene, page):
            scene.end("web", signal=9)
            page.wait_for_selector(".pulse[data-state=bad]")
            scene.start_web()
            page.wait_for_selector(".pulse[data-state=good]", timeout=60000)

    def test_nothing_old_looks_current_when_daemon_or_server_stop_silently(self):
        for name in ("daemon", "web"):
            with self.subTest(name), page_with_position() as (scene, page):
                page.wait_for_selector(".verdict[data-state=ok]")
                scene.processes[name].send_signal(signal.SIGSTOP)
                try:
                    page.wait_for_selector(".pulse[data-state=old]")
                    page.wait_for_selector(".verdict:not([data-state=ok])")
                    page.wait_for_selector("main:has-text('Where it is now is not known')")
                    page.wait_for_selector("#banner:not([hidden])", timeout=60000)
                finally:
                    scene.processes[name].send_signal(signal.SIGCONT)
                page.wait_for_selector(".verdict[data-state=ok]", timeout=60000)
                page.wait_for_selector("#banner", state="hidden")


class TruthTests(unittest.TestCase):
    def test_a_silent_daemon_is_named_at_rest_too(self):
        with Scene("--stationary", "51.5,0") as scene, browser() as program:
            page = open_page(program, scene.url)
            page.wait_for_selector(".pulse[data-state=rest]", timeout=240000)
            scene.processes["daemon"].send_signal(signal.SIGSTOP)
            try:
                page.wait_for_selector(".verdict[data-state=wrong]", timeout=60000)
            finally:
                scene.processes["daemon"].send_signal(signal.SIGCONT)
            page.wait_for_selector(".verdict[data-state=ok]", timeout=60000)

    def test_a_location_that_is_switched_off_is_not_shown_as_current(self):
        with page_with_position() as (scene, page):
            scene.call("Permission.SetEnabled", {"enabled": False})
            page.wait_for_selector(".verdict:has-text('Location is switched off')")
            page.wait_for_selector(".pulse[data-state=bad]")
            page.wait_for_selector("main:has-text('Where it is now is not known')")

    def test_the_columns_of_energy_are_as_high_as_their_numbers_say(self):
        with Scene() as scene, browser() as program:
            page = open_page(program, scene.url)
            report = {"day": "2026-06-01", "joules": 100, "milliwatts": 10, "operation": 10, "saving": 0, "search": 0, "standby": 0, "closed": 0,
                      "consumers": [{"purpose": "nobody", "joules": 25, "share": 0.25}, {"purpose": "default", "program": "a", "uid": 1, "joules": 75, "share": 0.75}]}
            page.route("**/call/io.sextant.Manager.GetPower", lambda route: route.fulfill(json={"start": report, "days": [report], "estimates": []}))
            show_view(page, "power")
            page.wait_for_selector(".shares li:has-text('75')")
            whole, filled = page.evaluate("() => [...document.querySelectorAll('.days li:last-child b')].map((bar) => bar.clientHeight)")
            self.assertAlmostEqual(filled / whole, 0.75, delta=0.03)


class TwoReceivers(StillHandler):
    """One of two receivers is lost. The list of requests is older than that of the page."""
    receivers = [RECEIVER, {**RECEIVER, "name": "second", "state": "absent", "isPrimary": False}]


class KnowledgeTests(unittest.TestCase):
    def test_the_page_claims_nothing_that_it_does_not_know(self):
        server = FastServer(1)
        server.RequestHandlerClass = TwoReceivers
        with browser() as program:
            page = open_page(program, server.url, pace="watch")
            page.route("**/call/**", lambda route: None)  # No answer comes.
            page.wait_for_selector(".verdict h2:has-text('Everything works except second (absent)')")
            show_view(page, "fences")
            page.wait_for_selector("main [role=status]:has-text('waiting for data')")
            show_view(page, "power")
            page.wait_for_selector(".lead:has-text('waiting for data')")
            self.assertNotIn("keeps", page.inner_text("main"))
            page.unroute("**/call/**")
            page.route("**/call/**", lambda route: route.fulfill(status=403, json={"parameters": {"reason": "not for this page"}}))
            show_view(page, "fences")
            page.wait_for_selector("main [role=status]:has-text('not for this page')")
            show_view(page, "power")
            page.wait_for_selector(".lead:has-text('not for this page')")
            self.assertEqual(page.problems, [])
        server.shutdown()


WHITE = b"".join(bytes.fromhex(part) for part in (
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de", "0000000c49444154789c63f8ffff3f0005fe02fe0def46b8", "0000000049454e44ae426082"))


class MapTests(unittest.TestCase):
    def maps(self, page, tile=WHITE):
        """Answers for a server with one map of the administrator, which is white."""
        metadata = {"format": "png", "attribution": "© <a href='x'>Somebody</a>", "minzoom": "0", "maxzoom": "22"}
        page.route("**/tiles", lambda route: route.fulfill(json={"maps": [{"map": "white", "metadata": metadata}]}))
        page.route("**/tiles/**", lambda route: route.fulfill(content_type="image/png", body=tile))

    def share(self, page, condition):
        """The share of the map's points for which the condition on r, g and b holds."""
        return page.evaluate(f"""() => {{
            const canvas = document.querySelector('.map canvas');
            const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            let found = 0;
            for (let at = 0; at < data.length; at += 4) {{ const [r, g, b] = data.slice(at, at + 3); if ({condition}) found++; }}
            return found / (data.length / 4);
        }}""")

    def test_maps_of_the_administrator_are_drawn_with_their_attribution_but_not_at_night(self):
        with Scene("--stationary", "51.5,0") as scene, browser() as program:
            page = open_page(program, "about:blank", theme="light")
            self.maps(page)
            page.goto(scene.url)
            page.wait_for_selector(".credit:has-text('© Somebody')")
            wait(lambda: self.share(page, "r > 250 && g > 250 && b > 250") > 0.7, "the white map")
            page = open_page(program, "about:blank", theme="night")
            self.maps(page)
            page.goto(scene.url)
            page.wait_for_selector(".credit")
            page.wait_for_timeout(1500)
            self.assertEqual(self.share(page, "g > 140 || b > 140"), 0)

    def test_the_name_of_a_fence_is_in_sight_with_its_edge(self):
        with Scene("--stationary", "51.5,0") as scene, browser() as program:
            # The centre is 1.4 km from the device, which is just inside.
            circle = {"center": {"latitude": 51.5, "longitude": 0.02}, "radius": 1400}
            scene.call("Monitor.Add", {"name": "boat", "conditions": [{"identifier": "marina", "circle": circle}]})
            page = open_page(program, "about:blank", width=320)
            page.add_init_script("""const { fillText } = CanvasRenderingContext2D.prototype;
                CanvasRenderingContext2D.prototype.fillText = function (...text) { (window.drawn ??= {})[text[0]] = text; fillText.apply(this, text); };""")
            page.goto(scene.url + "#fences")
            page.wait_for_function("() => window.drawn?.marina && document.querySelector('.item-name')")
            page.wait_for_timeout(500)
            _, x, y = page.evaluate("window.drawn.marina")
            self.assertTrue(0 < x < 260 and 0 < y < 400, f"the name is at {x}, {y}")

    def test_the_recorded_day_is_drawn(self):
        with Scene("--stationary", "51.5,0") as scene, browser() as program:
            page = open_page(program, "about:blank", theme="light")
            points = [{"timestamp": "2026-06-01T00:00:00Z", "latitude": 51.5, "longitude": longitude / 1e6, "horizontalAccuracy": 3} for longitude in range(-400, 400, 40)]
            page.route("**/call/io.sextant.Location.Track", lambda route: route.fulfill(json={"points": [{**points[0], "begins": True}, *points[1:]], "recording": True}))
            page.goto(scene.url)
            page.wait_for_selector(".map canvas")
            length = "import('./history.js').then((module) => module.day.length)"
            wait(lambda: page.evaluate(length) == len(points), "the track")
            wait(lambda: self.share(page, "r < 90 && g > 90 && b > 80") > 0.002, "its line")


class KeyTests(unittest.TestCase):
    def press_until(self, page, selector, limit=80):
        """Moves by Tab to an element."""
        for _ in range(limit):
            if page.evaluate("selector => document.activeElement?.matches(selector)", selector):
                return
            page.keyboard.press("Tab")
        self.fail(f"Tab does not reach {selector}")

    def test_a_fence_is_added_changed_and_deleted_by_keys_alone(self):
        with page_with_position() as (scene, page):
            self.press_until(page, "nav a[href='#fences']")
            page.keyboard.press("Enter")
            page.wait_for_selector("main.view-fences button.main:not([disabled])")
            self.press_until(page, "main button.main")
            page.keyboard.press("Enter")
            page.keyboard.type("mooring")
            self.press_until(page, "button[type=submit]")
            page.keyboard.press("Enter")
            page.wait_for_selector(".items li:has-text('mooring')")
            record = scene.call("Monitor.List", {"name": "web"})["records"][0]["condition"]
            self.assertEqual((record["identifier"], record["circle"]["radius"]), ("mooring", 150))
            self.press_until(page, "li .buttons button:not(.danger)")
            page.keyboard.press("Enter")
            self.press_until(page, "[name=radius]")
            page.keyboard.press("Control+A")
            page.keyboard.type("200")
            page.keyboard.press("Enter")
            wait(lambda: scene.call("Monitor.List", {"name": "web"})["records"][0]["condition"]["circle"]["radius"] == 200, "the change")
            page.wait_for_selector(".items li:has-text('200')")
            self.press_until(page, "li .danger")
            page.keyboard.press("Enter")
            page.keyboard.press("Enter")
            wait(lambda: not scene.call("Monitor.List", {"name": "web"})["records"], "the deletion")
            self.assertEqual(page.problems, [])

    def test_a_wrong_number_is_named_and_gets_the_focus(self):
        with Scene() as scene, browser() as program:
            page = open_page(program, scene.url + "#fences")
            page.click("main button.main:not([disabled])")
            page.fill("[name=identifier]", "a")
            page.fill("[name=radius]", "-3")
            page.keyboard.press("Enter")
            page.wait_for_function("() => document.activeElement.name === 'radius'")
            self.assertNotEqual(page.evaluate("document.activeElement.validationMessage"), "")
            self.assertEqual(scene.call("Monitor.ListMonitors")["monitors"], [])

    def test_the_map_moves_and_zooms_by_keys(self):
        with page_with_position() as (_, page):
            page.wait_for_selector(".map canvas")
            page.focus(".map canvas")
            before = page.get_attribute(".map canvas", "aria-label")
            page.keyboard.press("-")
            page.wait_for_function("before => document.querySelector('.map canvas').getAttribute('aria-label') !== before", arg=before)
            page.keyboard.press("ArrowLeft")
            page.wait_for_selector(".map-buttons [aria-pressed=false]")
            page.keyboard.press("f")
            page.wait_for_selector(".map-buttons [aria-pressed=true]")


# Where projections of other maps end: the pole and the antimeridian.
PLACES = {"pole": "89.9,45", "antimeridian": "-16.5,179.99", "south pole": "-89.99,-120"}


class PlaceTests(unittest.TestCase):
    def test_pole_and_antimeridian_are_ordinary_places(self):
        for name, place in PLACES.items():
            with self.subTest(name), page_with_position("--stationary", place) as (_, page):
                page.wait_for_selector(".map canvas")
                for _ in range(17):
                    page.click(".map-buttons button:nth-child(2)")
                page.wait_for_selector(".credit:has-text('Natural Earth')")
                # Land and sea are both in sight at some step outwards, and nothing has failed.
                page.wait_for_function("""() => {
                    const canvas = document.querySelector('.map canvas');
                    const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
                    const seen = new Map();
                    for (let i = 0; i < data.length; i += 400) {
                        const key = data[i] << 16 | data[i + 1] << 8 | data[i + 2];
                        seen.set(key, (seen.get(key) ?? 0) + 1);
                    }
                    return [...seen.values()].filter((count) => count > 20).length >= 2;
                }""")
                self.assertEqual(page.problems, [])

    def test_the_plane_is_inverted_anywhere(self):
        with Scene() as scene, browser() as program:
            page = open_page(program, scene.url)
            worst = page.evaluate("""async () => {
                const { Projection } = await import('./drawing/projection.js');
                let worst = 0;
                for (const [latitude, longitude] of [[0, 0], [51, 179.99], [89.9, 10], [-90, 0], [90, 0], [-33, -179.999]]) {
                    const plane = new Projection(latitude, longitude);
                    for (let east = -9e6; east <= 9e6; east += 3e6) for (let north = -9e6; north <= 9e6; north += 3e6) {
                        const back = plane.plane(...plane.earth(east, north));
                        worst = Math.max(worst, Math.hypot(back[0] - east, back[1] - north));
                    }
                }
                return worst;
            }""")
            self.assertLess(worst, 1)

    def test_utm_agrees_with_known_points(self):
        # Made with PROJ (pyproj 3).
        known = [(48.1, 11.5, "32U", 686121.756, 5330438.130), (-33.9, 18.4, "34H", 259583.222, 6245888.045), (60.4, 5.3, "32V", 296191.547, 6701684.475)]
        with Scene() as scene, browser() as program:
            page = open_page(program, scene.url)
            for latitude, longitude, zone, easting, northing in known:
                grid = page.evaluate(f"import('./utm.js').then((module) => module.utm({latitude}, {longitude}))")
                self.assertEqual(grid["zone"], zone)
                self.assertAlmostEqual(grid["easting"], easting, delta=0.002)
                self.assertAlmostEqual(grid["northing"], northing, delta=0.002)


if __name__ == "__main__":
    unittest.main()
