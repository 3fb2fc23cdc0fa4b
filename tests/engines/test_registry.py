"""The interface of games: registry, options, errors, form and imports."""

import json
import os
import pickle
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import EntryPoint, PackageNotFoundError
from math import inf, nan
from pathlib import Path
from typing import Any

import grimp
import pytest

from engines import registry
from engines.api import MAX_SCORE, REFEREE, SPECTATOR, Outcome, Table, Viewer
from engines.game_errors import (
    BadOption,
    DetailedError,
    GameError,
    IllegalMove,
    MalformedPosition,
    NotYourTurn,
    UnknownGame,
    UnknownOption,
    UnknownPreset,
    quoted,
    unknown,
)
from engines.options import Choice, Count, Flag, Options, Preset, Settings, Text, Value
from engines.registry import GROUP, find, games
from hatch_build import compile_engines, compiled_modules
from referee.match.match_errors import BadSetup, ClockExpired
from tests.third_party_games.third_party_games import NIM

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


def test_a_game_is_found_without_importing_the_others_or_an_extra() -> None:
    imported = "print({'chess', 'engines.toc', 'engines.openspiel', 'pyspiel', 'numpy'} & set(sys.modules))"
    script = f"import sys, referee.cli; from engines.registry import find, games; find('trox'); {imported}"
    script = f"{script}; games(); print('numpy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout == "set()\nFalse\n"


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


@pytest.mark.parametrize(
    ("name", "place", "error", "words"),
    [
        ("alquerque", "tests.third_party_games.third_party_games:NIM", ValueError, "two games are called 'alquerque'"),
        ("no_game", "engines.registry:GROUP", TypeError, f"entry point 'no_game' of '{GROUP}' is str, not a Game"),
        ("nothing", "engines.registry:NOTHING", AttributeError, "NOTHING"),
    ],
)
def test_an_entry_point_of_no_game_or_under_a_name_that_is_taken_is_an_error(
    name: str, place: str, error: type[Exception], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _with(monkeypatch, name, place)
    with pytest.raises(error, match=words):
        games()


@pytest.mark.parametrize("viewer", [0, 1, REFEREE, SPECTATOR])
def test_by_default_the_revealed_move_is_the_visible_move(viewer: Viewer) -> None:
    heap = NIM.start(NIM.settings({"heap": 3}), b"").play(0, "2")
    assert heap.revealed_move(0, "2", viewer) == heap.visible_move(0, "2", viewer) == "2"


TEAMS = Table(("a", "b", "c", "d"), ((0, 2), (1, 3)))


def outcome(scores: Any = (1.0, 0, 1.0, 0), side_scores: Any = (2.0, 0)) -> Outcome:
    return Outcome("over", scores, side_scores)


@pytest.mark.parametrize("score", [0, 0.5, -1.0, MAX_SCORE, -MAX_SCORE, float(MAX_SCORE)])
def test_a_score_is_any_number_within_the_limit(score: float) -> None:
    assert outcome(side_scores=(score, 0)).fault(TEAMS) == ""
    assert int(float(MAX_SCORE - 1)) == MAX_SCORE - 1


@pytest.mark.parametrize("score", [nan, inf, -inf, MAX_SCORE + 1, -1e300, 10**400, True, None, "1", 1j])
def test_a_score_that_no_record_can_hold_is_a_fault(score: Any) -> None:
    wrong = "a score of the outcome is not a number from -10^15 to 10^15"
    assert outcome(scores=(0, 0, 0, score)).fault(TEAMS) == wrong
    assert outcome(side_scores=(score, 0)).fault(TEAMS) == wrong


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (outcome(scores=(1.0, 0)), "the outcome has not one score for each seat"),
        (outcome(side_scores=(1.0,)), "the outcome has not one score for each side"),
        (outcome(scores=[1.0, 0, 1.0, 0]), "the scores of the outcome are not tuples"),
        (outcome(side_scores=[2.0, 0]), "the scores of the outcome are not tuples"),
    ],
)
def test_an_outcome_that_does_not_fit_the_table_is_a_fault(wrong: Outcome, fault: str) -> None:
    assert wrong.fault(TEAMS) == fault


OPTIONS = Options(
    (
        Choice("pace", "slow", "How fast.", choices=("slow", "fast")),
        Flag("huff", False, "Whether."),
        Count("limit", 10, "How many.", least=0, most=100),
        Text("board", "", "Which.", takes="a board", most_chars=5),
        Count("seats", 2, "Who.", least=2, most=4),
    ),
    (Preset("quick", "Fast and short.", {"pace": "fast", "limit": 5}),),
)


def test_options_that_are_not_chosen_have_their_defaults() -> None:
    assert OPTIONS.settings({}).texts() == {"pace": "slow", "huff": "false", "limit": "10", "board": "", "seats": "2"}


def test_a_choice_overrides_the_preset_and_the_preset_overrides_the_default() -> None:
    settings = OPTIONS.settings({"limit": "7"}, "quick")
    assert (settings.choice("pace"), settings.count("limit"), settings.flag("huff")) == ("fast", 7, False)


@pytest.mark.parametrize(
    ("chosen", "same"),
    [({"huff": "true"}, {"huff": True}), ({"limit": "42"}, {"limit": 42}), ({"board": "abc"}, {"board": "abc"})],
)
def test_texts_and_values_of_options_are_equivalent(chosen: dict[str, Value], same: dict[str, Value]) -> None:
    assert OPTIONS.settings(chosen) == OPTIONS.settings(same)
    assert OPTIONS.settings(OPTIONS.settings(same).texts()) == OPTIONS.settings(same)


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"pace": "brisk"}, "slow | fast"),
        ({"pace": True}, "slow | fast"),
        ({"huff": "yes"}, "true | false"),
        ({"huff": 1}, "true | false"),
        ({"limit": "-1"}, "a whole number from 0 to 100"),
        ({"limit": 101}, "a whole number from 0 to 100"),
        ({"limit": True}, "a whole number from 0 to 100"),
        ({"limit": "٣"}, "a whole number from 0 to 100"),
        ({"limit": "9" * 5000}, "a whole number from 0 to 100"),
        ({"limit": ""}, "a whole number from 0 to 100"),
        ({"board": "abcdef"}, "a board of at most 5 characters"),
        ({"board": 7}, "a board of at most 5 characters"),
    ],
)
def test_the_error_for_a_bad_value_lists_the_valid_values(chosen: dict[str, Value], words: str) -> None:
    with pytest.raises(BadOption) as bad:
        OPTIONS.settings(chosen)
    assert words in str(bad.value)
    assert bad.value.details["option"] in chosen
    assert len(str(bad.value)) < 250


def test_the_error_for_an_unknown_option_lists_the_known_options() -> None:
    with pytest.raises(UnknownOption, match="unknown option 'huf'; known: pace, huff, limit, board, seats"):
        OPTIONS.settings({"huf": "true"})


def test_the_error_for_an_unknown_preset_lists_the_known_presets() -> None:
    with pytest.raises(UnknownPreset, match="known: quick"):
        OPTIONS.settings({}, "quik")
    with pytest.raises(UnknownPreset, match="no presets"):
        Options(()).settings({}, "quick")


def test_the_schema_agrees_with_the_parser() -> None:
    properties = OPTIONS.schema()["properties"]
    assert isinstance(properties, dict)
    assert properties["pace"] == {"enum": ["slow", "fast"], "default": "slow", "description": "How fast."}
    assert properties["huff"]["type"] == "boolean"
    assert properties["limit"]["maximum"] == 100
    assert properties["board"]["maxLength"] == 5


def test_examples_begin_with_the_default_and_include_the_limits() -> None:
    examples = [option.examples for option in OPTIONS.declared]
    assert examples == [("slow", "fast"), (False, True), (10, 0), ("",), (2, 3, 4)]


def test_settings_are_a_value() -> None:
    assert len({OPTIONS.settings({}), OPTIONS.settings({"huff": "false"}), OPTIONS.settings({"huff": "true"})}) == 2
    assert OPTIONS.settings({})["limit"] == 10
    with pytest.raises(KeyError):
        OPTIONS.settings({})["huf"]


def test_bad_input_is_quoted_in_ascii_and_shortened() -> None:
    assert quoted("é\n") == r"'\xe9\n'"
    assert len(quoted("x" * 5000)) < 90
    assert len(quoted("\x00" * 5000)) < 400
    assert GameError("No.", why="because").details == {"why": "because"}


def test_settings_that_are_older_than_an_option_have_its_default() -> None:
    now = Options((*OPTIONS.declared, Flag("lively", False, "Whether.", late=True)))
    before = OPTIONS.settings({"limit": 7})
    assert now.completed(before) == now.settings({"limit": 7})
    chosen = now.settings({"lively": True})
    assert now.completed(chosen) is chosen
    # Only late options may be missing; unknown ones are kept, to be rejected where they are read.
    assert now.completed(Settings(())).values == (("lively", False),)


@pytest.mark.parametrize(
    "error",
    [
        UnknownGame("ludo", ["nim"], "nim"),
        BadOption("heap", 0, "at least 1"),
        MalformedPosition("x", "no"),
        IllegalMove("a1", "N-1", "no"),
        NotYourTurn(1, (0,)),
        BadSetup("players", "must be {two}"),
        ClockExpired({"charged_us": "1"}),
        DetailedError("A sentence.", game="nim"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_is_the_same_after_pickling(error: DetailedError) -> None:
    arrived = pickle.loads(pickle.dumps(error))
    assert type(arrived) is type(error)
    assert (str(arrived), arrived.details) == (str(error), error.details)


@pytest.mark.parametrize(
    ("given", "names", "sentence"),
    [
        ("huf", ["flying", "huff"], "unknown option 'huf'; known: flying, huff; did you mean huff?"),
        ("xyz", ["flying", "huff"], "unknown option 'xyz'; known: flying, huff"),
        ("xyz", [], "unknown option 'xyz'; known: none"),
    ],
)
def test_the_sentence_about_an_unknown_name_has_the_name_that_was_meant(
    given: str, names: list[str], sentence: str
) -> None:
    assert unknown("option", given, names) == sentence


def test_the_names_of_an_unknown_game_can_be_shown_in_another_form() -> None:
    assert str(UnknownGame("openspiel/hx", ["nim", "openspiel/hex"], "nim, openspiel/NAME")).endswith(
        "known: nim, openspiel/NAME; did you mean openspiel/hex?"
    )


SHARED_MODULES = {f"engines.{name}" for name in ("api", "options", "game_errors", "chance", "codec", "drawing", "form")}
GRAPH = grimp.build_graph("engines", cache_dir=None)
NO_GAMES = {"engines.external", "engines.testing"}
GAMES = sorted(name for name in GRAPH.find_children("engines") - NO_GAMES if GRAPH.find_children(name))


@pytest.mark.parametrize("game", GAMES)
def test_a_game_imports_only_itself_and_the_shared_modules(game: str) -> None:
    own = {game, *GRAPH.find_descendants(game)}
    imported = {other for module in own for other in GRAPH.find_modules_directly_imported_by(module)}
    assert imported <= own | SHARED_MODULES


@pytest.mark.parametrize("game", GAMES)
def test_no_module_outside_of_a_game_imports_it(game: str) -> None:
    own = {game, *GRAPH.find_descendants(game)}
    importers = {other for module in own for other in GRAPH.find_modules_that_directly_import(module)}
    assert importers <= own


ROOT = Path(__file__).parents[2]
PRINT_FILES = """
import importlib, json, sys
print(json.dumps({name: importlib.import_module(name).__file__ for name in sys.argv[1:]}))
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project in which the engines are compiled."""
    compiler = str(sysconfig.get_config_var("CC") or "cc").split()[0]
    if not shutil.which(compiler) or not Path(sysconfig.get_path("include"), "Python.h").exists():
        why = f"{compiler} or the headers of Python are not installed"
        pytest.fail(why) if os.environ.get("CI") else pytest.skip(why)
    folder = tmp_path_factory.mktemp("compiled")
    # Not optimised, which is much faster: the test is about the C code that mypyc writes.
    compile_engines(ROOT, folder, optimised=0)
    for name in ("referee", "tests", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "hatch_build.py"):
        shutil.copy(ROOT / name, folder)
    return folder


def python(project: Path, *words: str) -> str:
    """Return the output of Python with the project copy as its folder, so that it imports from there first."""
    # CI tests the pure form thoroughly; here the settings of a developer are enough.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON", "COV", "CI"))
    }
    completed = subprocess.run(
        [sys.executable, *words], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout


@pytest.mark.slow
@pytest.mark.toolchain
def test_imports_find_the_compiled_modules(project: Path) -> None:
    modules = [path.removesuffix(".py").replace("/", ".") for path in compiled_modules(ROOT)]
    file_of = json.loads(python(project, "-c", PRINT_FILES, *modules))
    assert len(file_of) > len(["alquerque", "toc", "troke", "trox"])
    for module, file in file_of.items():
        assert Path(file).parent == project.joinpath(*module.split(".")).parent
        assert Path(file).name.endswith(sysconfig.get_config_var("EXT_SUFFIX"))


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize(
    "tests",
    [
        ("tests/engines/test_golden.py", "tests/engines/test_every_game.py"),
        pytest.param(("tests/engines", "tests/match"), marks=pytest.mark.soak),
    ],
    ids=["some", "all"],
)
def test_quick_tests_of_pure_packages_pass_on_the_compiled_form(project: Path, tests: tuple[str, ...]) -> None:
    python(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", *tests)
