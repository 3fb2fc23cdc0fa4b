"""Commands on a tournament: requests of entrants, of the organiser, and of the worker that creates its matches."""

from dataclasses import dataclass

from referee.contests.corrections import Correction
from referee.contests.pairing import MatchScore
from referee.contests.tournament.events import ByeKind, FrozenEntrant, TournamentEntrant


@dataclass(frozen=True, slots=True)
class EnterTournament:
    entrant: TournamentEntrant
    at_ms: int = 0
    """When it was requested. 0: entries are not closed yet."""


@dataclass(frozen=True, slots=True)
class WithdrawEntrant:
    name: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class StartTournament:
    pass


@dataclass(frozen=True, slots=True)
class StartTournamentMatch:
    """A due match was created."""

    pairing: str
    number: int
    attempt: int
    match_id: str


@dataclass(frozen=True, slots=True)
class RecordTournamentScore:
    """A match has a result."""

    pairing: str
    number: int
    attempt: int
    score: MatchScore


@dataclass(frozen=True, slots=True)
class RecordTournamentVoid:
    """A match became void. It will be played again."""

    pairing: str
    number: int
    attempt: int


@dataclass(frozen=True, slots=True)
class DeclareAbsent:
    """A pairing has waited long enough for these entrants."""

    pairing: str
    entrants: tuple[str, ...]
    message: str
    by: str = ""
    """Holder that declares the absence. Empty: the referee itself."""
    board: int = 0
    """Board of two teams that has waited. 0: the pairing."""


@dataclass(frozen=True, slots=True)
class PairRound:
    """Staff pairs by hand what has not begun of the last round."""

    round: int
    pairings: tuple[tuple[str, ...], ...]
    """Entrants in the order of seats. A single one has a bye."""
    message: str
    by: str


@dataclass(frozen=True, slots=True)
class PostponePairing:
    pairing: str
    until_ms: int
    message: str
    by: str


@dataclass(frozen=True, slots=True)
class ReopenPairing:
    """Staff sets a result aside; the pairing is played again."""

    pairing: str
    message: str
    by: str


@dataclass(frozen=True, slots=True)
class RequestBye:
    """An entrant requests a bye for a round, or cancels its request."""

    name: str
    round: int
    kind: ByeKind
    by: str


@dataclass(frozen=True, slots=True)
class CorrectScore:
    """Staff strikes a match, corrects its result or restores it."""

    pairing: str
    number: int
    correction: Correction
    sides: int
    """Number of sides of the game."""
    score: MatchScore | None
    """The corrected result. None: the match is struck or restored."""


@dataclass(frozen=True, slots=True)
class FreezeVersions:
    entrants: tuple[FrozenEntrant, ...]


@dataclass(frozen=True, slots=True)
class CancelTournament:
    message: str = ""


@dataclass(frozen=True, slots=True)
class QualifyEntrants:
    """The best of the stage before enter all at once."""

    entrants: tuple[TournamentEntrant, ...]


StaffAct = PairRound | PostponePairing | ReopenPairing | DeclareAbsent

TournamentCommand = (
    EnterTournament
    | WithdrawEntrant
    | StartTournament
    | StartTournamentMatch
    | RecordTournamentScore
    | RecordTournamentVoid
    | DeclareAbsent
    | FreezeVersions
    | PairRound
    | PostponePairing
    | ReopenPairing
    | RequestBye
    | CorrectScore
    | QualifyEntrants
    | CancelTournament
)
