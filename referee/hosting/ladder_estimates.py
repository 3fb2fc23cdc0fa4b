"""Estimates from all results of a ladder at once, which its standings show.

The results are summed up as they come. When somebody asks for the standings, the estimates follow from the sums, in a
worker process unless the field is small. A large field is estimated again only when enough results have come in, and
nobody waits for that: meanwhile, results since the last estimate change it as they change live ratings.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field

from referee.contests.ladder.events import MatchRated, SeasonStarted
from referee.contests.ladder.rating_replay import counted_match
from referee.contests.ladder.result_counts import ResultCounts
from referee.contests.strength.joint_fit import NO_ESTIMATES, JointEstimates, fit_field
from referee.contests.strength.rating import RatingRecord, SkillRating, compute_rating_updates
from referee.hosting.contest_log import ContestLog
from referee.hosting.ladder_state import LadderState
from referee.live.worker_pool import RunFunction, TooExpensive, WorkerDied, run_inline
from referee.match.setup import Player

READ_BATCH_SIZE = 200
"""How many entries of the log are read at once: some ten milliseconds."""
PLAYERS_HERE = 10
"""Up to that many players are estimated on the event loop: a few milliseconds."""
PLAYERS_AWAITED = 300
"""For the estimates of up to that many players, callers wait: some seconds at most."""
RESULTS_AWAITED = 50
"""A larger field is estimated again after one result for each that many of its players."""
MAX_CPU_S = 600.0
LADDERS_CACHE_SIZE = 64

Ratings = Mapping[Player, SkillRating]


@dataclass(slots=True)
class _Estimated:
    """What is known of one ladder."""

    corrected: int
    """Number of the last correction that is taken into account."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    counts: ResultCounts = field(default_factory=ResultCounts)
    number: int = 0
    """Number of the last entry of the log that was read."""
    final: dict[int, Ratings] = field(default_factory=dict)
    """Estimates of seasons that are over."""
    season: int = 0
    """Season of the estimates that follow."""
    last: JointEstimates = NO_ESTIMATES
    ratings: Ratings = field(default_factory=dict)
    recent: list[MatchRated] = field(default_factory=list)
    """Results that are not in them."""
    running: asyncio.Task[None] | None = None
    """The computation of the next ones, if nobody waits for it."""
    awaited: asyncio.Task[None] | None = None
    """The last computation for which a caller waited. If that was cancelled, the next caller waits for it."""

    def add(self, event: MatchRated | SeasonStarted) -> None:
        self.counts.add(event)
        if isinstance(event, MatchRated) and (self.running or self.season == self.counts.current):
            self.recent.append(event)  # Others need not be kept: the first estimates of the season contain them.


class LadderEstimates:
    """Computes the estimates of all ladders."""

    def __init__(self, log: ContestLog, run: RunFunction) -> None:
        self._log = log
        self._run = run
        self._known: OrderedDict[str, _Estimated] = OrderedDict()
        """LRU cache, by ladder."""
        self._tasks: set[asyncio.Task[None]] = set()
        """Computations in progress."""

    async def of(self, state: LadderState, season: int) -> Ratings:
        """Return the estimates of a season. Players without one have only their live ratings."""
        known = self._known_of(state)
        async with known.lock:
            if known.awaited:
                await asyncio.wait([known.awaited])
            await self._read(state, known)
            if season < known.counts.current or state.over:
                if season not in known.final:
                    await self._await(known, self._finish(known, season))
                return known.final[season]
            if known.recent or known.season != season:
                await self._estimate(known, season)
            return _with_recent(known, state) if known.season == season else {}

    async def close(self) -> None:
        """End all computations."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _known_of(self, state: LadderState) -> _Estimated:
        known = self._known.get(state.contest)
        if known is None or known.corrected < state.corrected_until:
            known = self._known[state.contest] = _Estimated(state.corrected_until)
        self._known.move_to_end(state.contest)
        if len(self._known) > LADDERS_CACHE_SIZE:
            self._known.popitem(last=False)
        return known

    async def _read(self, state: LadderState, known: _Estimated) -> None:
        """Add the results that have come in."""
        corrections = state.ladder.rated_matches.corrections
        while known.number < state.number:
            entries = await self._log.read(state.contest, known.number, READ_BATCH_SIZE)
            for event in (entry.event for entry in entries):
                if isinstance(event, SeasonStarted):
                    known.add(event)
                elif isinstance(event, MatchRated) and (
                    counted := counted_match(event, corrections.get(event.match_id))
                ):
                    known.add(counted)
            known.number = entries[-1].number

    async def _estimate(self, known: _Estimated, season: int) -> None:
        """Estimate the field again, without waiting if it is large."""
        players = known.counts.size(season)
        if players <= PLAYERS_AWAITED:
            await self._await(known, self._refresh(known, season))
        elif known.running is None and (known.season != season or len(known.recent) * RESULTS_AWAITED >= players):
            known.running = self._start(self._refresh_later(known, season))

    async def _await(self, known: _Estimated, work: Coroutine[None, None, None]) -> None:
        """Wait for a computation. It goes on if the caller is cancelled, so that such callers cause only one."""
        known.awaited = self._start(work)
        await asyncio.shield(known.awaited)

    def _start(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # Retrieve it: asyncio would log it if the caller was cancelled.

    async def _finish(self, known: _Estimated, season: int) -> None:
        found = await self._fit(known.counts, season, NO_ESTIMATES)
        known.final[season] = known.counts.ratings(season, found)

    async def _refresh_later(self, known: _Estimated, season: int) -> None:
        try:
            await self._refresh(known, season)
        except (TooExpensive, WorkerDied):
            """The former estimates remain."""
        finally:
            known.running = None

    async def _refresh(self, known: _Estimated, season: int) -> None:
        included = len(known.recent)
        found = await self._fit(known.counts, season, known.last if known.season == season else NO_ESTIMATES)
        known.season, known.last, known.ratings = season, found, known.counts.ratings(season, found)
        del known.recent[:included]

    async def _fit(self, counts: ResultCounts, season: int, start: JointEstimates) -> JointEstimates:
        run = run_inline if counts.size(season) <= PLAYERS_HERE else self._run
        return await run(fit_field, counts.season(season), start.values, max_cpu_s=MAX_CPU_S)


def _with_recent(known: _Estimated, state: LadderState) -> Ratings:
    """Return the last estimates, changed by the results since then."""
    ratings = dict(known.ratings)
    for rated in known.recent:
        live = state.ladder.current_season.rating
        before = {who: RatingRecord(ratings[who]) if who in ratings else live(who) for who in rated.finish.players}
        updates = compute_rating_updates(before, rated.finish, rated.weight)
        ratings |= {update.player: update.after.rating for update in updates if update.player in ratings}
    return ratings
