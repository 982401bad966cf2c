"""What a foreign page or host gets: nothing, and no request reaches the daemon."""
import itertools
import unittest

from browser import browser
from scene import Scene

GOOD = {"Content-Type": "application/json", "Sextant-Request": "1"}


class RefusalTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scene = Scene(has_gate=True).__enter__()
        cls.here = f"127.0.0.1:{cls.scene.port}"
        # The first call also connects.
        cls.allowed_call(cls.scene)
        before = cls.scene.gate.bytes
        cls.allowed_call(cls.scene)
        cls.bytes_of_call = cls.scene.gate.bytes - before

    @classmethod
    def tearDownClass(cls):
        cls.scene.__exit__()

    def setUp(self):
        gate = self.scene.gate
        self.before = (gate.connections, gate.bytes)

    @staticmethod
    def allowed_call(scene):
        reply = scene.request("POST", "/call/io.sextant.Manager.GetStatus", GOOD, "{}")
        assert reply.status == 200, reply.status

    def ask(self, method, path, headers, body=None):
        return self.scene.request(method, path, headers, body)

    def assert_no_call(self):
        """An allowed call comes last. The gate has counted all that is before it, and counts it alone."""
        self.allowed_call(self.scene)
        connections, count = self.before
        self.assertGreater(self.bytes_of_call, 0)
        self.assertEqual((self.scene.gate.connections, self.scene.gate.bytes), (connections, count + self.bytes_of_call), "a request reached the daemon")

    def test_no_foreign_host_origin_or_frame_reaches_the_daemon(self):
        hosts = ["example.org", "example.org:80", f"evil.localhost.example:{self.scene.port}", ""]
        foreign = [{"Origin": "http://example.org"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
                   {"Origin": f"http://{self.here}", "Sec-Fetch-Site": "cross-site"}]
        requests = 0
        for path, method in itertools.product(("/", "/events?pace=live", "/call/io.sextant.Manager.GetStatus"), ("GET", "POST")):
            for host in hosts:
                reply = self.ask(method, path, {**GOOD, "Host": host}, "{}" if method == "POST" else None)
                self.assertIn(reply.status, (400, 403, 405, 421), f"{method} {path} with Host {host}")
                requests += 1
        for headers in foreign:
            for path, method in (("/events?pace=live", "GET"), ("/call/io.sextant.Manager.GetStatus", "POST")):
                reply = self.ask(method, path, {**GOOD, "Host": self.here, **headers}, "{}" if method == "POST" else None)
                self.assertEqual(reply.status, 403, f"{path} with {headers}")
                requests += 1
        self.assert_no_call()
        print(f"\n{requests} foreign requests, none reached the daemon")

    def test_a_call_without_its_header_or_with_another_type_is_refused(self):
        for headers in ({}, {"Content-Type": "application/json"}, {"Sextant-Request": "1"}, {"Content-Type": "text/plain", "Sextant-Request": "1"}):
            reply = self.ask("POST", "/call/io.sextant.Manager.GetStatus", headers, "{}")
            self.assertIn(reply.status, (400, 403, 415), str(headers))
        self.assert_no_call()

    def test_methods_that_are_not_on_the_list_are_refused(self):
        for method in ("io.sextant.Permission.Grant", "io.sextant.Permission.Forget", "io.sextant.Location.ForgetVisits", "io.sextant.Receiver.Feed", "org.varlink.service.GetInfo", ""):
            self.assertIn(self.ask("POST", f"/call/{method}", GOOD, "{}").status, (400, 403, 404), method)
        self.assert_no_call()

    def test_a_foreign_page_cannot_frame_read_or_wake(self):
        """A page of another origin (localhost is another host than 127.0.0.1) that frames ours, opens our stream and loads it as a picture."""
        with browser() as program:
            page = program.new_page()
            page.route("http://foreign.test/", lambda route: route.fulfill(content_type="text/html", body=f"""
                <iframe src="{self.scene.url}"></iframe><img src="{self.scene.url}events?pace=live">
                <script>new EventSource("{self.scene.url}events?pace=live");
                fetch("{self.scene.url}call/io.sextant.Manager.GetStatus", {{ method: "POST", mode: "no-cors", body: "{{}}" }}).catch(() => 0);</script>"""))
            page.goto("http://foreign.test/")
            page.wait_for_timeout(1500)
            self.assert_no_call()
            framed = page.frames[1]
            self.assertNotIn("Sextant", framed.content())

    def test_files_outside_the_page_are_not_served(self):
        for path in ("/../scene.py", "/%2e%2e/%2e%2e/etc/passwd", "/views/../../main.swift", "//etc/passwd", "/.git/config", "/nothing.js"):
            self.assertIn(self.ask("GET", path, {"Host": self.here}).status, (400, 403, 404), path)
        self.assert_no_call()

    def test_every_reply_has_the_headers_of_a_closed_page(self):
        for path in ("/", "/main.js", "/languages/en.json", "/nothing"):
            reply = self.ask("GET", path, {"Host": self.here})
            policy = reply.getheader("Content-Security-Policy", "")
            for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
                self.assertIn(part, policy, path)
            self.assertEqual(reply.getheader("X-Content-Type-Options"), "nosniff")


if __name__ == "__main__":
    unittest.main()
