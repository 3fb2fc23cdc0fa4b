"""Before play, and disconnects and returns during it."""

import pytest

from referee.match.clock import SECOND
from referee.match.commands import (
    AddNonce,
    DisconnectSeat,
    EndGracePeriod,
    ReconnectSeat,
    Resign,
    ResumeMatch,
    StartPlay,
    TakeSeat,
)
from referee.match.events import (
    MatchResumed,
    NonceAdded,
    PlayStarted,
    SeatDisconnected,
    SeatForfeited,
    SeatReconnected,
    SeatTaken,
)
from referee.match.match_errors import BadSetup, NonceRefused, NoSuchSeat, SeatHeld, SeatsOpen
from referee.match.result import EndKind, Fault
from referee.match.setup import DisconnectPolicy, DropoutPolicy, Player, Policies
from referee.match.state import MatchPhase, Turn
from tests.match.games import BRITTLE, STONES
from tests.match.match_fixture import SEED, Sitting, begun, kinds, terms
from tests.strangers_games.strangers_games import FINGERS

ANNA, BERT = Player("anna", "2"), Player("bert", "1")
GRACE = Policies(gone=DisconnectPolicy.FORFEIT_AFTER_GRACE, grace_us=100)


def waiting() -> Sitting:
    return Sitting(terms(players=(ANNA, Player())))


def test_an_open_seat_can_be_taken() -> None:
    sitting = waiting()
    assert sitting.do(TakeSeat(1, BERT), wait_us=5) == (SeatTaken(5, 1, BERT),)
    assert sitting.match.players == (ANNA, BERT)


def test_taking_ones_own_seat_again_is_no_news() -> None:
    sitting = waiting()
    sitting.do(TakeSeat(1, BERT))
    assert sitting.do(TakeSeat(1, BERT)) == ()
    assert sitting.do(TakeSeat(0, ANNA)) == ()


def test_nobody_without_a_name_takes_a_seat() -> None:
    refusal = waiting().refuses(TakeSeat(1, Player()))
    assert isinstance(refusal, BadSetup)
    assert refusal.details == {"field": "player", "why": "must have a name; a seat without one is open"}


@pytest.mark.parametrize("other", [BERT, Player("anna", "3")])
def test_a_seat_that_is_held_stays_held(other: Player) -> None:
    refusal = waiting().refuses(TakeSeat(0, other))
    assert isinstance(refusal, SeatHeld)
    assert refusal.details == {"seat": "0", "by": "anna"}


def test_a_bot_whose_version_was_left_open_comes_as_any_and_then_as_that_one() -> None:
    sitting = Sitting(terms(players=(Player("anna"), Player())))
    assert sitting.do(TakeSeat(0, Player("anna"))) == ()
    assert sitting.do(TakeSeat(0, ANNA)) == (SeatTaken(0, 0, ANNA),)
    assert sitting.match.players[0] == ANNA
    assert isinstance(sitting.refuses(TakeSeat(0, Player("anna"))), SeatHeld)


@pytest.mark.parametrize("seat", [-1, 2, 99])
def test_a_seat_that_is_not_there_is_refused_and_the_seats_are_named(seat: int) -> None:
    for command in (TakeSeat(seat, BERT), AddNonce(seat, b""), DisconnectSeat(seat), EndGracePeriod(seat)):
        refusal = waiting().refuses(command)
        assert isinstance(refusal, NoSuchSeat)
        assert refusal.details == {"seat": str(seat), "seats": "2"}
        assert str(refusal) == f"there is no seat {seat}; seats are 0 to 1"


def test_play_does_not_begin_while_a_seat_is_open() -> None:
    sitting = Sitting(terms(STONES, players=(Player(), ANNA, Player())))
    refusal = sitting.refuses(StartPlay())
    assert isinstance(refusal, SeatsOpen)
    assert str(refusal) == "seats are still open: 0, 2"
    assert sitting.match.phase is MatchPhase.WAITING


def test_play_begins_with_the_games_own_position_and_asks_who_owes() -> None:
    sitting = Sitting(terms())
    assert sitting.do(StartPlay(), wait_us=7) == (PlayStarted(7, sitting.match.setup.players),)
    assert sitting.match.phase is MatchPhase.PLAYING
    assert str(sitting.match.position) == "21 0"
    assert sitting.match.turns == (Turn(0, 0, 7), None)


def test_all_who_owe_at_once_are_asked_at_once() -> None:
    assert begun(FINGERS).match.turns == (Turn(0, 0, 0), Turn(1, 0, 0), Turn(2, 0, 0))


def test_play_begins_with_the_opening_where_there_is_one() -> None:
    sitting = begun(opening="2 1")
    assert str(sitting.match.position) == "2 1"
    assert sitting.owing == [1]
    assert sitting.match.ply == 0
    assert kinds(sitting.move(1, "2")) == ["MovePlayed", "PlayEnded"]
    assert sitting.result.ranks == (2, 1)


def test_a_game_that_is_over_before_the_first_move_ends_at_once() -> None:
    sitting = Sitting(terms(BRITTLE, chosen={"breaks": "over_at_once"}))
    assert kinds(sitting.do(StartPlay())) == ["PlayStarted", "PlayEnded"]
    assert (sitting.result.kind, sitting.result.reason) == (EndKind.PLAYED, "last_taken")


def test_nonces_are_taken_where_they_are_asked_for_and_once_only() -> None:
    sitting = Sitting(terms(nonce_within_us=1_000_000))
    assert sitting.do(AddNonce(1, b"salt"), wait_us=3) == (NonceAdded(3, 1, b"salt"),)
    assert sitting.do(AddNonce(1, b"salt")) == ()
    assert kinds(sitting.do(AddNonce(0, b""))) == ["NonceAdded"]
    assert sitting.do(AddNonce(0, b"")) == ()
    other = sitting.refuses(AddNonce(0, b"late thought"))
    assert isinstance(other, NonceRefused)
    assert "already added a different one" in str(other)
    assert sitting.match.nonces == (b"", b"salt")


def test_a_nonce_that_nobody_asked_for_is_refused() -> None:
    refusal = Sitting(terms()).refuses(AddNonce(0, b"salt"))
    assert isinstance(refusal, NonceRefused)
    assert refusal.details == {"why": "the match uses no nonces"}


def test_a_nonce_has_64_bytes_at_most() -> None:
    sitting = Sitting(terms(nonce_within_us=1_000_000))
    refusal = sitting.refuses(AddNonce(0, bytes(65)))
    assert isinstance(refusal, NonceRefused)
    assert refusal.details == {"why": "it has more than 64 bytes"}
    assert kinds(sitting.do(AddNonce(0, bytes(64)))) == ["NonceAdded"]


def test_a_nonce_changes_what_is_drawn() -> None:
    plain, salted = (
        Sitting(terms(FINGERS, nonce_within_us=1_000_000)),
        Sitting(terms(FINGERS, nonce_within_us=1_000_000)),
    )
    salted.do(AddNonce(2, b"salt"))
    for sitting in (plain, salted):
        sitting.do(StartPlay())
    assert plain.match.require_chance() != salted.match.require_chance()
    assert str(plain.match.position) != str(salted.match.position)


def test_by_lot_the_players_are_mixed_and_the_log_says_how() -> None:
    sitting = begun(STONES, by_lot=True)
    began = sitting.log[1]
    assert isinstance(began, PlayStarted)
    assert began.seated == sitting.match.players
    assert sorted(player.bot for player in began.seated) == ["bot0", "bot1", "bot2"]
    assert began.seated != sitting.match.setup.players
    assert sitting.match.setup.seed == SEED


# Bots that disconnect and return


def test_who_leaves_is_gone_until_it_is_back_and_each_is_told_once() -> None:
    sitting = begun()
    assert sitting.do(DisconnectSeat(1), wait_us=5) == (SeatDisconnected(5, 1),)
    assert sitting.do(DisconnectSeat(1), wait_us=5) == ()
    assert sitting.match.gone_us[1] == 5
    assert sitting.do(ReconnectSeat(1), wait_us=5) == (SeatReconnected(15, 1),)
    assert sitting.do(ReconnectSeat(1)) == ()
    assert list(sitting.match.gone_us) == [None, None]


def test_coming_and_going_before_play_or_after_it_is_no_news() -> None:
    sitting = waiting()
    assert (sitting.do(DisconnectSeat(0)), sitting.do(ReconnectSeat(0)), sitting.do(EndGracePeriod(0))) == ((), (), ())
    over = begun()
    over.do(DisconnectSeat(1))
    over.do(Resign(0))
    assert (over.do(DisconnectSeat(0)), over.do(ReconnectSeat(1)), over.do(EndGracePeriod(1))) == ((), (), ())


def test_the_clock_decides_about_a_bot_that_is_gone_unless_the_match_says_otherwise() -> None:
    sitting = begun()
    sitting.do(DisconnectSeat(0))
    assert sitting.do(EndGracePeriod(0), wait_us=9 * SECOND) == ()
    assert kinds(sitting.flag(0, 2 * SECOND)) == ["FlagFell", "SeatForfeited", "PlayEnded"]


def test_who_is_gone_may_come_back_and_move_in_time() -> None:
    sitting = begun(policies=GRACE)
    sitting.do(DisconnectSeat(0))
    sitting.do(ReconnectSeat(0), wait_us=99)
    assert sitting.do(EndGracePeriod(0), wait_us=1) == ()
    assert kinds(sitting.move(0, "1")) == ["MovePlayed"]


def test_who_stays_away_for_the_grace_forfeits_to_the_tick() -> None:
    sitting = begun(policies=GRACE)
    sitting.do(DisconnectSeat(0), wait_us=10)
    assert sitting.do(EndGracePeriod(0), wait_us=99) == ()
    forfeited, ended = sitting.do(EndGracePeriod(0), wait_us=1)
    assert forfeited == SeatForfeited(110, 0, Fault.GONE)
    assert kinds([ended]) == ["PlayEnded"]
    assert sitting.result.ranks == (2, 1)


def test_the_grace_runs_only_while_a_move_is_owed() -> None:
    sitting = begun(policies=GRACE)
    sitting.do(DisconnectSeat(1))
    assert sitting.do(EndGracePeriod(1), wait_us=500) == ()
    sitting.move(0, "1")
    assert sitting.do(EndGracePeriod(1), wait_us=99) == ()
    assert kinds(sitting.do(EndGracePeriod(1), wait_us=1)) == ["SeatForfeited", "PlayEnded"]


def test_the_grace_begins_anew_with_each_leaving() -> None:
    sitting = begun(policies=GRACE)
    sitting.do(DisconnectSeat(0))
    sitting.do(ReconnectSeat(0), wait_us=90)
    sitting.do(DisconnectSeat(0), wait_us=90)
    assert sitting.do(EndGracePeriod(0), wait_us=99) == ()
    assert kinds(sitting.do(EndGracePeriod(0), wait_us=1)) == ["SeatForfeited", "PlayEnded"]


def test_a_grace_that_ends_for_a_bot_that_is_there_does_no_harm() -> None:
    assert begun(policies=GRACE).do(EndGracePeriod(0), wait_us=500) == ()


def test_the_game_goes_on_without_a_seat_that_stayed_away_if_the_match_says_so() -> None:
    policies = Policies(gone=DisconnectPolicy.FORFEIT_AFTER_GRACE, grace_us=100, dropout=DropoutPolicy.DEFAULT_MOVES)
    sitting = begun(STONES, policies=policies)
    sitting.do(DisconnectSeat(0))
    assert kinds(sitting.do(EndGracePeriod(0), wait_us=100)) == ["SeatForfeited", "MovePlayed"]
    assert sitting.owing == [1]
    assert sitting.do(EndGracePeriod(0), wait_us=100) == ()


# Recovery


def test_a_referee_that_was_down_says_so_and_everything_stands_as_it_did() -> None:
    sitting = begun()
    sitting.move(0, "1", 40)
    turns, clocks = sitting.match.turns, sitting.match.clocks
    assert sitting.do(ResumeMatch(86_400_000), wait_us=2) == (MatchResumed(42, 86_400_000),)
    assert (sitting.match.turns, sitting.match.clocks) == (turns, clocks)
    assert kinds(sitting.move(1, "1")) == ["MovePlayed"]


def test_a_referee_can_be_down_before_play_and_says_nothing_after_it() -> None:
    sitting = Sitting(terms())
    assert kinds(sitting.do(ResumeMatch(5))) == ["MatchResumed"]
    assert sitting.match.phase is MatchPhase.WAITING
    sitting.do(StartPlay())
    sitting.do(Resign(0))
    assert sitting.do(ResumeMatch(5)) == ()
