"""A game of OpenSpiel: what it says about itself, its first position, and its texts."""

from functools import lru_cache
from typing import Any, Final

import pyspiel

from engines.api import Game, Json, Notation, Position, Table, Viewer
from engines.chance import Chance
from engines.drawing import BLANK
from engines.openspiel.catalogue import LISTED
from engines.openspiel.imagine import imagine_position, resample_position
from engines.openspiel.move_names import GRAMMAR as MOVE_GRAMMAR
from engines.openspiel.position import SpielPosition, settled
from engines.openspiel.position_parser import GRAMMAR as POSITION_GRAMMAR
from engines.openspiel.position_parser import read_position
from engines.openspiel.rules import load_rules
from engines.openspiel.schema import VIEW_SCHEMA
from engines.options import Options, Settings

PREFIX: Final = "openspiel_"

RULES: Final = """\
The game {name} of OpenSpiel, whose rules are those of its implementation (pyspiel {version}).

OS-1  A move is one of the legal actions of OpenSpiel.
OS-2  Chance is drawn from the seed of the match, with OpenSpiel's probabilities.
OS-3  The scores are OpenSpiel's returns. A game in which all sides have the same score is drawn.

Source: https://github.com/google-deepmind/open_spiel, {parameters}.
"""


class OpenSpielGame(Game):
    """A listed game of OpenSpiel."""

    notation = Notation(MOVE_GRAMMAR, POSITION_GRAMMAR)
    view_schema = VIEW_SCHEMA

    def __init__(self, short_name: str, long_name: str) -> None:
        listing = LISTED[short_name]
        self.short_name = short_name
        self.name = PREFIX + short_name
        self.title = f"{long_name} (OpenSpiel)"
        self.version = listing.version
        self.options = Options(listing.options)
        fixed = " ".join(f"{name}={value}" for name, value in listing.fixed.items())
        parameters = f"with {fixed}" if fixed else "with its default parameters"
        self.rules = RULES.format(name=short_name, version=pyspiel.__version__, parameters=parameters)

    def table(self, settings: Settings) -> Table:
        listing = LISTED[self.short_name]
        seats = range(int(dict(settings.values).get("players", listing.seats)))
        return Table(tuple(f"player{seat}" for seat in seats), listing.sides or tuple((seat,) for seat in seats))

    def start(self, settings: Settings, seed: bytes) -> SpielPosition:
        rules = load_rules(self.short_name, settings)
        return settled(rules, rules.loaded.new_initial_state(), Chance(seed) if rules.has_chance else None)

    def read(self, text: str, settings: Settings) -> SpielPosition:
        return read_position(load_rules(self.short_name, settings), text)

    def imagine(self, text: str, settings: Settings, seed: bytes) -> Position:
        return imagine_position(load_rules(self.short_name, settings), text, seed)

    def resample(self, position: Position, viewer: Viewer, seed: bytes) -> Position:
        if not isinstance(position, SpielPosition):
            raise TypeError(f"{type(position).__name__} is no position of OpenSpiel")
        return resample_position(position, viewer, seed)

    def svg(self, settings: Settings, view: Json, last_move: str | None = None) -> str:
        """Draw the view as a table, with the lines of the state below each other."""
        if isinstance(view, dict) and isinstance(view.get("state"), list):
            lines = {str(number): str(line).replace(" ", BLANK) for number, line in enumerate(view["state"], 1)}
            view = {**view, "state": lines}
        return super().svg(settings, view, last_move)

    def __reduce__(self) -> tuple[Any, ...]:
        return find_listed, (self.short_name,)


@lru_cache(len(LISTED))
def find_listed(short_name: str) -> OpenSpielGame | None:
    """Return a listed game, or None if it is not listed or this release of OpenSpiel does not have it."""
    if short_name not in LISTED:
        return None
    return next((OpenSpielGame(short_name, kind.long_name) for kind in _kinds() if kind.short_name == short_name), None)


@lru_cache(1)
def _kinds() -> tuple[Any, ...]:
    return tuple(pyspiel.registered_games())
