"""One event of every kind that a contest's log can hold, and terms of every kind."""

from engines.options import Settings
from referee.app.contests.events import ContestEvent, LadderMade, TournamentMade
from referee.app.contests.terms import DuplicatePlay, LadderTerms, MatchTerms, Partners, TournamentTerms
from referee.app.wish import Opening
from referee.contest import ladder_events as ladder
from referee.contest import match_events as match
from referee.contest import tournament_events as tournament
from referee.contest.duplicate import Duplicate
from referee.contest.finish import Finish
from referee.contest.formats import Elimination, Format, Gauntlet, Model, Pools, RoundRobin, Swiss, Trial
from referee.contest.pairing import Pairing, Score
from referee.contest.rated import Change, Rated
from referee.contest.rating import Rating
from referee.contest.sprt import Sprt
from referee.contest.terms import Seeding, Terms
from referee.contest.tiebreak import TieBreak
from referee.core.clock import SECOND, Fischer
from referee.core.setup import Player
from tests.storage.examples import EVERY_CONTROL, SETUP

SEED = bytes(range(32))

MATCH_TERMS = (
    MatchTerms(
        "alquerque",
        Settings((("variant", "middle \u00e9tude"), ("draw_plies", 50), ("huff", True))),
        EVERY_CONTROL,
        SETUP.credit,
        SETUP.policies,
        SETUP.visibility,
        by_lot=True,
        start_within_us=60 * SECOND,
    ),
    MatchTerms("alquerque", Settings(()), (Fischer(180 * SECOND, 2 * SECOND),), nonce_within_us=5 * SECOND),
)

OPENINGS = (Opening("some position", ((0, "c3-d4"), (1, "pass"))), Opening())

LADDER_TERMS = LadderTerms(MATCH_TERMS, DuplicatePlay(2, OPENINGS), Partners.FIXED, 8, 3, 10, 5)

ONE_TABLE = ((0, 2), (1, 3))

EVERY_FORMAT: tuple[Format, ...] = (
    RoundRobin(2),
    Swiss(5),
    Elimination(twice=True, matches=4, extra=2, third_place=False),
    Gauntlet(("ada", "bob"), 3),
    Pools(4, 4, ONE_TABLE),
    Trial(Sprt(5.0, 0.0, 0.05, 0.025, 4000), Model.TRINOMIAL),
)


def tournament_terms(form: Format) -> TournamentTerms:
    return TournamentTerms(MATCH_TERMS, Terms(form, SEED))


SWISS = TournamentTerms(
    MATCH_TERMS,
    Terms(
        Swiss(5),
        SEED,
        tie_breaks=(TieBreak.BUCHHOLZ, TieBreak.WINS),
        seeding=Seeding.RATING,
        matches_at_once=4,
        late_entry_rounds=2,
        duplicate=Duplicate(2, 2),
    ),
    OPENINGS,
    "main",
    Partners.INDIVIDUAL,
)

ADA, BOB = Player("ada", "1.2"), Player("bob", "0.9-\u03b2")

CHANGES = (
    Change(ADA, Rated(), Rated(Rating(1623.25, 203.5), 1)),
    Change(BOB, Rated(Rating(1711.0, 61.75), 87), Rated(Rating(1704.1, 61.5), 88)),
)

RATED = ladder.Rated("m17", Finish(((ADA,), (BOB,)), (1, 2)), (BOB,), CHANGES)

EXAMPLES: tuple[ContestEvent, ...] = (
    LadderMade("main", "The ladder \u00e9", "ann", "request 1", SEED, LADDER_TERMS),
    LadderMade("small", "small", "ann", "request 2", SEED, LadderTerms(MATCH_TERMS[1:])),
    ladder.Joined(ladder.Entrant("ada", (ADA,))),
    ladder.Left("ada", "she had to go\n"),
    ladder.Paired(Pairing("main/7", 0, 0, ("ada", "bob"), matches=2, arrangements=2), "request 7"),
    RATED,
    ladder.SeasonBegan(2, "request 8"),
    ladder.Closing("thank you"),
    ladder.Closed(),
    TournamentMade("cup", "The cup", "ann", "request 3", SWISS, 2),
    *(TournamentMade("cup", "The cup", "ann", "request 4", tournament_terms(form)) for form in EVERY_FORMAT),
    tournament.Entered(tournament.Entrant("pair", 1523.5, (ADA, BOB))),
    tournament.Withdrew("pair", "ill"),
    tournament.Started(("bob", "ada")),
    tournament.Paired((Pairing("1.1", 1, 1, ("ada", "bob"), 1, 2), Pairing("1.2", 1, 2, ("cid",), sides=ONE_TABLE))),
    match.Began("1.1", 1, 2, "m17"),
    match.Scored("1.1", 1, Score((2, 1), ("ada",))),
    match.Voided("1.1", 1),
    tournament.Ended(cancelled=True, message="rain"),
    LadderMade("slow", "slow", "ann", "request 5", SEED, LadderTerms(MATCH_TERMS[1:], matches_per_hour=12)),
    ladder.Paused("back on Monday"),
    ladder.Resumed(),
)
