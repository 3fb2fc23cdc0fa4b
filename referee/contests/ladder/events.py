"""Events in a ladder's log.

Pairings and rating changes are events. So replaying a log gives the same ladder, even if a newer version of a library
would pair or rate differently.
"""

from msgspec import Struct

from referee.contests.contest_entrant import EntrantJoined, EntrantLeft
from referee.contests.corrections import Correction
from referee.contests.pairing import ContestMatchScored, ContestMatchStarted, ContestMatchVoided, Pairing
from referee.contests.strength.rating import FinishOrder, RatingRecord, RatingUpdate
from referee.match.setup import Player


class WinLossRecord(Struct, frozen=True, gc=False):
    """Results of one player."""

    wins: int = 0
    """Matches that its side won alone."""
    draws: int = 0
    """Matches in which its side shared the first rank."""
    losses: int = 0
    forfeits: int = 0
    """Losses by a fault of its own."""

    def after(self, finish: FinishOrder[Player], player: Player, forfeited: bool) -> "WinLossRecord":
        """Return the record with one more match."""
        rank = next(rank for side, rank in zip(finish.sides, finish.ranks, strict=True) if player in side)
        first, alone = rank == 1, finish.ranks.count(1) == 1
        return WinLossRecord(
            self.wins + (first and alone),
            self.draws + (first and not alone),
            self.losses + (not first),
            self.forfeits + forfeited,
        )


NO_MATCHES = WinLossRecord()


class EntrantAvailability(Struct, frozen=True, gc=False):
    """An entrant whose bots are all online and may play."""

    name: str
    versions: tuple[str, ...]
    """Versions of its bots that would play now, in the order of `ContestEntrant.bots`."""
    free_slots: int
    """Number of further matches that it can play at the same time."""


class PlanningInput(Struct, frozen=True, gc=False):
    """What a planning depends on besides the ladder, so that anyone can repeat it from the log.

    Only changes of availability are recorded: they are few, while hundreds of entrants may be available.
    """

    changed: tuple[EntrantAvailability, ...] = ()
    """Entrants that became available since the last planning in the log, or whose versions or slots are different."""
    gone: tuple[str, ...] = ()
    """Entrants that were available then, and are not now."""
    allow_early_rematch: bool = False
    deferred: tuple[str, ...] = ()
    """Ids of due matches that could not start, and for which no slots were reserved."""
    max_pairings: int | None = None
    """Maximum number of pairings to plan. None: no limit."""


class PairingPlanned(Struct, frozen=True, gc=False, tag_field="kind", tag="pairing_planned"):
    pairing: Pairing
    challenge: str = ""
    """Id of the request that asked for this pairing. Empty: matchmaking."""
    planning: PlanningInput | None = None
    """What it was planned from. None: it is a challenge, or was planned together with the pairing before it."""


class MatchRated(Struct, frozen=True, gc=False, tag_field="kind", tag="match_rated"):
    """A match changed ratings. It need not be one of the ladder's own."""

    match_id: str
    finish: FinishOrder[Player]
    forfeited: tuple[Player, ...]
    """Players that lost by a fault of their own."""
    changes: tuple[RatingUpdate[Player], ...]
    """Rating changes, in the order of `finish`."""
    at_ms: int = 0
    """When the match was rated, in Unix milliseconds. 0: not known; older logs have the time of the entry only."""
    weight: float = 1.0
    """How much the match counts, from 0 to 1: less, if its players have met too often."""


class SeasonRow(Struct, frozen=True, gc=False):
    """One player of a season that was computed again."""

    player: Player
    rating: RatingRecord
    record: WinLossRecord | None
    """None: it has played no match of the season that counts."""
    rated_ms: int
    """When it was last rated up to the end of the season, in Unix milliseconds."""


class CorrectedSeason(Struct, frozen=True, gc=False):
    """A season as it is after a correction, with all its players in the order of their first ratings."""

    season: int
    rows: tuple[SeasonRow, ...]


class MatchCorrected(Struct, frozen=True, gc=False, tag_field="kind", tag="match_corrected"):
    """Staff struck a rated match, corrected its result or restored it, also after the ladder was closed.

    The rating changes of later matches stay in the log as they are; `seasons` has the ratings after the correction.
    """

    correction: Correction
    finish: FinishOrder[Player] | None
    """The result that counts. None: the match is struck."""
    forfeited: tuple[Player, ...]
    """Players that lost by a fault of their own, by the result that counts."""
    seasons: tuple[CorrectedSeason, ...]
    """The season in which the match was rated, and all that follow."""
    versions: tuple[Player, ...]
    """The version of each bot that was rated last by a match that counts."""


class SeasonStarted(Struct, frozen=True, gc=False, tag_field="kind", tag="season_started"):
    season: int
    request: str = ""
    """Id of the request that asked for it."""


class LadderPaused(Struct, frozen=True, gc=False, tag_field="kind", tag="ladder_paused"):
    """No matches start until the ladder is resumed."""

    message: str = ""


class LadderResumed(Struct, frozen=True, gc=False, tag_field="kind", tag="ladder_resumed"):
    """Matches start again."""


class LadderClosureStarted(Struct, frozen=True, gc=False, tag_field="kind", tag="ladder_closing"):
    """Pairing stopped."""

    message: str = ""


class LadderClosureFinished(Struct, frozen=True, gc=False, tag_field="kind", tag="ladder_closed"):
    """All matches are over. Only corrections can follow."""


LadderEvent = (
    EntrantJoined
    | EntrantLeft
    | PairingPlanned
    | ContestMatchStarted
    | ContestMatchScored
    | ContestMatchVoided
    | MatchRated
    | MatchCorrected
    | SeasonStarted
    | LadderPaused
    | LadderResumed
    | LadderClosureStarted
    | LadderClosureFinished
)
