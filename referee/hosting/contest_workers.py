"""Registry of the workers of all contests of one kind, which wakes them when necessary; and duplicate secrecy."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Generic

from referee.hosting.contest_log import contest_id
from referee.hosting.contest_store import ContestRegistry, ContestStore
from referee.hosting.contest_worker import ContestWorker, HostingDependencies, S
from referee.hosting.hosting_errors import ContestDamaged
from referee.live.match_request import MAKER, REQUEST_ID, SET
from referee.live.ports import Entry
from referee.match.events import PlayEnded
from referee.match.result import EndKind
from referee.match.state import Match


class ContestWorkers(Generic[S]):
    """Observes live matches and the presence of bots, and wakes the workers that this concerns."""

    sees_moves = False

    def __init__(
        self,
        registry: ContestRegistry[S],
        dependencies: HostingDependencies,
        create_worker: Callable[[ContestStore[S]], ContestWorker[S]],
    ) -> None:
        self._registry = registry
        self._referee = dependencies.referee
        self._report_fault = dependencies.report_fault
        self._create_worker = create_worker
        self._workers: dict[str, ContestWorker[S]] = {}
        """Workers by contest."""

    async def start_all(self) -> None:
        """Start workers for all active contests. The registry must be open, and live matches recovered."""
        self._referee.subscribe(self)
        for store in self._registry.active:
            self.start(store)
        makers = {dict(match.setup.labels).get(MAKER, "") for match in self._referee.live_matches}
        for contest in makers & self._registry.first_entries.keys() - self._workers.keys():
            with suppress(ContestDamaged):  # It is over, and its last matches must still be voided.
                self.start(await self._registry.get(contest))

    async def close(self) -> None:
        """Return when all workers have finished their steps and stopped."""
        await asyncio.gather(*(worker.close() for worker in [*self._workers.values()]))

    def start(self, store: ContestStore[S]) -> None:
        """Start the worker of a contest; it stops when the contest is over."""
        contest = store.contest
        try:
            worker = self._create_worker(store)
        except Exception as fault:  # Its game was removed or has changed. Other contests are not affected.
            self._report_fault(contest, fault)
            return
        self._workers[contest] = worker
        worker.task.add_done_callback(lambda _: self._end(contest))

    def _end(self, contest: str) -> None:
        """Remove a worker, and wake the others: the entrants of a contest may come from one that is over.

        No places are kept free for the contest any more, so other matches of its bots may start.
        """
        ended = self._workers.pop(contest, None)
        for worker in self._workers.values():
            worker.wake()
        if ended and ended.state.over:
            entrants = ended.state.bots().values()
            self._referee.reserved_places.on_freed({player.bot for bots in entrants for player in bots})

    def find(self, contest: str) -> ContestWorker[S] | None:
        """Return the worker of a contest; None: it has none."""
        return self._workers.get(contest)

    def wake(self, contest: str) -> None:
        """Wake the worker of a contest, if it has one."""
        if worker := self.find(contest):
            worker.wake()

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        """Notify workers of the end of a match."""
        if isinstance(entries[-1].event, PlayEnded):
            labels = dict(match.setup.labels)
            if maker := self._workers.get(labels.get(MAKER, "")):
                maker.match_ended(match)
            # A ladder that is closing waits for all matches that it rates, whoever created them.
            self.wake(contest_id(self._registry.kind, labels.get(self._registry.kind, "")))
            for bot in {player.bot for player in match.players}:
                self.on_presence_changed(bot)  # It has room again.

    def on_fault(self, match_id: str, fault: Exception) -> None:
        """Do nothing: the match will become void, which is announced."""

    def on_presence_changed(self, bot: str) -> None:
        """Wake the workers of all contests that the bot plays in."""
        for worker in self._workers.values():
            if worker.state.has_bot(bot):
                worker.wake()

    def is_set_open(self, contest: str, set_id: str, but: str) -> bool:
        """Return whether a set of duplicate play has matches left to play, without the due match with the id `but`."""
        if contest in self._registry.damaged:
            return True  # It is not known, and what was shown cannot be hidden again.
        worker = self._workers.get(contest)
        return worker is not None and worker.state.is_set_open(set_id, but)


class DuplicateSecrecy:
    """Decides which matches of duplicate play are kept secret.

    A match reveals much about the others of its set, which have the same seed. So its seed, its record and its hidden
    cards stay secret until all matches of the set are over, including those that will be played again.
    """

    def __init__(
        self, workers: Mapping[str, ContestWorkers[Any]], runs_contests: Callable[[], bool] = lambda: True
    ) -> None:
        """`workers` by kind of contest.

        `runs_contests` returns whether contests run in this process. If not, every match of a set stays secret here.
        """
        self._workers = workers
        self._runs_contests = runs_contests

    def __call__(self, match: Match) -> bool:
        """Return whether the match must stay secret, even if it is over."""
        labels = dict(match.setup.labels)
        contest = labels.get(MAKER, "")
        workers = self._workers.get(contest.partition("/")[0])
        if workers is None or SET not in labels:
            return False
        if not self._runs_contests():
            return True
        # A match that counts is over before its contest has recorded it.
        counts = match.result is not None and match.result.kind is not EndKind.VOID
        return workers.is_set_open(contest, labels[SET], labels.get(REQUEST_ID, "") if counts else "")
