"""The story of one match so far: what its log tells, kept at hand while the match is live.

The fold over its entries, the moves as each seat may hear of them, which request got which entry, and, once
somebody watches, a few of the last steps, so that not everyone who watches has to ask the log for the same.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from engines.api import Game, Seat, Viewer
from referee.app.faults import UNREADABLE, LogDamaged
from referee.app.heard import Heard
from referee.app.ports import Entry
from referee.core.events import FlagFell, MovePlayed, MoveRefused, Opened, PlayBegan, PlayEnded, Source
from referee.core.match import Match, Phase, evolve, opened
from referee.core.result import Cause
from referee.core.telling import told_move

STEPS_KEPT = 64
"""Of a match that somebody watches. Of all others, only the last one."""
STEPS_AT_ONCE = 25
"""After so many, who folds a long log lets the others have their turn."""


@dataclass(frozen=True, slots=True)
class Step:
    """One entry, and what it did."""

    entry: Entry
    before: Match | None
    """None: it opened the match."""
    match: Match
    """After it."""
    lost: bool = False
    """The rules of the game cannot follow it any more: what it did, nobody can say."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a match stands, and when that came. Times are Unix milliseconds."""

    match: Match
    opened_ms: int
    started_ms: int | None
    """None: play did not begin."""
    ended_ms: int | None
    """None: it is not over."""

    @property
    def number(self) -> int:
        """Of the last entry."""
        return self.match.number


@dataclass(frozen=True, slots=True)
class Made:
    """A move that was made."""

    seat: Seat
    move: str
    told: tuple[str, ...]
    """As each seat may hear of it when it is made."""
    sealed: bool
    """Others still owed theirs, which are made without knowing it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Where a verdict on an answer stands."""

    number: int
    """Of the entry that holds it."""
    ply: int
    """How many moves had been made before it."""


class Story:
    """It is told step by step, from the first entry on."""

    def __init__(self, first: Step) -> None:
        self.match = first.match
        self.opened_ms = first.entry.at_ms
        self.at_ms = first.entry.at_ms
        """When the last entry was written."""
        self.started_ms: int | None = None
        self.ended_ms: int | None = None
        self.moves: list[Made] = []
        self.last_move_of: dict[Seat, int] = {}
        """How many moves had been made when the seat had made its last one."""
        self.lost_from: int | None = None
        """The number of the first entry that the rules of the game cannot follow. None: they follow all."""
        self.last_verdict: dict[Seat, Verdict] = {}
        """On each seat."""
        self.requests: dict[tuple[Seat, str], Verdict] = {}
        """What answers each request."""
        self.heard: dict[Viewer, Heard] = {}
        """The move that was last told to each viewer."""
        self._steps: deque[Step] = deque([first], maxlen=1)
        self._news: asyncio.Event | None = None
        """None: nobody waits for any."""
        self.closed: Exception | None = None
        """Why nothing more can be heard of it here, though it may go on."""

    @property
    def standing(self) -> Standing:
        return Standing(self.match, self.opened_ms, self.started_ms, self.ended_ms)

    def goes_on(self, steps: Sequence[Step]) -> None:
        """These follow, and whoever waits is told."""
        for step in steps:
            self._note(step)
        self._steps.extend(steps)
        self.wake()

    def steps_after(self, number: int) -> list[Step] | None:
        """All steps after that entry; None: they are not all at hand. From now on more are: somebody watches."""
        if self._steps.maxlen != STEPS_KEPT:
            self._steps = deque(self._steps, STEPS_KEPT)
        missing = number + 1 - self._steps[0].entry.number
        return None if missing < 0 else list(islice(self._steps, missing, None))

    def opened_by(self, ply: int) -> list[Made]:
        """The choices that were sealed until the move that was played at `ply`, in order of seats."""
        if self.moves[ply].sealed:
            return []
        first = ply
        while first and self.moves[first - 1].sealed:
            first -= 1
        return sorted(self.moves[first:ply], key=lambda made: made.seat)

    @property
    def news(self) -> asyncio.Event:
        """Set when something has happened after now. To be taken before looking at what has happened."""
        if self._news is None:
            self._news = asyncio.Event()
        return self._news

    def wake(self) -> None:
        """Whoever waits is to look again."""
        if self._news:
            self._news.set()
            self._news = None

    def close(self, why: Exception) -> None:
        self.closed = why
        self.wake()

    def _note(self, step: Step) -> None:
        self.match = step.match
        self.at_ms = step.entry.at_ms
        if step.lost:
            return
        event = step.entry.event
        if isinstance(event, PlayBegan):
            self.started_ms = step.entry.at_ms
        elif isinstance(event, PlayEnded):
            self.ended_ms = step.entry.at_ms
        elif isinstance(event, MovePlayed):
            self._note_move(step, event)
        if isinstance(event, MoveRefused | FlagFell) or (isinstance(event, MovePlayed) and event.source is Source.BOT):
            assert step.before
            self._note_verdict(event, Verdict(step.entry.number, step.before.ply))

    def _note_move(self, step: Step, event: MovePlayed) -> None:
        assert step.before
        heard = tuple([told_move(step.before, event, seat) for seat in range(len(step.match.players))])
        self.moves.append(Made(event.seat, event.move, heard, _is_sealed(step.before, event.seat, step.match)))
        self.last_move_of[event.seat] = len(self.moves)

    def _note_verdict(self, event: MovePlayed | MoveRefused | FlagFell, verdict: Verdict) -> None:
        self.last_verdict[event.seat] = verdict
        if event.request_id:
            self.requests[event.seat, event.request_id] = verdict


def _is_sealed(before: Match, seat: Seat, after: Match) -> bool:
    """Do those who owed a move beside the seat owe theirs still?"""
    others = [turn for turn in before.owing if turn.seat != seat]
    return bool(others) and all(turn in after.owing for turn in others)


def steps(before: Match | None, entries: Sequence[Entry], match: Match) -> list[Step]:
    """What made `match` of `before`, entry by entry. No move is played a second time for it."""
    moved = [at for at, entry in enumerate(entries) if isinstance(entry.event, MovePlayed | PlayBegan)]
    found = []
    for at, entry in enumerate(entries):
        if at == len(entries) - 1:
            after = match
        else:
            assert before is not None
            after = evolve(before, entry.event, match.position if moved and at >= moved[-1] else None)
        found.append(Step(entry, before, after))
        before = after
    return found


def folded(
    entries: Sequence[Entry],
    find_game: Callable[[str], Game],
    before: Match | None = None,
    lost_from: int | None = None,
) -> Iterator[Step]:
    """The steps that these entries are, from the first one, or from what went before.

    From the number `lost_from` on the match stands still until its end.
    """
    for entry in entries:
        lost = lost_from is not None and entry.number >= lost_from and not isinstance(entry.event, PlayEnded)
        if before is None:
            if not isinstance(entry.event, Opened):
                raise LogDamaged(entry.match_id, entry.number, UNREADABLE)
            after = opened(entry.event, find_game(entry.event.setup.game))
        elif lost:
            after = replace(before, number=entry.number)
        else:
            after = evolve(before, entry.event)
        yield Step(entry, before, after, lost)
        before = after


class Unplayable(Exception):
    """A log that the rules of its game cannot follow any more: they have changed, or they are gone."""

    def __init__(self, entries: Sequence[Entry], why: Exception) -> None:
        super().__init__(f"{type(why).__name__}: {why}")
        self.entries = entries


async def retold(entries: Sequence[Entry], find_game: Callable[[str], Game]) -> Story:
    """The story that a whole log tells. Raises Unplayable.

    A match that was ended because its log was unplayable is told as far as it can be, and its end.
    """
    following = folded(entries, find_game)
    story: Story | None = None
    for done, entry in enumerate(entries):
        if done % STEPS_AT_ONCE == 0:
            await asyncio.sleep(0)
        try:
            step = next(following)
        except Exception as why:
            if story is None or not ended_as_unplayable(entries):
                raise Unplayable(entries, why) from why
            story.lost_from = entry.number
            following = folded(entries[done:], find_game, story.match, entry.number)
            step = next(following)
        if story is None:
            story = Story(step)
        else:
            story.goes_on([step])
    assert story
    return story


def read_summary(summary: Sequence[Entry], find_game: Callable[[str], Game]) -> Standing:
    """Return how a match stands by the entries of its summary (see `ports.Summaries`), but without its position.

    Raises LogDamaged, UnknownGame, or whatever a damaged log, or a game that has changed, may lead to.
    """
    first = summary[0]
    if not isinstance(first.event, Opened):
        raise LogDamaged(first.match_id, first.number, UNREADABLE)
    match = opened(first.event, find_game(first.event.setup.game))
    started_ms = ended_ms = None
    for entry in summary[1:]:
        if isinstance(entry.event, PlayBegan):  # To set up the position is not worth its time.
            match = replace(match, phase=Phase.PLAYING, players=entry.event.seated)
            started_ms = entry.at_ms
        else:
            match = evolve(match, entry.event)
        if isinstance(entry.event, PlayEnded):
            ended_ms = entry.at_ms
    return Standing(match, first.at_ms, started_ms, ended_ms)


def ended_as_unplayable(entries: Sequence[Entry]) -> bool:
    last = entries[-1].event
    return isinstance(last, PlayEnded) and last.result.cause is Cause.ENGINE_FAULT
