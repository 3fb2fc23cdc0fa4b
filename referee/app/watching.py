"""Watching a match: every entry after a number, once, in order, until the end. Live and resumed are the same.

The log is the truth, and news is a hint: who watches reads on after its own number, and then waits. It
comes for what it wants when it is ready for it, so that who is slow costs nothing; but who falls too far
behind is told so, with the number to go on from.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from engines.api import SPECTATOR, Game, Viewer
from engines.refusals import Refusal
from referee.app.heard import Heard
from referee.app.ports import Entry, EventLog
from referee.app.story import Made, Standing, Step, Story, folded
from referee.app.taking_turns import TakingTurns
from referee.core.events import MovePlayed, MoveRefused
from referee.core.match import Match, Phase
from referee.core.setup import Shown
from referee.core.telling import told

ENTRIES_AT_ONCE = 200
FOLDED_AT_ONCE = 8
"""After so many, who goes through a long log lets the others have their turn."""


class SlowConsumer(Refusal):
    def __init__(self, resume_after: int) -> None:
        super().__init__(
            f"this watcher has fallen too far behind; go on after {resume_after}", resume_after=str(resume_after)
        )


class NumberAhead(Refusal):
    def __init__(self, after: int, last: int) -> None:
        super().__init__(f"there is no entry {after} yet; the last one is {last}", after=str(after), last=str(last))


@dataclass(frozen=True, slots=True)
class Whole:
    """A match at the number from which the watching goes on."""

    standing: Standing
    """The match as it is now."""
    number: int
    state: Match | None
    """How it stood at that number. None: the viewer may see nothing yet."""


class Watching:
    """One watcher of one match. `begin` it, then iterate over batches of what there is to hear."""

    def __init__(
        self,
        log: EventLog,
        find_game: Callable[[str], Game],
        story: Story,
        viewer: Viewer,
        behind_at_most: int,
        turns: TakingTurns,
    ) -> None:
        """`turns`: with all others who watch."""
        self._log = log
        self._find_game = find_game
        self._story = story
        self._viewer = viewer
        self._behind_at_most = behind_at_most
        self._turns = turns
        self._number = 0
        self._match: Match | None = None
        """As it was after that entry."""
        self._caught_up = False

    async def begin(self, after: int | None) -> Whole:
        """Go on after that number; None: from now on. Raises NumberAhead, or LogUnavailable."""
        if self._sees_all:
            self._number, self._match = self._story.match.number, self._story.match
        else:
            await self._skip(None)
        if after is not None and after > self._number:
            raise NumberAhead(after, self._number)
        if after is not None and after < self._number:
            await self._go_back(after)
        return Whole(self._story.standing, self._number, self._match)

    def __aiter__(self) -> "Watching":
        return self

    async def __anext__(self) -> list[Heard]:
        """What there is to hear, at least one entry. Raises SlowConsumer, LogUnavailable, or why the match left."""
        while self._match is None or self._match.phase is not Phase.OVER:
            # Listen first, or an entry recorded between reading and listening would be heard by nobody.
            news = self._story.news
            self._check_pace()
            steps = await self._shown()
            if steps:
                self._goes_to(steps[-1])
                return [self._heard(step) for step in steps]
            self._caught_up = True
            if self._story.closed:
                raise self._story.closed
            await news.wait()
        raise StopAsyncIteration

    @property
    def _sees_all(self) -> bool:
        """Is nothing kept back from this viewer for a while?"""
        match = self._story.match
        return self._viewer != SPECTATOR or match.phase is Phase.OVER or match.setup.visibility.shown is Shown.LIVE

    def _check_pace(self) -> None:
        """Only who has caught up once can fall behind: a long log takes its time."""
        behind = self._story.match.number - self._number
        if self._caught_up and behind > self._behind_at_most and self._story.match.setup.visibility.shown is Shown.LIVE:
            raise SlowConsumer(self._number)

    async def _go_back(self, to: int) -> None:
        at_hand = self._story.steps_after(to - 1) if to else None
        if at_hand:
            self._goes_to(at_hand[0])
        else:
            self._number, self._match = 0, None
            await self._skip(to)

    async def _skip(self, to: int | None) -> None:
        """Go on to that number, or as far as the viewer may see now, without telling."""
        while to is None or self._number < to:
            steps = await self._shown()
            steps = steps if to is None else steps[: to - self._number]
            if not steps:
                return
            self._goes_to(steps[-1])

    def _goes_to(self, step: Step) -> None:
        self._number, self._match = step.entry.number, step.match

    async def _shown(self) -> list[Step]:
        """The next steps that the viewer may hear of now."""
        found: list[Step] = []
        for step in await self._steps():
            if not self._may_be_shown(step):
                break
            found.append(step)
        return found

    async def _steps(self) -> list[Step]:
        at_hand = self._story.steps_after(self._number)
        if at_hand is not None:
            return at_hand
        entries = await self._log.read(self._story.match.setup.match_id, self._number, ENTRIES_AT_ONCE)
        found: list[Step] = []
        for step in folded(entries, self._find_game, self._match, self._story.lost_from):
            if len(found) % FOLDED_AT_ONCE == 0:
                await self._turns.my_turn()
            found.append(step)
        return found

    def _may_be_shown(self, step: Step) -> bool:
        if self._sees_all:
            return True
        now, visibility = self._story.match, self._story.match.setup.visibility
        if visibility.shown is Shown.AFTER_END:
            return False
        return step.match.phase is Phase.WAITING or step.match.ply + visibility.delay_plies <= now.ply

    def _heard(self, step: Step) -> Heard:
        """A move is the same for all who watch with the same eyes, and made for the first of them."""
        last = self._story.heard.get(self._viewer)
        if last and last.match is step.match:
            return last
        entry, match = step.entry, step.match
        event = None if step.lost else told(step.before, entry.event, self._viewer)
        if isinstance(event, MovePlayed):
            self._story.heard[self._viewer] = heard = self._heard_move(entry, event, match)
            return heard
        if isinstance(entry.event, MoveRefused) and not step.lost and self._story.match.phase is Phase.OVER:
            event = entry.event  # Then nothing of it is a secret any more.
        return Heard(entry.number, entry.at_ms, event, match)

    def _heard_move(self, entry: Entry, told: MovePlayed, match: Match) -> Heard:
        """A move that is still sealed, that opens others and so is open itself, or that is like any other."""
        made = self._story.moves[match.ply - 1]
        opened = self._story.opened_by(match.ply - 1)
        if opened:
            told = replace(told, move=self._opened(made, match))
        seen = tuple((other.seat, self._opened(other, match)) for other in opened)
        return Heard(entry.number, entry.at_ms, told, match, made.sealed, seen)

    def _opened(self, made: Made, match: Match) -> str:
        return match.at_play().opened(made.seat, made.move, self._viewer)
