"""Two runners on one log: exactly one continues, and the other one notices."""

import asyncio

import pytest

from referee.live.ports import Conflict
from referee.live.runner import NotRunHere
from referee.match.clock import SECOND
from referee.match.commands import OfferDraw
from referee.match.decision import Decision
from tests.live.fake_time import settle
from tests.live.runner_harness import RunnerHarness, answer, in_loop, match_setup, submit_move
from tests.third_party_games.third_party_games import FINGERS


@in_loop
async def test_a_runner_stops_for_good_when_another_process_has_written_its_log() -> None:
    old_process, new_process = (harness := RunnerHarness()), RunnerHarness(shared_with=harness)
    outdated = await old_process.start_match(match_setup())
    owner = await new_process.resume_match()
    attempts = len(old_process.log.attempt_times_us)
    with pytest.raises(NotRunHere, match="m1 is not run here"):
        await submit_move(outdated, 0, "1")
    assert old_process.observer.stopped_matches == ["m1"]
    assert old_process.observer.faults == []
    with pytest.raises(NotRunHere):
        outdated.submit(answer(outdated, 0, "1"))
    await harness.time.advance(9 * SECOND)
    assert len(old_process.log.attempt_times_us) == attempts + 1, "it never tries to write again"
    await submit_move(owner, 0, "1")
    assert await new_process.log_agrees_with(owner)
    await owner.close()
    await outdated.close()
    assert harness.time.alarms_us == []


@in_loop
async def test_commands_queued_behind_a_conflict_are_rejected() -> None:
    old_process, new_process = (harness := RunnerHarness()), RunnerHarness(shared_with=harness)
    outdated = await old_process.start_match(match_setup(FINGERS))
    owner = await new_process.resume_match()
    verdicts = await asyncio.gather(*(submit_move(outdated, seat, "1") for seat in range(3)), return_exceptions=True)
    assert [type(verdict) for verdict in verdicts] == [NotRunHere] * 3
    assert len(old_process.observer.received) == 2
    await owner.close()


@in_loop
async def test_an_alarm_that_ran_before_a_conflict_is_ignored() -> None:
    old_process, new_process = (harness := RunnerHarness()), RunnerHarness(shared_with=harness)
    outdated = await old_process.start_match(match_setup())
    owner = await new_process.resume_match()
    old_process.log.before.clear()
    move = outdated.submit(answer(outdated, 0, "1"))
    await harness.time.advance(9 * SECOND)
    await submit_move(owner, 0, "1")
    await harness.time.advance(2 * SECOND)
    old_process.log.before.set()
    with pytest.raises(NotRunHere):
        await move
    assert old_process.observer.stopped_matches == ["m1"]
    assert old_process.observer.faults == []
    await owner.close()


@in_loop
async def test_a_timer_that_causes_a_conflict_stops_its_runner() -> None:
    old_process, new_process = (harness := RunnerHarness()), RunnerHarness(shared_with=harness)
    outdated = await old_process.start_match(match_setup())
    owner = await new_process.resume_match()
    await submit_move(owner, 0, "1")
    await harness.time.advance(11 * SECOND)
    assert old_process.observer.stopped_matches == ["m1"]
    assert (await new_process.event_kinds()).count("PlayEnded") == 1
    assert owner.match.forfeits[0].seat == 1
    await outdated.close()
    await owner.close()


@in_loop
async def test_exactly_one_of_two_concurrent_writers_continues() -> None:
    first_process, second_process = (harness := RunnerHarness()), RunnerHarness(shared_with=harness)
    runners = [await first_process.start_match(match_setup())]
    second_process.log.before.clear()
    resuming = asyncio.create_task(second_process.resume_match())
    await harness.time.advance(0)
    await submit_move(runners[0], 0, "1")
    second_process.log.before.set()
    with pytest.raises(Conflict):
        await resuming
    assert second_process.observer.stopped_matches == []
    await submit_move(runners[0], 1, "1")
    assert await first_process.log_agrees_with(runners[0])
    await runners[0].close()


@pytest.mark.parametrize("first_index", [0, 1])
@in_loop
async def test_the_first_of_two_runners_in_the_same_state_to_write_wins(first_index: int) -> None:
    processes = [(harness := RunnerHarness()), RunnerHarness(shared_with=harness)]
    first_runner = await processes[0].start_match(match_setup())
    second_runner = type(first_runner)(
        first_runner.match, processes[1].dependencies
    )  # Like two runners of one match after a network partition.
    await settle()
    runners = [first_runner, second_runner]
    winner, loser = runners[first_index], runners[1 - first_index]
    verdicts = await asyncio.gather(
        winner.submit(OfferDraw(0)), loser.submit(answer(loser, 0, "3")), return_exceptions=True
    )
    assert isinstance(verdicts[0], Decision)
    assert isinstance(verdicts[1], NotRunHere)
    assert processes[1 - first_index].observer.stopped_matches == ["m1"]
    assert (await harness.event_kinds())[-1] == "DrawOffered"
    assert await processes[first_index].log_agrees_with(winner)
    await winner.close()
    await loser.close()
