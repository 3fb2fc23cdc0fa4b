"""The walk: the world stops after a durable write of a ladder, whichever it is, and another process goes on.

The same pairings follow, every match is rated once, and ratings and table are those of a ladder that nobody
stopped. One match at a time: else who is free first, and so who meets whom, would be a matter of the process.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from engines.refusals import Refusal
from referee.app.contests.ladder_wish import LadderWish
from referee.app.contests.terms import DuplicatePlay, LadderTerms
from referee.app.sessions import Hello
from referee.contest.ladder_events import Event, Paired, Rated
from referee.contest.match_events import Began, Scored, Voided
from tests.app.contests.ladder_stage import check_the_logs, climber, events, ladder_terms, rated, until
from tests.app.contests.stage import Fuse, Stage, Store, first_of, killed
from tests.app.scene import in_loop

BOTS = ("ada", "bob", "cyd", "dan")
TOLD = (Paired, Began, Scored, Voided, Rated)


@dataclass(frozen=True)
class Plot:
    """A ladder, and what becomes of it besides."""

    terms: LadderTerms
    matches: int = 5
    """How many are rated before everybody goes home."""
    voided: frozenset[str] = frozenset()
    challenged: bool = False


ONE_AT_A_TIME = {"matches_at_once": 1, "provisional_matches": 2}
PLOTS = {
    "single matches": Plot(ladder_terms(**ONE_AT_A_TIME)),
    "with voids": Plot(ladder_terms(**ONE_AT_A_TIME), voided=frozenset({"1/1.1", "3/1.1", "3/1.2"})),
    "in sets": Plot(ladder_terms(**ONE_AT_A_TIME, duplicate=DuplicatePlay()), voided=frozenset({"2/2.1"})),
    "with a challenge": Plot(ladder_terms(**ONE_AT_A_TIME), challenged=True),
}


async def played(stage: Stage, plot: Plot, hello: Hello) -> None:
    """What everybody asks of each process: who has no answer asks again."""
    stage.voided = plot.voided
    await stage.open()
    await stage.ladders.create(LadderWish("main", "org", "r1", plot.terms))
    for bot in BOTS:
        with suppress(Refusal):  # It is on it already.
            await stage.ladders.join("main", climber(bot))
    if plot.challenged:
        await stage.ladders.challenge("main", "org/c", ("cyd", "dan"))
    stage.come(*BOTS, hello=hello)
    await until(stage, rated(plot.matches))


async def played_by_mortals(store: Store, plot: Plot, lives: Iterator[int], hello: Hello) -> None:
    """By processes each of which dies after so many writes; the last one lives."""
    for writes in lives:
        stage = Stage(store, Fuse(writes))
        await first_of(played(stage, plot, hello), stage.fuse.blown.wait())
        await killed()
        await store.survives()
        if not stage.fuse.blown.is_set():
            return
    stage = Stage(store)
    await played(stage, plot, hello)
    await stage.close()


async def new_store() -> Store:
    store = Store()
    await store.register(*BOTS)
    return store


def told(happened: list[Event], plot: Plot) -> Any:
    """All that must come out the same, up to the last match that counts here. Ratings are in it, before and after."""
    kept = [event for event in happened if isinstance(event, TOLD)]
    ends = [at for at, event in enumerate(kept) if isinstance(event, Rated)]
    return kept[: ends[plot.matches - 1] + 1]


ONE = Hello(matches_at_most=1)


def walked(plot: Plot, steps: slice) -> None:
    @in_loop
    async def walk() -> None:
        store = await new_store()
        stage = Stage(store)
        await played(stage, plot, ONE)
        writes = stage.fuse.written
        await stage.close()
        alone = told(await events(store), plot)
        assert writes > 20
        for stops_after in range(1, writes + 1)[steps]:
            store = await new_store()
            await played_by_mortals(store, plot, iter([stops_after]), ONE)
            assert told(await events(store), plot) == alone, f"stopped after write {stops_after}"
            await check_the_logs(store)

    walk()


@pytest.mark.parametrize("plot", PLOTS)
def test_a_ladder_that_was_stopped_at_some_writes_goes_on_as_if_nobody_had_stopped_it(plot: str) -> None:
    walked(PLOTS[plot], slice(3, None, 17))


@pytest.mark.soak
@pytest.mark.parametrize("plot", PLOTS)
def test_a_ladder_that_was_stopped_at_any_write_goes_on_as_if_nobody_had_stopped_it(plot: str) -> None:
    walked(PLOTS[plot], slice(None))


@pytest.mark.parametrize("writes", [13, 29])
def test_where_many_play_at_once_and_no_process_lives_long_every_result_is_rated_once(writes: int) -> None:
    @in_loop
    async def lived() -> None:
        store = await new_store()
        plot = Plot(ladder_terms(), matches=25, voided=frozenset({"2/1.1", "5/1.1"}))
        await played_by_mortals(store, plot, iter([writes] * 200), Hello(matches_at_most=2))
        await check_the_logs(store)

    lived()
