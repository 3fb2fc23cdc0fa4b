"""Registry of games.

The games of this distribution are listed in `OURS`, and those that need another distribution as well in `EXTRAS`. Other
distributions add games by an entry point in the group "referee.games" that refers to their `Game`. Games whose rules
are programs in other languages are declared in a file (`engines/external/declared_games.py`).
"""

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


def own_games() -> dict[str, str]:
    """Return the places of this distribution's games by name, without those whose extra is not installed."""
    return OURS | {name: place for name, place in EXTRAS.items() if _is_installed(name)}


def games() -> dict[str, Game]:
    """Return all games by name, those of this distribution first. Raises ValueError if two have the same name.

    Raises BadGamesFile, or ExternalGameFault if the engine of a declared game fails.
    """
    places = _places()
    external = {name: load_game(declared) for name, declared in declared_games(_taken(places)).items()}
    return {name: _load(name, place) for name, place in places.items()} | external


def find(name: str) -> Game:
    """Return the game with the given name, without importing the others.

    Raises UnknownGame, which lists the known names, or says how to install a game that is missing; BadGamesFile, or
    ExternalGameFault if the engine of a declared game fails.
    """
    places = _places()
    if name in places:
        return _load(name, places[name])
    declared = declared_games(_taken(places))
    if name in declared:
        return load_game(declared[name])
    install = f"; to add {name}: pip install 'referee[{name}]'" if name in EXTRAS else ""
    raise UnknownGame(name, ", ".join([*places, *declared]) + install)


def _places() -> dict[str, str]:
    found = own_games()
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


def _load(name: str, place: str) -> Game:
    game = EntryPoint(name, place, GROUP).load()
    if not isinstance(game, Game):
        raise TypeError(f"entry point {name!r} of {GROUP!r} is {type(game).__name__}, not a Game")
    return game
