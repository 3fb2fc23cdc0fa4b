"""The file in which a host declares games of engines."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from engines.external import declared_games
from engines.external.declared_games import BadGamesFile
from engines.external.engine_client import Declaration
from engines.external.engine_connection import EngineLimits
from engines.external.external_game import load_game
from engines.game_errors import UnknownGame
from engines.registry import find, games
from referee.cli import main
from tests.engines.external.engines import PROJECT, SMALL_ENGINE

COMMAND = f'command = ["{sys.executable}", "-I", "-S", "{SMALL_ENGINE}"]'


@pytest.fixture(autouse=True)
def engines() -> Iterator[None]:
    """End all engines after a test."""
    load_game.cache_clear()
    yield
    load_game.cache_clear()


def declare(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "games.toml").write_text(text)
    monkeypatch.setenv("REFEREE_GAMES", str(folder / "games.toml"))


def test_a_declared_game_is_found_beside_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    declare(f"[nim]\n{COMMAND}\nmax_start_ms = 60000\n", tmp_path, monkeypatch)
    nim = find("nim")
    assert nim.title == "Nim"
    assert games()["nim"] is nim
    with pytest.raises(UnknownGame, match=r"known: alquerque, .*, nim"):
        find("shogi")
    load_game(declared_games.declared_games(())["nim"]).client.close()


def test_a_declaration_has_a_command_or_an_address_and_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '[go_fish]\naddress = "[::1]:7000"\nmax_request_ms = 5\n[snap]\naddress = "unix:/run/snap"\n'
    declare(f'{text}[whist]\ncommand = ["./whist", "-x"]\nmax_memory_mb = 7\nmax_start_ms = 8\n', tmp_path, monkeypatch)
    folder = str(tmp_path)
    assert list(declared_games.declared_games(()).values()) == [
        Declaration("go_fish", (), "[::1]:7000", folder, EngineLimits(max_request_ms=5)),
        Declaration("snap", (), "unix:/run/snap", folder),
        Declaration("whist", ("./whist", "-x"), "", folder, EngineLimits(max_memory_mb=7, max_start_ms=8)),
    ]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("[nim", "Expected ']'"),
        ("nim = 1", "nim must be a table with command or address"),
        ("[nim]", "nim must be a table with command or address"),
        ('[nim]\ncommand = ["x"]\naddress = "a:1"', "nim must be a table with command or address"),
        ("[Nim]", "'Nim' is no name of a game"),
        (
            '[nim]\ncommand = ["x"]\nmemory = 1',
            "nim has an unknown key 'memory'; known: command, address, max_request_ms",
        ),
        ('[nim]\ncommand = "x"', "the command of nim must be a list of words"),
        ("[nim]\ncommand = [1]", "the command of nim must be a list of words"),
        ("[nim]\ncommand = []", "the address of nim must be HOST:PORT or unix:PATH, or its command a program"),
        ('[nim]\naddress = "localhost"', "the address of nim must be"),
        ('[nim]\naddress = ":7"', "the address of nim must be"),
        ('[nim]\naddress = "a:66000"', "the address of nim must be"),
        ('[nim]\naddress = "unix:"', "the address of nim must be"),
        ("[nim]\naddress = 7", "the address of nim must be"),
        ('[nim]\naddress = "a:1"\nmax_start_ms = 0', "max_start_ms of nim must be a whole number from 1 to 1000000"),
        ('[nim]\naddress = "a:1"\nmax_start_ms = true', "max_start_ms of nim must be a whole number"),
        ('[nim]\naddress = "a:1"\nmax_start_ms = "1"', "max_start_ms of nim must be a whole number"),
        ('[toc]\naddress = "a:1"', "there is a game called toc already"),
        ('[chess]\naddress = "a:1"', "there is a game called chess already"),
    ],
)
def test_a_wrong_file_is_refused_with_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, wrong: str
) -> None:
    declare(text, tmp_path, monkeypatch)
    with pytest.raises(BadGamesFile, match=r"REFEREE_GAMES names .*games\.toml: ") as raised:
        games()
    assert wrong in str(raised.value)
    with pytest.raises(BadGamesFile):
        find("nim")
    assert find("toc") if "toc" not in text else True


def test_a_missing_file_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFEREE_GAMES", str(tmp_path / "none"))
    with pytest.raises(BadGamesFile, match="No such file"):
        games()
    monkeypatch.setenv("REFEREE_GAMES", "")
    assert "nim" not in games()


def test_commands_say_in_one_sentence_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    declare('[nim]\ncommand = ["/no/such/engine"]\n', tmp_path, monkeypatch)
    for command in (["games"], ["rules", "nim"], ["serve", "--ephemeral"], ["match", "random", "random"]):
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 1
        assert "Error: nim: describe: it cannot be started: " in result.output


def test_an_engine_ends_with_the_program_that_uses_it(tmp_path: Path) -> None:
    (tmp_path / "games.toml").write_text(f"[nim]\n{COMMAND}\n")
    script = "from engines.registry import find; nim = find('nim'); print(nim.client._connection._process.pid)"
    environment = {"REFEREE_GAMES": str(tmp_path / "games.toml")}
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT, env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stderr == ""
    assert not Path("/proc", ran.stdout.strip()).exists()
