"""Start of a line program before the bridge connects, without a server."""

import asyncio
import sys
from pathlib import Path

import pytest
from referee_client.bridge import player
from referee_client.bridge.player import Player, Restart
from referee_client.bridge.programs import Command
from referee_client.bridge.talk import ProgramGone

LINE_PROGRAM = (sys.executable, str(Path(__file__).with_name("line_program.py")))


async def rehearse(behaviour: str) -> None:
    one = Player(Command((*LINE_PROGRAM, behaviour)), Restart.ALWAYS, view=False, errors_folder=None)
    try:
        await one.rehearse()
    finally:
        await one.end()


def test_a_program_that_ends_before_it_is_seated_is_refused_with_its_last_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(player, "COMES_UP_S", 600)
    with pytest.raises(ProgramGone, match="it ended its output, exit status 1\n  no module named brain"):
        asyncio.run(rehearse("ends"))


def test_a_program_that_runs_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "COMES_UP_S", 0)
    asyncio.run(rehearse("good"))
