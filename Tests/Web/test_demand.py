"""Demand is power: a hidden page holds nothing. By Selenium, because Playwright's pages are always visible."""
import os
import shutil
import signal
import time
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from browser import CHROMIUM, browser, open_page, show_view
from browser import wait_for_position as wait_until_position
from scene import Scene, wait

# Selenium must not look for a driver on the network.
os.environ["SE_OFFLINE"] = "true"


class Window:
    def __enter__(self):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for option in ("--headless=new", "--no-sandbox", "--window-size=1000,800"):
            options.add_argument(option)
        self.driver = webdriver.Chrome(options, Service(shutil.which("chromedriver")))
        return self.driver

    def __exit__(self, *_):
        self.driver.quit()


def wait_for_position(driver):
    WebDriverWait(driver, 20).until(lambda d: any("±" in one.text for one in d.find_elements(By.CSS_SELECTOR, ".radius")))


def seconds_until_a_hidden_page_holds_nothing(scene, driver):
    """Hides the page that is shown behind a new tab."""
    wait(scene.viewers, "the demand of a visible page")
    began = time.monotonic()
    driver.switch_to.new_window("tab")
    wait(lambda: not scene.viewers(), "the end of the demand")
    return time.monotonic() - began


class DemandTests(unittest.TestCase):
    def test_a_hidden_page_holds_nothing_and_a_shown_one_asks_again(self):
        with Scene() as scene, Window() as driver:
            driver.get(scene.url)
            wait_for_position(driver)
            page = driver.current_window_handle
            print(f"\ndemand of a hidden page ended after {seconds_until_a_hidden_page_holds_nothing(scene, driver):.2f} s")
            driver.switch_to.window(page)
            wait(scene.viewers, "the demand of the page that is shown again")

    def test_a_closed_page_holds_nothing(self):
        with Scene() as scene, Window() as driver:
            driver.get(scene.url)
            wait_for_position(driver)
            wait(scene.viewers, "the demand of a visible page")
            driver.get("about:blank")
            wait(lambda: not scene.viewers(), "the end of the demand")

    def test_ten_tabs_are_one_stream(self):
        with Scene() as scene, Window() as driver:
            driver.get(scene.url)
            wait_for_position(driver)
            for _ in range(9):
                driver.switch_to.new_window("tab")
                driver.get(scene.url)
                wait_for_position(driver)
            wait(lambda: len(scene.viewers()) == 1, "a single request")

    def test_five_windows_may_change_their_view(self):
        with Scene() as scene, browser() as program:
            pages = [open_page(program, scene.url) for _ in range(5)]
            for page in pages:
                wait_until_position(page)
            for view in ("sky", "power", "now"):
                show_view(pages[2], view)
                pages[2].wait_for_selector(".pulse[data-state=good]")
            self.assertFalse(pages[2].is_visible("#banner"))

    def test_a_page_that_only_watches_keeps_no_receiver_on(self):
        with Scene() as scene, Window() as driver:
            driver.get(scene.url)
            driver.execute_script("localStorage.setItem('sextant', JSON.stringify({ pace: 'watch' }))")
            driver.refresh()
            wait(lambda: any(one["passive"] for one in scene.viewers()), "the passive request")
            wait(lambda: not any(one["holds"] for one in scene.viewers()), "the end of the request that the page made before")

    def test_a_stopped_browser_holds_nothing_after_a_minute_and_is_no_reason_to_queue_without_end(self):
        with Scene("--rate", "5") as scene, Window() as driver:
            driver.get(scene.url)
            wait_for_position(driver)
            browser_id = driver.service.process.pid
            members = [int(name) for name in os.listdir("/proc") if name.isdigit() and descends(int(name), browser_id)]
            for member in members:
                os.kill(member, signal.SIGSTOP)
            try:
                before = resident(scene)
                # The server ends a stream that has not asked again at its third sign of life, 60 s after the first.
                wait(lambda: not scene.viewers(), "the end of the demand of a stopped browser", 90)
                self.assertLess(resident(scene) - before, 500_000)
            finally:
                for member in reversed(members):
                    os.kill(member, signal.SIGCONT)
            wait_for_position(driver)


def resident(scene):
    with open(f"/proc/{scene.processes['web'].pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def descends(process, ancestor):
    while process > 1:
        if process == ancestor:
            return True
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8") as file:
                process = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            return False
    return False


if __name__ == "__main__":
    unittest.main()
