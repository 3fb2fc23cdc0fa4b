"""Commands on a ladder: requests of entrants, of the organiser, and of the worker that creates its matches."""

from msgspec import Struct

from referee.contests.contest_entrant import ContestEntrant
from referee.contests.corrections import Correction
from referee.contests.ladder.events import MatchRated
from referee.contests.ladder.rating_replay import RatingReplay
from referee.contests.strength.rating import FinishOrder
from referee.match.setup import Player


class AvailableEntrant(Struct, frozen=True, gc=False):
    """An entrant whose bots are all online and may play."""

    name: str
    bots: tuple[Player, ...]
    """The bots, with the versions that would play now."""
    free_slots: int
    """Number of further matches that it can play at the same time."""


class JoinLadder(Struct, frozen=True, gc=False):
    entrant: ContestEntrant


class LeaveLadder(Struct, frozen=True, gc=False):
    name: str
    message: str = ""


class PairEntrants(Struct, frozen=True, gc=False):
    """Plan new pairings of available entrants, at most one for each."""

    available: tuple[AvailableEntrant, ...]
    allow_early_rematch: bool = False
    """Allow an early rematch instead of waiting for entrants that are playing."""
    deferred: frozenset[str] = frozenset()
    """Ids of due matches that cannot start now. No slots are reserved for them."""
    max_pairings: int | None = None
    """None: as many as possible."""


class ChallengeEntrants(Struct, frozen=True, gc=False):
    """Plan a pairing of these entrants, which is played as soon as all of them have free slots."""

    request: str
    entrants: tuple[str, ...]
    """One for each seat, in any order."""


class StartLadderMatch(Struct, frozen=True, gc=False):
    """A due match was created."""

    due_id: str
    match_id: str


class RecordLadderResult(Struct, frozen=True, gc=False):
    """A due match has a result. `RateMatch` records and rates it."""

    due_id: str
    match_id: str
    finish: FinishOrder[Player]
    forfeited: tuple[Player, ...] = ()
    """Players that lost by a fault of their own."""


class RateMatch(Struct, frozen=True, gc=False):
    """Rate a match, once. It need not be one of the ladder's own; then `due_id` is empty."""

    match_id: str
    finish: FinishOrder[Player]
    forfeited: tuple[Player, ...] = ()
    """Players that lost by a fault of their own."""
    due_id: str = ""
    at_ms: int = 0
    """When it is rated, in Unix milliseconds."""


class RecordLadderVoid(Struct, frozen=True, gc=False):
    """A due match became void. It will be played again."""

    due_id: str
    match_id: str


class CorrectMatch(Struct, frozen=True, gc=False):
    """Staff strikes a match, corrects its result or restores it; the ratings have been computed again."""

    correction: Correction
    played: MatchRated
    """The match as it is in the log."""
    replay: RatingReplay
    """The ladder rated again with the correction, from the season of the match on."""


class StartSeason(Struct, frozen=True, gc=False):
    request: str = ""


class PauseLadder(Struct, frozen=True, gc=False):
    """Start no matches until `ResumeLadder`."""

    message: str = ""


class ResumeLadder(Struct, frozen=True, gc=False):
    """Start matches again."""


class CloseLadder(Struct, frozen=True, gc=False):
    """Stop pairing."""

    message: str = ""


class FinishClosure(Struct, frozen=True, gc=False):
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
