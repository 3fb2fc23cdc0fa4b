"""One event of each kind that a contest log can hold, and terms of each kind."""

from typing import Any

from msgspec.structs import replace
from referee_values import (
    DuplicatePlay,
    Elimination,
    Gauntlet,
    LadderTerms,
    Opening,
    Qualification,
    RoundRobin,
    SeatMove,
    Swiss,
)

from engines.options import Settings
from referee.contests import pairing as match
from referee.contests.contest_entrant import ContestEntrant, EntrantJoined, EntrantLeft
from referee.contests.corrections import Correction
from referee.contests.ladder import events as ladder
from referee.contests.ladder.events import WinLossRecord
from referee.contests.pairing import MatchScore, Pairing
from referee.contests.strength.rating import FinishOrder, RatingRecord, RatingUpdate, SkillRating
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.tournament import events as tournament
from referee.contests.tournament.tournament_terms import Pools, SprtTrial, TournamentFormat
from referee.hosting.contest_log import ContestEvent, LadderCreated, TournamentCreated
from referee.hosting.contest_terms import HostedLadderTerms, HostedTournamentTerms, complete_ladder_terms
from referee.match.clock import SECOND, Fischer
from referee.match.match_terms import MatchTerms
from referee.match.setup import Player
from tests.contests.tournament_harness import play_terms
from tests.match.setups import time_control
from tests.storage.examples import SETUP

SEED = bytes(range(32))

THREE_MINUTES = time_control((Fischer(180 * SECOND, 2 * SECOND),))
MATCH_TERMS = (
    replace(SETUP.terms, nonce_timeout_us=0),
    MatchTerms("alquerque", Settings(()), THREE_MINUTES, nonce_timeout_us=5 * SECOND),
)

OPENINGS = (
    Opening(position="some position", moves=(SeatMove(seat=0, move="c3-d4"), SeatMove(seat=1, move="pass"))),
    Opening(),
)

SETS = DuplicatePlay(arrangements=2, openings=OPENINGS)


def ladder_terms(match_terms: tuple[MatchTerms, ...] = MATCH_TERMS[1:], **more: Any) -> HostedLadderTerms:
    return HostedLadderTerms(match_terms, complete_ladder_terms(LadderTerms(**more), 2))


LADDER_TERMS = ladder_terms(
    MATCH_TERMS,
    duplicate_play=SETS,
    partner_rule="fixed",
    max_concurrent_matches=8,
    rematch_after=3,
    provisional_matches=10,
    pause_after_faults=5,
)

ONE_TABLE = ((0, 2), (1, 3))

EVERY_FORMAT: tuple[TournamentFormat, ...] = (
    RoundRobin(cycles=2),
    Swiss(rounds=5),
    Elimination(double_elimination=True, matches_per_pairing=4, max_extra_matches=2, third_place_match=False),
    Gauntlet(challengers=("ada", "bob"), cycles=3),
    Pools(4, 4, ONE_TABLE),
    SprtTrial(SprtParameters(5.0, 0.0, 0.05, 0.025, 4000), "trinomial"),
)


def tournament_terms(form: TournamentFormat) -> HostedTournamentTerms:
    return HostedTournamentTerms(MATCH_TERMS, play_terms(form, SEED))


SWISS = HostedTournamentTerms(
    MATCH_TERMS,
    play_terms(
        Swiss(rounds=5),
        SEED,
        tie_breaks=("buchholz", "wins"),
        seeding="rating",
        max_concurrent_matches=4,
        last_entry_round=2,
        duplicate_play=SETS,
        ladder="main",
    ),
)

TIMED = HostedTournamentTerms(
    MATCH_TERMS,
    play_terms(
        Swiss(rounds=5, accelerated=True),
        SEED,
        no_show_ms=600_000,
        max_no_shows=3,
        starts_at_ms=1_700_000_000_000,
        entries_close_at_ms=1_699_999_000_000,
        round_break_ms=300_000,
        freeze_versions=True,
        qualification=Qualification(tournament="cup", best=8),
    ),
)

TEAMS = HostedTournamentTerms(MATCH_TERMS, play_terms(Swiss(rounds=5), SEED, tie_breaks=("board_points",), boards=4))

NEWEST = HostedTournamentTerms(
    MATCH_TERMS,
    play_terms(Swiss(rounds=7), SEED, forbidden_pairs=(("ada", "bob"),), max_requested_byes=2, play_off_entrants=4),
)

ADA, BOB = Player("ada", "1.2"), Player("bob", "0.9-\u03b2")

RATED_ADA = RatingRecord(SkillRating(1623.25, 203.5), 1)

CHANGES = (
    RatingUpdate(ADA, RatingRecord(), RATED_ADA),
    RatingUpdate(BOB, RatingRecord(SkillRating(1711.0, 61.75), 87), RatingRecord(SkillRating(1704.1, 61.5), 88)),
)

RATED = ladder.MatchRated("m17", FinishOrder(((ADA,), (BOB,)), (1, 2)), (BOB,), CHANGES)

EXAMPLES: tuple[ContestEvent, ...] = (
    LadderCreated("main", "The ladder \u00e9", "ann", "request 1", SEED, LADDER_TERMS),
    LadderCreated("small", "small", "ann", "request 2", SEED, ladder_terms()),
    EntrantJoined(ContestEntrant("ada", (ADA,))),
    EntrantLeft("ada", "she had to go\n"),
    ladder.PairingPlanned(Pairing("main/7", 0, 0, ("ada", "bob"), matches=2, arrangements=2), "request 7"),
    RATED,
    ladder.SeasonStarted(2, "request 8"),
    ladder.LadderClosureStarted("thank you"),
    ladder.LadderClosureFinished(),
    TournamentCreated("cup", "The cup", "ann", "request 3", SWISS, 2),
    *(TournamentCreated("cup", "The cup", "ann", "request 4", tournament_terms(form)) for form in EVERY_FORMAT),
    EntrantJoined(ContestEntrant("pair", (ADA, BOB), 1523.5)),
    tournament.TournamentPlayStarted(("bob", "ada")),
    tournament.PairingsPlanned(
        (Pairing("1.1", 1, 1, ("ada", "bob"), 1, 2), Pairing("1.2", 1, 2, ("cid",), sides=ONE_TABLE))
    ),
    match.ContestMatchStarted("1.1", 1, 2, "m17"),
    match.ContestMatchScored("1.1", 1, MatchScore((2, 1), ("ada",))),
    match.ContestMatchVoided("1.1", 1),
    tournament.TournamentEnded(cancelled=True, message="rain"),
    LadderCreated("slow", "slow", "ann", "request 5", SEED, ladder_terms(max_matches_per_hour=12)),
    ladder.LadderPaused("back on Monday"),
    ladder.LadderResumed(),
    EntrantJoined(ContestEntrant("bob", (BOB,), invited=True)),
    TournamentCreated("timed", "Timed", "ann", "request 6", TIMED),
    tournament.PairingsPlanned((Pairing("2.1", 2, 1, ("ada", "bob")),), 1_700_000_000_000),
    tournament.VersionsFrozen((tournament.FrozenEntrant("pair", (ADA, BOB)),)),
    tournament.EntrantsAbsent("2.1", ("ada",), "not connected for 600 s"),
    tournament.PairingsReplaced(("2.1",), (Pairing("2.1-2", 2, 1, ("ada",)),), 0, "by hand", "ann"),
    tournament.PairingPostponed("2.1-2", 1_700_000_000_000, "fire", "ann"),
    tournament.PairingReopened("1.1", ("2.1-2",), "wrong rules", "ann"),
    TournamentCreated("teams", "Teams", "ann", "request 7", TEAMS),
    tournament.EntrantsAbsent("2.2", ("reds",), "paused for 600 s", board=2),
    EntrantJoined(ContestEntrant("cid", (BOB,), owners=("carol", "dave"))),
    replace(RATED, at_ms=1_700_000_000_000, weight=0.25),
    TournamentCreated("newest", "Newest", "ann", "request 8", NEWEST),
    tournament.ByeRequested("ada", 3, "half_point", "ann"),
    match.ContestMatchScored("2.1", 1, MatchScore((1, 2), moves="00112233445566778899aabbccddeeff")),
    ladder.PairingPlanned(
        Pairing("8", 0, 0, ("ada", "bob")),
        planning=ladder.PlanningInput((ladder.EntrantAvailability("ada", ("1.2",), 3),), ("bob",), True, ("7/1.1",), 8),
    ),
    ladder.MatchCorrected(
        Correction("ann/r9", "m17", "corrected", (2, 1), "the clock was wrong", "ann"),
        FinishOrder(((ADA,), (BOB,)), (2, 1)),
        (),
        (ladder.CorrectedSeason(1, (ladder.SeasonRow(ADA, RATED_ADA, WinLossRecord(0, 0, 1, 0), 1_700_000_000_000),)),),
        (ADA,),
    ),
    ladder.MatchCorrected(
        Correction("ann/r10", "m17", "struck", (), "arranged", "ann"),
        None,
        (),
        (ladder.CorrectedSeason(1, ()), ladder.CorrectedSeason(2, (ladder.SeasonRow(BOB, RATED_ADA, None, 0),))),
        (),
    ),
    tournament.ScoreCorrected(
        "1.1",
        1,
        Correction("ann/r11", "m17", "restored", (), "it was right", "ann"),
        MatchScore((2, 1), ("ada",)),
    ),
    tournament.ScoreCorrected("1.1", 1, Correction("ann/r12", "m17", "struck", (), "arranged", "ann"), None),
)
