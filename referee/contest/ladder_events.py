"""What happens on a ladder. Its log holds these, and it is what they make of it.

Pairings are events, and so are changes of ratings: a ladder that is read again is the same ladder, whatever a
newer library would have paired or computed.
"""

from dataclasses import dataclass

from referee.contest import rated
from referee.contest.finish import Finish
from referee.contest.match_events import Began, Scored, Voided
from referee.contest.pairing import Pairing
from referee.core.setup import Player


@dataclass(frozen=True, slots=True)
class Entrant:
    name: str
    bots: tuple[Player, ...]
    """Several where partners are fixed, in the order in which they sit. No version: whichever is there."""

    def player(self, bots: tuple[Player, ...] = ()) -> Player:
        """Who is rated: the version of its bot that plays (these, or those that it came with), or the partners."""
        return (bots or self.bots)[0] if len(self.bots) == 1 else Player(self.name)


@dataclass(frozen=True, slots=True)
class Joined:
    entrant: Entrant


@dataclass(frozen=True, slots=True)
class Left:
    name: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Paired:
    pairing: Pairing
    challenge: str = ""
    """The request by which somebody asked for it. Empty: nobody did."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A match has changed ratings. It need not be one that the ladder made."""

    match_id: str
    finish: Finish[Player]
    forfeited: tuple[Player, ...]
    """Who lost by a fault of its own."""
    changes: tuple[rated.Change[Player], ...]
    """In the order of the finish."""


@dataclass(frozen=True, slots=True)
class SeasonBegan:
    season: int
    request: str = ""
    """The request by which it was asked for."""


@dataclass(frozen=True, slots=True)
class Paused:
    """It begins no matches until it is resumed."""

    message: str = ""


@dataclass(frozen=True, slots=True)
class Resumed:
    """It begins matches again."""


@dataclass(frozen=True, slots=True)
class Closing:
    """It pairs nobody any more."""

    message: str = ""


@dataclass(frozen=True, slots=True)
class Closed:
    """All its matches are over. Always the last event."""


Event = Joined | Left | Paired | Began | Scored | Voided | Rated | SeasonBegan | Paused | Resumed | Closing | Closed
