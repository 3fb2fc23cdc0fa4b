"""Runners with SQLite and the real clock: everything that was acknowledged is there when the log is opened again."""

import asyncio
from pathlib import Path

from referee.live.create import open_match
from referee.live.match_timing import LoopTime
from referee.live.runner import MatchRunner
from referee.live.runner_dependencies import RunnerDependencies
from referee.match.clock import DAY, SuddenDeath
from referee.match.commands import StartPlay
from referee.storage.sqlite.event_log import SqliteEventLog
from tests.live.runner_harness import GAMES, RecordingObserver, in_loop, is_playing, match_setup, resume, submit_move
from tests.match.match_fixture import replay
from tests.third_party_games.third_party_games import NIM

MATCHES = [f"m{number}" for number in range(20)]
CONTROL = SuddenDeath(DAY)


def open_dependencies(path: Path) -> RunnerDependencies:
    time = LoopTime()
    return RunnerDependencies(SqliteEventLog(path, time.wall_ms), time, RecordingObserver())


async def play_until(runner: MatchRunner, until_ply: int) -> None:
    while is_playing(runner) and runner.match.ply < until_ply:
        await submit_move(runner, runner.match.owing[0].seat, "1")


@in_loop
async def test_matches_continue_in_another_process(tmp_path: Path) -> None:
    dependencies = open_dependencies(tmp_path / "log.db")
    runners = [
        await open_match(match_setup(match_id=match_id, control=CONTROL), NIM, dependencies) for match_id in MATCHES
    ]
    await asyncio.gather(*(runner.submit(StartPlay()) for runner in runners))
    await asyncio.gather(*(play_until(runner, until_ply) for until_ply, runner in enumerate(runners)))
    await asyncio.gather(*(runner.close() for runner in runners))
    await dependencies.log.close()

    dependencies = open_dependencies(tmp_path / "log.db")
    assert await dependencies.log.unfinished() == MATCHES
    resumed = [await resume(match_id, dependencies) for match_id in MATCHES]
    assert [runner.match.turns for runner in resumed] == [runner.match.turns for runner in runners]
    await asyncio.gather(*(play_until(runner, 21) for runner in resumed))
    assert await dependencies.log.unfinished() == []
    for runner in resumed:
        entries = await dependencies.log.read(runner.match_id)
        assert replay((entry.event for entry in entries), GAMES.__getitem__) == runner.match
    await asyncio.gather(*(runner.close() for runner in resumed))
    await dependencies.log.close()
