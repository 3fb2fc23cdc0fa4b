"""Runners on the real log and by the real time: nothing that was acknowledged is missing when it is opened again."""

import asyncio
from pathlib import Path

from referee.app.desk import Desk
from referee.app.loop_time import LoopTime
from referee.app.runner import MatchRunner
from referee.core.clock import DAY, SuddenDeath
from referee.core.commands import Begin
from referee.core.match import replay
from referee.storage.sqlite import SqliteEventLog
from tests.app.scene import GAMES, NotingKeeper, goes_on, in_loop, played, terms
from tests.strangers_games.strangers_games import NIM

MATCHES = [f"m{number}" for number in range(20)]
CONTROL = SuddenDeath(DAY)


def desk_on(path: Path) -> Desk:
    time = LoopTime()
    return Desk(SqliteEventLog(path, time.wall_ms), time, NotingKeeper())


async def playing(runner: MatchRunner, until_ply: int) -> None:
    while goes_on(runner) and runner.match.ply < until_ply:
        await played(runner, runner.match.owing[0].seat, "1")


@in_loop
async def test_matches_go_on_in_another_process_where_they_were(tmp_path: Path) -> None:
    desk = desk_on(tmp_path / "log.db")
    runners = [await MatchRunner.open(terms(match_id=match_id, control=CONTROL), NIM, desk) for match_id in MATCHES]
    await asyncio.gather(*(runner.submit(Begin()) for runner in runners))
    await asyncio.gather(*(playing(runner, until_ply) for until_ply, runner in enumerate(runners)))
    await asyncio.gather(*(runner.close() for runner in runners))
    await desk.log.close()

    desk = desk_on(tmp_path / "log.db")
    assert await desk.log.unfinished() == MATCHES
    resumed = [await MatchRunner.resume(match_id, GAMES.__getitem__, desk) for match_id in MATCHES]
    assert [runner.match.turns for runner in resumed] == [runner.match.turns for runner in runners]
    await asyncio.gather(*(playing(runner, 21) for runner in resumed))
    assert await desk.log.unfinished() == []
    for runner in resumed:
        entries = await desk.log.read(runner.match_id)
        assert replay((entry.event for entry in entries), GAMES.__getitem__) == runner.match
    await asyncio.gather(*(runner.close() for runner in resumed))
    await desk.log.close()
