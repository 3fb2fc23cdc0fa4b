"""A ladder whose process is killed after any of its durable writes, and continued by another process.

The pairings are the same, every match is rated once, and ratings and standings are those of a ladder that was never
killed. One match is played at a time, or the pairings would depend on which bot is free first.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from engines.refusals import Refusal
from referee.contests.ladder.events import LadderEvent, LadderPaired, MatchRated
from referee.contests.pairing import ContestMatchScored, ContestMatchStarted, ContestMatchVoided
from referee.hosting.contest_terms import DuplicatePlay, LadderTerms
from referee.hosting.ladder_host import LadderRequest
from referee.live.sessions import Hello
from tests.hosting.harness import Fuse, HostingHarness, Store, first_of, killed
from tests.hosting.ladder_harness import check_the_logs, climber, events, ladder_terms, rated, until
from tests.live.runner_harness import in_loop

BOTS = ("ada", "bob", "cyd", "dan")
TOLD = (LadderPaired, ContestMatchStarted, ContestMatchScored, ContestMatchVoided, MatchRated)


@dataclass(frozen=True)
class Plot:
    """Terms of a ladder, and the events of the scenario."""

    terms: LadderTerms
    matches: int = 5
    """Number of rated matches after which the scenario ends."""
    voided: frozenset[str] = frozenset()
    challenged: bool = False


ONE_AT_A_TIME = {"matches_at_once": 1, "provisional_matches": 2}
PLOTS = {
    "single matches": Plot(ladder_terms(**ONE_AT_A_TIME)),
    "with voids": Plot(ladder_terms(**ONE_AT_A_TIME), voided=frozenset({"1/1.1", "3/1.1", "3/1.2"})),
    "in sets": Plot(ladder_terms(**ONE_AT_A_TIME, duplicate=DuplicatePlay()), voided=frozenset({"2/2.1"})),
    "with a challenge": Plot(ladder_terms(**ONE_AT_A_TIME), challenged=True),
}


async def played(harness: HostingHarness, plot: Plot, hello: Hello) -> None:
    """Send the requests of all clients to each process, because a client without an answer repeats its request."""
    harness.voided = plot.voided
    await harness.open()
    await harness.ladders.create(LadderRequest("main", "org", "r1", plot.terms))
    for bot in BOTS:
        with suppress(Refusal):  # It has joined already.
            await harness.ladders.join("main", climber(bot))
    if plot.challenged:
        await harness.ladders.challenge("main", "org/c", ("cyd", "dan"))
    harness.come(*BOTS, hello=hello)
    await until(harness, rated(plot.matches))


async def played_by_mortals(store: Store, plot: Plot, lives: Iterator[int], hello: Hello) -> None:
    """Run processes that each crash after a number of durable writes, until one does not."""
    for writes in lives:
        harness = HostingHarness(store, Fuse(writes))
        await first_of(played(harness, plot, hello), harness.fuse.blown.wait())
        await killed()
        await store.survives()
        if not harness.fuse.blown.is_set():
            return
    harness = HostingHarness(store)
    await played(harness, plot, hello)
    await harness.close()


async def new_store() -> Store:
    store = Store()
    await store.register(*BOTS)
    return store


def told(happened: list[LadderEvent], plot: Plot) -> Any:
    """Return all events that must be the same, with ratings before and after, up to the last match that counts here."""
    kept = [event for event in happened if isinstance(event, TOLD)]
    ends = [at for at, event in enumerate(kept) if isinstance(event, MatchRated)]
    return kept[: ends[plot.matches - 1] + 1]


ONE = Hello(max_matches=1)


def walked(plot: Plot, steps: slice) -> None:
    @in_loop
    async def walk() -> None:
        store = await new_store()
        harness = HostingHarness(store)
        await played(harness, plot, ONE)
        writes = harness.fuse.written
        await harness.close()
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
        await played_by_mortals(store, plot, iter([writes] * 200), Hello(max_matches=2))
        await check_the_logs(store)

    lived()
