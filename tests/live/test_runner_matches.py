"""Whole matches through a runner: its state is the fold of the log, and it announced exactly the entries of the log."""

import asyncio
import random
import tracemalloc
from functools import partial

import pytest
from referee_values import IllegalMovePolicy, Policies

from engines.alquerque import GAME as ALQUERQUE
from engines.api import Game
from referee.live.ports import settle
from referee.live.queued_command import QueuedCommand
from referee.live.runner import MatchRunner
from referee.match.clock import MS, SECOND, Fischer
from referee.match.commands import Command, DisconnectSeat, OfferDraw, ReconnectSeat
from referee.match.decision import Decision
from referee.match.events import MatchCreated, MovePlayed, PlayEnded
from referee.match.result import EndKind
from referee.storage.codec import MATCH_CODEC
from tests.live.runner_harness import GAMES, RunnerHarness, answer, is_playing, match_setup, submit_move
from tests.third_party_games.third_party_games import FINGERS, NIM

GAMES["alquerque"] = ALQUERQUE


@pytest.mark.parametrize("game", [NIM, FINGERS, ALQUERQUE], ids=lambda game: game.name)
async def test_a_whole_match_equals_the_fold_of_its_log_and_was_announced(process: RunnerHarness, game: Game) -> None:
    rng = random.Random(1)
    runner = await process.start_match(match_setup(game, control=Fischer(60 * SECOND, SECOND)))
    while is_playing(runner):
        turn = rng.choice(runner.match.owing)
        await process.time.advance(rng.randrange(5 * MS))
        await submit_move(runner, turn.seat, rng.choice(runner.match.require_position().moves(turn.seat)))
    events = await process.events()
    assert isinstance(events[0], MatchCreated)
    assert isinstance(events[-1], PlayEnded)
    assert runner.match.result
    assert runner.match.result.kind is EndKind.PLAYED
    assert await process.log_agrees_with(runner)
    assert process.time.alarms_us == []
    assert process.observer.faults == []


async def test_simultaneous_answers_are_decided_one_after_the_other(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup(FINGERS))
    for _ in range(3):
        await asyncio.gather(*(submit_move(runner, seat, str(seat + 1)) for seat in range(3)))
    assert not is_playing(runner)
    assert [event.seat for event in await process.events() if isinstance(event, MovePlayed)] == [0, 1, 2] * 3
    assert await process.log_agrees_with(runner)


@pytest.mark.slow
@pytest.mark.parametrize("matches", [1_000, pytest.param(10_000, marks=pytest.mark.soak)])
async def test_a_match_in_memory_stays_below_its_size_limit(process: RunnerHarness, matches: int) -> None:
    tracemalloc.start()
    runners = [await process.start_match(match_setup(match_id=f"m{number}")) for number in range(matches)]
    bytes_per_match = tracemalloc.get_traced_memory()[0] / len(runners)
    tracemalloc.stop()
    assert bytes_per_match < 8_192, "runner and match"
    assert len(process.time.alarms_us) == len(runners), "one alarm a match"


async def execute_queued(runner: MatchRunner, command: Command) -> Decision:
    """Execute a command as if the runner were busy."""
    decided: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
    runner._enqueue(QueuedCommand(command, partial(settle, decided), None, "", None))
    return await decided


def next_command(runner: MatchRunner, rng: random.Random) -> Command:
    seat = rng.choice(runner.match.owing).seat
    others: list[Command] = [DisconnectSeat(seat), ReconnectSeat(seat), OfferDraw(seat)]
    text = rng.choice([*runner.match.require_position().moves(seat), "nonsense"])
    return answer(runner, seat, text) if rng.random() < 0.8 else rng.choice(others)


async def play_log(seed: int, *, queued: bool) -> list[str]:
    rng, harness = random.Random(seed), RunnerHarness()
    runner = await harness.start_match(
        match_setup(rng.choice([NIM, FINGERS]), policies=Policies(illegal_move=IllegalMovePolicy(max_attempts=4)))
    )
    while is_playing(runner):
        command = next_command(runner, rng)
        decision = execute_queued(runner, command) if queued else runner.submit(command)
        await asyncio.gather(decision, return_exceptions=True)
        await harness.time.advance(rng.randrange(1, 900 * MS))
    return [MATCH_CODEC.encode(event) for event in await harness.events()]


async def test_idle_and_queued_commands_give_the_same_log() -> None:
    for seed in range(20):
        lines = await play_log(seed, queued=False)
        assert lines == await play_log(seed, queued=True)
        assert len(lines) > 3
