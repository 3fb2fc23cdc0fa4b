"""The script of a match page in Debian's Chromium: keys, the button that plays the match, and links without it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, expect

from engines.registry import find
from referee.cli import main
from referee.records.record_reader import read_record_history
from tests.site.browser import run_browser

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]
STEP_MS = 700


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with run_browser() as running:
        yield running


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    for arguments in (
        ["play", "alquerque", "--seed", "1", "--record", f"{folder}/record.jsonl"],
        ["replay", f"{folder}/record.jsonl", "--html", f"{folder}/page.html"],
    ):
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output
    return folder / "page.html"


@pytest.fixture(scope="module")
def last(page_file: Path) -> int:
    return read_record_history(page_file.with_name("record.jsonl"), find).last.ply


@pytest.fixture
def page(browser: Browser, page_file: Path) -> Iterator[Page]:
    """Yield the page in a window with a clock that only the test moves; nothing may be reported on its console."""
    problems: list[str] = []
    with browser.new_context() as context:
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.clock.install(time=0)
        page.goto(page_file.as_uri())
        page.clock.pause_at(3_600)  # An installed clock runs on by itself until then.
        yield page
    assert problems == []


def expect_board(page: Page, ply: int) -> None:
    expect(page.locator("figure:visible")).to_have_count(1)
    expect(page.locator(f"#ply-{ply}")).to_be_visible()


def test_keys_step_through_the_boards(page: Page, last: int) -> None:
    expect_board(page, last)
    for key, ply in (
        ("ArrowRight", last),
        ("ArrowLeft", last - 1),
        ("Home", 0),
        ("ArrowLeft", 0),
        ("ArrowRight", 1),
        ("End", last),
    ):
        page.keyboard.press(key)
        expect_board(page, ply)
        assert page.url.endswith(f"#ply-{ply}")
    expect(page.locator(".moves li:has([aria-current])")).to_contain_text(f"{last}.")


def test_links_keep_the_focus_on_the_same_step(page: Page) -> None:
    page.locator("figure:visible").get_by_label("first board").click()
    for ply in (1, 2):
        page.locator("figure:visible").get_by_label("next board").press("Enter")
        expect_board(page, ply)
        expect(page.locator(f"#ply-{ply}").get_by_label("next board")).to_be_focused()
    expect(page.get_by_role("status")).to_contain_text("2. ")
    page.locator(".moves a[data-ply='5']").click()
    expect_board(page, 5)


def test_the_match_is_played_until_it_is_paused_or_over(page: Page, last: int) -> None:
    play = page.locator("#play")
    play.click()
    expect_board(page, 0)
    expect(play).to_have_text("Pause")
    page.clock.run_for(3 * STEP_MS)
    expect_board(page, 3)
    play.click()
    page.clock.run_for(3 * STEP_MS)
    expect_board(page, 3)
    play.click()
    page.clock.run_for((last - 3) * STEP_MS)
    expect_board(page, last)
    expect(play).to_have_text("Play")


def test_the_links_work_without_the_script(browser: Browser, page_file: Path, last: int) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(page_file.as_uri())
        expect_board(page, last)
        expect(page.locator("#play")).to_be_hidden()
        page.locator("figure:visible").get_by_label("first board").click()
        expect_board(page, 0)
        page.locator("figure:visible").get_by_label("next board").click()
        expect_board(page, 1)
        page.goto(f"{page_file.as_uri()}#ply-4")
        expect_board(page, 4)
