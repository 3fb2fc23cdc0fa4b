"""What happens in a tournament. Its log holds these, and it is what they make of it.

Pairings are events too, so that a tournament read again is the same tournament, whatever a newer library would
have paired.
"""

from dataclasses import dataclass

from referee.contest.match_events import Began, Scored, Voided
from referee.contest.pairing import Pairing
from referee.core.setup import Player


@dataclass(frozen=True, slots=True)
class Entrant:
    name: str
    rating: float | None = None
    """At entry; who has none is seeded behind those who have."""
    bots: tuple[Player, ...] = ()
    """Several where partners are fixed, in the order in which they sit. No version: whichever is there."""


@dataclass(frozen=True, slots=True)
class Entered:
    entrant: Entrant


@dataclass(frozen=True, slots=True)
class Withdrew:
    name: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Started:
    order: tuple[str, ...]
    """The best seed first."""


@dataclass(frozen=True, slots=True)
class Paired:
    pairings: tuple[Pairing, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    cancelled: bool = False
    message: str = ""


Event = Entered | Withdrew | Started | Paired | Began | Scored | Voided | Ended
