"""Debian's chromium, headless, by Playwright."""
import contextlib
import json
import shutil

from playwright.sync_api import sync_playwright

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
OPTIONS = ["--no-sandbox", "--font-render-hinting=none", "--force-color-profile=srgb"]
VIEWS = ["now", "sky", "fences", "power", "charts", "visits"]
THEMES = ["light", "dark", "night"]


@contextlib.contextmanager
def browser():
    with sync_playwright() as playwright:
        program = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield program
        program.close()


def open_page(program, url, width=1280, height=800, bypass_csp=False, **settings):
    """Opens the page with settings of the viewer, such as theme="night". Collects errors of the page in `page.problems`."""
    context = program.new_context(viewport={"width": width, "height": height}, locale="en-GB", timezone_id="UTC", reduced_motion="reduce",
                                  bypass_csp=bypass_csp)
    stored = json.dumps({"language": "en", "pace": "live", **settings})
    context.add_init_script(f"localStorage.getItem('sextant') ?? localStorage.setItem('sextant', {json.dumps(stored)})")
    page = context.new_page()
    page.set_default_timeout(20000)
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("console", lambda message: page.problems.append(message.text) if message.type == "error" and "Failed to load" not in message.text else None)
    page.goto(url)
    return page


def show_view(page, name):
    page.evaluate(f"location.hash = '{name}'")
    # No handles of elements, which would keep them in memory.
    page.wait_for_function(f"() => document.querySelector('main.view-{name} .card')?.isConnected")


def wait_for_position(page):
    page.wait_for_function("() => document.querySelector('.radius')?.textContent.includes('±') === true")


def is_wider_than_window(page):
    return page.evaluate("document.documentElement.scrollWidth > innerWidth")
