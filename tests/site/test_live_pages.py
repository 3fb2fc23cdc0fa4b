"""Pages that change while they are read: versions, changes, and one rendering for all visitors."""

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from referee.show.markup import Markup
from referee.site import live_pages
from referee.site.live_pages import EPOCH, INTERVAL_S, MAX_AGE_S, LivePage, LivePages, Page
from tests.live.fake_time import settle
from tests.site.fake_upstream import UNREACHABLE
from tests.site.fast_time import in_fast_loop
from tests.site.samples import EventReader


class Source:
    """What a page shows, which a test changes."""

    def __init__(self) -> None:
        self.regions = {"one": Markup("1"), "two": Markup("2")}
        self.rendered = 0
        self.error: Exception | None = None

    async def render(self) -> Page:
        self.rendered += 1
        await asyncio.sleep(0)
        if self.error:
            raise self.error
        return Page("title", Markup("top"), dict(self.regions))


async def open_page() -> tuple[Source, LivePage]:
    """Return a source, and its page after the first visit."""
    source = Source()
    page = LivePage(source.render)
    await page.page()
    return source, page


def regions_of(reader: EventReader) -> list[dict[str, str]]:
    return [data["regions"] for data in reader.data]


@in_fast_loop
async def test_many_readers_at_once_cost_one_rendering() -> None:
    source = Source()
    page = LivePage(source.render)
    pages = await asyncio.gather(*(page.page() for _ in range(50)))
    assert source.rendered == 1
    assert all(shown is pages[0] for shown in pages)


@in_fast_loop
async def test_a_page_is_rendered_again_when_it_is_old() -> None:
    source, page = await open_page()
    await asyncio.sleep(0.9 * MAX_AGE_S)
    await page.page()
    assert source.rendered == 1
    await asyncio.sleep(0.2 * MAX_AGE_S)
    await page.page()
    assert source.rendered == 2


@in_fast_loop
async def test_visitors_receive_only_what_changed_and_all_the_same_bytes() -> None:
    source, page = await open_page()
    visitors = [EventReader(page.events(page.version)) for _ in range(20)]
    await asyncio.sleep(INTERVAL_S / 2)
    before = source.rendered
    source.regions["two"] = Markup("3")
    await asyncio.sleep(INTERVAL_S)
    assert source.rendered == before + 1
    first, *others = visitors
    assert regions_of(first) == [{"two": "3"}]
    assert all(visitor.received[0] is first.received[0] for visitor in others)
    assert first.ids == [page.version]


@in_fast_loop
async def test_a_visitor_that_missed_some_versions_receives_what_changed_since() -> None:
    source = Source()
    page = LivePage(source.render)
    versions = []
    for text in ("a", "b", "c"):
        source.regions["one"] = Markup(text)
        await asyncio.sleep(2 * MAX_AGE_S)
        await page.page()
        versions.append(page.version)
    source.regions["two"] = Markup("d")
    await asyncio.sleep(2 * MAX_AGE_S)
    await page.page()
    for version, regions in zip([*versions, page.version], [2, 2, 1, 0], strict=True):
        visitor = EventReader(page.events(version))
        await settle()
        assert [len(changed) for changed in regions_of(visitor)] == ([regions] if regions else [])


OWN = "own"
"""Stands for the epoch of this process, which is another one in each worker of the tests."""


@pytest.mark.parametrize(
    ("epoch", "number"),
    [
        ("", ""),
        ("", "1"),
        ("other.", "1"),
        ("", "."),
        (OWN, "."),
        (OWN, ".-1"),
        (OWN, ".²"),
        (OWN, ".9999999999"),
        pytest.param("", "0" * 5000, id="long"),
    ],
)
@in_fast_loop
async def test_a_version_of_another_process_receives_the_whole_page(epoch: str, number: str) -> None:
    version = epoch.replace(OWN, EPOCH) + number
    _, page = await open_page()
    visitor = EventReader(page.events(version))
    await settle()
    assert regions_of(visitor) == [{"one": "1", "two": "2"}]


@in_fast_loop
async def test_a_version_from_the_future_is_the_current_one() -> None:
    source, page = await open_page()
    visitor = EventReader(page.events(f"{EPOCH}.999"))
    await settle()
    assert visitor.received == []
    source.regions["one"] = Markup("new")
    await asyncio.sleep(2 * INTERVAL_S)
    assert regions_of(visitor) == [{"one": "new"}]


@in_fast_loop
async def test_a_page_is_not_rendered_when_nobody_reads_it() -> None:
    source, page = await open_page()
    visitor = EventReader(page.events(page.version))
    await asyncio.sleep(10 * INTERVAL_S)
    assert source.rendered > 5
    await visitor.leave()
    await asyncio.sleep(INTERVAL_S)
    before = source.rendered
    await asyncio.sleep(10 * INTERVAL_S)
    assert source.rendered == before
    visitor = EventReader(page.events(page.version))
    await asyncio.sleep(3 * INTERVAL_S)
    assert source.rendered > before


@pytest.mark.parametrize("error", [UNREACHABLE, ValueError("a fault of the page")])
@in_fast_loop
async def test_a_page_that_cannot_be_rendered_for_a_while_continues_afterwards(error: Exception) -> None:
    source, page = await open_page()
    visitor = EventReader(page.events(page.version))
    source.error = error
    await asyncio.sleep(5 * INTERVAL_S)
    source.error = None
    source.regions["one"] = Markup("back")
    await asyncio.sleep(2 * INTERVAL_S)
    assert regions_of(visitor) == [{"one": "back"}]


def test_as_many_pages_are_kept_as_the_limit_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_pages, "MAX_PAGES", 10)
    kept = kept_pages(10)
    assert kept == 10
    assert kept_pages(25) == 10


def kept_pages(opened: int) -> int:
    """Open that many pages once, and return how many of them are still the same afterwards, from the latest on."""
    pages = LivePages()
    renders: list[Callable[[], Any]] = [Source().render for _ in range(opened)]
    first = [pages.get(f"/{number}", render) for number, render in enumerate(renders)]
    again = (pages.get(f"/{number}", renders[number]) is first[number] for number in reversed(range(opened)))
    return next(number for number in count() if not next(again, False))


@in_fast_loop
async def test_a_page_that_is_read_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_pages, "MAX_PAGES", 3)
    pages = LivePages()
    page = pages.get("/read", Source().render)
    visitor = EventReader(page.events(""))
    await settle()
    for number in range(9):
        pages.get(f"/{number}", Source().render)
    assert pages.get("/read", Source().render) is page
    assert not visitor.task.done()
