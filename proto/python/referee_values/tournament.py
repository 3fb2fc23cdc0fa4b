"""Tournaments: contests with a format, an end and a winner."""

from typing import Literal

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
from referee_values.rating import EloEstimate
from referee_values.seed import SeedCommitment
from referee_values.sprt import Sprt, SprtState
from referee_values.value import Count, Count64, Timestamp, Value

ByeKind = Literal["", "half_point", "zero_point", "none"]
"""What an entrant gets for a bye that it requested.

- `""`: Invalid.
- `"half_point"`: Half a point; of teams, the points of a draw.
- `"zero_point"`: Nothing.
- `"none"`: The entrant plays; a request is cancelled.
"""
TieBreak = Literal[
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

- `""`: Not used.
- `"buchholz"`: Sum of the opponents' points.
- `"median_buchholz"`: Sum of the opponents' points without the best and the worst opponent.
- `"sonneborn_berger"`: Points of defeated opponents, plus half the points of opponents with whom one drew.
- `"direct_encounter"`: Points in matches among the tied entrants.
- `"wins"`: Number of matches won.
- `"progressive"`: Sum of one's points after each round.
- `"board_points"`: Sum of the points on all boards. Of teams only.
- `"buchholz_cut_1"`: Sum of the opponents' points without the worst opponent.
- `"koya"`: Points against opponents with at least half of the points that they could score. Only in a round robin of
  single entrants.
"""
Seeding = Literal["", "entry_order", "rating", "random"]
"""Order in which entrants are seeded.

- `""`: Default: in the order of entry.
- `"entry_order"`: In the order of entry.
- `"rating"`: By rating on the tournament's ladder.
- `"random"`: At random.
"""
TournamentPhase = Literal["", "entry", "playing", "finished", "cancelled"]
"""Phase of a tournament.

- `""`: Not used in responses; as a filter: all.
- `"entry"`: Open for entrants.
- `"playing"`: Being played.
- `"finished"`: Finished, with a winner.
- `"cancelled"`: Cancelled.
"""


class ForbiddenPair(Value, frozen=True, kw_only=True):
    """Two entrants that are never paired with each other."""

    first: str = ""
    """Name of one of them. Required. It need not have entered."""
    second: str = ""
    """Name of the other one. Required."""


class Qualification(Value, frozen=True, kw_only=True):
    """The entrants of a tournament are the best of another one."""

    tournament: str = ""
    """Name of the other tournament. It must belong to the same organiser and have the same terms of matches. If it
    is cancelled, so is this one.
    """
    best: Count = 0
    """Number of entrants that qualify, from 2. Entrants that have withdrawn do not."""


class RoundRobin(Value, frozen=True, kw_only=True):
    """Every entrant plays every other entrant."""

    cycles: Count = 0
    """Number of times that each pair plays. Default 0: 1."""


class Swiss(Value, frozen=True, kw_only=True):
    """Entrants with equal points play each other, without rematches (FIDE Dutch)."""

    rounds: Count = 0
    """Number of rounds. Required."""
    accelerated: bool = False
    """Whether the upper half of the seeds is paired with virtual points in the first half of the rounds, so that
    strong entrants meet sooner (FIDE, Baku acceleration). Default false.
    """


class Elimination(Value, frozen=True, kw_only=True):
    """Losers drop out."""

    double_elimination: bool = False
    """Whether entrants drop out after two losses instead of one. Default false."""
    matches_per_pairing: Count = 0
    """Number of matches in each pairing. Default 0: 1."""
    max_extra_matches: Count | None = None
    """Maximum number of extra matches to break a tie, after which the better seed advances. Default: 2."""
    third_place_match: bool = False
    """Whether the losers of the semi-finals play for the third place. Default false."""


class Gauntlet(Value, frozen=True, kw_only=True):
    """Challengers play all other entrants, who do not play each other."""

    challengers: tuple[str, ...] = ()
    """Names of the challengers. At least one."""
    cycles: Count = 0
    """Number of times that each pair plays. Default 0: 1."""


class Pools(Value, frozen=True, kw_only=True):
    """Several entrants play at each table. Tables are rearranged in each round, so that as many entrants as possible
    meet.
    """

    rounds: Count = 0
    """Number of rounds. Required."""


class TieBreakValue(Value, frozen=True, kw_only=True):
    """Value of a tie-break for an entrant."""

    tie_break: TieBreak = ""
    """The tie-break."""
    value: float = 0.0
    """Its value; higher is better."""


class CrossTableCell(Value, frozen=True, kw_only=True):
    """Results of an entrant against one opponent."""

    opponent: str = ""
    """Name of the opponent."""
    points: float = 0.0
    """Points of the row's entrant: for each match 1 if it ranked higher, 0.5 if equal, 0 if lower. Of teams, these
    are board points.
    """
    match_ids: tuple[str, ...] = ()
    """Ids of their matches, in order."""
    no_shows: Count = 0
    """Number of their pairings that one of them or both lost by absence."""


class RequestedBye(Value, frozen=True, kw_only=True):
    """A round that an entrant does not play at its own request."""

    entrant: str = ""
    """Name of the entrant."""
    round: Count = 0
    """Number of the round, from 1."""
    kind: ByeKind = ""
    """What it gets."""


class VersionsFrozen(Value, frozen=True, kw_only=True):
    """The bots of these entrants play with these versions until the end."""

    entrants: tuple[Entrant, ...] = ()
    """The entrants, with the versions of their bots."""


class PairingsPlanned(Value, frozen=True, kw_only=True):
    """Pairings were planned."""

    pairings: tuple[Pairing, ...] = ()
    """The pairings."""


class EntrantsAbsent(Value, frozen=True, kw_only=True):
    """Entrants lost a pairing by absence. The other entrant wins what was left of it; no match of this is rated."""

    pairing: Pairing = Pairing()
    """The pairing, with its points."""
    entrants: tuple[str, ...] = ()
    """Names of the absent entrants."""
    message: str = ""
    """Reason in one sentence."""
    by: str = ""
    """Holder of the token with which staff declared it. Empty: the referee, after `no_show_ms`."""
    board: Count = 0
    """The board that teams lost. 0: the pairing."""


class PairingsReplaced(Value, frozen=True, kw_only=True):
    """Staff paired by hand what had not begun of a round."""

    dropped_ids: tuple[str, ...] = ()
    """Ids of the pairings that were replaced; they are not used again."""
    pairings: tuple[Pairing, ...] = ()
    """The new pairings."""
    message: str = ""
    """Reason in one sentence."""
    by: str = ""
    """Holder of the token with which it was done."""


class PairingPostponed(Value, frozen=True, kw_only=True):
    """Staff postponed a pairing."""

    pairing: Pairing = Pairing()
    """The pairing, with its new time."""
    message: str = ""
    """Reason in one sentence."""
    by: str = ""
    """Holder of the token with which it was done."""


class PairingReopened(Value, frozen=True, kw_only=True):
    """Staff set the result of a pairing aside; it is played again."""

    pairing: Pairing = Pairing()
    """The pairing."""
    dropped_ids: tuple[str, ...] = ()
    """Ids of later pairings that followed from it and had not begun; they are dropped."""
    message: str = ""
    """Reason in one sentence."""
    by: str = ""
    """Holder of the token with which it was done."""


class ScoreCorrected(Value, frozen=True, kw_only=True):
    """Staff struck a match, corrected its result or restored it. Standings are computed from the results that count;
    pairings that are planned do not change.
    """

    pairing: Pairing = Pairing()
    """The pairing, with its points as they are now."""
    correction: MatchCorrection = MatchCorrection()
    """The correction."""


class TournamentTerms(Value, frozen=True, kw_only=True):
    """Terms of a tournament."""

    match_terms: MatchTerms = MatchTerms()
    """Terms of its matches. Required."""
    round_robin: RoundRobin | None = None
    """Every entrant plays every other entrant."""
    swiss: Swiss | None = None
    """Entrants with equal points play each other, without rematches (FIDE Dutch)."""
    elimination: Elimination | None = None
    """Losers drop out."""
    gauntlet: Gauntlet | None = None
    """Challengers play all other entrants."""
    pools: Pools | None = None
    """Several entrants play at each table, for games of more than two sides."""
    sprt: Sprt | None = None
    """Two entrants play until a statistical test is decided."""
    duplicate_play: DuplicatePlay | None = None
    """Plays each pairing as a set with exchanged seats. Default: single matches, with balanced seats."""
    tie_breaks: tuple[TieBreak, ...] = ()
    """Tie-breaks in order of precedence. Default: those of the format; always set in responses."""
    seeding: Seeding = ""
    """Order of the seeding. Default: in the order of entry."""
    max_concurrent_matches: Count = 0
    """Maximum number of matches in play. Default 0: limited by capacity only."""
    ladder: str = ""
    """Ladder whose ratings seed the entrants and that rates the matches. The caller must be its organiser. Default:
    none.
    """
    last_entry_round: Count = 0
    """Last round in which entrants can join; late entrants have lost the rounds before. Default 0: none after the
    start.
    """
    partner_rule: PartnerRule = ""
    """Assignment of partners. Default: individual."""
    no_show_ms: Count | None = None
    """How long a pairing waits for an entrant that is not connected or whose bot is paused, up to 30 days. Then the
    entrant loses the pairing by absence. 0: for ever. Default: 600000 (ten minutes); 0 if the format is SPRT.
    """
    max_no_shows: Count = 0
    """Number of pairings lost in succession by absence after which an entrant is withdrawn. Default 0: 2."""
    starts_at: Timestamp | None = None
    """When the tournament starts by itself. With too few entrants, it starts when there are enough. Default: when
    the organiser starts it.
    """
    entries_close_at: Timestamp | None = None
    """When entries close. Default: at the start, or with the last entry round."""
    round_break_ms: Count = 0
    """Least time between the end of a round and the matches of the next one, up to 30 days. In a knock-out, before
    each pairing after the first round. Default 0: none.
    """
    freeze_versions: bool = False
    """Whether each bot plays until the end with the version that is online at the start, else with its latest one. A
    bot that is connected with another version counts as not connected. Default false.
    """
    qualification: Qualification | None = None
    """The stage before this one, whose best are the entrants. When it is finished, they enter in the order of its
    standings, and this tournament starts. Default: entrants join.
    """
    boards: Count = 0
    """Number of boards of each team, from 2 to 8, if the entrants are teams. A team brings one bot for each board,
    and two teams play one match on each board. Only Swiss and round robin, games of two seats, and no duplicate
    play. Default 0: no teams.
    """
    forbidden_pairs: tuple[ForbiddenPair, ...] = ()
    """Pairs of entrants that are never paired with each other, at most 1000. Only Swiss. Default: none."""
    max_requested_byes: Count = 0
    """Maximum number of byes that an entrant may request, of both kinds together. Only Swiss. Default 0: none."""
    play_off_entrants: Count = 0
    """Maximum number of entrants of a play-off, from 2 to 8. It is played if several entrants have the most points
    after the last round: each meets each other twice, and their points in it decide before the tie-breaks. If more
    are level, the best by the tie-breaks play. Only Swiss and round robin, and no teams. Default 0: no play-off.
    """
    max_entrants: Count = 0
    """Maximum number of entrants, from those that the format needs to 1000. Those that withdraw before the start
    free their places. Default 0: as many as the format takes.
    """

    @property
    def format(self) -> RoundRobin | Swiss | Elimination | Gauntlet | Pools | Sprt | None:
        """Format: how entrants are paired."""
        return self.round_robin or self.swiss or self.elimination or self.gauntlet or self.pools or self.sprt


class TournamentStanding(Value, frozen=True, kw_only=True):
    """A row of a tournament's standings."""

    rank: Count = 0
    """Rank from 1. Entrants that no tie-break separates share a rank."""
    entrant: str = ""
    """Name of the entrant."""
    points: float = 0.0
    """Points. A match gives one point for each other side that ranks lower and half a point for each that shares the
    rank, divided by the number of other sides: with two sides 1, 0.5 or 0. A bye gives 1. Of a team, its match
    points: 2 for a pairing in which it has more board points than the other team or for a bye, 1 for equally many.
    """
    tie_breaks: tuple[TieBreakValue, ...] = ()
    """Tie-breaks in order of precedence."""
    wins: Count = 0
    """Number of matches that its side won outright."""
    draws: Count = 0
    """Number of matches in which its side shared the first rank."""
    losses: Count = 0
    """Number of matches that its side did not win."""
    forfeits: Count = 0
    """Number of matches that it forfeited, which are also losses."""
    byes: Count = 0
    """Number of byes."""
    estimate: EloEstimate | None = None
    """Estimated strength from all results together. Not set while there are too few."""
    no_shows: Count = 0
    """Number of pairings that it lost by absence; their matches are among the losses and the forfeits."""


class CrossTableRow(Value, frozen=True, kw_only=True):
    """Results of an entrant against each other entrant."""

    entrant: str = ""
    """Name of the entrant."""
    cells: tuple[CrossTableCell, ...] = ()
    """Results by opponent, in the order of the rows, without opponents that it has not played."""


class ByeRequested(Value, frozen=True, kw_only=True):
    """An entrant requested a bye, or cancelled its request."""

    bye: RequestedBye = RequestedBye()
    """The bye. `BYE_KIND_NONE`: the request was cancelled."""
    by: str = ""
    """Holder of the token of the caller."""


class Tournament(Value, frozen=True, kw_only=True):
    """A tournament."""

    name: str = ""
    """Its name: 1 to 40 lower-case letters, digits and hyphens, beginning with a letter."""
    title: str = ""
    """Display name."""
    terms: TournamentTerms = TournamentTerms()
    """Terms with all defaults filled in."""
    organiser: str = ""
    """Holder of the token that created it."""
    phase: TournamentPhase = ""
    """Phase of the tournament."""
    entrants: tuple[Entrant, ...] = ()
    """Entrants, by seed once it has started, before that in the order of entry."""
    withdrawn_entrants: tuple[str, ...] = ()
    """Names of entrants who have withdrawn."""
    current_round: Count = 0
    """Number of the current round, from 1. 0 before the start."""
    total_rounds: Count = 0
    """Number of rounds in total. 0 if not known in advance."""
    completed_pairings: Count = 0
    """Number of completed pairings."""
    total_pairings: Count = 0
    """Number of pairings in total. 0 if not known in advance."""
    create_time: Timestamp | None = None
    """Time when it was created."""
    start_time: Timestamp | None = None
    """Time when it started. Not set before."""
    end_time: Timestamp | None = None
    """Time when it ended. Not set before."""
    requested_byes: tuple[RequestedBye, ...] = ()
    """Byes that entrants have requested, also of past rounds."""
    seed_commitment: SeedCommitment = SeedCommitment()
    """SHA-256 of its seed, from which lots and the starts of sets follow, and the seed itself once it is over."""


class RoundStarted(Value, frozen=True, kw_only=True):
    """A round started."""

    round: Count = 0
    """Number of the round, from 1."""
    standings: tuple[TournamentStanding, ...] = ()
    """Standings before the round. Empty at the start."""
    pairings: tuple[Pairing, ...] = ()
    """Pairings of the round. Empty at the start, when PairingsPlanned follows."""


class TournamentEnded(Value, frozen=True, kw_only=True):
    """The tournament ended."""

    phase: TournamentPhase = ""
    """Finished or cancelled."""
    standings: tuple[TournamentStanding, ...] = ()
    """Final standings."""
    message: str = ""
    """Reason in one sentence, if it was cancelled. Can be empty."""


class TournamentEntry(Value, frozen=True, kw_only=True):
    """An entry of a tournament's log."""

    number: Count64 = 0
    """Number of the entry, from 1, without gaps."""
    create_time: Timestamp | None = None
    """Time when the entry was written."""
    created: Tournament | None = None
    """The tournament was created. Always the first entry."""
    entrant_joined: EntrantJoined | None = None
    """An entrant joined."""
    entrant_left: EntrantLeft | None = None
    """An entrant withdrew."""
    pairings_planned: PairingsPlanned | None = None
    """Pairings were planned: those of the start, further rounds of a round robin or a gauntlet, or further sets of a
    test.
    """
    round_started: RoundStarted | None = None
    """A round started; the first one is the start of the tournament."""
    pairing: Pairing | None = None
    """A match of a pairing started, ended or became void."""
    sprt: SprtState | None = None
    """A match of a test ended."""
    ended: TournamentEnded | None = None
    """The tournament ended. Only corrections can follow."""
    entrants_absent: EntrantsAbsent | None = None
    """Entrants lost a pairing by absence."""
    versions_frozen: VersionsFrozen | None = None
    """The versions of bots were frozen."""
    pairings_replaced: PairingsReplaced | None = None
    """Staff paired by hand."""
    pairing_postponed: PairingPostponed | None = None
    """Staff postponed a pairing."""
    pairing_reopened: PairingReopened | None = None
    """Staff set the result of a pairing aside."""
    bye_requested: ByeRequested | None = None
    """An entrant requested a bye, or cancelled its request."""
    score_corrected: ScoreCorrected | None = None
    """Staff struck a match, corrected its result or restored it."""

    @property
    def event(
        self,
    ) -> (
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
        | None
    ):
        """Event that the entry records."""
        return (
            self.created
            or self.entrant_joined
            or self.entrant_left
            or self.pairings_planned
            or self.round_started
            or self.pairing
            or self.sprt
            or self.ended
            or self.entrants_absent
            or self.versions_frozen
            or self.pairings_replaced
            or self.pairing_postponed
            or self.pairing_reopened
            or self.bye_requested
            or self.score_corrected
        )
