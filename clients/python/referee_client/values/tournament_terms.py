"""Formats of tournaments, and everything else that is agreed before they start."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from referee_client.values.contests import DuplicatePlay, PartnerRule
from referee_client.values.matches import MatchTerms

SprtModel: TypeAlias = Literal["", "trinomial", "pentanomial"]
"""Outcomes that a test counts.

Default: pentanomial.
`trinomial`: single matches: losses, draws and wins.
`pentanomial`: sets of two matches with exchanged seats: 0, 0.5, 1, 1.5 or 2 points.
"""

TieBreak: TypeAlias = Literal[
    "",
    "buchholz",
    "median_buchholz",
    "sonneborn_berger",
    "direct_encounter",
    "wins",
    "progressive",
    "board_points",
    "buchholz_cut_1",
    "koya",
]
"""Ways to rank entrants with equal points.

`buchholz`: sum of the opponents' points.
`median_buchholz`: sum of the opponents' points without the best and the worst opponent.
`sonneborn_berger`: points of defeated opponents, plus half the points of opponents with whom one drew.
`direct_encounter`: points in matches among the tied entrants.
`wins`: number of matches won.
`progressive`: sum of one's points after each round.
`board_points`: sum of the points on all boards. Of teams only.
`buchholz_cut_1`: sum of the opponents' points without the worst opponent.
`koya`: points against opponents with at least half of the points that they could score. Only in a round robin of
    single entrants.
"""

Seeding: TypeAlias = Literal["", "entry_order", "rating", "random"]
"""Order in which entrants are seeded.

Default: in the order of entry.
`entry_order`: in the order of entry.
`rating`: by rating on the tournament's ladder.
`random`: at random.
"""


@dataclass(frozen=True, kw_only=True)
class Qualification:
    """The entrants of a tournament are the best of another one."""

    tournament: str = ""
    """Name of the other tournament.

    It must belong to the same organiser and have the same terms of matches. If it is cancelled, so is this one.
    """
    best: int = 0
    """Number of entrants that qualify, from 2. Entrants that have withdrawn do not."""


@dataclass(frozen=True, kw_only=True)
class ForbiddenPair:
    """Two entrants that are never paired with each other."""

    first: str = ""
    """Name of one of them. Required. It need not have entered."""
    second: str = ""
    """Name of the other one. Required."""


@dataclass(frozen=True, kw_only=True)
class RoundRobin:
    """Every entrant plays every other entrant."""

    cycles: int = 0
    """Number of times that each pair plays. Default 0: 1."""


@dataclass(frozen=True, kw_only=True)
class Swiss:
    """Entrants with equal points play each other, without rematches (FIDE Dutch)."""

    rounds: int = 0
    """Number of rounds. Required."""
    accelerated: bool = False
    """Whether the upper half of the seeds is paired with virtual points in the first half of the rounds, so that
    strong entrants meet sooner (FIDE, Baku acceleration). Default false.
    """


@dataclass(frozen=True, kw_only=True)
class Elimination:
    """Losers drop out."""

    double_elimination: bool = False
    """Whether entrants drop out after two losses instead of one. Default false."""
    matches_per_pairing: int = 0
    """Number of matches in each pairing. Default 0: 1."""
    max_extra_matches: int = 0
    """Maximum number of extra matches to break a tie, after which the better seed advances. Default 0: 2."""
    third_place_match: bool = False
    """Whether the losers of the semi-finals play for the third place. Default false."""


@dataclass(frozen=True, kw_only=True)
class Gauntlet:
    """Challengers play all other entrants, who do not play each other."""

    challengers: tuple[str, ...] = ()
    """Names of the challengers. At least one."""
    cycles: int = 0
    """Number of times that each pair plays. Default 0: 1."""


@dataclass(frozen=True, kw_only=True)
class Pools:
    """Several entrants play at each table.

    Tables are rearranged in each round, so that as many entrants as possible meet.
    """

    rounds: int = 0
    """Number of rounds. Required."""


@dataclass(frozen=True, kw_only=True)
class Sprt:
    """Hypotheses and error rates of a test."""

    elo0: float = 0.0
    """Difference of the null hypothesis, in Elo. Default 0."""
    elo1: float = 0.0
    """Difference of the alternative hypothesis, in Elo. Greater than `elo0`. Required."""
    alpha: float = 0.0
    """Probability of passing if the null hypothesis is true. Default 0: 0.05."""
    beta: float = 0.0
    """Probability of failing if the alternative hypothesis is true. Default 0: 0.05."""
    model: SprtModel = ""
    """Outcomes that are counted. Default: pentanomial."""
    max_matches: int = 0
    """Maximum number of matches, after which the test ends undecided. Default 0: unlimited."""


TournamentFormat: TypeAlias = RoundRobin | Swiss | Elimination | Gauntlet | Pools | Sprt


@dataclass(frozen=True, kw_only=True)
class TournamentTerms:
    """Terms of a tournament."""

    match_terms: MatchTerms = field(default_factory=MatchTerms)
    """Terms of its matches. Required."""
    format: TournamentFormat | None = None
    """Format: how entrants are paired."""
    duplicate_play: DuplicatePlay | None = None
    """Plays each pairing as a set with exchanged seats. Default: single matches, with balanced seats."""
    tie_breaks: tuple[TieBreak, ...] = ()
    """Tie-breaks in order of precedence. Default: those of the format; always set in responses."""
    seeding: Seeding = ""
    """Order of the seeding. Default: in the order of entry."""
    max_concurrent_matches: int = 0
    """Maximum number of matches in play. Default 0: limited by capacity only."""
    ladder: str = ""
    """Ladder whose ratings seed the entrants and that rates the matches.

    The caller must be its organiser. Default: none.
    """
    last_entry_round: int = 0
    """Last round in which entrants can join; late entrants have lost the rounds before.

    Default 0: none after the start.
    """
    partner_rule: PartnerRule = ""
    """Assignment of partners. Default: individual."""
    no_show_ms: int | None = None
    """How long a pairing waits for an entrant that is not connected or whose bot is paused, up to 30 days.

    Then the entrant loses the pairing by absence. 0: for ever. Default: 600000 (ten minutes); 0 if the format is SPRT.
    """
    max_no_shows: int = 0
    """Number of pairings lost in succession by absence after which an entrant is withdrawn. Default 0: 2."""
    starts_at: datetime | None = None
    """When the tournament starts by itself.

    With too few entrants, it starts when there are enough. Default: when the organiser starts it.
    """
    entries_close_at: datetime | None = None
    """When entries close. Default: at the start, or with the last entry round."""
    round_break_ms: int = 0
    """Least time between the end of a round and the matches of the next one, up to 30 days.

    In a knock-out, before each pairing after the first round. Default 0: none.
    """
    freeze_versions: bool = False
    """Whether each bot plays until the end with the version that is online at the start, else with its latest one.

    A bot that is connected with another version counts as not connected. Default false.
    """
    qualification: Qualification | None = None
    """The stage before this one, whose best are the entrants.

    When it is finished, they enter in the order of its standings, and this tournament starts. Default: entrants join.
    """
    boards: int = 0
    """Number of boards of each team, from 2 to 8, if the entrants are teams.

    A team brings one bot for each board, and two teams play one match on each board. Only Swiss and round robin, games
    of two seats, and no duplicate play. Default 0: no teams.
    """
    forbidden_pairs: tuple[ForbiddenPair, ...] = ()
    """Pairs of entrants that are never paired with each other, at most 1000. Only Swiss. Default: none."""
    max_requested_byes: int = 0
    """Maximum number of byes that an entrant may request, of both kinds together. Only Swiss. Default 0: none."""
    play_off_entrants: int = 0
    """Maximum number of entrants of a play-off, from 2 to 8.

    It is played if several entrants have the most points after the last round: each meets each other twice, and their
    points in it decide before the tie-breaks. If more are level, the best by the tie-breaks play. Only Swiss and round
    robin, and no teams. Default 0: no play-off.
    """
