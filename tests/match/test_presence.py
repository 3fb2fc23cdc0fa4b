"""Before play: seats, nonces and withdrawals; and disconnects and returns during play."""

import pytest
from referee_values import Policies

from referee.match.clock import SECOND
from referee.match.commands import (
    AddNonce,
    DisconnectSeat,
    EndGracePeriod,
    ReconnectSeat,
    ResumeMatch,
    StartPlay,
    TakeSeat,
    WithdrawBot,
)
from referee.match.events import (
    NonceAdded,
    PlayStarted,
    RefereeRecovered,
    SeatDisconnected,
    SeatForfeited,
    SeatReconnected,
    SeatTaken,
    SeatVacated,
)
from referee.match.match_errors import BadSetup, NonceRefused, NoSuchSeat, NotWithdrawable, SeatHeld, SeatsOpen
from referee.match.result import EndCause, EndKind, Forfeit
from referee.match.setup import Player
from referee.match.state import MatchPhase, new_turn
from tests.match.games import BRITTLE, STONES
from tests.match.match_fixture import SEED, MatchFixture, kinds, match_setup, started_match
from tests.match.setups import forfeits_after
from tests.third_party_games.third_party_games import FINGERS

ANNA, BERT = Player("anna", "2"), Player("bert", "1")
GRACE = Policies(disconnect=forfeits_after(1))


def waiting() -> MatchFixture:
    return MatchFixture(match_setup(players=(ANNA, Player())))


def test_an_open_seat_can_be_taken() -> None:
    fixture = waiting()
    assert fixture.do(TakeSeat(1, BERT), wait_us=5) == (SeatTaken(5, 1, BERT),)
    assert fixture.match.players == (ANNA, BERT)


def test_a_player_without_a_name_cannot_take_a_seat() -> None:
    waiting().refuses(
        TakeSeat(1, Player()), BadSetup, field="player", wrong="must have a name; a seat without one is open"
    )


@pytest.mark.parametrize("other", [BERT, Player("anna", "3")])
def test_an_occupied_seat_cannot_be_taken(other: Player) -> None:
    waiting().refuses(TakeSeat(0, other), SeatHeld, seat="0", by="anna")


def test_a_player_without_a_version_gets_the_version_of_the_bot_that_takes_the_seat() -> None:
    fixture = MatchFixture(match_setup(players=(Player("anna"), Player())))
    assert fixture.do(TakeSeat(0, Player("anna"))) == ()
    assert fixture.do(TakeSeat(0, ANNA)) == (SeatTaken(0, 0, ANNA),)
    assert fixture.match.players[0] == ANNA
    fixture.refuses(TakeSeat(0, Player("anna")), SeatHeld)


@pytest.mark.parametrize("seat", [-1, 2, 99])
def test_the_error_for_an_unknown_seat_lists_the_seats(seat: int) -> None:
    for command in (TakeSeat(seat, BERT), AddNonce(seat, b""), DisconnectSeat(seat), EndGracePeriod(seat)):
        error = waiting().refuses(command, NoSuchSeat)
        assert error.details == {"field": "seat", "wrong": "there is no such seat"}
        assert str(error) == f"there is no seat {seat}; seats are 0 to 1"


def test_play_does_not_begin_while_a_seat_is_open() -> None:
    fixture = MatchFixture(match_setup(STONES, players=(Player(), ANNA, Player())))
    error = fixture.refuses(StartPlay(), SeatsOpen)
    assert str(error) == "seats are still open: 0, 2"
    assert fixture.match.phase is MatchPhase.WAITING


def test_play_begins_with_the_first_position_and_the_turns_of_the_seats_to_move() -> None:
    fixture = MatchFixture(match_setup())
    assert fixture.do(StartPlay(), wait_us=7) == (PlayStarted(7, fixture.match.setup.players),)
    assert fixture.match.phase is MatchPhase.PLAYING
    assert str(fixture.match.position) == "21 0"
    assert fixture.match.turns == (new_turn(0, 0, 7), None)


def test_all_seats_that_are_to_move_get_their_turns_at_once() -> None:
    assert started_match(FINGERS).match.turns == (new_turn(0, 0, 0), new_turn(1, 0, 0), new_turn(2, 0, 0))


def test_play_begins_with_the_opening_if_there_is_one() -> None:
    fixture = started_match(opening="2 1")
    assert str(fixture.match.position) == "2 1"
    assert fixture.owing == [1]
    assert fixture.match.ply == 0
    assert kinds(fixture.move(1, "2")) == ["MovePlayed", "PlayEnded"]
    assert fixture.result.ranks == (2, 1)


def test_a_game_that_is_over_before_the_first_move_ends_at_once() -> None:
    fixture = MatchFixture(match_setup(BRITTLE, chosen={"breaks": "over_at_once"}))
    assert kinds(fixture.do(StartPlay())) == ["PlayStarted", "PlayEnded"]
    assert (fixture.result.kind, fixture.result.reason) == (EndKind.PLAYED, "last_taken")


def test_each_seat_can_give_one_nonce_if_nonces_are_requested() -> None:
    fixture = MatchFixture(match_setup(nonce_timeout_us=1_000_000))
    assert fixture.do(AddNonce(1, b"salt"), wait_us=3) == (NonceAdded(3, 1, b"salt"),)
    assert fixture.do(AddNonce(1, b"salt")) == ()
    assert kinds(fixture.do(AddNonce(0, b""))) == ["NonceAdded"]
    assert fixture.do(AddNonce(0, b"")) == ()
    other = fixture.refuses(AddNonce(0, b"late thought"), NonceRefused)
    assert "already added a different one" in str(other)
    assert fixture.match.nonces == (b"", b"salt")


def test_a_nonce_that_was_not_requested_is_an_error() -> None:
    MatchFixture(match_setup()).refuses(
        AddNonce(0, b"salt"), NonceRefused, field="nonce", wrong="the match uses no nonces"
    )


def test_a_nonce_has_64_bytes_at_most() -> None:
    fixture = MatchFixture(match_setup(nonce_timeout_us=1_000_000))
    fixture.refuses(AddNonce(0, bytes(65)), NonceRefused, field="nonce", wrong="it has more than 64 bytes")
    assert kinds(fixture.do(AddNonce(0, bytes(64)))) == ["NonceAdded"]


def test_random_seats_shuffle_the_players_and_are_logged() -> None:
    fixture = started_match(STONES, random_seats=True)
    began = fixture.log[1]
    assert isinstance(began, PlayStarted)
    assert began.seated == fixture.match.players
    assert sorted(player.bot for player in began.seated) == ["bot0", "bot1", "bot2"]
    assert began.seated != fixture.match.setup.players
    assert fixture.match.setup.seed == SEED


# Bots that disconnect and return


def test_disconnects_and_reconnects_are_recorded_once() -> None:
    fixture = started_match()
    assert fixture.do(DisconnectSeat(1), wait_us=5) == (SeatDisconnected(5, 1),)
    assert fixture.do(DisconnectSeat(1), wait_us=5) == ()
    assert fixture.match.gone_us[1] == 5
    assert fixture.do(ReconnectSeat(1), wait_us=5) == (SeatReconnected(15, 1),)
    assert fixture.do(ReconnectSeat(1)) == ()
    assert list(fixture.match.gone_us) == [None, None]


def test_by_default_only_the_clock_decides_about_a_disconnected_bot() -> None:
    fixture = started_match()
    fixture.do(DisconnectSeat(0))
    assert fixture.do(EndGracePeriod(0), wait_us=9 * SECOND) == ()
    assert kinds(fixture.flag(0, 2 * SECOND)) == ["FlagFell", "SeatForfeited", "PlayEnded"]


def test_a_disconnected_bot_may_reconnect_and_move_in_time() -> None:
    fixture = started_match(policies=GRACE)
    fixture.do(DisconnectSeat(0))
    fixture.do(ReconnectSeat(0), wait_us=999)
    assert fixture.do(EndGracePeriod(0), wait_us=1) == ()
    assert kinds(fixture.move(0, "1")) == ["MovePlayed"]


def test_a_bot_forfeits_exactly_when_its_grace_period_ends() -> None:
    fixture = started_match(policies=GRACE)
    fixture.do(DisconnectSeat(0), wait_us=10)
    assert fixture.do(EndGracePeriod(0), wait_us=999) == ()
    forfeited, ended = fixture.do(EndGracePeriod(0), wait_us=1)
    assert forfeited == SeatForfeited(1_010, 0, "disconnected")
    assert kinds([ended]) == ["PlayEnded"]
    assert fixture.result.ranks == (2, 1)


def test_the_grace_period_runs_only_while_the_seat_is_to_move() -> None:
    fixture = started_match(policies=GRACE)
    fixture.do(DisconnectSeat(1))
    assert fixture.do(EndGracePeriod(1), wait_us=5_000) == ()
    fixture.move(0, "1")
    assert fixture.do(EndGracePeriod(1), wait_us=999) == ()
    assert kinds(fixture.do(EndGracePeriod(1), wait_us=1)) == ["SeatForfeited", "PlayEnded"]


# Recovery


def test_a_restart_is_recorded_and_changes_nothing_else() -> None:
    fixture = started_match()
    fixture.move(0, "1", 40)
    turns, clocks = fixture.match.turns, fixture.match.clocks
    assert fixture.do(ResumeMatch(86_400_000), wait_us=2) == (RefereeRecovered(42, 86_400_000),)
    assert (fixture.match.turns, fixture.match.clocks) == (turns, clocks)
    assert kinds(fixture.move(1, "1")) == ["MovePlayed"]


# Withdrawals


OPEN_SEAT = Player()
CONTINUES = Policies(forfeit_effect="default_moves")


def test_before_play_all_seats_of_the_bot_become_open_and_its_nonce_is_dropped() -> None:
    fixture = MatchFixture(match_setup(STONES, players=(ANNA, BERT, ANNA), nonce_timeout_us=1_000))
    fixture.do(AddNonce(0, b"salt"))
    fixture.do(AddNonce(1, b"pepper"))
    assert fixture.do(WithdrawBot("anna"), wait_us=3) == (SeatVacated(3, 0), SeatVacated(3, 2))
    assert fixture.match.players == (OPEN_SEAT, BERT, OPEN_SEAT)
    assert fixture.match.nonces == (None, b"pepper", None)
    for seat in (0, 2):
        fixture.do(TakeSeat(seat, Player("carl", "1")))
    fixture.do(AddNonce(0, b"sugar"))
    assert kinds(fixture.do(StartPlay())) == ["PlayStarted"]


@pytest.mark.parametrize("bot", ["", "carl"])
def test_a_bot_without_a_seat_cannot_be_withdrawn(bot: str) -> None:
    fixture = MatchFixture(match_setup(players=(ANNA, OPEN_SEAT)))
    fixture.refuses(WithdrawBot(bot), NotWithdrawable, bot=bot, why="it holds no seat in this match")


def test_in_play_the_bot_forfeits_with_a_cause_of_its_own() -> None:
    fixture = started_match(players=(ANNA, BERT))
    events = fixture.do(WithdrawBot("bert"), wait_us=3)
    assert events[0] == SeatForfeited(3, 1, "withdrawn")
    assert kinds(events) == ["SeatForfeited", "PlayEnded"]
    assert (fixture.result.kind, fixture.result.cause) == (EndKind.FORFEITED, EndCause.FAULT)
    assert fixture.result.forfeits == (Forfeit(1, "withdrawn", 0),)
    assert fixture.result.ranks == (1, 2)


def test_a_match_of_more_sides_continues_without_the_bot_as_its_policy_says() -> None:
    fixture = started_match(STONES, policies=CONTINUES, players=(ANNA, BERT, Player("carl", "1")))
    assert kinds(fixture.do(WithdrawBot("bert"))) == ["SeatForfeited"]
    assert fixture.match.dropped_seats == {1}
    error = fixture.refuses(WithdrawBot("bert"), NotWithdrawable)
    assert error.details["why"] == "it has dropped out of the match"


def test_a_bot_with_two_seats_leaves_both_unless_the_first_ends_the_match() -> None:
    ends = started_match(STONES, players=(ANNA, BERT, ANNA))
    assert kinds(ends.do(WithdrawBot("anna"))) == ["SeatForfeited", "PlayEnded"]
    players = (ANNA, BERT, ANNA, Player("carl", "1"))
    continues = started_match(STONES, chosen={"seats": 4}, policies=CONTINUES, players=players)
    continues.do(WithdrawBot("anna"))
    assert [forfeit.seat for forfeit in continues.match.forfeits] == [0, 2]
