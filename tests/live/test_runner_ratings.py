"""A result and its rating changes are written in one transaction: both once, or neither."""

import asyncio

import pytest

from referee.live.match_request import LADDER
from referee.live.ports import StoreUnavailable
from referee.live.runner_dependencies import RunnerDependencies
from referee.match.commands import Resign, VoidMatch
from referee.match.events import PlayEnded
from referee.match.result import EndCause
from referee.match.setup import Player, Setup
from referee.match.state import MatchPhase
from tests.live.fake_rating_writer import FakeRatingWriter, rated_matches
from tests.live.fake_time import settle
from tests.live.runner_harness import RunnerHarness, is_playing, match_setup

ON_LADDER = ((LADDER, "main"),)
BOT0, BOT1 = Player("bot0", "1"), Player("bot1", "1")


class RatedRunnerHarness(RunnerHarness):
    """One process with its runners and a ladder."""

    def __init__(self, shared_with: RunnerHarness | None = None) -> None:
        super().__init__(shared_with)
        self.ladder = FakeRatingWriter(self.stored.contests)

    @property
    def dependencies(self) -> RunnerDependencies:
        return RunnerDependencies(self.log, self.time, self.observer, self.ladder)

    async def end(self, match_id: str = "m1") -> PlayEnded:
        end = (await self.events(match_id))[-1]
        assert isinstance(end, PlayEnded)
        return end


@pytest.fixture
def rated() -> RatedRunnerHarness:
    return RatedRunnerHarness()


def rated_setup(match_id: str = "m1") -> Setup:
    return match_setup(match_id=match_id, labels=ON_LADDER)


async def test_the_end_of_a_match_contains_its_rating_changes_for_log_caller_and_observer(
    rated: RatedRunnerHarness,
) -> None:
    runner = await rated.start_match(rated_setup())
    decided = await runner.submit(Resign(0))
    first, second = (await rated.end()).ratings
    assert (first.seat, first.bot, first.version) == (0, "bot0", "1")
    assert first.after.value < first.before.value == second.before.value < second.after.value
    assert first.after.deviation < first.before.deviation
    assert (first.before.matches, first.after.matches) == (0, 1)
    assert runner.match.ratings == decided.match.ratings == (first, second)
    assert decided.events[-1] == await rated.end() == rated.observer.received[-1].event
    assert await rated.log_agrees_with(runner)
    assert await rated_matches(rated.stored.contests) == ["m1"]


async def test_unrated_and_void_matches_do_not_call_the_rating_writer(rated: RatedRunnerHarness) -> None:
    rated.ladder.fault = AssertionError("it was asked")
    unrated, void = await rated.start_match(match_setup()), await rated.start_match(rated_setup("m2"))
    await unrated.submit(Resign(0))
    await void.submit(VoidMatch(EndCause.DECLARED, "the power went"))
    assert (await rated.end("m1")).ratings == (await rated.end("m2")).ratings == ()
    assert rated.observer.faults == []


async def test_a_match_that_ends_during_an_outage_of_the_log_is_rated_later(rated: RatedRunnerHarness) -> None:
    runner = await rated.start_match(rated_setup())
    second = await rated.start_match(rated_setup("m2"))
    rated.log.make_unavailable()
    with pytest.raises(StoreUnavailable):
        await runner.submit(Resign(0))
    assert is_playing(runner)
    assert rated.ladder.ratings == {}
    assert rated.observer.faults == []
    rated.log.make_available()
    await second.submit(Resign(0))  # Meanwhile the ladder's log grows.
    await runner.submit(Resign(0))
    assert await rated_matches(rated.stored.contests) == ["m2", "m1"]
    assert [change.before.matches for change in (await rated.end("m1")).ratings] == [1, 1]


async def test_a_match_does_not_end_while_its_ladder_cannot_be_read(rated: RatedRunnerHarness) -> None:
    runner = await rated.start_match(rated_setup())
    rated.ladder.fault = StoreUnavailable("the disk is gone")
    with pytest.raises(StoreUnavailable, match="disk is gone"):
        await runner.submit(Resign(0))
    assert is_playing(runner)
    rated.ladder.fault = None
    await runner.submit(Resign(0))
    assert await rated_matches(rated.stored.contests) == ["m1"]
    assert rated.observer.faults == []


async def test_a_match_is_rated_again_if_another_process_has_changed_the_ladder(rated: RatedRunnerHarness) -> None:
    other = RatedRunnerHarness(shared_with=rated)
    first_runner = await rated.start_match(rated_setup("m1"))
    second_runner = await other.start_match(rated_setup("m2"))
    await second_runner.submit(Resign(0))
    decided = await first_runner.submit(Resign(0))
    assert await rated_matches(rated.stored.contests) == ["m2", "m1"]
    assert [change.before.matches for change in decided.match.ratings] == [1, 1]
    assert rated.observer.faults == []
    assert rated.observer.stopped_matches == []


async def test_a_match_that_two_runners_end_is_rated_once(rated: RatedRunnerHarness) -> None:
    other = RatedRunnerHarness(shared_with=rated)
    runner = await rated.start_match(rated_setup())
    second_runner = other.run_too(runner.match)  # As after a network partition.
    await settle()
    verdicts = await asyncio.gather(runner.submit(Resign(0)), second_runner.submit(Resign(1)), return_exceptions=True)
    assert [isinstance(verdict, Exception) for verdict in verdicts] == [False, True]
    assert second_runner.match.result == runner.match.result
    assert await rated_matches(rated.stored.contests) == ["m1"]


class NeverReloadingRatingWriter(FakeRatingWriter):
    """Rating writer that never reads what other processes have written."""

    async def _reload(self) -> None:
        pass


async def test_a_ladder_that_conflicts_every_time_rejects_the_command_and_keeps_the_match(
    rated: RatedRunnerHarness,
) -> None:
    other = RatedRunnerHarness(shared_with=rated)
    rated.ladder = NeverReloadingRatingWriter(rated.stored.contests)
    first_runner = await rated.start_match(rated_setup("m1"))
    second_runner = await other.start_match(rated_setup("m2"))
    await second_runner.submit(Resign(0))
    with pytest.raises(StoreUnavailable, match="grew during each"):
        await first_runner.submit(Resign(0))
    assert is_playing(first_runner)
    rated.ladder.number = 1  # As if it had read the log.
    await first_runner.submit(Resign(0))
    assert await rated_matches(rated.stored.contests) == ["m2", "m1"]
    assert rated.observer.stopped_matches == []


async def test_a_fault_in_the_rating_leaves_the_match_finished_and_unrated(rated: RatedRunnerHarness) -> None:
    rated.ladder.fault = ZeroDivisionError("a mistake of ours")
    runner = await rated.start_match(rated_setup())
    decided = await runner.submit(Resign(0))
    assert decided.match.phase is MatchPhase.OVER
    assert (await rated.end()).ratings == ()
    assert await rated_matches(rated.stored.contests) == []
    assert rated.observer.faults == [rated.ladder.fault]


@pytest.mark.parametrize("fault", [ZeroDivisionError("a mistake of ours"), StoreUnavailable("the disk is full")])
async def test_a_fault_after_the_transaction_undoes_nothing(rated: RatedRunnerHarness, fault: Exception) -> None:
    rated.ladder.fault_after_write = fault
    runner = await rated.start_match(rated_setup())
    decided = await runner.submit(Resign(0))
    assert decided.match.ratings == (await rated.end()).ratings != ()
    assert await rated_matches(rated.stored.contests) == ["m1"]
    assert rated.observer.faults == [fault]
    assert await rated.log_agrees_with(runner)
