"""Commands on a tournament: requests of entrants, of the organiser, and of the worker that creates its matches."""

from msgspec import Struct
from referee_values import ByeKind

from referee.contests.contest_entrant import ContestEntrant
from referee.contests.corrections import Correction
from referee.contests.pairing import MatchScore
from referee.contests.tournament.events import FrozenEntrant


class EnterTournament(Struct, frozen=True, gc=False):
    entrant: ContestEntrant


class WithdrawEntrant(Struct, frozen=True, gc=False):
    name: str
    message: str = ""


class StartTournament(Struct, frozen=True, gc=False):
    pass


class StartTournamentMatch(Struct, frozen=True, gc=False):
    """A due match was created."""

    pairing: str
    number: int
    attempt: int
    match_id: str


class RecordTournamentScore(Struct, frozen=True, gc=False):
    """A match has a result."""

    pairing: str
    number: int
    attempt: int
    score: MatchScore


class RecordTournamentVoid(Struct, frozen=True, gc=False):
    """A match became void. It will be played again."""

    pairing: str
    number: int
    attempt: int


class DeclareAbsent(Struct, frozen=True, gc=False):
    """A pairing has waited long enough for these entrants."""

    pairing: str
    entrants: tuple[str, ...]
    message: str
    by: str = ""
    """Holder that declares the absence. Empty: the referee itself."""
    board: int = 0
    """Board of two teams that has waited. 0: the pairing."""


class PairRound(Struct, frozen=True, gc=False):
    """Staff pairs by hand what has not begun of the last round."""

    round: int
    pairings: tuple[tuple[str, ...], ...]
    """Entrants in the order of seats. A single one has a bye."""
    message: str
    by: str


class PostponePairing(Struct, frozen=True, gc=False):
    pairing: str
    until_ms: int
    message: str
    by: str


class ReopenPairing(Struct, frozen=True, gc=False):
    """Staff sets a result aside; the pairing is played again."""

    pairing: str
    message: str
    by: str


class RequestBye(Struct, frozen=True, gc=False):
    """An entrant requests a bye for a round, or cancels its request."""

    name: str
    round: int
    kind: ByeKind
    by: str


class CorrectScore(Struct, frozen=True, gc=False):
    """Staff strikes a match, corrects its result or restores it."""

    pairing: str
    number: int
    correction: Correction
    sides: int
    """Number of sides of the game."""
    score: MatchScore | None
    """The corrected result. None: the match is struck or restored."""


class FreezeVersions(Struct, frozen=True, gc=False):
    entrants: tuple[FrozenEntrant, ...]


class CancelTournament(Struct, frozen=True, gc=False):
    message: str = ""


class QualifyEntrants(Struct, frozen=True, gc=False):
    """The best of the stage before enter all at once."""

    entrants: tuple[ContestEntrant, ...]


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
