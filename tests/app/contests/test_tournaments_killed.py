"""The walk: the world stops after a durable write of a tournament, whichever it is, and another process goes on.

The same pairings follow, every result is there once, and the table is that of a tournament that nobody stopped.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from referee.app.contests.book import folded
from referee.app.contests.held import Held, fold
from referee.app.contests.terms import TournamentTerms
from referee.contest.duplicate import Duplicate
from referee.contest.formats import Elimination, RoundRobin, Swiss, Trial
from referee.contest.match_events import Scored
from referee.contest.sprt import Sprt
from referee.contest.tournament_events import Paired
from referee.core.events import PlayEnded
from tests.app.contests.stage import Fuse, Stage, Store, first_of, killed, terms, wish
from tests.app.scene import in_loop

BOTS = ("ada", "bob", "cyd", "dan")


@dataclass(frozen=True)
class Plot:
    """A tournament, and what becomes of it besides."""

    terms: TournamentTerms
    bots: tuple[str, ...] = BOTS
    voided: frozenset[str] = frozenset()


PLOTS = {
    "round robin": Plot(terms(RoundRobin(), matches_at_once=3)),
    "swiss": Plot(terms(Swiss(2))),
    "knock-out with voids": Plot(
        terms(Elimination(third_place=True)), voided=frozenset({"w1.1/1.1", "w2.1/1.1", "w2.1/1.2"})
    ),
    "in sets with a void": Plot(terms(RoundRobin(), duplicate=Duplicate(2)), BOTS[:3], frozenset({"1.1/2.1"})),
    "a test of two": Plot(terms(Trial(Sprt(400, matches_at_most=6)), matches_at_once=4), BOTS[:2]),
}


async def played(stage: Stage, plot: Plot) -> None:
    """What the organiser asks of each process: who has no answer asks again."""
    stage.voided = plot.voided
    await stage.open()
    stage.come(*plot.bots)
    await stage.tournaments.create(wish(plot.terms, *plot.bots))
    if not (await stage.tournaments.tournament("cup")).over:
        await stage.tournaments.start("cup")
    await stage.over("cup")


async def played_by_mortals(store: Store, plot: Plot, lives: Iterator[int]) -> Held:
    """By processes each of which dies after so many writes; the last one lives."""
    for writes in lives:
        stage = Stage(store, Fuse(writes))
        await first_of(played(stage, plot), stage.fuse.blown.wait())
        if not stage.fuse.blown.is_set():
            break
        await killed()
        await store.survives()
    else:
        stage = Stage(store)
        await played(stage, plot)
    held = await stage.tournaments.tournament("cup")
    await stage.close()
    return held


async def uninterrupted(plot: Plot) -> tuple[Held, int]:
    """And how many writes it took."""
    store = await new_store(plot)
    stage = Stage(store)
    await played(stage, plot)
    held = await stage.tournaments.tournament("cup")
    await stage.close()
    return held, stage.fuse.written


async def new_store(plot: Plot, on_disk: Path | None = None) -> Store:
    store = Store(on_disk)
    await store.register(*plot.bots)
    return store


def told(held: Held) -> Any:
    """All that must come out the same. Of a test, nothing beyond what counted."""
    tournament = held.tournament
    counted = tournament.progress.sets or None
    courses = [*tournament.courses.values()][:counted]
    return (
        tournament.phase,
        [(course.pairing, course.scores, course.voided, sorted(course.match_ids.items())) for course in courses],
        tournament.standings(),
        tournament.progress,
    )


async def check_the_logs(store: Store, held: Held) -> None:
    """Every result in the tournament's log is there once, and is that of its match; no match is left over."""
    entries = await store.matches.contests.read("tournament/cup")
    assert [entry.number for entry in entries] == [*range(1, len(entries) + 1)]
    assert folded(fold, entries)[-1].state == held
    scored = Counter((entry.event.pairing, entry.event.number) for entry in entries if isinstance(entry.event, Scored))
    assert set(scored.values()) == {1}
    planned = [it.id for entry in entries if isinstance(entry.event, Paired) for it in entry.event.pairings]
    assert len(planned) == len(set(planned))
    assert await store.matches.unfinished() == []
    ids = {match_id for course in held.tournament.courses.values() for match_id in course.match_ids.values()}
    assert set(await store.match_ids()) == ids
    for course in held.tournament.courses.values():
        for number, score in course.scores.items():
            end = (await store.matches.read(course.match_ids[number, course.attempt(number)]))[-1].event
            assert isinstance(end, PlayEnded)
            ranks = dict(zip(course.pairing.seated(number), end.result.ranks, strict=True))
            assert score.ranks == tuple(ranks[name] for name in course.pairing.entrants)


def walked(plot: Plot, steps: slice) -> None:
    @in_loop
    async def walk() -> None:
        alone, writes = await uninterrupted(plot)
        assert writes > 20
        for stops_after in range(1, writes + 1)[steps]:
            store = await new_store(plot)
            held = await played_by_mortals(store, plot, iter([stops_after]))
            assert told(held) == told(alone), f"stopped after write {stops_after}"
            await check_the_logs(store, held)

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
        held = await played_by_mortals(store, PLOTS[plot], iter([13] * 100))
        assert told(held) == told(alone)
        await check_the_logs(store, held)
        await store.matches.close()

    lived()


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize("writes", [11, 19])
def test_no_process_has_to_live_long(plot: str, writes: int) -> None:
    @in_loop
    async def lived() -> None:
        alone, _ = await uninterrupted(PLOTS[plot])
        store = await new_store(PLOTS[plot])
        held = await played_by_mortals(store, PLOTS[plot], iter([writes] * 100))
        assert told(held) == told(alone)
        await check_the_logs(store, held)

    lived()
