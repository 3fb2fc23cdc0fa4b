"""Registry of games.

The games of this distribution are listed in `OURS`, those that need another distribution as well in `EXTRAS`, and those
whose rules are OpenSpiel's in `OPENSPIEL`. Other distributions add games by an entry point in the group
"referee.games" that refers to their `Game`. Games whose rules are programs in other languages are declared in a file
(`engines/external/declared_games.py`).
"""

from collections.abc import Collection
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version

from engines.api import Game
from engines.external.declared_games import declared_games
from engines.external.external_game import load_game
from engines.game_errors import UnknownGame

GROUP = "referee.games"

OURS = {
    "alquerque": "engines.alquerque:GAME",
    "toc": "engines.toc:GAME",
    "troke": "engines.troke:GAME",
    "trox": "engines.trox:GAME",
    "go": "engines.go:GAME",
}
EXTRAS = {"chess": "engines.chess:GAME"}
"""Games that exist only where the extra of the same name installs a distribution of the same name."""

# fmt: off
OPENSPIEL = [
    "amazons", "antichess", "backgammon", "banqi", "bargaining", "battleship", "blotto", "breakthrough", "bridge",
    "capture_the_flag", "checkers", "chess", "chinese_checkers", "clobber", "coin_game", "connect_four",
    "crazy_eights", "crazyhouse", "cribbage", "cursor_go", "dark_chess", "dark_hex", "dots_and_boxes", "dou_dizhu",
    "einstein_wurfelt_nicht", "euchre", "first_sealed_auction", "gin_rummy", "go", "go_fish", "gomoku", "goofspiel",
    "havannah", "hearts", "hex", "kriegspiel", "kuhn_poker", "laser_tag", "leduc_poker", "liars_dice",
    "lines_of_action", "maedn", "mancala", "markov_soccer", "matching_pennies_3p", "matrix_bos", "matrix_brps",
    "matrix_cd", "matrix_mp", "matrix_pd", "matrix_rps", "matrix_rpsw", "matrix_sh", "matrix_shapleys_game", "mnk",
    "nim", "nine_mens_morris", "oh_hell", "oshi_zumo", "othello", "oware", "pentago", "phantom_go", "phantom_ttt",
    "pig", "rbc", "repeated_leduc_poker", "sheriff", "shogi", "skat", "snake", "social_deduction", "spades",
    "tic_tac_toe", "tiny_bridge_4p", "twixt", "ultimate_tic_tac_toe", "universal_poker", "xiangqi", "y", "yacht",
]
# fmt: on
"""Games of OpenSpiel, which exist only where the extra `openspiel` is installed. Their names here begin with `PREFIX`.

They are listed so that their names are known without importing them.
"""
PREFIX = "openspiel_"


def own_games() -> dict[str, str]:
    """Return the places of this distribution's games by name, without those whose extra is not installed.

    The games of OpenSpiel are not among them: their rules are those of another distribution.
    """
    return OURS | {name: place for name, place in EXTRAS.items() if _is_installed(name)}


def games() -> dict[str, Game]:
    """Return all games by name, those of this distribution first. Raises ValueError if two have the same name.

    Raises BadGamesFile, or ExternalGameFault if the engine of a declared game fails.
    """
    places = _places()
    external = {name: load_game(declared) for name, declared in declared_games(_taken(places)).items()}
    found = {name: _load(name, place) for name, place in places.items()}
    return {name: game for name, game in found.items() if game} | external


def find(name: str) -> Game:
    """Return the game with the given name, without importing the others.

    Raises UnknownGame, which lists the known names, or says how to install a game that is missing; BadGamesFile, or
    ExternalGameFault if the engine of a declared game fails.
    """
    places = _places()
    game = _load(name, places[name]) if name in places else None
    if game:
        return game
    declared = declared_games(_taken(places))
    if name in declared:
        return load_game(declared[name])
    raise unknown_game(name, [*places, *declared])


def unknown_game(name: str, names: Collection[str]) -> UnknownGame:
    """Return the error for a name that is not among `names`.

    It says how to install the game, or why it is excluded.
    """
    if reason := _exclusion(name):
        # A similar name is no hint, since the caller has made no mistake in this one.
        return UnknownGame(name, (), f"{_known_names(names)}; {name} is excluded: {reason}")
    return UnknownGame(name, names, f"{_known_names(names)}{_install_hint(name)}")


def _known_names(names: Collection[str]) -> str:
    """Return names of games for an error message, where those of OpenSpiel are one entry."""
    others = [name for name in names if not name.startswith(PREFIX)]
    many = sum(name.startswith(PREFIX) for name in names)
    return ", ".join([*others, *([f"{PREFIX}NAME ({many} games of OpenSpiel)"] if many else [])])


def _exclusion(name: str) -> str:
    """Return why a game of the installed OpenSpiel is excluded; empty if it is not."""
    if not name.startswith(PREFIX) or not _is_installed("open-spiel"):
        return ""
    excluded = EntryPoint("EXCLUDED", "engines.openspiel.catalogue:EXCLUDED", GROUP).load()
    reason: str = excluded.get(name.removeprefix(PREFIX), "")
    return reason


def _install_hint(name: str) -> str:
    if name in EXTRAS and not _is_installed(name):
        return f"; to add {name}: pip install 'referee[{name}]'"
    if name.removeprefix(PREFIX) in OPENSPIEL and name.startswith(PREFIX) and not _is_installed("open-spiel"):
        return f"; to add {name}: pip install 'referee[openspiel]'"
    return ""


def _places() -> dict[str, str]:
    found = own_games()
    if _is_installed("open-spiel"):
        found |= {PREFIX + name: f"engines.openspiel:{name}" for name in OPENSPIEL}
    for point in entry_points(group=GROUP):
        if point.name in found:
            raise ValueError(f"two games are called {point.name!r}: {found[point.name]!r} and {point.value!r}")
        found[point.name] = point.value
    return found


def _taken(places: dict[str, str]) -> set[str]:
    """Return the names that no declared game may have, also those of games that could be installed."""
    return {*places, *EXTRAS}


def _is_installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True


def _load(name: str, place: str) -> Game | None:
    """Return a game, or None if it is one of OpenSpiel that the installed release does not have."""
    try:
        game = EntryPoint(name, place, GROUP).load()
    except AttributeError:
        if name.startswith(PREFIX):
            return None
        raise
    if not isinstance(game, Game):
        raise TypeError(f"entry point {name!r} of {GROUP!r} is {type(game).__name__}, not a Game")
    return game
