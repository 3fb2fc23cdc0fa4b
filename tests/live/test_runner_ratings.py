"""A result and its rating changes are one transaction: both are written once, or neither; no match is lost by it."""

import asyncio
from pathlib import Path

import pytest

from referee.live.match_request import LADDER
from referee.live.match_timing import LoopTime
from referee.live.ports import LogUnavailable, RunnerDependencies
from referee.live.runner import LAST_RETRY_US, MatchRunner
from referee.match.clock import DAY, SECOND, SuddenDeath
from referee.match.commands import Resign, StartPlay, VoidMatch
from referee.match.events import PlayEnded
from referee.match.result import EndCause
from referee.match.setup import Player, Setup
from referee.match.state import MatchPhase
from referee.storage.sqlite.event_log import SqliteEventLog
from tests.live.fake_rating_writer import LadderRater, rated_matches, told_ratings
from tests.live.fake_time import settled
from tests.live.runner_harness import NotingKeeper, Scene, goes_on, in_loop, terms
from tests.strangers_games.strangers_games import NIM

ON_LADDER = ((LADDER, "main"),)
BOT0, BOT1 = Player("bot0", "1"), Player("bot1", "1")


class RatedScene(Scene):
    """One process with its runners and a ladder."""

    def __init__(self, beside: Scene | None = None) -> None:
        super().__init__(beside)
        self.ladder = LadderRater(self.stored.contests)

    @property
    def desk(self) -> RunnerDependencies:
        return RunnerDependencies(self.log, self.time, self.keeper, self.ladder)

    async def end(self, match_id: str = "m1") -> PlayEnded:
        end = (await self.events(match_id))[-1]
        assert isinstance(end, PlayEnded)
        return end

    async def agrees(self) -> bool:
        """Return whether the ratings equal those that follow from the results in the ladder's log."""
        return self.ladder.ratings == await told_ratings(self.stored.contests)


def rated_terms(match_id: str = "m1") -> Setup:
    return terms(match_id=match_id, labels=ON_LADDER)


@in_loop
async def test_an_end_says_what_it_did_to_ratings_to_everybody_who_hears_of_it() -> None:
    scene = RatedScene()
    runner = await scene.begun(rated_terms())
    decided = await runner.submit(Resign(0))
    one, other = (await scene.end()).ratings
    assert (one.seat, one.bot, one.version) == (0, "bot0", "1")
    assert one.after.value < one.before.value == other.before.value < other.after.value
    assert one.after.deviation < one.before.deviation
    assert (one.before.matches, one.after.matches) == (0, 1)
    assert runner.match.ratings == decided.match.ratings == (one, other)
    assert decided.events[-1] == await scene.end() == scene.keeper.heard[-1].event
    assert await scene.log_tells_of(runner)
    assert await rated_matches(scene.stored.contests) == ["m1"]
    assert await scene.agrees()
    await runner.close()


@in_loop
async def test_the_next_match_is_rated_by_what_the_last_one_left() -> None:
    scene = RatedScene()
    for match_id in ("m1", "m2"):
        runner = await scene.begun(rated_terms(match_id))
        await runner.submit(Resign(0))
        await runner.close()
    assert [change.before for change in (await scene.end("m2")).ratings] == [
        change.after for change in (await scene.end("m1")).ratings
    ]


@in_loop
async def test_many_that_end_at_once_are_rated_one_after_the_other() -> None:
    scene = RatedScene()
    runners = [await scene.begun(rated_terms(f"m{number}")) for number in range(12)]
    await asyncio.gather(*(runner.submit(Resign(number % 2)) for number, runner in enumerate(runners)))
    rated = await rated_matches(scene.stored.contests)
    assert sorted(rated) == sorted(runner.match_id for runner in runners)
    assert scene.ladder.ratings[BOT0].matches == 12
    assert await scene.agrees()
    await asyncio.gather(*(runner.close() for runner in runners))


@in_loop
async def test_unrated_and_void_matches_do_not_ask_for_ratings() -> None:
    scene = RatedScene()
    scene.ladder.fault = AssertionError("it was asked")
    unrated, void = await scene.begun(terms()), await scene.begun(rated_terms("m2"))
    await unrated.submit(Resign(0))
    await void.submit(VoidMatch(EndCause.DECLARED, "the power went"))
    assert (await scene.end("m1")).ratings == (await scene.end("m2")).ratings == ()
    assert scene.keeper.faults == []
    await unrated.close()
    await void.close()


@in_loop
async def test_a_flag_that_falls_is_rated_too() -> None:
    scene = RatedScene()
    runner = await scene.begun(rated_terms())
    await scene.time.passes(11 * SECOND)
    assert [change.bot for change in (await scene.end()).ratings] == ["bot0", "bot1"]
    assert await scene.agrees()
    await runner.close()


@in_loop
async def test_while_the_log_is_away_the_match_stands_still_and_is_rated_when_it_is_back() -> None:
    scene = RatedScene()
    runner = await scene.begun(rated_terms())
    other = await scene.begun(rated_terms("m2"))
    scene.log.goes_away()
    with pytest.raises(LogUnavailable):
        await runner.submit(Resign(0))
    assert goes_on(runner)
    assert scene.ladder.ratings == {}
    assert scene.keeper.faults == []
    scene.log.comes_back()
    await other.submit(Resign(0))  # Meanwhile the ladder's log grows.
    await runner.submit(Resign(0))
    assert await rated_matches(scene.stored.contests) == ["m2", "m1"]
    assert [change.before.matches for change in (await scene.end("m1")).ratings] == [1, 1]
    assert await scene.agrees()
    await runner.close()
    await other.close()


@in_loop
async def test_while_the_ladder_cannot_be_read_its_match_is_not_ended_without_it() -> None:
    scene = RatedScene()
    runner = await scene.begun(rated_terms())
    scene.ladder.fault = LogUnavailable("the disk is gone")
    with pytest.raises(LogUnavailable, match="disk is gone"):
        await runner.submit(Resign(0))
    assert goes_on(runner)
    scene.ladder.fault = None
    await runner.submit(Resign(0))
    assert await rated_matches(scene.stored.contests) == ["m1"]
    assert scene.keeper.faults == []
    await runner.close()


@in_loop
async def test_a_flag_that_could_not_be_written_is_rated_once_when_it_can() -> None:
    scene = RatedScene()
    runner = await scene.begun(rated_terms())
    scene.log.goes_away()
    await scene.time.passes(30 * SECOND)
    scene.log.comes_back()
    await scene.time.passes(LAST_RETRY_US)
    assert runner.match.phase is MatchPhase.OVER
    assert await rated_matches(scene.stored.contests) == ["m1"]
    assert await scene.log_tells_of(runner)
    await runner.close()


@in_loop
async def test_where_another_process_has_rated_meanwhile_the_match_is_rated_anew() -> None:
    here, there = (scene := RatedScene()), RatedScene(beside=scene)
    mine, theirs = await here.begun(rated_terms("m1")), await there.begun(rated_terms("m2"))
    await theirs.submit(Resign(0))
    decided = await mine.submit(Resign(0))
    assert await rated_matches(scene.stored.contests) == ["m2", "m1"]
    assert [change.before.matches for change in decided.match.ratings] == [1, 1]
    assert here.keeper.faults == []
    assert here.keeper.was_left == []
    assert await here.agrees()
    await mine.close()
    await theirs.close()


@in_loop
async def test_of_two_runners_of_one_match_only_the_first_to_write_is_rated() -> None:
    here, there = (scene := RatedScene()), RatedScene(beside=scene)
    runner = await here.begun(rated_terms())
    twin = MatchRunner(runner.match, there.desk)  # Like two runners of one match after a network partition.
    await settled()
    verdicts = await asyncio.gather(runner.submit(Resign(0)), twin.submit(Resign(1)), return_exceptions=True)
    assert [isinstance(verdict, Exception) for verdict in verdicts] == [False, True]
    assert there.keeper.was_left == ["m1"]
    assert await rated_matches(scene.stored.contests) == ["m1"]
    await runner.close()
    await twin.close()


class HastyLadder(LadderRater):
    """Ladder that never reads what other processes have written."""

    async def _read_anew(self) -> None:
        pass


@in_loop
async def test_a_ladder_that_is_never_as_it_was_read_makes_its_match_stand_still_and_no_more() -> None:
    here, there = (scene := RatedScene()), RatedScene(beside=scene)
    here.ladder = HastyLadder(scene.stored.contests)
    mine, theirs = await here.begun(rated_terms("m1")), await there.begun(rated_terms("m2"))
    await theirs.submit(Resign(0))
    with pytest.raises(LogUnavailable, match="grew during each"):
        await mine.submit(Resign(0))
    assert goes_on(mine)
    here.ladder.number = 1  # As if it had read the log.
    await mine.submit(Resign(0))
    assert await rated_matches(scene.stored.contests) == ["m2", "m1"]
    assert here.keeper.was_left == []
    await mine.close()
    await theirs.close()


@in_loop
async def test_a_mistake_in_the_ratings_costs_the_rating_and_not_the_match() -> None:
    scene = RatedScene()
    scene.ladder.fault = ZeroDivisionError("a mistake of ours")
    runner = await scene.begun(rated_terms())
    decided = await runner.submit(Resign(0))
    assert decided.match.phase is MatchPhase.OVER
    assert (await scene.end()).ratings == ()
    assert await rated_matches(scene.stored.contests) == []
    assert scene.keeper.faults == [scene.ladder.fault]
    await runner.close()


@pytest.mark.parametrize("fault", [ZeroDivisionError("a mistake of ours"), LogUnavailable("the disk is full")])
@in_loop
async def test_what_goes_wrong_after_the_stroke_undoes_nothing(fault: Exception) -> None:
    scene = RatedScene()
    scene.ladder.fault_when_written = fault
    runner = await scene.begun(rated_terms())
    decided = await runner.submit(Resign(0))
    assert decided.match.ratings == (await scene.end()).ratings != ()
    assert await rated_matches(scene.stored.contests) == ["m1"]
    assert scene.keeper.faults == [fault]
    assert await scene.log_tells_of(runner)
    await runner.close()


@in_loop
async def test_in_a_file_results_and_ratings_agree_when_it_is_opened_again(tmp_path: Path) -> None:
    time, path = LoopTime(), tmp_path / "log.db"
    log = SqliteEventLog(path, time.wall_ms)
    ladder = LadderRater(log.contests)
    desk = RunnerDependencies(log, time, NotingKeeper(), ladder)
    setups = [terms(match_id=f"m{number}", control=SuddenDeath(DAY), labels=ON_LADDER) for number in range(10)]
    runners = [await MatchRunner.open(setup, NIM, desk) for setup in setups]
    await asyncio.gather(*(runner.submit(StartPlay()) for runner in runners))
    await asyncio.gather(*(runner.submit(Resign(number % 2)) for number, runner in enumerate(runners)))
    await asyncio.gather(*(runner.close() for runner in runners))
    await log.close()

    log = SqliteEventLog(path, time.wall_ms)
    assert await log.unfinished() == []
    assert await told_ratings(log.contests) == ladder.ratings
    told = {runner.match_id: runner.match.ratings for runner in runners}
    for match_id in await rated_matches(log.contests):
        end = (await log.read(match_id))[-1].event
        assert isinstance(end, PlayEnded)
        assert end.ratings == told.pop(match_id) != ()
    assert told == {}
    await log.close()
