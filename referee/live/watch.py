"""Watching a match: every entry after a number, once, in order, until the end; live and resumed alike.

A watcher reads on from its own number and then waits for a change. It pulls what it can handle, so a slow one costs
nothing, but one that falls too far behind gets an error with the number to resume after.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from engines.api import SPECTATOR, Game, Viewer
from engines.refusals import Refusal
from referee.live.match_history import MatchHistory, MatchStatus, MatchStep, PlayedMove, WatchedEntry, fold_entries
from referee.live.ports import Entry, EventLog
from referee.match.events import MovePlayed, MoveRefused
from referee.match.setup import VisibilityMode
from referee.match.state import Match, MatchPhase
from referee.match.visibility import redact

READ_BATCH = 200
FOLD_CHUNK = 8
"""Number of entries of a long log to fold before other tasks run."""


class SlowConsumer(Refusal):
    def __init__(self, resume_after: int) -> None:
        super().__init__(
            f"this watcher has fallen too far behind; go on after {resume_after}", resume_after=str(resume_after)
        )


class NumberAhead(Refusal):
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


class MatchWatch:
    """One watcher of one match. Call `begin`, then iterate over batches of entries."""

    def __init__(
        self,
        log: EventLog,
        find_game: Callable[[str], Game],
        history: MatchHistory,
        viewer: Viewer,
        behind_at_most: int,
        turns: CooperativeYield,
    ) -> None:
        """`turns` is shared by all watches."""
        self._log = log
        self._find_game = find_game
        self._history = history
        self._viewer = viewer
        self._behind_at_most = behind_at_most
        self._turns = turns
        self._number = 0
        self._match: Match | None = None
        """State after that entry."""
        self._caught_up = False

    async def begin(self, after: int | None) -> WatchStart:
        """Start after that number; None: from now on. Raises NumberAhead or LogUnavailable."""
        if self._sees_all:
            self._number, self._match = self._history.match.number, self._history.match
        else:
            await self._skip(None)
        if after is not None and after > self._number:
            raise NumberAhead(after, self._number)
        if after is not None and after < self._number:
            await self._go_back(after)
        return WatchStart(self._history.status, self._number, self._match)

    def __aiter__(self) -> "MatchWatch":
        return self

    async def __anext__(self) -> list[WatchedEntry]:
        """Return at least one entry. Raises SlowConsumer, LogUnavailable, or why the match is not run here any more."""
        while self._match is None or self._match.phase is not MatchPhase.OVER:
            # Subscribe before reading, or an entry appended in between would be missed.
            changed = self._history.changed
            self._check_pace()
            steps = await self._visible_steps()
            if steps:
                self._move_to(steps[-1])
                return [self._entry_for_viewer(step) for step in steps]
            self._caught_up = True
            if self._history.closed:
                raise self._history.closed
            await changed.wait()
        raise StopAsyncIteration

    @property
    def _sees_all(self) -> bool:
        """Whether the viewer may see all entries without delay."""
        match = self._history.match
        return (
            self._viewer != SPECTATOR
            or match.phase is MatchPhase.OVER
            or match.setup.visibility.shown is VisibilityMode.LIVE
        )

    def _check_pace(self) -> None:
        """Raise SlowConsumer if the watch has caught up once and is too far behind; reading a long log takes time."""
        behind = self._history.match.number - self._number
        if (
            self._caught_up
            and behind > self._behind_at_most
            and self._history.match.setup.visibility.shown is VisibilityMode.LIVE
        ):
            raise SlowConsumer(self._number)

    async def _go_back(self, to: int) -> None:
        at_hand = self._history.steps_after(to - 1) if to else None
        if at_hand:
            self._move_to(at_hand[0])
        else:
            self._number, self._match = 0, None
            await self._skip(to)

    async def _skip(self, to: int | None) -> None:
        """Advance to that number, or as far as the viewer may see now, without returning entries."""
        while to is None or self._number < to:
            steps = await self._visible_steps()
            steps = steps if to is None else steps[: to - self._number]
            if not steps:
                return
            self._move_to(steps[-1])

    def _move_to(self, step: MatchStep) -> None:
        self._number, self._match = step.entry.number, step.match

    async def _visible_steps(self) -> list[MatchStep]:
        """Return the next steps that the viewer may see now."""
        found: list[MatchStep] = []
        for step in await self._steps():
            if not self._is_visible(step):
                break
            found.append(step)
        return found

    async def _steps(self) -> list[MatchStep]:
        at_hand = self._history.steps_after(self._number)
        if at_hand is not None:
            return at_hand
        entries = await self._log.read(self._history.match.setup.match_id, self._number, READ_BATCH)
        found: list[MatchStep] = []
        for step in fold_entries(entries, self._find_game, self._match, self._history.unplayable_from):
            if len(found) % FOLD_CHUNK == 0:
                await self._turns.pause()
            found.append(step)
        return found

    def _is_visible(self, step: MatchStep) -> bool:
        if self._sees_all:
            return True
        current, visibility = self._history.match, self._history.match.setup.visibility
        if visibility.shown is VisibilityMode.AFTER_END:
            return False
        return step.match.phase is MatchPhase.WAITING or step.match.ply + visibility.delay_plies <= current.ply

    def _entry_for_viewer(self, step: MatchStep) -> WatchedEntry:
        """Convert a step; moves are cached by viewer, since they are the same for all with the same permissions."""
        last = self._history.last_shown.get(self._viewer)
        if last and last.match is step.match:
            return last
        entry, match = step.entry, step.match
        event = None if step.unplayable else redact(step.before, entry.event, self._viewer)
        if isinstance(event, MovePlayed):
            self._history.last_shown[self._viewer] = heard = self._move_for_viewer(entry, event, match)
            return heard
        if (
            isinstance(entry.event, MoveRefused)
            and not step.unplayable
            and self._history.match.phase is MatchPhase.OVER
        ):
            event = entry.event  # Rejected moves are public after the end.
        return WatchedEntry(entry.number, entry.at_ms, event, match)

    def _move_for_viewer(self, entry: Entry, shown: MovePlayed, match: Match) -> WatchedEntry:
        """Convert a move. One that is still sealed is hidden; one that reveals sealed moves is shown with them."""
        made = self._history.moves[match.ply - 1]
        other_moves = self._history.revealed_by(match.ply - 1)
        if other_moves:
            shown = replace(shown, move=self._reveal(made, match))
        revealed = tuple((other.seat, self._reveal(other, match)) for other in other_moves)
        return WatchedEntry(entry.number, entry.at_ms, shown, match, made.sealed, revealed)

    def _reveal(self, made: PlayedMove, match: Match) -> str:
        return match.require_position().opened(made.seat, made.move, self._viewer)
