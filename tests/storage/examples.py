"""One event of each kind, for the golden file and for tests that need a typical one."""

from msgspec import structs
from referee_values import DisconnectPolicy, IllegalMovePolicy, NetworkCredit, Policies, Visibility

from engines.options import Settings
from referee.match import clock, events
from referee.match.clock import MS, SECOND, Clock
from referee.match.clock_charge import ClockCharge
from referee.match.events import Event
from referee.match.match_terms import MatchTerms
from referee.match.result import EndCause, EndKind, Forfeit, PlayerRating, RatingChange, Result
from referee.match.setup import Player, Setup
from tests.match.setups import time_control

ADA = Player("ada", "1.2")
OPEN_SEAT = Player()

EVERY_CONTROL = (
    clock.Untimed(),
    clock.SuddenDeath(300 * SECOND),
    clock.Hourglass(60 * SECOND),
    clock.Fischer(180 * SECOND, 2 * SECOND),
    clock.Bronstein(180 * SECOND, 3 * SECOND),
    clock.UsDelay(0, 5 * SECOND),
    clock.PerMove(100 * MS),
    clock.Bank(30 * SECOND, 1 * SECOND),
    clock.Correspondence(3 * clock.DAY, 10 * clock.DAY),
    clock.JapaneseByoYomi(600 * SECOND, 30 * SECOND, 5),
    clock.CanadianByoYomi(600 * SECOND, 300 * SECOND, 25),
    clock.MovesPerPeriod((clock.Period(40, 7200 * SECOND, 30 * SECOND), clock.Period(0, 3600 * SECOND))),
)

SETUP = Setup(
    match_id="m17",
    game_version=1,
    terms=MatchTerms(
        game="alquerque",
        settings=Settings((("variant", "middle \u00e9tude"), ("draw_plies", 50), ("huff", True))),
        time_control=time_control(EVERY_CONTROL, NetworkCredit(per_move_ms=100, per_match_ms=2_000)),
        policies=Policies(
            illegal_move=IllegalMovePolicy(action="random_move", max_attempts=1),
            timeout="default_move",
            disconnect=DisconnectPolicy(action="forfeit_after_grace_period", grace_period_ms=30_000),
            forfeit_effect="random_moves",
        ),
        visibility=Visibility(kind="delayed", delay_plies=10),
        random_seats=True,
        nonce_timeout_us=5 * SECOND,
        start_timeout_us=60 * SECOND,
    ),
    players=(ADA, OPEN_SEAT),
    seed=bytes(range(32)),
    seed_given=True,
    opening="some position",
    labels=(("title", "Round 1"), ("ladder", "main")),
)

ROW = ClockCharge(
    asked_us=1_000_000,
    arrived_us=1_250_000,
    network_us=3_000,
    network_credit_us=2_500,
    stall_us=10,
    charged_us=247_490,
    before=Clock(60 * SECOND, 2, 5),
    after=Clock(60 * SECOND - 247_490, 2, 4),
    late=False,
)

MOVE = events.MovePlayed(1_250_000, 1, "1.3f9a52", "c3-d4", events.MoveSource.BOT, ROW, "request 17")

END = events.PlayEnded(
    at_us=9_000_000,
    result=Result(
        kind=EndKind.FORFEITED,
        cause=EndCause.FAULT,
        reason="seat 1 lost on time",
        scores=(1.0, 0.5, -0.25),
        ranks=(1, 2, 3),
        side_scores=(1.0, 0.0),
        side_ranks=(1, 2),
        forfeits=(Forfeit(1, "time", 12),),
    ),
    seed=bytes(range(32)),
)

RATED_END = structs.replace(
    END,
    ratings=(
        RatingChange(0, "ada", "1.2", PlayerRating(1500, 250, 0, True), PlayerRating(1623.25, 203.5, 1, True)),
        RatingChange(1, "bob", "0.9-\u03b2", PlayerRating(1711.0, 61.75, 87), PlayerRating(1704.1, 61.5, 88)),
    ),
)

EXAMPLES: tuple[Event, ...] = (
    events.MatchCreated(0, SETUP),
    events.SeatTaken(10, 1, Player("bob", "0.9-\u03b2")),
    events.NonceAdded(20, 1, b"\x00\xffnonce"),
    events.PlayStarted(30, (Player("bob", "0.9-\u03b2"), ADA)),
    MOVE,
    events.MovePlayed(1_300_000, 0, "2.77aa01", "pass", events.MoveSource.DEFAULT),
    events.MoveRejected(1_400_000, 1, "3.09bc1d", "z9", "MALFORMED_MOVE", "", 'cannot read "z9"\n', 2, "request 18"),
    events.FlagFell(2_000_000, 1, "3.09bc1d", ROW, "c3-d4", "request 19"),
    events.DrawOffered(2_100_000, 0),
    events.DrawDeclined(2_200_000, 1),
    events.SeatResigned(2_300_000, 1),
    events.SeatForfeited(2_400_000, 1, "disconnected"),
    events.SeatDisconnected(2_500_000, 0),
    events.SeatReconnected(2_600_000, 0),
    events.RefereeRecovered(2_700_000, 12_345),
    END,
    RATED_END,
    events.SeatVacated(25, 1),
    events.SeatForfeited(2_800_000, 0, "withdrawn"),
)
