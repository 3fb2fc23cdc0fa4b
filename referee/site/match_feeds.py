"""The feeds of all matches that are shown, of which the least recently used are closed."""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping

from engines.api import Game
from referee.site.match_feed import MatchFeed
from referee.site.upstream import Upstream

MAX_FEEDS = 200
MAX_FRAMES = 60_000
"""Frames of all feeds together: each has a view, of some kilobytes."""


class MatchFeeds:
    def __init__(self, upstream: Upstream, games: Mapping[str, Game]) -> None:
        self._upstream = upstream
        self.games = games
        self._feeds: OrderedDict[str, MatchFeed] = OrderedDict()
        self._closing: set[asyncio.Task[None]] = set()

    async def feed(self, match_id: str) -> MatchFeed:
        """Return the feed of a match when it is ready. Raises UpstreamError."""
        feed = self._feeds.get(match_id)
        if feed is None or feed.error:
            feed = self._feeds[match_id] = MatchFeed(self._upstream, match_id, self.games)
        self._feeds.move_to_end(match_id)
        self._close_surplus()
        await feed.ready()
        return feed

    async def close(self) -> None:
        for feed in self._feeds.values():
            self._close_later(feed)
        self._feeds.clear()
        await asyncio.gather(*self._closing)

    def _close_surplus(self) -> None:
        """Close feeds that nobody watches until few enough are left, but never the one used last."""
        frames = sum(len(feed.frames) for feed in self._feeds.values())
        for match_id, feed in list(self._feeds.items())[:-1]:
            if len(self._feeds) <= MAX_FEEDS and frames <= MAX_FRAMES:
                return
            if not feed.is_watched:
                frames -= len(feed.frames)
                del self._feeds[match_id]
                self._close_later(feed)

    def _close_later(self, feed: MatchFeed) -> None:
        task = asyncio.create_task(feed.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
