"""axe-core (in PyPI's axe-playwright-python) on every view in every theme, wide and narrow; what screen readers are told."""
import os
import unittest

from axe_playwright_python.sync_playwright import Axe

from browser import THEMES, VIEWS, browser, open_page, show_view, wait_for_position
from scene import Scene

SHORT = bool(os.environ.get("SHORT"))
LEVELS = ("serious", "critical")
# The rules of WCAG 2.2 AA, of which axe includes contrast and the size of targets.
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


class AccessibilityTests(unittest.TestCase):
    def check(self, page, name):
        # What is half below a bar is not too small: the page can be scrolled.
        page.evaluate("scrollTo(0, 0)")
        found = Axe().run(page, options=RULES).response["violations"]
        bad = [f"{one['id']}: {one['nodes'][0]['html'][:150]} ({one['nodes'][0]['failureSummary'][:200]})" for one in found if one["impact"] in LEVELS]
        with self.subTest(name):
            self.assertEqual(bad, [])

    def test_axe_finds_nothing_serious_on_any_view_in_any_theme(self):
        with Scene() as scene, browser() as program:
            scene.call("Monitor.Add", {"name": "boat", "conditions": [
                {"identifier": "tiny", "circle": {"center": {"latitude": 51.48, "longitude": 0}, "radius": 1}}]})
            for theme in THEMES:
                for width in (320,) if SHORT else (320, 1280):
                    # axe is put into the page, which its Content-Security-Policy would refuse.
                    page = open_page(program, scene.url, width, 720, theme=theme, bypass_csp=True)
                    wait_for_position(page)
                    for view in VIEWS:
                        show_view(page, view)
                        page.wait_for_timeout(400)
                        if view == "now":
                            page.click(".verdict summary")
                        if view == "fences":
                            page.click("main button.main:not([disabled])")
                        self.check(page, f"{view}, {theme}, {width} px")
                    page.click("#open-settings")
                    page.wait_for_selector("dialog[open] select")
                    self.check(page, f"settings, {theme}, {width} px")
                    page.context.close()

    def test_a_page_with_a_problem_is_accessible_too(self):
        with Scene("--fault", "unplug@3s") as scene, browser() as program:
            for theme in THEMES:
                page = open_page(program, scene.url, 320, 720, theme=theme, bypass_csp=True)
                page.wait_for_selector(".verdict[data-state=wrong] code.command", timeout=40000)
                self.check(page, f"unplugged, {theme}")
                page.context.close()

    def test_the_spoken_line_says_the_position_and_does_not_change_every_second(self):
        with Scene() as scene, browser() as program:
            page = open_page(program, scene.url)
            page.wait_for_selector("#spoken:has-text('Position 51')", state="attached")
            changes = page.evaluate("""() => new Promise((done) => {
                let changes = 0;
                new MutationObserver(() => changes++).observe(document.getElementById('spoken'), { childList: true, characterData: true, subtree: true });
                setTimeout(() => done(changes), 8000);
            })""")
            self.assertLessEqual(changes, 1)

    def test_the_tree_of_a_screen_reader_has_the_verdict_first_then_the_accuracy_then_the_map(self):
        with Scene() as scene, browser() as program:
            page = open_page(program, scene.url)
            wait_for_position(page)
            page.wait_for_selector(".map canvas")
            page.wait_for_selector(".verdict[data-state=ok]")
            tree = page.locator("main").aria_snapshot()
            order = [tree.find(words) for words in ("Everything works", "How sure", "Where", "application")]
            self.assertNotIn(-1, order, tree)
            self.assertEqual(order, sorted(order), tree)

    def test_the_buttons_of_a_fence_tell_which_fence_they_change(self):
        with Scene() as scene, browser() as program:
            circle = {"center": {"latitude": 51.5, "longitude": 0}, "radius": 500}
            scene.call("Monitor.Add", {"name": "boat", "conditions": [{"identifier": name, "circle": circle} for name in ("pier", "marina")]})
            page = open_page(program, scene.url + "#fences")
            page.wait_for_function("() => document.querySelectorAll('.items .buttons').length === 2")
            nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
            told = {(node["name"]["value"], node.get("description", {}).get("value")) for node in nodes if node.get("role", {}).get("value") == "button"}
            self.assertLessEqual({(button, fence) for button in ("Change", "Delete") for fence in ("pier", "marina")}, told)


if __name__ == "__main__":
    unittest.main()
