"""The director of one tournament: makes the matches that are due, and enters their results, until it is over.

Nothing is remembered but what the logs tell. A match is made first, and then the tournament's log says that it
began; the director that comes after a crash looks at each match that was due, and finds it by its name.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from referee.app.alarm_clock import AlarmClock
from referee.app.contests.book import Book
from referee.app.contests.held import Held
from referee.app.contests.making import Making, NotNow, wish_for
from referee.app.contests.rests import Rests
from referee.app.contests.round_pairing import decide_and_pair
from referee.app.contests.seating import Seating
from referee.app.ports import LogUnavailable, Time
from referee.app.referee import Referee
from referee.app.wish import LADDER, MAKER, TOURNAMENT, MatchWish
from referee.app.worker_pool import Run
from referee.contest.directing import Begin, Command, Record, RecordVoid
from referee.contest.pairing import Due
from referee.core.clock import SECOND, Micros
from referee.core.errors import MatchOver
from referee.core.match import Match
from referee.core.result import Cause, Kind, Result

PARTS_AT_ONCE = 32
"""How many parts of a tournament's courses are searched before the event loop goes on, which takes milliseconds."""
AGAIN_US: Micros = SECOND
"""When to look again where nobody tells: the log is away, or a bot is paused."""
NOT_NEEDED = "the tournament does not need it any more"
AFTER_A_FAULT_US: Micros = 60 * SECOND


class Director:
    def __init__(
        self,
        book: Book[Held],
        seating: Seating,
        making: Making,
        referee: Referee,
        time: Time,
        broke: Callable[[str, Exception], None],
        run: Run,
    ) -> None:
        """It begins at once. `broke` hears of what is nobody's doing; `run` runs what may take long."""
        self._book = book
        self._seating = seating
        self._making = making
        self._referee = referee
        self._time = time
        self._broke = broke
        self._run = run
        self._ended: dict[str, Result] = {}
        """Of matches that are over and not entered yet, by id."""
        self._rests = Rests()
        self._looked_back = False
        self._closed = False
        self._woken = asyncio.Event()
        self._alarm = AlarmClock(time, self.wake)
        self.directing = asyncio.create_task(self._direct())

    @property
    def held(self) -> Held:
        return self._book.state

    def wake(self) -> None:
        """Something has changed: look what follows."""
        self._woken.set()

    def ended(self, match: Match) -> None:
        """A match of this tournament is over."""
        assert match.result
        self._ended[match.setup.match_id] = match.result
        self.wake()

    def awaits(self, bot: str) -> bool:
        """Does the bot play here?"""
        return any(player.bot == bot for entrant in self.held.tournament.entrants.values() for player in entrant.bots)

    async def close(self) -> None:
        """Finish what was begun, and make nothing more."""
        self._closed = True
        self.wake()
        await asyncio.wait([self.directing])

    async def _direct(self) -> None:
        while not self._closed:
            self._woken.clear()
            self._alarm.set(None)
            try:
                if await self._look():
                    break
            except LogUnavailable:
                self._look_again(AGAIN_US)
            except Exception as fault:
                self._broke(self._book.contest, fault)
                self._look_again(AFTER_A_FAULT_US)
            await self._woken.wait()
        self._alarm.stop()

    async def _look(self) -> bool:
        """Is there nothing more to do?"""
        if not self._looked_back:
            await self._look_back()
            self._looked_back = True
        await self._go_through()
        await self._enter_results()
        if self.held.over:
            await self._call_off()
            return True
        if not self._referee.draining:
            await self._make_what_is_due()
        return False

    async def _look_back(self) -> None:
        """See what was made before this process, and what came of it."""
        for due in [*self.held.tournament.playing, *self.held.waiting]:
            match = await self._making.made(self._book.contest, due.id)
            if match:
                await self._began(due, match)
                if match.result:
                    self._ended[match.setup.match_id] = match.result

    async def _go_through(self) -> None:
        """Fill each part's cache of matches in play, and let the event loop run in between."""
        for number, part in enumerate(self.held.tournament.courses.parts, 1):
            part.playing  # noqa: B018  # The property is computed at its first use.
            if number % PARTS_AT_ONCE == 0:
                await asyncio.sleep(0)

    async def _enter_results(self) -> None:
        for due in self.held.tournament.playing:
            match_id = self.held.match_id(due)
            result = self._ended.get(match_id or "")
            if match_id and result:
                await self._decide(self._recorded(due, result))
                self._rests.ended((due.pairing.id, due.number), result, self._time.monotonic_us())
                del self._ended[match_id]

    def _recorded(self, due: Due, result: Result) -> Command:
        if result.kind is Kind.VOID:
            return RecordVoid(due.pairing.id, due.number, due.attempt)
        return Record(due.pairing.id, due.number, due.attempt, self._seating.score(due, result))

    async def _make_what_is_due(self) -> None:
        """In the order of planning. Who cannot play now is passed over, so that nobody else waits for it."""
        many = len(self.held.tournament.playing)
        at_once = self.held.tournament.terms.matches_at_once
        waits: set[str] = set()
        """Entrants that cannot play now."""
        for number, some in enumerate(self.held.waiting_in_parts):
            if number:
                await asyncio.sleep(0)  # A pairing may have many matches.
            for due in some:
                if self.held.over or (at_once is not None and many >= at_once):
                    return
                if waits.isdisjoint(due.seats) and not self._rests_now(due):
                    waits |= {name for name in due.seats if not self._has_room(due, name)}
                    many += waits.isdisjoint(due.seats) and await self._make(due, waits)

    async def _make(self, due: Due, waits: set[str]) -> bool:
        """Whether it was made. If not, who is the reason waits."""
        try:
            match = await self._making.make(self._wish(due))
        except NotNow as why:
            bots = self.held.bots()
            waits |= {name for name in due.seats if why.bot in (player.bot for player in bots[name])}
            if why.paused:
                self._look_again(AGAIN_US)
            return False
        await self._began(due, match)
        return True

    async def _began(self, due: Due, match: Match) -> None:
        match_id = match.setup.match_id
        await self._decide(Begin(due.pairing.id, due.number, due.attempt, match_id))
        if self.held.match_id(due) != match_id:
            await self._call_off(match_id)  # Meanwhile it is not wanted any more.

    async def _call_off(self, match_id: str = "") -> None:
        """That match, if it goes on; without an id, all of the tournament's that do."""
        for match in self._referee.live:
            one = match.setup.match_id
            if match_id in ("", one) and dict(match.setup.labels).get(MAKER) == self._book.contest:
                with suppress(MatchOver):
                    await self._referee.void(one, Cause.ABORTED, NOT_NEEDED)

    async def _decide(self, command: Command) -> None:
        await self._book.change(lambda held: decide_and_pair(held.tournament, command, self._run))

    def _wish(self, due: Due) -> MatchWish:
        held = self.held
        belongs = {TOURNAMENT: held.name, **({LADDER: held.terms.ladder} if held.terms.ladder else {})}
        return wish_for(
            held.contest,
            due,
            held.match_terms(due),
            self._seating.players(due, held.bots()),
            belongs,
            held.tournament.start_of(due),
            held.terms.openings,
        )

    def _has_room(self, due: Due, name: str) -> bool:
        game = self.held.match_terms(due).game
        return all(self._making.room(player, game) for player in self.held.tournament.entrants[name].bots)

    def _rests_now(self, due: Due) -> bool:
        until_us = self._rests.until_us((due.pairing.id, due.number), self._time.monotonic_us())
        if until_us is not None:
            self._alarm.set(until_us)
        return until_us is not None

    def _look_again(self, in_us: Micros) -> None:
        self._alarm.set(self._time.monotonic_us() + in_us)
