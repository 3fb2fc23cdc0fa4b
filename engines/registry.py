"""Registry of games.

The games of this distribution are listed in `OURS`. Other distributions add games by an entry point in the group
"referee.games" that refers to their `Game`.
"""

from importlib.metadata import EntryPoint, entry_points

from engines.api import Game
from engines.game_errors import UnknownGame

GROUP = "referee.games"

OURS = {
    "alquerque": "engines.alquerque:GAME",
    "toc": "engines.toc:GAME",
    "troke": "engines.troke:GAME",
    "trox": "engines.trox:GAME",
}


def games() -> dict[str, Game]:
    """Return all games by name, those of this distribution first. Raises ValueError if two have the same name."""
    found = {name: _load(name, place) for name, place in OURS.items()}
    for point in entry_points(group=GROUP):
        if point.name in found:
            raise ValueError(f"two games are called {point.name!r}: {found[point.name]!r} and {point.value!r}")
        found[point.name] = _load(point.name, point.value)
    return found


def find(name: str) -> Game:
    """Return the game with the given name. Raises UnknownGame, which lists the known names."""
    known = games()
    if name not in known:
        raise UnknownGame(name, ", ".join(known))
    return known[name]


def _load(name: str, place: str) -> Game:
    game = EntryPoint(name, place, GROUP).load()
    if not isinstance(game, Game):
        raise TypeError(f"entry point {name!r} of {GROUP!r} is {type(game).__name__}, not a Game")
    return game
