"""The matchmaker of one ladder: brings those together who are there and have room, for as long as it is open.

It looks whenever something has changed: somebody came or went, a match ended, somebody was challenged. It plans
only what can begin at once, so that there is no backlog: a pairing waits only if it was asked for, if a match of
it became void, or if somebody has gone in between. Nothing is remembered but what the logs tell; the matchmaker
that comes after a crash finds every match that was due by its name.
"""

import asyncio
from collections.abc import Awaitable, Callable, Container
from dataclasses import dataclass, replace

from referee.app.alarm_clock import AlarmClock
from referee.app.contests.book import Book
from referee.app.contests.events import ContestEvent
from referee.app.contests.held_ladder import HeldLadder
from referee.app.contests.making import Making, NotNow, wish_for
from referee.app.contests.present import Present
from referee.app.contests.ratings import Played
from referee.app.contests.rests import Rests
from referee.app.ports import LogUnavailable, Time
from referee.app.referee import Referee, RefereeDraining
from referee.app.wish import LADDER, MatchWish
from referee.contest.climbing import decide
from referee.contest.ladder import Phase
from referee.contest.ladder_commands import Begin, Command, End, Here, Pair, Record, RecordVoid
from referee.contest.ladder_events import Paired
from referee.contest.ladder_pairing import to_begin
from referee.contest.pairing import Due
from referee.core.clock import SECOND, Micros
from referee.core.match import Match

AGAIN_US: Micros = SECOND
"""When to look again where nobody tells: the log is away, or a bot is paused."""
AFTER_A_FAULT_US: Micros = 60 * SECOND
SEATED_AT_ONCE = 16
"""How many get an opponent in one go: where hundreds wait, to find all of them takes long, and bots' clocks run."""
PATIENCE_US: Micros = 10 * SECOND
"""How long two who have just met wait for others, before they meet again."""


@dataclass(frozen=True, slots=True)
class Around:
    """What a matchmaker works with."""

    referee: Referee
    making: Making
    present: Present
    played: Callable[[HeldLadder, Match], Played | None]
    """A match that is over, as its ladder sees it."""
    counted: Callable[[], Awaitable[None]]
    """Comes back when all faults so far are counted: a bot that they pause is not paired again."""
    time: Time
    broke: Callable[[str, Exception], None]
    """Hears of what is nobody's doing, by contest."""


class Matchmaker:
    def __init__(self, book: Book[HeldLadder], around: Around) -> None:
        """It begins at once."""
        self._book = book
        self._around = around
        self._ended: dict[str, Match] = {}
        """Matches of this ladder that are over, and not looked at yet."""
        self._waits_since: dict[str, Micros] = {}
        """Those who have room and nobody to meet, by name."""
        self._last_began = 0
        """The number of the entry that `_next_us` was computed from."""
        self._next_us: Micros = 0
        """When the next match may begin, by this machine's clock."""
        self._rests = Rests()
        self._looked_back = False
        self._closed = False
        self._woken = asyncio.Event()
        self._alarm = AlarmClock(around.time, self.wake)
        self.working = asyncio.create_task(self._work())

    @property
    def held(self) -> HeldLadder:
        return self._book.state

    def wake(self) -> None:
        """Something has changed: look what follows."""
        self._woken.set()

    def ended(self, match: Match) -> None:
        """A match of this ladder is over."""
        self._ended[match.setup.match_id] = match
        self.wake()

    async def close(self) -> None:
        """Finish what was begun, and make nothing more."""
        self._closed = True
        self.wake()
        await asyncio.wait([self.working])

    async def _work(self) -> None:
        while not (self._closed or self.held.over):
            self._woken.clear()
            self._alarm.stop()
            try:
                await self._look()
            except (LogUnavailable, RefereeDraining):
                self._trouble(AGAIN_US)
            except Exception as fault:
                self._around.broke(self._book.contest, fault)
                self._trouble(AFTER_A_FAULT_US)
            if not self.held.over:
                await self._woken.wait()
        self._alarm.stop()

    def _trouble(self, again_in_us: Micros) -> None:
        """Something was not written, and nobody knows what: look at everything again."""
        self._looked_back = False
        self._look_again(again_in_us)

    def _look_again(self, in_us: Micros) -> None:
        self._alarm.set(self._around.time.monotonic_us() + in_us)

    async def _look(self) -> None:
        if not self._looked_back:
            await self._look_back()
            self._looked_back = True
        await self._around.counted()
        await self._enter_results()
        if self.held.ladder.phase is Phase.CLOSING and not self._rates_still():
            await self._decide(End())
        elif self.held.ladder.phase is Phase.OPEN and not self._around.referee.draining:
            await self._pair()

    async def _look_back(self) -> None:
        """See which of the matches that were due have been made, and what came of them."""
        for due in [*self.held.ladder.playing, *self.held.ladder.due]:
            match = await self._around.making.made(self._book.contest, due.id)
            if match:
                await self._began(due, match)

    async def _began(self, due: Due, match: Match) -> None:
        await self._decide(Begin(due.id, match.setup.match_id))
        if match.result:
            self.ended(match)

    async def _enter_results(self) -> None:
        """Those of matches that were rated are known already."""
        for due in self.held.ladder.playing:
            match = self._ended.pop(self.held.match_id(due), None)
            if match and match.result:
                await self._decide(self._recorded(due, match))
                self._rests.ended((due.pairing.id, due.number), match.result, self._around.time.monotonic_us())
        self._ended.clear()

    def _recorded(self, due: Due, match: Match) -> Command:
        match_id, played = match.setup.match_id, self._around.played(self.held, match)
        return Record(due.id, match_id, played.finish, played.forfeited) if played else RecordVoid(due.id, match_id)

    def _rates_still(self) -> bool:
        """Is any match being played that is rated here, whoever made it?"""
        label = (LADDER, self.held.made.name)
        return any(label in match.setup.labels for match in self._around.referee.live)

    async def _pair(self) -> None:
        """Begin what can, and pair who has room; then look again, for as long as anything comes of it."""
        resting = self._resting()
        gone: set[str] = set()
        """Entrants that were there a moment ago."""
        for due in to_begin(self.held.ladder, await self._here(gone), resting):
            if self._rate_allows():
                await self._make(due, gone)
        if self._rate_allows() and await self._bring_together(await self._here(gone), resting):
            self.wake()

    def _rate_allows(self) -> bool:
        """May a match begin now? If not, look again when it may."""
        now_us, gap_ms = self._around.time.monotonic_us(), self.held.terms.gap_ms
        number, began_ms = self.held.began
        if self._last_began != number:
            self._last_began = number
            left_ms = began_ms + gap_ms - self._around.time.wall_ms()
            # No longer than a gap, even if somebody has turned the clock back.
            self._next_us = now_us + max(0, min(gap_ms, left_ms)) * SECOND // 1_000
        if self._next_us > now_us:
            self._alarm.set(self._next_us)
        return self._next_us <= now_us

    async def _here(self, gone: Container[str]) -> list[Here]:
        here, paused = await self._around.present.here(self.held)
        if paused:
            self._look_again(AGAIN_US)
        return [it for it in here if it.name not in gone]

    async def _make(self, due: Due, gone: set[str]) -> None:
        """Have the match made, unless somebody cannot play now: that is an entrant who is gone."""
        try:
            match = await self._around.making.make(self._wish(due))
        except NotNow as why:
            gone |= {name for name in due.seats if why.bot in (bot.bot for bot in self.held.ladder.known[name].bots)}
            self._look_again(AGAIN_US)
        else:
            await self._began(due, match)

    async def _bring_together(self, here: list[Here], resting: frozenset[str]) -> bool:
        """Whether anybody was. Who has waited for long meets even whom it has just met."""
        now_us = self._around.time.monotonic_us()
        free = [it for it in here if it.room > 0]
        self._waits_since = {it.name: self._waits_since.get(it.name, now_us) for it in free}
        long = tuple(it for it in free if now_us - self._waits_since[it.name] >= PATIENCE_US)
        if await self._pair_all(Pair(tuple(here), resting=resting)):
            return True
        if await self._pair_all(Pair(long, hurry=True, resting=resting)):
            return True
        patient_until_us = [since_us + PATIENCE_US for since_us in self._waits_since.values()]
        if len(free) >= self.held.ladder.terms.at_a_table:
            self._alarm.set(min((until_us for until_us in patient_until_us if until_us > now_us), default=None))
        return False

    async def _pair_all(self, pair: Pair) -> bool:
        """Everybody once, some at a time. Whether anybody was paired."""
        with_rate = bool(self.held.terms.gap_ms)  # One match begins at a time, so one pairing is planned.
        most = 1 if with_rate else max(1, SEATED_AT_ONCE // self.held.ladder.terms.at_a_table)
        paired: set[str] = set()
        while events := await self._decide(replace(pair, here=_without(pair.here, paired), most=most)):
            paired.update(name for event in events if isinstance(event, Paired) for name in event.pairing.entrants)
            if with_rate:
                break
        return bool(paired)

    def _resting(self) -> frozenset[str]:
        """Matches that broke down, and are not to be tried again yet."""
        now_us = self._around.time.monotonic_us()
        until_us = {due.id: self._rests.until_us((due.pairing.id, due.number), now_us) for due in self.held.ladder.due}
        for us in filter(None, until_us.values()):
            self._alarm.set(us)
        return frozenset(due for due, us in until_us.items() if us is not None)

    async def _decide(self, command: Command) -> list[ContestEvent]:
        """What follows from it."""
        steps = await self._book.change(lambda held: decide(held.ladder, command))
        return [step.entry.event for step in steps]

    def _wish(self, due: Due) -> MatchWish:
        held = self.held
        bots = {name: held.ladder.known[name].bots for name in due.seats}
        return wish_for(
            held.contest,
            due,
            held.match_terms(due),
            held.seating.players(due, bots),
            {LADDER: held.made.name},
            held.ladder.start_of(due),
            held.openings,
        )


def _without(here: tuple[Here, ...], paired: Container[str]) -> tuple[Here, ...]:
    """Who is there, but those have no room any more."""
    return tuple(replace(it, room=0) if it.name in paired else it for it in here)
