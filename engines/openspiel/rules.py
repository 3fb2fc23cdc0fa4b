"""A loaded game of OpenSpiel with what positions need to know about it."""

import re
from functools import lru_cache
from typing import Any, Final

import pyspiel

from engines.openspiel.catalogue import LISTED, Listing
from engines.options import Settings

MAX_LOADED: Final = 256

_TYPE: Final = pyspiel.GameType


class SpielRules:
    """One game with certain settings. There is one object of each, as long as it is used."""

    def __init__(self, name: str, settings: Settings) -> None:
        self.name = name
        self.settings = settings
        self.listing: Listing = LISTED[name]
        self.loaded: Any = pyspiel.load_game(name, {**self.listing.fixed, **_parameters(settings)})
        kind = self.loaded.get_type()
        self.seats: int = self.loaded.num_players()
        self.hides: bool = kind.information == _TYPE.Information.IMPERFECT_INFORMATION
        self.has_chance: bool = kind.chance_mode != _TYPE.ChanceMode.DETERMINISTIC
        self.is_simultaneous: bool = kind.dynamics == _TYPE.Dynamics.SIMULTANEOUS
        self.recalls: bool = kind.provides_information_state_string
        """Whether OpenSpiel tells all that a seat has seen, and not only what it sees now."""
        self.prefix = re.compile(self.listing.prefix)
        self.sides = self.listing.sides or tuple((seat,) for seat in range(self.seats))

    def __reduce__(self) -> tuple[Any, ...]:
        return load_rules, (self.name, self.settings)


def _parameters(settings: Settings) -> dict[str, bool | int | str]:
    """Return chosen options as parameters: a choice among numbers is one of their texts."""
    return {
        name: int(value) if isinstance(value, str) and value.isdigit() else value for name, value in settings.values
    }


@lru_cache(MAX_LOADED)
def load_rules(name: str, settings: Settings) -> SpielRules:
    """Return the rules of a listed game."""
    return SpielRules(name, settings)
