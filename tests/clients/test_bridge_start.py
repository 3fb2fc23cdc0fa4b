"""Start of a line program before the bridge connects, without a server."""

import asyncio
import sys
from pathlib import Path

import pytest
from referee_client.bridge import player
from referee_client.bridge.player import Player, Restart
from referee_client.bridge.program_lines import ProgramUnavailable
from referee_client.bridge.programs import Command
from referee_client.bridge.stderr_log import StderrLog

LINE_PROGRAM = (sys.executable, str(Path(__file__).with_name("line_program.py")))


async def check_start(behaviour: str) -> None:
    bridged = Player(Command((*LINE_PROGRAM, behaviour)), Restart.ALWAYS, StderrLog(None))
    try:
        await bridged.check_start()
    finally:
        await bridged.stop()


def test_a_program_that_ends_immediately_is_rejected_with_the_end_of_its_standard_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(player, "START_CHECK_S", 600)
    with pytest.raises(ProgramUnavailable, match="it closed its output, exit status 1\n  no module named brain"):
        asyncio.run(check_start("exits_at_start"))


def test_a_program_that_keeps_running_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "START_CHECK_S", 0)
    asyncio.run(check_start("good"))
