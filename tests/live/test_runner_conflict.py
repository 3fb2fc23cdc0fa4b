"""Runners of several processes on one log: one history, which every runner follows."""

import asyncio
import random

import pytest

from referee.live.runner import MatchRunner
from referee.match.clock import MS, SECOND
from referee.match.commands import FallFlag, OfferDraw
from referee.match.decision import Decision
from referee.match.events import FlagFell, MovePlayed
from referee.match.match_errors import MatchError
from tests.live.fake_time import settle
from tests.live.runner_harness import (
    RunnerHarness,
    ServerProcess,
    answer,
    is_playing,
    match_setup,
    submit_move,
)
from tests.third_party_games.third_party_games import FINGERS, NIM


class TwoProcesses(ServerProcess):
    """Two processes that run one match and notify each other only when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.first = RunnerHarness()
        self.second = RunnerHarness(shared_with=self.first)
        self.time = self.first.time

    async def start(self, **setup: object) -> list[MatchRunner]:
        """Return the runners of a match in play; both know all of its entries."""
        first = await self.first.start_match(match_setup(**setup))  # type: ignore[arg-type]
        return [first, self.second.run_too(first.match)]

    async def notify(self, runner: MatchRunner, after: int) -> None:
        """Notify a runner of all entries after that number."""
        runner.receive(await self.first.stored.read("m1", after))

    async def close(self) -> None:
        await self.first.close()
        await self.second.close()
        for observer in (self.first.observer, self.second.observer):
            assert (observer.faults, observer.stopped_matches) == ([], [])


@pytest.fixture
def processes() -> TwoProcesses:
    return TwoProcesses()


async def test_a_runner_that_loses_a_race_decides_again_on_what_the_winner_wrote(processes: TwoProcesses) -> None:
    winner, loser = await processes.start()
    verdicts = await asyncio.gather(
        winner.submit(OfferDraw(1)), loser.submit(answer(loser, 0, "3")), return_exceptions=True
    )
    assert all(isinstance(verdict, Decision) for verdict in verdicts)
    assert (await processes.first.event_kinds())[-2:] == ["DrawOffered", "MovePlayed"]
    assert await processes.second.log_agrees_with(loser)
    await processes.notify(winner, winner.match.number)
    assert await processes.first.log_agrees_with(winner)
    assert [entry.number for entry in processes.second.observer.foreign] == [3]


async def test_commands_behind_a_lost_race_are_decided_on_the_new_state(processes: TwoProcesses) -> None:
    winner, loser = await processes.start(game=FINGERS)
    await submit_move(winner, 0, "1")
    verdicts = await asyncio.gather(*(submit_move(loser, seat, "1") for seat in (1, 2)), return_exceptions=True)
    assert all(isinstance(verdict, Decision) for verdict in verdicts)
    assert await processes.second.log_agrees_with(loser)


async def test_a_repeated_or_late_notification_changes_nothing(processes: TwoProcesses) -> None:
    first, second = await processes.start()
    await submit_move(first, 0, "1")
    for _ in range(2):
        await processes.notify(second, 2)
        await processes.notify(second, 0)
    assert second.match == first.match
    assert [entry.number for entry in processes.second.observer.received] == [3]


async def test_a_lost_notification_is_read_from_the_log(processes: TwoProcesses) -> None:
    first, second = await processes.start()
    await submit_move(first, 0, "1")
    await submit_move(first, 1, "1")
    await processes.notify(second, 3)  # Entry 3 was never notified.
    await settle()
    assert second.match == first.match
    assert [entry.number for entry in processes.second.observer.received] == [3, 4]


async def test_a_notification_during_a_commit_is_applied_after_it(processes: TwoProcesses) -> None:
    first, second = await processes.start(game=FINGERS)
    processes.second.log.after.clear()
    move = second.submit(answer(second, 1, "1"))
    await settle()
    await processes.notify(first, 2)
    await submit_move(first, 0, "1")
    await processes.notify(second, 3)
    assert second.match.number == 2
    processes.second.log.after.set()
    await move
    await settle()
    assert second.match == first.match
    assert await processes.second.log_agrees_with(second)


async def test_what_others_wrote_is_read_as_soon_as_the_log_can_be_read_again(processes: TwoProcesses) -> None:
    first, second = await processes.start()
    await submit_move(first, 0, "1")
    processes.second.log.make_unavailable()
    second.catch_up()
    await settle()
    assert second.match.number == 2
    processes.second.log.make_available()
    await processes.time.advance(SECOND)
    assert [type(event).__name__ for event in await processes.first.events()][-1] == "RefereeRecovered"
    assert await processes.second.log_agrees_with(second)


async def test_a_bot_is_not_charged_for_the_time_in_which_its_turn_travelled(processes: TwoProcesses) -> None:
    first, second = await processes.start()
    await submit_move(first, 0, "1")
    await processes.time.advance(3 * SECOND)  # The other process learns of the turn three seconds late.
    await processes.notify(second, 2)
    await processes.time.advance(2 * SECOND)
    await submit_move(second, 1, "1")
    row = (await processes.first.move_rows())[1]
    assert (row.stall_us, row.charged_us) == (3 * SECOND, 2 * SECOND)


async def test_an_entry_from_a_process_whose_match_time_is_ahead_charges_nobody(processes: TwoProcesses) -> None:
    first = await processes.first.start_match(match_setup(FINGERS))
    await processes.time.advance(4 * SECOND)
    late = processes.second.run_too(first.match)  # It learns of the match four seconds late.
    await processes.time.advance(SECOND)
    await submit_move(first, 0, "1")
    await processes.notify(late, 2)
    await processes.time.advance(SECOND)
    await submit_move(late, 1, "1")
    assert (await processes.first.move_rows())[1].charged_us == 2 * SECOND
    assert late.match.at_us == 6 * SECOND


async def test_a_flag_that_loses_a_race_against_the_move_does_not_fall(processes: TwoProcesses) -> None:
    first, second = await processes.start()
    await processes.time.advance(9 * SECOND)
    await submit_move(first, 0, "1")
    await processes.time.advance(2 * SECOND)  # By the second process, the first player has used eleven seconds.
    assert not [event for event in await processes.first.events() if isinstance(event, FlagFell)]
    assert second.match == first.match


async def test_a_match_that_others_ended_is_over_for_a_flag_too(processes: TwoProcesses) -> None:
    first, second = await processes.start()
    await processes.time.advance(11 * SECOND)
    assert (await processes.first.event_kinds()).count("PlayEnded") == 1
    await settle()
    assert first.match == second.match
    assert not is_playing(first)
    assert (await second.submit(FallFlag(0, second.measure(0)))).events == ()


async def test_a_damaged_entry_of_another_process_stops_the_runner(processes: TwoProcesses) -> None:
    first, second = await processes.start()
    await submit_move(first, 0, "1")
    foreign = MovePlayed  # An entry that cannot follow: the same move once more.
    (entry,) = await processes.first.stored.read("m1", 2)
    assert isinstance(entry.event, foreign)
    second.receive([entry])
    second.receive([type(entry)("m1", 4, entry.at_ms, entry.event)])
    observer = processes.second.observer
    assert (observer.stopped_matches.pop(), len(observer.faults)) == ("m1", 1)
    observer.faults.clear()


@pytest.mark.parametrize("seed", range(20))
async def test_processes_that_race_at_random_write_one_history(processes: TwoProcesses, seed: int) -> None:
    rng = random.Random(seed)
    runners = await processes.start(game=rng.choice([NIM, FINGERS]))
    while is_playing(runners[0]) or is_playing(runners[1]):
        commands = []
        for runner in runners:
            if owing := runner.match.owing:
                seat = rng.choice(owing).seat
                moves = runner.match.require_position().moves(seat)
                commands.append(runner.submit(answer(runner, seat, rng.choice(moves))))
        verdicts = await asyncio.gather(*commands, return_exceptions=True)
        assert all(isinstance(verdict, Decision | MatchError) for verdict in verdicts)
        for runner in rng.sample(runners, rng.randrange(3)):
            await processes.notify(runner, rng.randrange(runner.match.number))
        await processes.time.advance(rng.randrange(900 * MS))
        if rng.random() < 0.5:
            rng.choice(runners).catch_up()
            await settle()
    assert await processes.first.log_agrees_with(runners[0])
    assert await processes.second.log_agrees_with(runners[1])


async def test_a_match_that_is_resumed_twice_has_one_history(processes: TwoProcesses) -> None:
    opened = await processes.first.start_match(match_setup())
    processes.second.log.before.clear()
    resuming = asyncio.create_task(processes.second.resume_match())
    await settle()
    await submit_move(opened, 0, "1")
    processes.second.log.before.set()
    resumed = await resuming
    assert (await processes.first.event_kinds())[-2:] == ["MovePlayed", "RefereeRecovered"]
    await submit_move(resumed, 1, "1")
    assert await processes.second.log_agrees_with(resumed)
