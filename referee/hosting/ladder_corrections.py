"""Corrections of ladders: reads the log, and rates its matches again.

A ladder may have rated a hundred thousand matches, which takes half a minute. So they are rated in a worker process,
part by part, while the ladder continues; only the last few entries are read with its log locked. One correction is
computed at a time. The ratings after each match, which rating histories show, are kept for the ladders used last.
"""

import asyncio
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct
from msgspec.structs import replace

from referee.contests.corrections import Correction
from referee.contests.ladder.commands import CorrectMatch
from referee.contests.ladder.decide import decide
from referee.contests.ladder.events import LadderEvent, MatchCorrected, MatchRated, SeasonStarted
from referee.contests.ladder.rating_replay import (
    RatingReplay,
    corrected_match,
    needs_replay,
    rate_again,
)
from referee.contests.strength.rating import RatingRecord, SkillRating
from referee.hosting.contest_log import ContestEntry, ContestLog
from referee.hosting.contest_store import ContestStore
from referee.hosting.ladder_state import LadderState, with_time
from referee.live.worker_pool import RunFunction

READ_BATCH_SIZE = 200
"""How many entries of the log are read at once: some ten milliseconds."""
MATCHES_HERE = 40
"""Up to that many matches are rated on the event loop: some milliseconds."""
MATCHES_PER_CALL = 1_000
"""How many matches a call to a worker process rates: some hundred milliseconds."""
MAX_CPU_S = 60.0
HISTORIES_CACHE_SIZE = 4

Numbered = tuple[int, MatchRated | SeasonStarted]
"""An event with the number of its entry."""


@dataclass(slots=True)
class CorrectedRatings:
    """Ratings after each match of a part of a log, as they are with corrections, in eighty bytes for each match."""

    numbers: "array[int]" = field(default_factory=lambda: array("q"))
    """Numbers of the entries of the matches that count, in order."""
    starts: "array[int]" = field(default_factory=lambda: array("q"))
    """Where the ratings of each match begin in `values`."""
    values: "array[float]" = field(default_factory=lambda: array("d"))
    """Value, deviation and number of matches of each of its players."""

    def add(self, number: int, ratings: Sequence[RatingRecord]) -> None:
        self.numbers.append(number)
        self.starts.append(len(self.values))
        for record in ratings:
            self.values.extend((record.rating.value, record.rating.deviation, record.matches))

    def extend(self, other: "CorrectedRatings") -> None:
        shift = len(self.values)
        self.numbers.extend(other.numbers)
        self.starts.extend(start + shift for start in other.starts)
        self.values.extend(other.values)

    def after(self, number: int, place: int) -> RatingRecord | None:
        """Return the rating of the player at a place after the match of an entry. None: it is struck."""
        at = bisect_left(self.numbers, number)
        if at == len(self.numbers) or self.numbers[at] != number:
            return None
        value, deviation, matches = self.values[(first := self.starts[at] + 3 * place) : first + 3]
        return RatingRecord(SkillRating(value, deviation), int(matches))


class _Progress(Struct, frozen=True, gc=False):
    """How far the log is rated again."""

    replay: RatingReplay
    number: int = 0
    """Number of the last entry that was read."""
    played: MatchRated | None = None
    """The match that is being corrected, as it is in the log. None: it is not read yet, or there is none."""


class LadderCorrections:
    """Computes the corrections of all ladders."""

    def __init__(self, log: ContestLog, run: RunFunction) -> None:
        self._log = log
        self._run = run
        self._lock = asyncio.Lock()
        self._ratings: OrderedDict[tuple[str, int], CorrectedRatings] = OrderedDict()
        """By ladder and the number of its last correction."""

    async def correct(self, store: ContestStore[LadderState], correction: Correction) -> None:
        """Write a correction and what follows from it, even if the caller is cancelled.

        So a caller that does not wait long enough finds it done when it repeats its request. Raises MatchNotCounted,
        BadRanks or RequestIdReused.
        """
        await asyncio.shield(asyncio.create_task(self._correct(store, correction)))

    async def _correct(self, store: ContestStore[LadderState], correction: Correction) -> None:
        async with self._lock:
            matches = store.state.ladder.rated_matches
            if not needs_replay(store.state.ladder, correction):
                return
            season = matches.season_of(correction.match_id)
            assert season
            ratings = CorrectedRatings()
            progress = await self._advance(store.state, _Progress(RatingReplay(season)), correction, ratings)

            async def decided(state: LadderState) -> Sequence[LadderEvent]:
                nonlocal progress
                progress = await self._advance(state, progress, correction, ratings)
                assert progress.played
                return decide(state.ladder, CorrectMatch(correction, progress.played, progress.replay))

            await store.execute(decided)
            self._keep(store.state, ratings)

    async def ratings_of(self, state: LadderState) -> CorrectedRatings:
        """Return the ratings after the matches that are computed again, between the entries `LadderState.corrected_…`.

        Matches before and after these entries have their ratings in the log.
        """
        async with self._lock:
            key = state.contest, state.corrected_until
            if key not in self._ratings:
                ratings = CorrectedRatings()
                start = _Progress(RatingReplay(state.ladder.season))
                await self._advance(state, start, None, ratings, until=state.corrected_until)
                self._keep(state, ratings)
            self._ratings.move_to_end(key)
            return self._ratings[key]

    def _keep(self, state: LadderState, ratings: CorrectedRatings) -> None:
        self._ratings[state.contest, state.corrected_until] = ratings
        if len(self._ratings) > HISTORIES_CACHE_SIZE:
            self._ratings.popitem(last=False)

    async def _advance(
        self,
        state: LadderState,
        progress: _Progress,
        correction: Correction | None,
        ratings: CorrectedRatings,
        until: int | None = None,
    ) -> _Progress:
        """Read the log to its end, or to an entry, and rate its matches again with a correction, if there is one."""
        corrections = {**state.ladder.rated_matches.corrections}
        waiting: list[Numbered] = []
        reading = True
        while reading:
            entries = await self._log.read(state.contest, progress.number, READ_BATCH_SIZE)
            entries = [entry for entry in entries if until is None or entry.number <= until]
            reading = bool(entries)
            for event in _rating_events(entries):
                waiting.append(event)
                if correction and isinstance(event[1], MatchRated) and event[1].match_id == correction.match_id:
                    progress = replace(progress, played=event[1])
            progress = replace(progress, number=entries[-1].number if entries else progress.number)
            if waiting and (len(waiting) >= MATCHES_PER_CALL or not reading):
                if correction and progress.played:
                    corrections[correction.match_id] = corrected_match(correction, progress.played)
                progress = await self._rate(progress, waiting, corrections, ratings)
                waiting = []
        return progress

    async def _rate(
        self,
        progress: _Progress,
        events: Sequence[Numbered],
        corrections: Mapping[str, MatchCorrected],
        ratings: CorrectedRatings,
    ) -> _Progress:
        named = {event.match_id for _, event in events if isinstance(event, MatchRated)}
        needed = {match_id: correction for match_id, correction in corrections.items() if match_id in named}
        complete, replay = progress.replay.complete, replace(progress.replay, complete=())
        if len(events) <= MATCHES_HERE:
            replay, added = rate_part(replay, events, needed)
        else:
            replay, added = await self._run(rate_part, replay, events, needed, max_cpu_s=MAX_CPU_S)
        ratings.extend(added)
        return replace(progress, replay=replace(replay, complete=(*complete, *replay.complete)))


def rate_part(
    replay: RatingReplay, events: Sequence[Numbered], corrections: Mapping[str, MatchCorrected]
) -> tuple[RatingReplay, CorrectedRatings]:
    """Return the replay after these events, and the ratings after each match."""
    ratings = CorrectedRatings()
    for number, event in events:
        replay, counted = rate_again(replay, [event], corrections)
        for rated in counted:
            ratings.add(number, [change.after for change in rated.changes])
    return replay, ratings


def _rating_events(entries: Sequence[ContestEntry]) -> list[Numbered]:
    """Return what ratings follow from. Rating changes are left out, since they are computed again."""
    return [
        (entry.number, replace(with_time(event, entry.at_ms), changes=()) if isinstance(event, MatchRated) else event)
        for entry in entries
        if isinstance(event := entry.event, MatchRated | SeasonStarted)
    ]
