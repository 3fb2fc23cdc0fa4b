"""The registry of games: the project's own, and installed third-party games."""

import subprocess
import sys
from importlib.metadata import EntryPoint, PackageNotFoundError
from pathlib import Path

import pytest

from engines import registry
from engines.game_errors import UnknownGame
from engines.registry import GROUP, find, games

EXTERNAL_GAMES = Path(__file__).parents[1] / "third_party_games"
INSTALL = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]


def test_the_games_of_this_distribution_come_first_under_their_names() -> None:
    assert list(games())[: len(registry.OURS)] == list(registry.OURS)
    assert all(game.name == name for name, game in games().items())


def test_the_error_for_an_unknown_game_lists_the_known_games() -> None:
    with pytest.raises(UnknownGame, match="known: alquerque"):
        find("shogi")


def test_the_error_for_a_game_whose_extra_is_missing_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(distribution: str) -> str:
        raise PackageNotFoundError(distribution)

    assert find("chess").title == "Chess"
    monkeypatch.setattr(registry, "version", missing)
    assert list(games()) == list(registry.OURS)
    with pytest.raises(UnknownGame, match=r"; to add chess: pip install 'referee\[chess\]'"):
        find("chess")
    with pytest.raises(UnknownGame, match=r"; to add openspiel_hex: pip install 'referee\[openspiel\]'"):
        find("openspiel_hex")
    with pytest.raises(UnknownGame, match=r"trox, go$"):
        find("openspiel_ludo")


def test_a_game_is_found_without_importing_the_others() -> None:
    imported = "print({'chess', 'engines.toc', 'engines.openspiel', 'pyspiel'} & set(sys.modules))"
    script = f"import sys; from engines.registry import find; find('trox'); {imported}"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"


@pytest.mark.slow
def test_a_game_installed_from_a_folder_can_be_played(tmp_path: Path) -> None:
    subprocess.run([*INSTALL, "--target", str(tmp_path), str(EXTERNAL_GAMES)], check=True)
    for game, words in [("nim", "won: last_taken"), ("fingers", "rounds_over")]:
        played = subprocess.run(
            [sys.executable, "-m", "referee", "play", game, "--seed", "1"],
            env={"PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert words in played.stdout


def _with(monkeypatch: pytest.MonkeyPatch, name: str, place: str) -> None:
    monkeypatch.setattr(registry, "entry_points", lambda group: [EntryPoint(name, place, group)])


def test_an_entry_point_adds_a_game_of_another_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    _with(monkeypatch, "nim", "tests.third_party_games.third_party_games:NIM")
    assert find("nim").title == "Nim"


def test_two_games_with_the_same_name_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    _with(monkeypatch, "alquerque", "tests.third_party_games.third_party_games:NIM")
    with pytest.raises(ValueError, match="two games are called 'alquerque'"):
        games()


def test_an_entry_point_that_refers_to_no_game_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    _with(monkeypatch, "not_a_game", "engines.registry:GROUP")
    with pytest.raises(TypeError, match=f"entry point 'not_a_game' of '{GROUP}' is str, not a Game"):
        games()


def test_an_entry_point_that_refers_to_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    _with(monkeypatch, "nothing", "engines.registry:NOTHING")
    with pytest.raises(AttributeError, match="NOTHING"):
        games()
