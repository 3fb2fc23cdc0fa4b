"""Watching a contest: every entry after a number, once, in order, until it is over. Live and resumed are the same.

The log is the truth, and news is a hint: who watches reads on after its own number, and then waits. Who falls
too far behind is told so, with the number to go on from.
"""

from collections.abc import Callable
from typing import Generic

from referee.app.contests.book import ENTRIES_AT_ONCE, Book, Fold, State, Step, folded
from referee.app.contests.log import ContestLog
from referee.app.watching import NumberAhead, SlowConsumer


class Watching(Generic[State]):
    """One watcher of one contest. `begin` it, then iterate over batches of what there is to hear."""

    def __init__(
        self,
        log: ContestLog,
        fold: Fold[State],
        over: Callable[[State], bool],
        book: Book[State],
        behind_at_most: int,
    ) -> None:
        """`over` says of a contest whether its last entry has been told."""
        self._log = log
        self._fold = fold
        self._over = over
        self._book = book
        self._behind_at_most = behind_at_most
        self._number = 0
        self._state: State | None = None
        """As it was after that entry."""
        self._caught_up = False

    async def begin(self, after: int | None) -> State:
        """Go on after that number; None: from now on. As it is now. Raises NumberAhead or LogUnavailable."""
        whole, number = self._book.state, self._book.number
        if after is None or after == number:
            self._number, self._state = number, whole
        elif after > number:
            raise NumberAhead(after, number)
        else:
            await self._skip(after)
        return whole

    def __aiter__(self) -> "Watching[State]":
        return self

    async def __anext__(self) -> list[Step[State]]:
        """What there is to hear, at least one. Raises SlowConsumer, LogUnavailable, or why the contest left."""
        while self._state is None or not self._over(self._state):
            # Listen first, or an entry recorded between reading and listening would be heard by nobody.
            news = self._book.news
            self._check_pace()
            steps = await self._steps()
            if steps:
                self._goes_to(steps[-1])
                return steps
            self._caught_up = True
            if self._book.closed:
                raise self._book.closed
            await news.wait()
        raise StopAsyncIteration

    def _check_pace(self) -> None:
        """Only who has caught up once can fall behind: a long log takes its time."""
        if self._caught_up and self._book.number - self._number > self._behind_at_most:
            raise SlowConsumer(self._number)

    async def _skip(self, to: int) -> None:
        """Go on to that number without telling."""
        at_hand = self._book.steps_after(to - 1) if to else None
        if at_hand:
            self._goes_to(at_hand[0])
        while self._number < to:
            self._goes_to((await self._steps())[: to - self._number][-1])

    def _goes_to(self, step: Step[State]) -> None:
        self._number, self._state = step.entry.number, step.state

    async def _steps(self) -> list[Step[State]]:
        at_hand = self._book.steps_after(self._number)
        if at_hand is not None:
            return at_hand
        return folded(self._fold, await self._log.read(self._book.contest, self._number, ENTRIES_AT_ONCE), self._state)
