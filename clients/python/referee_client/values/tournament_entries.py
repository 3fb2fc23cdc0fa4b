"""The log of a tournament."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from referee_client.values.contests import Entrant, EntrantJoined, EntrantLeft, MatchCorrection, Pairing
from referee_client.values.tournaments import RequestedBye, SprtState, Tournament, TournamentPhase, TournamentStanding


@dataclass(frozen=True, kw_only=True)
class PairingsPlanned:
    """Pairings were planned."""

    pairings: tuple[Pairing, ...] = ()
    """The pairings."""


@dataclass(frozen=True, kw_only=True)
class RoundStarted:
    """A round started."""

    round: int = 0
    """Number of the round, from 1."""
    standings: tuple[TournamentStanding, ...] = ()
    """Standings before the round. Empty at the start."""
    pairings: tuple[Pairing, ...] = ()
    """Pairings of the round. Empty at the start, when PairingsPlanned follows."""


@dataclass(frozen=True, kw_only=True)
class TournamentEnded:
    """The tournament ended."""

    phase: TournamentPhase = ""
    """Finished or cancelled."""
    standings: tuple[TournamentStanding, ...] = ()
    """Final standings."""
    message: str = ""
    """Reason in one sentence, if it was cancelled. Can be empty."""


@dataclass(frozen=True, kw_only=True)
class EntrantsAbsent:
    """Entrants lost a pairing by absence. The other entrant wins what was left of it; no match of this is rated."""

    pairing: Pairing = field(default_factory=Pairing)
    """The pairing, with its points."""
    entrants: tuple[str, ...] = ()
    """Names of the absent entrants."""
    message: str = ""
    """Reason in one sentence."""
    by: str = ""
    """Holder of the token with which staff declared it. Empty: the referee, after `no_show_ms`."""
    board: int = 0
    """The board that teams lost. 0: the pairing."""


@dataclass(frozen=True, kw_only=True)
class VersionsFrozen:
    """The bots of these entrants play with these versions until the end."""

    entrants: tuple[Entrant, ...] = ()
    """The entrants, with the versions of their bots."""


@dataclass(frozen=True, kw_only=True)
class PairingsReplaced:
    """Staff paired by hand what had not begun of a round."""

    dropped_ids: tuple[str, ...] = ()
    """Ids of the pairings that were replaced; they are not used again."""
    pairings: tuple[Pairing, ...] = ()
    """The new pairings."""
    message: str = ""
    """Reason in one sentence."""
    by: str = ""
    """Holder of the token with which it was done."""


@dataclass(frozen=True, kw_only=True)
class PairingPostponed:
    """Staff postponed a pairing."""

    pairing: Pairing = field(default_factory=Pairing)
    """The pairing, with its new time."""
    message: str = ""
    """Reason in one sentence."""
    by: str = ""
    """Holder of the token with which it was done."""


@dataclass(frozen=True, kw_only=True)
class PairingReopened:
    """Staff set the result of a pairing aside; it is played again."""

    pairing: Pairing = field(default_factory=Pairing)
    """The pairing."""
    dropped_ids: tuple[str, ...] = ()
    """Ids of later pairings that followed from it and had not begun; they are dropped."""
    message: str = ""
    """Reason in one sentence."""
    by: str = ""
    """Holder of the token with which it was done."""


@dataclass(frozen=True, kw_only=True)
class ByeRequested:
    """An entrant requested a bye, or cancelled its request."""

    bye: RequestedBye = field(default_factory=RequestedBye)
    """The bye. `none`: the request was cancelled."""
    by: str = ""
    """Holder of the token of the caller."""


@dataclass(frozen=True, kw_only=True)
class ScoreCorrected:
    """Staff struck a match, corrected its result or restored it.

    Standings are computed from the results that count; pairings that are planned do not change.
    """

    pairing: Pairing = field(default_factory=Pairing)
    """The pairing, with its points as they are now."""
    correction: MatchCorrection = field(default_factory=MatchCorrection)
    """The correction."""


TournamentEvent: TypeAlias = (
    Tournament
    | EntrantJoined
    | EntrantLeft
    | PairingsPlanned
    | RoundStarted
    | Pairing
    | SprtState
    | TournamentEnded
    | EntrantsAbsent
    | VersionsFrozen
    | PairingsReplaced
    | PairingPostponed
    | PairingReopened
    | ByeRequested
    | ScoreCorrected
)


@dataclass(frozen=True, kw_only=True)
class TournamentEntry:
    """An entry of a tournament's log."""

    number: int = 0
    """Number of the entry, from 1, without gaps."""
    create_time: datetime | None = None
    """Time when the entry was written."""
    event: TournamentEvent | None = None
    """Event that the entry records."""
