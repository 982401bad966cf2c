#!/usr/bin/env python3
"""Draws the page as docs/web.png, the picture in the README: a simulated receiver in the Solent.

    Tests/Web/run --picture
"""
from browser import browser, open_page, wait_for_position
from scene import ROOT, Scene

ZOOMED_OUT = 12  # halvings of the scale, until coasts are in sight


def main():
    with Scene("--stationary", "50.74,-1.28,3") as scene, browser() as program:
        page = open_page(program, scene.url, 1120, 700, theme="dark")
        wait_for_position(page)
        page.wait_for_selector(".verdict[data-state=ok]")
        page.wait_for_selector(".map canvas")
        for _ in range(ZOOMED_OUT):
            page.click(".map-buttons button:nth-child(2)")
        page.wait_for_selector(".credit:has-text('Natural Earth')")
        page.wait_for_timeout(2000)
        page.screenshot(path=ROOT / "docs/web.png")


if __name__ == "__main__":
    main()
