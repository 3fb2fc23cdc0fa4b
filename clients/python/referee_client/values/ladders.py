"""Ladders, their standings and their log."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from referee_client.values.contests import (
    DuplicatePlay,
    Entrant,
    EntrantJoined,
    EntrantLeft,
    MatchCorrection,
    Pairing,
    PartnerRule,
)
from referee_client.values.matches import MatchTerms, SeedCommitment
from referee_client.values.ratings import Rating, RatingChange


@dataclass(frozen=True, kw_only=True)
class LadderTerms:
    """Terms of a ladder."""

    match_terms: tuple[MatchTerms, ...] = ()
    """Terms of its matches, used in turn if there are several. At least one; all with the same seats and sides."""
    duplicate_play: DuplicatePlay | None = None
    """Plays each pairing as a set with exchanged seats. Default: single matches, with balanced seats."""
    partner_rule: PartnerRule = ""
    """Assignment of partners. Default: individual."""
    max_concurrent_matches: int = 0
    """Maximum number of matches in play. Default 0: limited by capacity only."""
    rematch_after: int = 0
    """Number of other opponents to play before a rematch, if there are enough. Default 0: 1."""
    provisional_matches: int = 0
    """Number of matches for which a rating is provisional. Default 0: 20."""
    pause_after_faults: int = 0
    """Number of consecutive faults that pause a bot. Default 0: 3."""
    max_matches_per_hour: int | None = None
    """Maximum number of matches to start in an hour, evenly spaced; at most 3600. 0: unlimited. Default: 120."""


@dataclass(frozen=True, kw_only=True)
class Ladder:
    """A ladder."""

    name: str = ""
    """Its name: 1 to 40 lower-case letters, digits and hyphens, beginning with a letter."""
    title: str = ""
    """Display name."""
    terms: LadderTerms = field(default_factory=LadderTerms)
    """Terms with all defaults filled in."""
    organiser: str = ""
    """Holder of the token that created it."""
    closed: bool = False
    """Whether it is closed: it starts no more matches; standings and history remain."""
    paused: bool = False
    """Whether its organiser has paused it: it starts no matches until it is resumed."""
    season: int = 0
    """Number of the season, from 1."""
    season_start_time: datetime | None = None
    """Time when the season started."""
    entrant_count: int = 0
    """Number of entrants."""
    create_time: datetime | None = None
    """Time when it was created."""
    seed_commitment: SeedCommitment = field(default_factory=SeedCommitment)
    """SHA-256 of its seed, from which lots and the starts of sets follow, and the seed itself once it is over."""


@dataclass(frozen=True, kw_only=True)
class LadderStanding:
    """A row of a ladder's standings."""

    rank: int = 0
    """Rank from 1, by `lower_bound`. Entrants with provisional ratings rank after all others."""
    entrant: Entrant = field(default_factory=Entrant)
    """The entrant."""
    version: str = ""
    """Version that the rating is for. Empty for partners."""
    rating: Rating = field(default_factory=Rating)
    """The rating."""
    wins: int = 0
    """Number of matches this season that its side won outright."""
    draws: int = 0
    """Number of matches this season in which its side shared the first rank."""
    losses: int = 0
    """Number of matches this season that its side did not win."""
    forfeits: int = 0
    """Number of matches this season that it forfeited, which are also losses."""
    idle: bool = False
    """Whether it gets no matches because one of its bots is paused or offline."""
    lower_bound: float = 0.0
    """The value of the rating less two deviations, by which the ladder ranks."""


@dataclass(frozen=True, kw_only=True)
class LadderSnapshot:
    """State of a ladder at the time of the call.

    When a watcher continues after an earlier number, all entries since then follow.
    """

    entry_number: int = 0
    """Number of the last entry that is included."""
    ladder: Ladder = field(default_factory=Ladder)
    """The ladder."""
    standings: tuple[LadderStanding, ...] = ()
    """The first hundred rows of the standings."""
    pairings: tuple[Pairing, ...] = ()
    """Pairings that are planned or in play."""
    corrections: tuple[MatchCorrection, ...] = ()
    """The newest hundred corrections that count, oldest first."""


@dataclass(frozen=True, kw_only=True)
class MatchRated:
    """A match was rated."""

    match_id: str = ""
    """Id of the match."""
    ratings: tuple[RatingChange, ...] = ()
    """Rating changes in seat order."""
    weight: float | None = None
    """How much the match counts, from 0 to 1: less if its opponents have met much more often than others. Default 1."""


@dataclass(frozen=True, kw_only=True)
class SeasonStarted:
    """A new season started, with new ratings derived from the old ones."""

    season: int = 0
    """Number of the season."""


@dataclass(frozen=True, kw_only=True)
class LadderPaused:
    """The ladder was paused."""

    message: str = ""
    """Reason in one sentence. Can be empty."""


@dataclass(frozen=True, kw_only=True)
class LadderResumed:
    """The ladder was resumed."""


@dataclass(frozen=True, kw_only=True)
class LadderClosing:
    """The ladder was closed for new matches."""

    message: str = ""
    """Reason in one sentence. Can be empty."""


@dataclass(frozen=True, kw_only=True)
class LadderClosed:
    """The last match of a closed ladder is over."""

    message: str = ""
    """Reason in one sentence. Can be empty."""


LadderEvent: TypeAlias = (
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
)


@dataclass(frozen=True, kw_only=True)
class LadderEntry:
    """An entry of a ladder's log."""

    number: int = 0
    """Number of the entry, from 1, without gaps."""
    create_time: datetime | None = None
    """Time when the entry was written."""
    event: LadderEvent | None = None
    """Event that the entry records."""
