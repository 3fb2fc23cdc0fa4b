"""Runners with SQLite and the real clock: everything that was acknowledged is there when the log is opened again."""

import asyncio
from pathlib import Path

from referee.live.match_timing import LoopTime
from referee.live.ports import RunnerDependencies
from referee.live.runner import MatchRunner
from referee.match.clock import DAY, SuddenDeath
from referee.match.commands import StartPlay
from referee.storage.sqlite.event_log import SqliteEventLog
from tests.live.runner_harness import GAMES, NotingKeeper, goes_on, in_loop, played, resume, terms
from tests.match.match_fixture import replay
from tests.strangers_games.strangers_games import NIM

MATCHES = [f"m{number}" for number in range(20)]
CONTROL = SuddenDeath(DAY)


def desk_on(path: Path) -> RunnerDependencies:
    time = LoopTime()
    return RunnerDependencies(SqliteEventLog(path, time.wall_ms), time, NotingKeeper())


async def playing(runner: MatchRunner, until_ply: int) -> None:
    while goes_on(runner) and runner.match.ply < until_ply:
        await played(runner, runner.match.owing[0].seat, "1")


@in_loop
async def test_matches_go_on_in_another_process_where_they_were(tmp_path: Path) -> None:
    desk = desk_on(tmp_path / "log.db")
    runners = [await MatchRunner.open(terms(match_id=match_id, control=CONTROL), NIM, desk) for match_id in MATCHES]
    await asyncio.gather(*(runner.submit(StartPlay()) for runner in runners))
    await asyncio.gather(*(playing(runner, until_ply) for until_ply, runner in enumerate(runners)))
    await asyncio.gather(*(runner.close() for runner in runners))
    await desk.log.close()

    desk = desk_on(tmp_path / "log.db")
    assert await desk.log.unfinished() == MATCHES
    resumed = [await resume(match_id, desk) for match_id in MATCHES]
    assert [runner.match.turns for runner in resumed] == [runner.match.turns for runner in runners]
    await asyncio.gather(*(playing(runner, 21) for runner in resumed))
    assert await desk.log.unfinished() == []
    for runner in resumed:
        entries = await desk.log.read(runner.match_id)
        assert replay((entry.event for entry in entries), GAMES.__getitem__) == runner.match
    await asyncio.gather(*(runner.close() for runner in resumed))
    await desk.log.close()
