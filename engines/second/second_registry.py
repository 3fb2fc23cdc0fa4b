"""Registry of second engines.

Those of this distribution are listed in `OURS`, and those that need another distribution as well in `EXTRAS`. Other
distributions add engines by an entry point in the group "referee.second_engines" that refers to a `SecondEngine`.
"""

from collections.abc import Iterator, Sequence
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version

from engines.game_errors import GameError, shortened, unknown
from engines.second.second_engine import SecondEngine

GROUP = "referee.second_engines"

OURS = {
    ("alquerque", "reference"): "engines.second.alquerque_reference:REFERENCE",
    ("toc", "reference"): "engines.second.toc_reference:REFERENCE",
    ("troke", "reference"): "engines.second.troke_reference:REFERENCE",
    ("trox", "reference"): "engines.second.trox_reference:REFERENCE",
}
"""By game and name."""
EXTRAS = {("chess", "pyspiel"): ("engines.second.spiel_chess:PYSPIEL", "openspiel", "open-spiel")}
"""Place, extra, and the distribution that the extra installs."""


class UnknownSecondEngine(GameError):
    def __init__(self, name: str, game: str, names: Sequence[str], known: str) -> None:
        super().__init__(
            unknown(f"second engine of {game}", name, names, known),
            second_engine=shortened(name),
            game=game,
            known=known,
        )


def second_engines(game: str) -> list[str]:
    """Return the names of all second engines of a game that are installed."""
    own = [name for of, name in _places() if of == game]
    return [*own, *(engine.name for engine in _of_others() if engine.game == game)]


def find_second(game: str, name: str) -> SecondEngine:
    """Return the second engine of a game with that name.

    Raises UnknownSecondEngine, which lists the known names, or says how to install an engine that is missing.
    """
    place = _places().get((game, name))
    if place:
        return _load(name, place)
    for engine in _of_others():
        if (engine.game, engine.name) == (game, name):
            return engine
    names = second_engines(game)
    known = ", ".join(names) or "none"
    if (game, name) in EXTRAS:
        known += f"; to add {name}: pip install 'referee[{EXTRAS[game, name][1]}]'"
    raise UnknownSecondEngine(name, game, names, known)


def _places() -> dict[tuple[str, str], str]:
    return OURS | {key: place for key, (place, _, distribution) in EXTRAS.items() if _is_installed(distribution)}


def _of_others() -> Iterator[SecondEngine]:
    for point in entry_points(group=GROUP):
        yield _load(point.name, point.value)


def _load(name: str, place: str) -> SecondEngine:
    engine = EntryPoint(name, place, GROUP).load()
    if not isinstance(engine, SecondEngine):
        raise TypeError(f"entry point {name!r} of {GROUP!r} is {type(engine).__name__}, not a SecondEngine")
    if engine.name != name:
        raise ValueError(f"entry point {name!r} of {GROUP!r} refers to an engine that is called {engine.name!r}")
    return engine


def _is_installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True
