"""A match as the referee streams it to a spectator, and its entries as events that all visitors of its page share."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from http import HTTPStatus

import structlog
from referee_api.v1 import entry_pb2, match_pb2, match_service_pb2

from engines.api import Game
from referee.live.worker_pool import RunFunction, TooExpensive, WorkerDied
from referee.show.frames import BEFORE_PLAY, BoardPainter, Frame, next_frame
from referee.show.words import result_text
from referee.site.finished_match import FinishedMatch, read_finished_match
from referee.site.upstream import Upstream, UpstreamError

MAX_BEHIND = 500
"""Entries that a visitor may be behind. Those who are further behind load the page again."""
MAX_ENCODED = 16
MAX_BOARDS = 40
"""Boards in one response."""
INTERVAL_S = 0.25
"""Minimum interval of events; entries in between share one event, with the board after the last of them."""
INTERVAL_PER_VISITOR_S = 0.001
"""With many visitors it is longer, so that they do not cost more CPU than few, up to the maximum."""
MAX_INTERVAL_S = 1.0
FIRST_PAUSE_S = 0.5
MAX_PAUSE_S = 10.0
BOARD_KINDS = {"play_started", "choice_sealed", "move_played"}
"""Events after which the board is another one."""
CLOSED = UpstreamError(HTTPStatus.SERVICE_UNAVAILABLE, "", "The site is busy. Load the page again.")
RELOAD = b"event: reload\ndata: {}\n\n"

log = structlog.get_logger("referee.site")


class MatchFeed:
    """Follows one match from its first entry to its end. It begins when it is created, and ends with `close`."""

    def __init__(self, upstream: Upstream, match_id: str, games: Mapping[str, Game], seat: int | None = None) -> None:
        """`seat`: whose view it has, which the token of `upstream` must permit; None: that of a spectator."""
        self._upstream = upstream
        self._seat = seat
        self._games = games
        self.match_id = match_id
        self.match = match_pb2.Match()
        self.frames: list[Frame] = [BEFORE_PLAY]
        """The state before the first entry, and after each entry; thus frame n is entry n."""
        self.error: UpstreamError | None = None
        """Why the match cannot be shown."""
        self._encoded: dict[tuple[int, int], bytes] = {}
        """Encoded events by the entries between which they lead."""
        self._watchers = 0
        self._waking: asyncio.TimerHandle | None = None
        """Runs while visitors were notified less than an interval ago."""
        self._changed = asyncio.Event()
        """Set and replaced whenever a frame is added."""
        self._ready = asyncio.Event()
        self._known = 0
        """Number of the last entry when the feed began, up to which it is not ready."""
        self._finishing = asyncio.Lock()
        self.finished: FinishedMatch | None = None
        """The record of the match, once `finish` has read it."""
        self._task = asyncio.create_task(self._follow())

    async def ready(self) -> None:
        """Wait until all entries are there that were visible when the feed began. Raises UpstreamError."""
        await self._ready.wait()
        if self.error:
            raise self.error

    async def refresh(self) -> None:
        """Read again what is not in the entries: who is online, ratings, the record. Raises UpstreamError."""
        request = match_service_pb2.GetMatchRequest(match_id=self.match_id)
        answer = await self._upstream.call(request, match_service_pb2.GetMatchResponse)
        self.match = answer.match
        self._known = max(self._known, answer.state.entry_number)

    @property
    def last(self) -> Frame:
        return self.frames[-1]

    @property
    def last_board(self) -> Frame:
        """The last frame whose board shows what was moved."""
        return next((frame for frame in reversed(self.frames) if frame.kind in BOARD_KINDS), self.last)

    def frame_at(self, ply: int | None) -> Frame:
        """Return the frame with the board after `ply` moves, or the next board after it; None: the last."""
        if ply is None:
            return self.last_board
        boards = (frame for frame in self.frames if frame.kind in BOARD_KINDS and frame.ply >= ply)
        return next(boards, self.last_board)

    @property
    def is_over(self) -> bool:
        """Whether the viewer has seen the end."""
        return self.last.kind == "play_ended"

    @property
    def is_watched(self) -> bool:
        return self._watchers > 0

    def painter(self) -> BoardPainter:
        return BoardPainter(self.match.terms.rules, self._games)

    def boards(self, first: int, count: int) -> list[object]:
        """Return boards and clocks after some moves, as data for the script of the page."""
        painter = self.painter()
        plies = range(first, min(first + min(count, MAX_BOARDS), self.last_board.ply + 1))
        frames = {frame.number: frame for frame in map(self.frame_at, plies)}
        return [{**frame_data(frame), "board": painter.svg(frame)} for frame in frames.values()]

    async def events(self, after: int) -> AsyncGenerator[bytes, None]:
        """Yield the events after entry `after`, each the same bytes for all visitors, until the match is over."""
        self._watchers += 1
        try:
            while True:
                changed = self._changed
                if self.last.number - after > MAX_BEHIND:
                    yield RELOAD
                    return
                if after < self.last.number:
                    event, after = self._event(after), self.last.number
                    yield event
                    continue
                if self.is_over or self.error:
                    return
                await changed.wait()
        finally:
            self._watchers -= 1

    async def finish(self, run: RunFunction) -> FinishedMatch | None:
        """Verify the record of a match that is over, and show its boards complete; None: it cannot be read."""
        async with self._finishing:
            if self.finished is None and self.is_over:
                try:
                    await self.refresh()
                    self.finished = await read_finished_match(self._upstream, self.match_id, run)
                except UpstreamError as why:
                    log.info("record not shown", match_id=self.match_id, reason=str(why))
                except (TooExpensive, WorkerDied) as why:
                    # Not tried again: any visitor could repeat it without end.
                    log.warning("record not verified", match_id=self.match_id, reason=str(why))
                    self.finished = FinishedMatch(False, "the record is too large to be verified here", {})
                else:
                    views = self.finished.views
                    self.frames = [replace(frame, view=views.get(frame.number, frame.view)) for frame in self.frames]
        return self.finished

    async def close(self) -> None:
        """Stop following the match. Visitors who wait for the feed or for its next event stop waiting."""
        self._task.cancel()
        if self._waking:
            self._waking.cancel()
        await asyncio.wait([self._task])
        if not self.is_over:
            self.error = self.error or CLOSED
        self._ready.set()
        self._wake()

    async def _follow(self) -> None:
        pause = FIRST_PAUSE_S
        while True:
            before = self.last.number
            try:
                await self.refresh()
                await self._watch()
            except UpstreamError as error:
                if not error.is_temporary:
                    self.error = error
                    break
                log.info("watch interrupted", match_id=self.match_id, reason=error.reason)
            except Exception as wrong:
                log.error("match cannot be shown", match_id=self.match_id, exc_info=wrong)
                self.error = UpstreamError(HTTPStatus.INTERNAL_SERVER_ERROR, "", "This match cannot be shown.")
                break
            if self.is_over:
                break
            pause = FIRST_PAUSE_S if self.last.number > before else min(MAX_PAUSE_S, 2 * pause)
            await asyncio.sleep(pause)
        self._ready.set()
        self._notify()

    async def _watch(self) -> None:
        request = match_service_pb2.WatchMatchRequest(
            match_id=self.match_id, after_number=self.last.number, include_view=True, seat=self._seat
        )
        async for response in self._upstream.stream(request, match_service_pb2.WatchMatchResponse):
            for item in response.items:
                if item.WhichOneof("item") == "entry":
                    self._add(item.entry)
            if self.last.number >= self._known:
                self._ready.set()
            self._notify()

    def _add(self, entry: entry_pb2.Entry) -> None:
        if entry.number != self.last.number + 1:
            return  # It was received before the connection broke.
        self._note_match(entry)
        self.frames.append(next_frame(self.match, self.last, entry))

    def _event(self, after: int) -> bytes:
        """Return the event that leads from entry `after` to the last one."""
        key = (after, self.last.number)
        if key not in self._encoded:
            if len(self._encoded) >= MAX_ENCODED:
                del self._encoded[next(iter(self._encoded))]
            data = {
                "frames": [frame_data(frame) for frame in self.frames[after + 1 :]],
                "board": self.painter().svg(self.last_board),
                "result": result_text(self.match, self.match.result) if self.is_over else "",
            }
            text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
            self._encoded[key] = f"id: {self.last.number}\ndata: {text}\n\n".encode()
        return self._encoded[key]

    def _note_match(self, entry: entry_pb2.Entry) -> None:
        """Keep what the match is up to date without asking for it again."""
        kind = entry.WhichOneof("event")
        if kind == "play_started":
            self.match.phase = match_pb2.MATCH_PHASE_PLAYING
            del self.match.seats[:]
            self.match.seats.extend(entry.play_started.seats)
        elif kind == "seat_taken":
            self.match.seats[entry.seat_taken.seat].bot = entry.seat_taken.bot.bot
        elif kind == "play_ended":
            self.match.phase = match_pb2.MATCH_PHASE_OVER
            self.match.result.CopyFrom(entry.play_ended.result)

    def _notify(self) -> None:
        """Wake all visitors, unless they will be woken anyway."""
        if self._waking is None:
            self._wake()
            interval_s = min(MAX_INTERVAL_S, max(INTERVAL_S, self._watchers * INTERVAL_PER_VISITOR_S))
            self._waking = asyncio.get_running_loop().call_later(interval_s, self._wake_again, self.last.number)

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def _wake_again(self, woken_at: int) -> None:
        """Wake visitors once the interval is over, if there is something new since entry `woken_at`."""
        self._waking = None
        if self.last.number > woken_at:
            self._notify()


def frame_data(frame: Frame) -> dict[str, object]:
    """Return a frame as data for the script of the page."""
    return {
        "number": frame.number,
        "kind": frame.kind,
        "ply": frame.ply,
        "seat": frame.seat,
        "text": frame.text,
        "note": frame.note,
        "charged": frame.charged_ms,
        "toMove": frame.to_move,
        "clocks": [{"seat": clock.seat, "left": clock.left_ms, "running": clock.running} for clock in frame.clocks],
    }


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
