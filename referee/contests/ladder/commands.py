"""Commands on a ladder: requests of entrants, of the organiser, and of the worker that creates its matches."""

from dataclasses import dataclass

from referee.contests.corrections import Correction
from referee.contests.ladder.events import LadderEntrant, MatchRated
from referee.contests.ladder.rating_replay import RatingReplay
from referee.contests.strength.rating import FinishOrder
from referee.match.setup import Player


@dataclass(frozen=True, slots=True)
class AvailableEntrant:
    """An entrant whose bots are all online and may play."""

    name: str
    bots: tuple[Player, ...]
    """The bots, with the versions that would play now."""
    free_slots: int
    """Number of further matches that it can play at the same time."""


@dataclass(frozen=True, slots=True)
class JoinLadder:
    entrant: LadderEntrant


@dataclass(frozen=True, slots=True)
class LeaveLadder:
    name: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class PairEntrants:
    """Plan new pairings of available entrants, at most one for each."""

    available: tuple[AvailableEntrant, ...]
    allow_early_rematch: bool = False
    """Allow an early rematch instead of waiting for entrants that are playing."""
    deferred: frozenset[str] = frozenset()
    """Ids of due matches that cannot start now. No slots are reserved for them."""
    max_pairings: int | None = None
    """None: as many as possible."""


@dataclass(frozen=True, slots=True)
class ChallengeEntrants:
    """Plan a pairing of these entrants, which is played as soon as all of them have free slots."""

    request: str
    entrants: tuple[str, ...]
    """One for each seat, in any order."""


@dataclass(frozen=True, slots=True)
class StartLadderMatch:
    """A due match was created."""

    due_id: str
    match_id: str


@dataclass(frozen=True, slots=True)
class RecordLadderResult:
    """A due match has a result. `RateMatch` records and rates it."""

    due_id: str
    match_id: str
    finish: FinishOrder[Player]
    forfeited: tuple[Player, ...] = ()
    """Players that lost by a fault of their own."""


@dataclass(frozen=True, slots=True)
class RateMatch:
    """Rate a match, once. It need not be one of the ladder's own; then `due_id` is empty."""

    match_id: str
    finish: FinishOrder[Player]
    forfeited: tuple[Player, ...] = ()
    """Players that lost by a fault of their own."""
    due_id: str = ""
    at_ms: int = 0
    """When it is rated, in Unix milliseconds."""


@dataclass(frozen=True, slots=True)
class RecordLadderVoid:
    """A due match became void. It will be played again."""

    due_id: str
    match_id: str


@dataclass(frozen=True, slots=True)
class CorrectMatch:
    """Staff strikes a match, corrects its result or restores it; the ratings have been computed again."""

    correction: Correction
    played: MatchRated
    """The match as it is in the log."""
    replay: RatingReplay
    """The ladder rated again with the correction, from the season of the match on."""


@dataclass(frozen=True, slots=True)
class StartSeason:
    request: str = ""


@dataclass(frozen=True, slots=True)
class PauseLadder:
    """Start no matches until `ResumeLadder`."""

    message: str = ""


@dataclass(frozen=True, slots=True)
class ResumeLadder:
    """Start matches again."""


@dataclass(frozen=True, slots=True)
class CloseLadder:
    """Stop pairing."""

    message: str = ""


@dataclass(frozen=True, slots=True)
class FinishClosure:
    """Finish the closure once no match that the ladder rates is in play."""


LadderCommand = (
    JoinLadder
    | LeaveLadder
    | PairEntrants
    | ChallengeEntrants
    | StartLadderMatch
    | RecordLadderResult
    | RateMatch
    | RecordLadderVoid
    | CorrectMatch
    | StartSeason
    | PauseLadder
    | ResumeLadder
    | CloseLadder
    | FinishClosure
)
