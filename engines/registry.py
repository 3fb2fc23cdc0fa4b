"""Which games there are.

Our own stand here, one line each. Others join from their own distribution, by an entry point in the
group "referee.games" that names their `Game`.
"""

from importlib.metadata import EntryPoint, entry_points

from engines.api import Game
from engines.refusals import UnknownGame

GROUP = "referee.games"

OURS = {
    "alquerque": "engines.alquerque:GAME",
    "toc": "engines.toc:GAME",
    "troke": "engines.troke:GAME",
    "trox": "engines.trox:GAME",
}


def games() -> dict[str, Game]:
    """Every game by its name, ours first. Raises ValueError if two share a name."""
    found = {name: _load(name, place) for name, place in OURS.items()}
    for point in entry_points(group=GROUP):
        if point.name in found:
            raise ValueError(f"two games are called {point.name!r}: {found[point.name]!r} and {point.value!r}")
        found[point.name] = _load(point.name, point.value)
    return found


def find(name: str) -> Game:
    """The game of that name. Raises UnknownGame, which names those there are."""
    known = games()
    if name not in known:
        raise UnknownGame(name, ", ".join(known))
    return known[name]


def _load(name: str, place: str) -> Game:
    game = EntryPoint(name, place, GROUP).load()
    if not isinstance(game, Game):
        raise TypeError(f"entry point {name!r} of {GROUP!r} is {type(game).__name__}, not a Game")
    return game
