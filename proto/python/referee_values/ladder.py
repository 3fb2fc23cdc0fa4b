"""Ladders: open-ended contests that pair entrants who are online."""

from referee_values.contest import (
    DuplicatePlay,
    Entrant,
    EntrantJoined,
    EntrantLeft,
    MatchCorrection,
    Pairing,
    PartnerRule,
)
from referee_values.match import MatchTerms
from referee_values.rating import Rating, RatingChange
from referee_values.seed import SeedCommitment
from referee_values.value import Count, Count64, Timestamp, Value


class LadderResumed(Value, frozen=True, kw_only=True):
    """The ladder was resumed."""


class LadderTerms(Value, frozen=True, kw_only=True):
    """Terms of a ladder."""

    match_terms: tuple[MatchTerms, ...] = ()
    """Terms of its matches, used in turn if there are several. At least one; all with the same seats and sides."""
    duplicate_play: DuplicatePlay | None = None
    """Plays each pairing as a set with exchanged seats. Default: single matches, with balanced seats."""
    partner_rule: PartnerRule = ""
    """Assignment of partners. Default: individual."""
    max_concurrent_matches: Count = 0
    """Maximum number of matches in play. Default 0: limited by capacity only."""
    rematch_after: Count | None = None
    """Number of other opponents to play before a rematch, if there are enough. Default: 1."""
    provisional_matches: Count | None = None
    """Number of matches for which a rating is provisional. Default: 20."""
    pause_after_faults: Count = 0
    """Number of consecutive faults that pause a bot. Default 0: 3."""
    max_matches_per_hour: Count | None = None
    """Maximum number of matches to start in an hour, evenly spaced; at most 3600. 0: unlimited. Default: 120."""


class SeasonStarted(Value, frozen=True, kw_only=True):
    """A new season started, with new ratings derived from the old ones."""

    season: Count = 0
    """Number of the season."""


class LadderPaused(Value, frozen=True, kw_only=True):
    """The ladder was paused."""

    message: str = ""
    """Reason in one sentence. Can be empty."""


class LadderClosing(Value, frozen=True, kw_only=True):
    """The ladder was closed for new matches."""

    message: str = ""
    """Reason in one sentence. Can be empty."""


class LadderClosed(Value, frozen=True, kw_only=True):
    """The last match of a closed ladder is over."""

    message: str = ""
    """Reason in one sentence. Can be empty."""


class LadderStanding(Value, frozen=True, kw_only=True):
    """A row of a ladder's standings."""

    rank: Count = 0
    """Rank from 1, by `lower_bound`. Entrants with provisional ratings rank after all others."""
    entrant: Entrant = Entrant()
    """The entrant."""
    version: str = ""
    """Version that the rating is for. Empty for partners."""
    rating: Rating = Rating()
    """The rating."""
    wins: Count = 0
    """Number of matches this season that its side won outright."""
    draws: Count = 0
    """Number of matches this season in which its side shared the first rank."""
    losses: Count = 0
    """Number of matches this season that its side did not win."""
    forfeits: Count = 0
    """Number of matches this season that it forfeited, which are also losses."""
    idle: bool = False
    """Whether it gets no matches because one of its bots is paused or offline."""
    lower_bound: float = 0.0
    """The value of the rating less two deviations, by which the ladder ranks."""


class MatchRated(Value, frozen=True, kw_only=True):
    """A match was rated."""

    match_id: str = ""
    """Id of the match."""
    ratings: tuple[RatingChange, ...] = ()
    """Rating changes in seat order."""
    weight: float | None = None
    """How much the match counts, from 0 to 1: less if its opponents have met much more often than others. Default 1."""


class Ladder(Value, frozen=True, kw_only=True):
    """A ladder."""

    name: str = ""
    """Its name: 1 to 40 lower-case letters, digits and hyphens, beginning with a letter."""
    title: str = ""
    """Display name."""
    terms: LadderTerms = LadderTerms()
    """Terms with all defaults filled in."""
    organiser: str = ""
    """Holder of the token that created it."""
    closed: bool = False
    """Whether it is closed: it starts no more matches; standings and history remain."""
    paused: bool = False
    """Whether its organiser has paused it: it starts no matches until it is resumed."""
    season: Count = 0
    """Number of the season, from 1."""
    season_start_time: Timestamp | None = None
    """Time when the season started."""
    entrant_count: Count = 0
    """Number of entrants."""
    create_time: Timestamp | None = None
    """Time when it was created."""
    seed_commitment: SeedCommitment = SeedCommitment()
    """SHA-256 of its seed, from which lots and the starts of sets follow, and the seed itself once it is over."""


class LadderEntry(Value, frozen=True, kw_only=True):
    """An entry of a ladder's log."""

    number: Count64 = 0
    """Number of the entry, from 1, without gaps."""
    create_time: Timestamp | None = None
    """Time when the entry was written."""
    created: Ladder | None = None
    """The ladder was created. Always the first entry."""
    entrant_joined: EntrantJoined | None = None
    """An entrant joined."""
    entrant_left: EntrantLeft | None = None
    """An entrant left."""
    pairing: Pairing | None = None
    """A pairing was planned, or a match of it started, ended or became void."""
    match_rated: MatchRated | None = None
    """A match was rated, whether or not the ladder created it."""
    season_started: SeasonStarted | None = None
    """A new season started."""
    paused: LadderPaused | None = None
    """The ladder was paused: it starts no matches until it is resumed. Matches in play continue and are rated."""
    resumed: LadderResumed | None = None
    """The ladder was resumed."""
    closing: LadderClosing | None = None
    """The ladder was closed for new matches. Matches in play continue and are rated."""
    closed: LadderClosed | None = None
    """The last match of a closed ladder is over. Only corrections can follow."""
    match_corrected: MatchCorrection | None = None
    """Staff struck a rated match, corrected its result or restored it. Ratings from its season on were computed
    again.
    """

    @property
    def event(
        self,
    ) -> (
        Ladder
        | EntrantJoined
        | EntrantLeft
        | Pairing
        | MatchRated
        | SeasonStarted
        | LadderPaused
        | LadderResumed
        | LadderClosing
        | LadderClosed
        | MatchCorrection
        | None
    ):
        """Event that the entry records."""
        return (
            self.created
            or self.entrant_joined
            or self.entrant_left
            or self.pairing
            or self.match_rated
            or self.season_started
            or self.paused
            or self.resumed
            or self.closing
            or self.closed
            or self.match_corrected
        )
