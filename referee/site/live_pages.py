"""Pages that change while they are read: rendered once for all their visitors, and sent to them part by part."""

import asyncio
import json
import secrets
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field

import structlog

from referee.show.markup import Markup
from referee.site.upstream import UpstreamError

MAX_AGE_S = 1.0
"""Age up to which a rendered page is shown again without asking the referee."""
INTERVAL_S = 2.0
"""Interval in which a page that is being read is rendered again."""
MAX_PAGES = 500

EPOCH = secrets.token_hex(4)
"""Distinguishes the versions of this process from those of an earlier one."""

log = structlog.get_logger("referee.site")


@dataclass(frozen=True, slots=True)
class Page:
    """A page without what all pages have in common."""

    title: str
    top: Markup
    """What does not change: the heading."""
    regions: Mapping[str, Markup] = field(default_factory=dict)
    """What can change, by the id of the element that contains it, in the order of the page."""
    description: str = ""


Render = Callable[[], Awaitable[Page]]
"""Renders the current state of a page. Raises UpstreamError."""


class LivePage:
    """One page, for all its visitors."""

    def __init__(self, render: Render) -> None:
        self._render = render
        self._lock = asyncio.Lock()
        self._page: Page | None = None
        self._rendered_at = float("-inf")
        self._number = 0
        self._versions: dict[str, int] = {}
        """Number of the version in which each region was last changed."""
        self._encoded: dict[int, bytes] = {}
        """Events that lead from an earlier version to the current one."""
        self._watchers = 0
        self._changed = asyncio.Event()
        self._renewal: asyncio.Task[None] | None = None

    @property
    def version(self) -> str:
        return f"{EPOCH}.{self._number}"

    @property
    def is_watched(self) -> bool:
        return self._watchers > 0

    async def page(self, max_age_s: float = MAX_AGE_S) -> Page:
        """Return the page as it was at most `max_age_s` ago. Raises UpstreamError."""
        async with self._lock:
            if self._page is None or _now_s() - self._rendered_at > max_age_s:
                self._take(await self._render())
            assert self._page
            return self._page

    async def events(self, version: str) -> AsyncGenerator[bytes, None]:
        """Yield the changes since a version, each the same bytes for all visitors, for ever."""
        number = self._number_of(version)
        self._watchers += 1
        if self._renewal is None:
            self._renewal = asyncio.create_task(self._renew())
        try:
            while True:
                changed = self._changed
                if number < self._number:
                    event, number = self._event(number), self._number
                    yield event
                else:
                    await changed.wait()
        finally:
            self._watchers -= 1

    def _number_of(self, version: str) -> int:
        epoch, _, number = version.partition(".")
        known = epoch == EPOCH and number.isascii() and number.isdigit() and len(number) < 10
        return min(int(number), self._number) if known else 0

    async def _renew(self) -> None:
        """Render again and again while there are visitors."""
        while self._watchers:
            try:
                await self.page(0)
            except UpstreamError as error:
                log.info("page not rendered", reason=error.reason)
            except Exception as wrong:
                log.error("page not rendered", exc_info=wrong)
            await asyncio.sleep(INTERVAL_S)
        self._renewal = None

    def _take(self, page: Page) -> None:
        before = self._page.regions if self._page else {}
        self._page, self._rendered_at = page, _now_s()
        changed = [name for name, region in page.regions.items() if before.get(name) != region]
        if changed:
            self._number += 1
            self._versions = {name: self._versions.get(name, 0) for name in page.regions}
            self._versions |= dict.fromkeys(changed, self._number)
            self._encoded.clear()
            wake, self._changed = self._changed, asyncio.Event()
            wake.set()

    def _event(self, number: int) -> bytes:
        if number not in self._encoded:
            assert self._page
            regions = {name: self._page.regions[name] for name, at in self._versions.items() if at > number}
            text = json.dumps({"regions": regions}, ensure_ascii=False, separators=(",", ":"))
            self._encoded[number] = f"id: {self.version}\ndata: {text}\n\n".encode()
        return self._encoded[number]


def _now_s() -> float:
    return asyncio.get_running_loop().time()


class LivePages:
    """All pages that were read lately, by address."""

    def __init__(self) -> None:
        self._pages: OrderedDict[str, LivePage] = OrderedDict()

    def get(self, address: str, render: Render) -> LivePage:
        page = self._pages.setdefault(address, LivePage(render))
        self._pages.move_to_end(address)
        for old, old_page in list(self._pages.items())[: max(0, len(self._pages) - MAX_PAGES)]:
            if not old_page.is_watched:
                del self._pages[old]
        return page
