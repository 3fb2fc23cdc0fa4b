"""The two paths of a command through a runner, idle and queued, give the same log."""

import asyncio
import random
from functools import partial

from referee_values import IllegalMovePolicy, Policies

from referee.live.ports import settle
from referee.live.queued_command import QueuedCommand
from referee.live.runner import MatchRunner
from referee.match.clock import MS
from referee.match.commands import Command, DisconnectSeat, OfferDraw, ReconnectSeat
from referee.match.decision import Decision
from referee.storage.codec import MATCH_CODEC
from tests.live.runner_harness import RunnerHarness, answer, in_loop, is_playing, match_setup
from tests.third_party_games.third_party_games import FINGERS, NIM


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


@in_loop
async def test_idle_and_queued_commands_give_the_same_log() -> None:
    for seed in range(20):
        lines = await play_log(seed, queued=False)
        assert lines == await play_log(seed, queued=True)
        assert len(lines) > 3
