"""Watching a match or contest: every entry after a number, once, in order, until the end; live and resumed alike.

A watcher reads on from its own number and then waits for a change. It pulls what it can handle, so a slow one costs
nothing, but one that falls too far behind gets an error with the number to resume after.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import Generic, Self

from msgspec import structs

from engines.api import SPECTATOR, Game, Viewer
from engines.game_errors import DetailedError
from referee.live.log_history import EntryT, LogHistory, LogStep, State, replay
from referee.live.match_history import MatchFold, MatchHistory, MatchStatus, MatchStep, PlayedMove, WatchedEntry
from referee.live.ports import Entry, EventLog
from referee.match.events import MovePlayed, MoveRejected, redact
from referee.match.state import Match, MatchPhase

READ_BATCH = 200
"""Number of entries of a match that are read at once."""
FOLD_CHUNK = 8
"""Number of entries of a long match log to fold before other tasks run."""


class SlowConsumer(DetailedError):
    def __init__(self, resume_after: int) -> None:
        super().__init__(
            f"this watcher has fallen too far behind; go on after {resume_after}", resume_after=str(resume_after)
        )


class NumberAhead(DetailedError):
    def __init__(self, after: int, last: int) -> None:
        super().__init__(f"there is no entry {after} yet; the last one is {last}", after=str(after), last=str(last))


@dataclass(frozen=True, slots=True)
class WatchStart:
    """A match at the number after which the watch continues."""

    status: MatchStatus
    """The current status of the match."""
    number: int
    state: Match | None
    """The state at that number. None: the viewer may not see any yet."""


class CooperativeYield:
    """Limits long work to one task per iteration of the event loop.

    Each task alone may yield often enough; many together would still block the loop.
    """

    def __init__(self) -> None:
        self._mine = asyncio.Lock()

    async def pause(self) -> None:
        """Wait for an iteration of the event loop in which no other of these tasks continues."""
        async with self._mine:
            await asyncio.sleep(0)


class LogWatch(ABC, Generic[EntryT, State]):
    """One watcher of one log. Call `begin`, then take batches of steps."""

    def __init__(self, history: LogHistory[EntryT, State], max_behind: int) -> None:
        self._history = history
        self._max_behind = max_behind
        self._caught_up = False
        self.number = 0
        """Number of the last entry that was returned or skipped."""
        self.state: State | None = None
        """The state after that entry. None: it is before the first one."""

    async def begin(self, after: int | None) -> None:
        """Start after that number; None: from now on. Raises NumberAhead or StoreUnavailable."""
        await self._advance_to_now()
        if after is not None and after > self.number:
            raise NumberAhead(after, self.number)
        if after is not None and after < self.number:
            await self._go_back(after)

    def __aiter__(self) -> Self:
        return self

    async def next_steps(self) -> list[LogStep[EntryT, State]]:
        """Return at least one step. Raises StopAsyncIteration after the last one, which is not an error.

        Raises SlowConsumer, StoreUnavailable, or why the history was closed.
        """
        self._history.cache_steps()  # Not before: whoever only looks at a match once would keep all its later states.
        while self.state is None or not self._is_over(self.state) or self._history.number > self.number:
            # Subscribe before reading, or an entry appended in between would be missed.
            latest, changed = self._latest()
            if latest > self.number:
                self._check_pace()
                if steps := (await self._visible_steps())[: latest - self.number]:
                    self._move_to(steps[-1])
                    return steps
            self._caught_up = True
            if self._history.closed:
                raise self._history.closed
            await changed.wait()
        raise StopAsyncIteration

    def _latest(self) -> tuple[int, asyncio.Event]:
        """Return the number of the last entry that may be returned now, and the event of the next change."""
        changed = self._history.changed
        return self._history.number, changed

    @abstractmethod
    def _is_over(self, state: State) -> bool:
        """Return whether the watch ends here, unless further entries are in the log already."""

    @abstractmethod
    async def _read_steps(self) -> list[LogStep[EntryT, State]]:
        """Read the next steps from the log. Empty: there are none yet."""

    async def _advance_to_now(self) -> None:
        self.number, self.state = self._history.number, self._history.state

    async def _visible_steps(self) -> list[LogStep[EntryT, State]]:
        """Return the next steps that the watcher may see now."""
        cached = self._history.steps_after(self.number)
        return await self._read_steps() if cached is None else cached

    def _check_pace(self) -> None:
        """Raise SlowConsumer if the watch has caught up once and is too far behind; reading a long log takes time."""
        if self._caught_up and self._due() - self.number > self._max_behind:
            raise SlowConsumer(self.number)

    def _due(self) -> int:
        """Return the number of the last entry that a watcher without any delay of its own has been sent."""
        return self._history.number

    async def _go_back(self, to: int) -> None:
        cached = self._history.steps_after(to - 1) if to else None
        if cached:
            self._move_to(cached[0])
        else:
            self.number, self.state = 0, None
            await self._skip(to)

    async def _skip(self, to: int | None) -> None:
        """Advance to that number, or as far as the watcher may see now, without returning steps."""
        while to is None or self.number < to:
            steps = await self._visible_steps()
            steps = steps if to is None else steps[: to - self.number]
            if not steps:
                return
            self._move_to(steps[-1])

    def _move_to(self, step: LogStep[EntryT, State]) -> None:
        self.number, self.state = step.entry.number, step.state


class MatchWatch(LogWatch[Entry, Match]):
    """One watcher of one match, which returns batches of entries as the viewer may see them, perhaps delayed."""

    def __init__(
        self,
        log: EventLog,
        find_game: Callable[[str], Game],
        history: MatchHistory,
        viewer: Viewer,
        max_behind: int,
        turns: CooperativeYield,
    ) -> None:
        """`turns` is shared by all watches."""
        super().__init__(history, max_behind)
        self._log = log
        self._find_game = find_game
        self._history: MatchHistory = history
        self._viewer = viewer
        self._turns = turns

    async def __anext__(self) -> list[WatchedEntry]:
        """Return at least one entry. Raises SlowConsumer, StoreUnavailable, or why the match has moved."""
        steps = await self.next_steps()
        # Rejected moves are public after the end, so the same entries can then look different.
        over = self._history.match.phase is MatchPhase.OVER
        span = (steps[0].entry.number, steps[-1].entry.number, over)
        shown = self._history.last_shown.get(self._viewer)
        if shown is None or shown[0] != span:
            shown = span, [self._entry_for_viewer(step) for step in steps]
            self._history.last_shown[self._viewer] = shown
        return shown[1]

    def _latest(self) -> tuple[int, asyncio.Event]:
        """Seats may play by what they watch, so only spectators wait for others."""
        if self._viewer != SPECTATOR:
            return super()._latest()
        notices = self._history.spectator_notices
        return notices.number, notices.changed

    def _due(self) -> int:
        return super()._due() if self._viewer != SPECTATOR else self._history.spectator_notices.previous

    @property
    def _sees_all(self) -> bool:
        """Whether the viewer may see all entries without delay."""
        match = self._history.match
        return self._viewer != SPECTATOR or match.phase is MatchPhase.OVER or match.terms.visibility.kind == "live"

    def _is_over(self, state: Match) -> bool:
        return state.phase is MatchPhase.OVER

    async def _advance_to_now(self) -> None:
        await (super()._advance_to_now() if self._sees_all else self._skip(None))

    def _check_pace(self) -> None:
        if self._history.match.terms.visibility.kind == "live":
            super()._check_pace()

    async def _visible_steps(self) -> list[MatchStep]:
        steps = await super()._visible_steps()
        return steps if self._sees_all else list(takewhile(self._is_visible, steps))

    async def _read_steps(self) -> list[MatchStep]:
        entries = await self._log.read(self._history.match.setup.match_id, self.number, READ_BATCH)
        found: list[MatchStep] = []
        for step in replay(MatchFold(self._find_game, self._history.unplayable_from), entries, self.state):
            if len(found) % FOLD_CHUNK == 0:
                await self._turns.pause()
            found.append(step)
        return found

    def _is_visible(self, step: MatchStep) -> bool:
        current, visibility = self._history.match, self._history.match.terms.visibility
        if visibility.kind == "after_end":
            return False
        return step.state.phase is MatchPhase.WAITING or step.state.ply + visibility.delay_plies <= current.ply

    def _entry_for_viewer(self, step: MatchStep) -> WatchedEntry:
        """Return the entry of a step as the viewer may see it."""
        entry, match = step.entry, step.state
        unplayable = self._history.is_unplayable(entry)
        position = step.before.position if step.before else None
        event = None if unplayable else redact(entry.event, position, self._viewer)
        if isinstance(event, MovePlayed):
            return self._move_for_viewer(entry, event, match)
        if isinstance(entry.event, MoveRejected) and not unplayable and self._history.match.phase is MatchPhase.OVER:
            event = entry.event  # Rejected moves are public after the end.
        return WatchedEntry(entry.number, entry.at_ms, event, match)

    def _move_for_viewer(self, entry: Entry, shown: MovePlayed, match: Match) -> WatchedEntry:
        """Convert a move. One that is still sealed is hidden; one that reveals sealed moves is shown with them."""
        made = self._history.moves[match.ply - 1]
        other_moves = self._history.revealed_by(match.ply - 1)
        if other_moves:
            shown = structs.replace(shown, move=self._reveal(made, match))
        revealed = tuple((other.seat, self._reveal(other, match)) for other in other_moves)
        return WatchedEntry(entry.number, entry.at_ms, shown, match, made.sealed, revealed)

    def _reveal(self, made: PlayedMove, match: Match) -> str:
        return match.require_position().revealed_move(made.seat, made.move, self._viewer)
