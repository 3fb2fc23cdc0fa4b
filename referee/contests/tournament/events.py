"""Events in a tournament's log.

Pairings are events. So replaying a log gives the same tournament, even if a newer version of a library would pair
differently.
"""

from collections.abc import Mapping

from msgspec import Struct
from referee_values import ByeKind

from referee.contests.contest_entrant import ContestEntrant, EntrantJoined, EntrantLeft
from referee.contests.corrections import Correction
from referee.contests.pairing import ContestMatchScored, ContestMatchStarted, ContestMatchVoided, MatchScore, Pairing
from referee.match.setup import Player


def by_rating(entrants: Mapping[str, ContestEntrant]) -> list[str]:
    """Return the names by rating, highest first. Ties keep their order; entrants without a rating come last."""
    ratings = {name: entrant.rating for name, entrant in entrants.items()}
    return sorted(entrants, key=lambda name: (ratings[name] is None, -(ratings[name] or 0.0)))


class TournamentPlayStarted(Struct, frozen=True, gc=False, tag_field="kind", tag="tournament_started"):
    order: tuple[str, ...]
    """All entrants, the best seed first."""


class FrozenEntrant(Struct, frozen=True, gc=False):
    name: str
    bots: tuple[Player, ...]
    """In the order of seats, with the versions that play from now on."""


class VersionsFrozen(Struct, frozen=True, gc=False, tag_field="kind", tag="versions_frozen"):
    """The bots of these entrants play with these versions until the end."""

    entrants: tuple[FrozenEntrant, ...]


class PairingsPlanned(Struct, frozen=True, gc=False, tag_field="kind", tag="pairings_planned"):
    pairings: tuple[Pairing, ...]
    not_before_ms: int = 0
    """When their first matches may start. 0: at once."""


class EntrantsAbsent(Struct, frozen=True, gc=False, tag_field="kind", tag="entrants_absent"):
    """Entrants lost a pairing by absence: what is left of it is not played."""

    pairing: str
    entrants: tuple[str, ...]
    message: str
    """Reason in one sentence."""
    by: str = ""
    """Holder of the token with which it was declared. Empty: the referee, after the wait of the terms."""
    board: int = 0
    """Board of two teams that they lost. 0: the pairing."""


class PairingsReplaced(Struct, frozen=True, gc=False, tag_field="kind", tag="pairings_replaced"):
    """Staff paired by hand."""

    dropped: tuple[str, ...]
    """Ids of the pairings that were replaced. They are never used again."""
    pairings: tuple[Pairing, ...]
    not_before_ms: int
    message: str
    by: str


class PairingPostponed(Struct, frozen=True, gc=False, tag_field="kind", tag="pairing_postponed"):
    pairing: str
    until_ms: int
    message: str
    by: str


class PairingReopened(Struct, frozen=True, gc=False, tag_field="kind", tag="pairing_reopened"):
    """The result of a pairing was set aside."""

    pairing: str
    dropped: tuple[str, ...]
    """Ids of later pairings that followed from it."""
    message: str
    by: str


class ByeRequested(Struct, frozen=True, gc=False, tag_field="kind", tag="bye_requested"):
    """An entrant requested a bye for a round, or cancelled its request."""

    name: str
    round: int
    bye: ByeKind
    by: str
    """Holder of the token of the caller."""


class ScoreCorrected(Struct, frozen=True, gc=False, tag_field="kind", tag="score_corrected"):
    """Staff struck a match, corrected its result or restored it, also after the end of the tournament."""

    pairing: str
    number: int
    correction: Correction
    score: MatchScore | None
    """The result that counts. None: the match is struck."""


class TournamentEnded(Struct, frozen=True, gc=False, tag_field="kind", tag="tournament_ended"):
    """The tournament ended. Only corrections can follow."""

    cancelled: bool = False
    message: str = ""


TournamentEvent = (
    EntrantJoined
    | EntrantLeft
    | TournamentPlayStarted
    | PairingsPlanned
    | ContestMatchStarted
    | ContestMatchScored
    | ContestMatchVoided
    | EntrantsAbsent
    | VersionsFrozen
    | PairingsReplaced
    | PairingPostponed
    | PairingReopened
    | ByeRequested
    | ScoreCorrected
    | TournamentEnded
)
