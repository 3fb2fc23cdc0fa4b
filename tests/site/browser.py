"""Debian's Chromium, and what a visitor sees in it."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright

from tests.e2e.server import TIMEOUT_S

SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"
TIMEOUT_MS = 1_000 * TIMEOUT_S
WIDE: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
SERIOUS = {"serious", "critical"}


@contextmanager
def run_browser() -> Iterator[Browser]:
    """Run Chromium. Without it the test is skipped, and fails in CI."""
    program = shutil.which("chromium")
    if program is None:
        why = "needs chromium"
        pytest.fail(why) if os.environ.get("CI") else pytest.skip(why)
    with sync_playwright() as playwright:
        # Its sandbox cannot be used by root, as in the containers of CI; it reads nothing but the site.
        browser = playwright.chromium.launch(executable_path=program, chromium_sandbox=False)
        yield browser
        browser.close()


class Visitor:
    """A page in a browser window of its own, with everything that it received."""

    def __init__(self, context: BrowserContext, site: str) -> None:
        context.set_default_timeout(TIMEOUT_MS)
        self.site = site
        self.page: Page = context.new_page()
        self.problems: list[str] = []
        """Errors on the console, and requests to others than the site."""
        self.events: list[str] = []
        """Data of the events that were received."""
        self.page.on("console", self._note_console)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", self._note_request)
        session = context.new_cdp_session(self.page)
        session.send("Network.enable")
        session.on("Network.eventSourceMessageReceived", lambda event: self.events.append(event["data"]))

    def _note_console(self, message: Any) -> None:
        # Chromium reports every page with an error status as an error, also when that is what is asked for.
        if message.type in {"error", "warning"} and "status of 404" not in message.text:
            self.problems.append(message.text)

    def _note_request(self, request: Any) -> None:
        if not request.url.startswith(f"{self.site}/"):
            self.problems.append(f"request to {request.url}")

    def open(self, path: str) -> None:
        self.page.goto(f"{self.site}{path}", wait_until="load")

    def text(self, selector: str) -> str:
        return self.page.locator(selector).inner_text()

    def html(self, selector: str) -> str:
        return self.page.locator(selector).inner_html()

    def count(self, selector: str) -> int:
        return self.page.locator(selector).count()

    @property
    def shown_ply(self) -> int:
        """The number of moves after which the page of a match shows the board; -1: it shows no match."""
        return int(self.page.get_attribute("#match", "data-ply") or -1)

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is true that changes by what the page receives."""
        for _ in range(int(TIMEOUT_MS / 50)):
            if condition():
                return
            self.page.wait_for_timeout(50)
        pytest.fail("the page did not change in time")

    def mark(self) -> None:
        """Mark the document, to notice when it is loaded again."""
        self.page.evaluate("document.documentElement.dataset.mark = 'same'")

    @property
    def is_marked(self) -> bool:
        return bool(self.page.evaluate("document.documentElement.dataset.mark === 'same'"))

    def serious_violations(self) -> list[str]:
        """Return what axe finds that keeps people from reading the page."""
        found = Axe().run(self.page).response["violations"]
        return [
            f"{violation['id']}: {node['target']} {node['failureSummary']}"
            for violation in found
            if violation["impact"] in SERIOUS
            for node in violation["nodes"][:3]
        ]

    def overflow_px(self) -> int:
        """Return by how much the page is wider than the window."""
        width = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        return int(width)

    def check_readable(self, name: str) -> None:
        """Check that everyone can read the open page, on every window and in both colours. Keep screenshots of it."""
        self.page.emulate_media(color_scheme="light")
        self.page.set_viewport_size(WIDE)
        self.page.wait_for_function("![...document.querySelectorAll('time')].some(one => /UTC/.test(one.textContent))")
        assert self.count("h1") == 1
        assert self.serious_violations() == []
        assert self.overflow_px() == 0
        self.take_screenshot(f"{name} light")
        self.page.emulate_media(color_scheme="dark")
        self.take_screenshot(f"{name} dark")
        self.page.set_viewport_size(PHONE)
        assert self.serious_violations() == []
        assert self.overflow_px() == 0
        self.page.emulate_media(color_scheme="light")
        self.take_screenshot(f"{name} phone")
        assert self.problems == []

    def take_screenshot(self, name: str) -> None:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{re.sub('[^a-z0-9]+', '-', name)}.png", full_page=True)


@contextmanager
def visit(browser: Browser, site: str, **options: Any) -> Iterator[Visitor]:
    """Open a window without anything from earlier visits."""
    context = browser.new_context(viewport=options.pop("viewport", WIDE), **options)
    visitor = Visitor(context, site)
    yield visitor
    context.close()
