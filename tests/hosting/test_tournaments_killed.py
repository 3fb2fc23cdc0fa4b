"""A tournament whose process is killed after any of its durable writes, and continued by another process.

The pairings are the same, every result is recorded once, and the standings are those of a tournament that was never
killed.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from referee.contests.pairing import ContestMatchScored, DuplicateSets
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.tournament.events import TournamentPaired
from referee.contests.tournament.tournament_terms import Elimination, RoundRobin, SprtTrial, Swiss
from referee.hosting.contest_terms import TournamentTerms
from referee.hosting.tournament_state import TournamentState, fold_tournament
from referee.live.log_history import replay
from referee.match.events import PlayEnded
from tests.hosting.harness import Fuse, HostingHarness, Store, first_of, killed, terms, wish
from tests.live.runner_harness import in_loop

BOTS = ("ada", "bob", "cyd", "dan")


@dataclass(frozen=True)
class Plot:
    """Terms of a tournament, and the events of the scenario."""

    terms: TournamentTerms
    bots: tuple[str, ...] = BOTS
    voided: frozenset[str] = frozenset()


PLOTS = {
    "round robin": Plot(terms(RoundRobin(), matches_at_once=3)),
    "swiss": Plot(terms(Swiss(2))),
    "knock-out with voids": Plot(
        terms(Elimination(third_place=True)), voided=frozenset({"w1.1/1.1", "w2.1/1.1", "w2.1/1.2"})
    ),
    "in sets with a void": Plot(terms(RoundRobin(), duplicate=DuplicateSets(2)), BOTS[:3], frozenset({"1.1/2.1"})),
    "a test of two": Plot(terms(SprtTrial(SprtParameters(400, matches_at_most=6)), matches_at_once=4), BOTS[:2]),
}


async def played(harness: HostingHarness, plot: Plot) -> None:
    """Send the organiser's requests to each process, because an organiser without an answer repeats its request."""
    harness.voided = plot.voided
    await harness.open()
    harness.come(*plot.bots)
    await harness.tournaments.create(wish(plot.terms, *plot.bots))
    if not (await harness.tournaments.get("cup")).over:
        await harness.tournaments.start("cup")
    await harness.over("cup")


async def played_by_mortals(store: Store, plot: Plot, lives: Iterator[int]) -> TournamentState:
    """Run processes that each crash after a number of durable writes; the last one does not."""
    for writes in lives:
        harness = HostingHarness(store, Fuse(writes))
        await first_of(played(harness, plot), harness.fuse.blown.wait())
        if not harness.fuse.blown.is_set():
            break
        await killed()
        await store.survives()
    else:
        harness = HostingHarness(store)
        await played(harness, plot)
    state = await harness.tournaments.get("cup")
    await harness.close()
    return state


async def uninterrupted(plot: Plot) -> tuple[TournamentState, int]:
    """Return the tournament without a crash, and its number of durable writes."""
    store = await new_store(plot)
    harness = HostingHarness(store)
    await played(harness, plot)
    state = await harness.tournaments.get("cup")
    await harness.close()
    return state, harness.fuse.written


async def new_store(plot: Plot, on_disk: Path | None = None) -> Store:
    store = Store(on_disk)
    await store.register(*plot.bots)
    return store


def told(state: TournamentState) -> Any:
    """Return everything that must be the same. In an SPRT trial, only pairings that counted."""
    tournament = state.tournament
    counted = tournament.trial_progress.sets or None
    courses = [*tournament.pairings.values()][:counted]
    return (
        tournament.phase,
        [(course.pairing, course.scores, course.void_counts, sorted(course.match_ids.items())) for course in courses],
        tournament.standings(),
        tournament.trial_progress,
    )


async def check_the_logs(store: Store, state: TournamentState) -> None:
    """Check that the tournament's log holds each result once, as its match does, and that no match remains."""
    entries = await store.matches.contests.read("tournament/cup")
    assert [entry.number for entry in entries] == [*range(1, len(entries) + 1)]
    assert list(replay(fold_tournament, entries))[-1].state == state
    scored = Counter(
        (entry.event.pairing, entry.event.number) for entry in entries if isinstance(entry.event, ContestMatchScored)
    )
    assert set(scored.values()) == {1}
    planned = [it.id for entry in entries if isinstance(entry.event, TournamentPaired) for it in entry.event.pairings]
    assert len(planned) == len(set(planned))
    assert await store.matches.unfinished() == []
    ids = {match_id for course in state.tournament.pairings.values() for match_id in course.match_ids.values()}
    assert set(await store.match_ids()) == ids
    for course in state.tournament.pairings.values():
        for number, score in course.scores.items():
            end = (await store.matches.read(course.match_ids[number, course.current_attempt(number)]))[-1].event
            assert isinstance(end, PlayEnded)
            ranks = dict(zip(course.pairing.seats_of_match(number), end.result.ranks, strict=True))
            assert score.ranks == tuple(ranks[name] for name in course.pairing.entrants)


def walked(plot: Plot, steps: slice) -> None:
    @in_loop
    async def walk() -> None:
        alone, writes = await uninterrupted(plot)
        assert writes > 20
        for stops_after in range(1, writes + 1)[steps]:
            store = await new_store(plot)
            state = await played_by_mortals(store, plot, iter([stops_after]))
            assert told(state) == told(alone), f"stopped after write {stops_after}"
            await check_the_logs(store, state)

    walk()


@pytest.mark.parametrize("plot", PLOTS)
def test_a_tournament_that_was_stopped_at_some_writes_ends_as_if_nobody_had_stopped_it(plot: str) -> None:
    walked(PLOTS[plot], slice(3, None, 17))


@pytest.mark.soak
@pytest.mark.parametrize("plot", PLOTS)
def test_a_tournament_that_was_stopped_at_any_write_ends_as_if_nobody_had_stopped_it(plot: str) -> None:
    walked(PLOTS[plot], slice(None))


@pytest.mark.slow
@pytest.mark.parametrize("plot", PLOTS)
def test_so_it_is_on_disk(plot: str, tmp_path: Path) -> None:
    @in_loop
    async def lived() -> None:
        alone, _ = await uninterrupted(PLOTS[plot])
        store = await new_store(PLOTS[plot], tmp_path / "log.db")
        state = await played_by_mortals(store, PLOTS[plot], iter([13] * 100))
        assert told(state) == told(alone)
        await check_the_logs(store, state)
        await store.matches.close()

    lived()


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize("writes", [11, 19])
def test_no_process_has_to_live_long(plot: str, writes: int) -> None:
    @in_loop
    async def lived() -> None:
        alone, _ = await uninterrupted(PLOTS[plot])
        store = await new_store(PLOTS[plot])
        state = await played_by_mortals(store, PLOTS[plot], iter([writes] * 100))
        assert told(state) == told(alone)
        await check_the_logs(store, state)

    lived()
