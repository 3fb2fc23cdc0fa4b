"""History of one match: the replay of its log, kept in memory while the match is live.

It holds the current state, the moves as each seat may see them, the entry that answers each request, and, once the
match is watched, the last steps, so that watchers need not read the log.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from msgspec import Struct, structs

from engines.api import Game, Position, Seat, Viewer
from referee.live.log_history import LogHistory, LogStep, SpectatorNotices
from referee.live.ports import UNREADABLE, Entry, LogDamaged
from referee.match.events import (
    Event,
    FlagFell,
    MatchCreated,
    MovePlayed,
    MoveRejected,
    MoveSource,
    PlayEnded,
    PlayStarted,
)
from referee.match.plain_run import PlainRun, plain_run
from referee.match.state import Match, MatchPhase, create_match, evolve

MAX_CACHED_STEPS = 64
"""How many steps are kept while the match is watched; watchers that are further behind read the log."""

MatchStep: TypeAlias = LogStep[Entry, Match]
"""One entry of a match, and the states before and after it."""


@dataclass(frozen=True, slots=True)
class MatchStatus:
    """State of a match, with the times of its creation, start and end in Unix milliseconds."""

    match: Match
    opened_ms: int
    started_ms: int | None
    """None: play did not begin."""
    ended_ms: int | None
    """None: it is not over."""
    moves: Sequence["PlayedMove"] = ()
    """All moves, including those that some viewers may not see."""

    @property
    def number(self) -> int:
        """Number of the last entry."""
        return self.match.number


class PlayedMove(Struct, frozen=True, gc=False):
    """A move that was made."""

    seat: Seat
    move: str
    shown: tuple[str, ...]
    """The move as each seat may see it when it is played, by seat."""
    sealed: bool
    """Whether other seats still have to choose and may not see it."""


class VerdictLocation(Struct, frozen=True, gc=False):
    """Location of a verdict on an answer in the log."""

    number: int
    """Number of the entry that holds it."""
    ply: int
    """Number of moves made before it."""


class WatchedEntry(Struct, frozen=True, gc=False):
    """One entry of a match as one viewer may see it."""

    number: int
    at_ms: int
    event: Event | None
    """The event as the viewer may see it. None: it is hidden."""
    match: Match
    """State after the entry. The game decides what the viewer may see of it (`Position.text`)."""
    sealed: bool = False
    """Whether it is a sealed choice, which is hidden until all seats have chosen."""
    revealed: tuple[tuple[Seat, str], ...] = ()
    """Seats and sealed moves that the entry revealed, as the viewer may see them now."""


ShownSpan = tuple[int, int, bool]
"""Numbers of the first and the last entry, and whether the match was over when they were shown."""


class MatchHistory(LogHistory[Entry, Match]):
    """The history of one match, extended step by step from its first entry."""

    def __init__(self, first: MatchStep) -> None:
        super().__init__(first, MAX_CACHED_STEPS)
        self.opened_ms = first.entry.at_ms
        self.started_ms: int | None = None
        self.ended_ms: int | None = None
        self.moves: list[PlayedMove] = []
        self.last_move_of: dict[Seat, int] = {}
        """Number of moves made up to the last one of each seat, inclusive."""
        self.unplayable_from: int | None = None
        """Number of the first entry that the game cannot apply. None: it can apply all."""
        self.last_verdict: dict[Seat, VerdictLocation] = {}
        """Location of the last verdict on each seat."""
        self.requests: dict[tuple[Seat | str, str], VerdictLocation | Entry] = {}
        """Answers with a request id, by caller and id: for a move where its verdict is, for others the entry."""
        self.last_shown: dict[Viewer, tuple[ShownSpan, list[WatchedEntry]]] = {}
        """Cache of the last entries that each viewer was sent, as it may see them."""
        self._spectator_notices: SpectatorNotices | None = None
        """None: no spectator has watched."""

    @property
    def match(self) -> Match:
        return self.state

    @property
    def at_ms(self) -> int:
        """When the last entry was written, in Unix milliseconds."""
        return self.last.at_ms

    @property
    def status(self) -> MatchStatus:
        return MatchStatus(self.match, self.opened_ms, self.started_ms, self.ended_ms, self.moves)

    def fold(self, entries: Sequence[Entry], *, void: bool) -> None:
        """Apply entries that follow, before the match is watched.

        If the game cannot apply an entry, all after it have no known effect in a `void` match; otherwise it raises.
        """
        run: PlainRun | None = None
        for entry in entries:
            event = entry.event
            if type(event) is MovePlayed and self.unplayable_from is None and entry.request is None:
                run = run or plain_run(self.state)
                if run:
                    before, ply = run.position, run.ply
                    if run.follow(event):
                        self._add_move(event, before, sealed=False)
                        self._add_verdict(event, entry.number, ply)
                        self.last = entry
                        continue
            if run:
                self.state, run = run.match(), None
            self.extend([self._step(entry, void)])
        if run:
            self.state = run.match()

    def _step(self, entry: Entry, void: bool) -> MatchStep:
        before = self.state
        try:
            return LogStep(entry, before, fold_entry(before, entry, self.unplayable_from))
        except Exception:
            if not void:
                raise
        self.unplayable_from = entry.number
        return LogStep(entry, before, fold_entry(before, entry, entry.number))

    def extend(self, steps: Sequence[MatchStep]) -> None:
        """Append the next steps, and wake all watchers."""
        for step in steps:
            if request := step.entry.request:
                self.requests[request.by, request.id] = step.entry
            if self.unplayable_from is None or not self.is_unplayable(step.entry):
                self._apply(step)
        super().extend(steps)
        if self._spectator_notices:
            self._spectator_notices.advance(self.number, at_once=self.match.phase is MatchPhase.OVER)

    @property
    def spectator_notices(self) -> SpectatorNotices:
        if self._spectator_notices is None:
            self._spectator_notices = SpectatorNotices(self.number)
        return self._spectator_notices

    def end_watches(self, error: Exception) -> None:
        super().end_watches(error)
        if self._spectator_notices:
            self._spectator_notices.advance(self.number, at_once=True)

    def is_unplayable(self, entry: Entry) -> bool:
        """Return whether the game can no longer apply the entry, so that its effect is unknown."""
        return is_unplayable(entry, self.unplayable_from)

    def revealed_by(self, ply: int) -> list[PlayedMove]:
        """Return the sealed moves that the move at `ply` revealed, ordered by seat."""
        if self.moves[ply].sealed:
            return []
        first = ply
        while first and self.moves[first - 1].sealed:
            first -= 1
        return sorted(self.moves[first:ply], key=lambda made: made.seat)

    def _apply(self, step: MatchStep) -> None:
        event = step.entry.event
        if isinstance(event, MovePlayed | MoveRejected | FlagFell):
            assert step.before
            if isinstance(event, MovePlayed):
                alone = len(step.before.turns) - step.before.turns.count(None) == 1
                sealed = not alone and is_sealed(step.before, event.seat, step.state)
                self._add_move(event, step.before.require_position(), sealed)
            if not isinstance(event, MovePlayed) or event.source is MoveSource.BOT:
                self._add_verdict(event, step.entry.number, step.before.ply)
        elif isinstance(event, PlayStarted):
            self.started_ms = step.entry.at_ms
        elif isinstance(event, PlayEnded):
            self.ended_ms = step.entry.at_ms

    def _add_move(self, event: MovePlayed, before: Position, sealed: bool) -> None:
        seat, move = event.seat, event.move
        shown = tuple([before.visible_move(seat, move, viewer) for viewer in range(len(self.state.players))])
        self.moves.append(PlayedMove(seat, move, shown, sealed))
        self.last_move_of[seat] = len(self.moves)

    def _add_verdict(self, event: MovePlayed | MoveRejected | FlagFell, number: int, ply: int) -> None:
        self.last_verdict[event.seat] = verdict = VerdictLocation(number, ply)
        if event.request_id:
            self.requests[event.seat, event.request_id] = verdict


def is_sealed(before: Match, seat: Seat, after: Match) -> bool:
    """Return whether other seats owed a move together with `seat`, and all of them still do."""
    others = [turn for turn in before.turns if turn and turn.seat != seat]
    return bool(others) and all(turn in after.turns for turn in others)


def match_steps(before: Match | None, entries: Sequence[Entry], states: Sequence[Match]) -> list[MatchStep]:
    """Return the steps from `before` over `states`, the state after each entry."""
    if len(entries) == 1:
        return [LogStep(entries[0], before, states[0])]
    return list(map(LogStep, entries, (before, *states[:-1]), states))


def steps_of_entries(before: Match, entries: Sequence[Entry]) -> list[MatchStep]:
    """Return the steps by those of the entries that follow `before`."""
    entries = [entry for entry in entries if entry.number > before.number]
    states = list(accumulate((entry.event for entry in entries), evolve, initial=before))
    return match_steps(before, entries, states[1:])


def is_unplayable(entry: Entry, unplayable_from: int | None) -> bool:
    """Return whether an entry has no known effect, given from which number on the game cannot apply the log."""
    return unplayable_from is not None and entry.number >= unplayable_from and not isinstance(entry.event, PlayEnded)


def fold_entry(match: Match, entry: Entry, unplayable_from: int | None = None) -> Match:
    """Return the state after an entry; it raises any exception if the log is damaged or the game has changed.

    From the number `unplayable_from` on the state does not change until the match ends.
    """
    if is_unplayable(entry, unplayable_from):
        return structs.replace(match, number=entry.number)
    return evolve(match, entry.event)


@dataclass(frozen=True, slots=True)
class MatchFold:
    """Returns the state of a match after an entry, for `replay`."""

    find_game: Callable[[str], Game]
    """Raises UnknownGame."""
    unplayable_from: int | None = None
    """See `fold_entry`. None: the game can apply all entries."""

    def __call__(self, match: Match | None, entry: Entry) -> Match:
        """Raise LogDamaged, or what `fold_entry` raises."""
        if match:
            return fold_entry(match, entry, self.unplayable_from)
        event = entry.event
        if not isinstance(event, MatchCreated):
            raise LogDamaged(entry.match_id, entry.number, UNREADABLE)
        return create_match(event, self.find_game(event.setup.terms.game))
