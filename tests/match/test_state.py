"""The fold: events yield the state of a match and the seats that have a turn."""

import pytest

from referee.match.clock_charge import NetworkCredit
from referee.match.commands import DisconnectSeat, OfferDraw, Resign, StartPlay
from referee.match.events import MatchCreated, MatchResumed, MoveRefused, PlayEnded
from referee.match.setup import Player
from referee.match.state import NEVER, MatchPhase, Turn, create_match, evolve, replace_at
from tests.match.games import STONES
from tests.match.match_fixture import GAMES, TEN_SECONDS, Sitting, begun, replay, terms
from tests.strangers_games.strangers_games import NIM


def test_a_match_that_was_opened_waits_with_full_clocks() -> None:
    setup = terms(STONES, credit=NetworkCredit(5, 50))
    match = create_match(MatchCreated(7, setup), STONES)
    assert (match.phase, match.number, match.at_us, match.ply) == (MatchPhase.WAITING, 1, 7, 0)
    assert match.players == setup.players
    assert match.clocks == (TEN_SECONDS.initial_clock(),) * 3
    assert (match.credit_us, match.turns, match.nonces) == ((50,) * 3, (None,) * 3, (None,) * 3)
    assert (match.moves_made, match.offered_ply) == ((0,) * 3, (NEVER,) * 3)
    assert (match.owing, match.dropped_seats, match.result) == ((), frozenset(), None)


def test_a_log_says_all_that_the_match_is() -> None:
    sitting = begun(nonce_within_us=1_000_000)
    sitting.move(0, "9")
    sitting.move(0, "1", 5, offers_draw=True)
    sitting.do(DisconnectSeat(0), wait_us=5)
    sitting.do(Resign(1))
    assert replay(sitting.log, GAMES.__getitem__) == sitting.match


def test_any_beginning_of_a_log_is_the_match_as_it_stood() -> None:
    sitting = begun()
    stages = [(len(sitting.log), sitting.match)]
    for seat, move in [(0, "1"), (1, "9"), (1, "2"), (0, "3")]:
        sitting.move(seat, move, 5)
        stages.append((len(sitting.log), sitting.match))
    for many, match in stages:
        assert replay(sitting.log[:many], GAMES.__getitem__) == match


def test_every_event_has_the_next_number_and_its_time() -> None:
    match = create_match(MatchCreated(0, terms()), NIM)
    later = evolve(match, MatchResumed(12, 5))
    assert (later.number, later.at_us) == (2, 12)
    assert (match.number, match.at_us) == (1, 0)


def test_a_token_names_seat_ply_and_attempt() -> None:
    assert Turn(2, 17, 0).token == "2.17.1"
    assert Turn(2, 17, 0, 3).token == "2.17.3"


def test_each_attempt_has_a_token_of_its_own() -> None:
    sitting = begun()
    tokens = [sitting.token(0)]
    for move in ("9", "9", "1"):
        sitting.move(0, move)
        tokens.append(sitting.token(sitting.owing[0]))
    assert tokens == ["0.0.1", "0.0.2", "0.0.3", "1.1.1"]


def test_moves_are_counted_by_seat_whoever_chose_them() -> None:
    sitting = begun(STONES)
    for _ in range(4):
        sitting.move(sitting.owing[0], "1")
    assert sitting.match.moves_made == (2, 1, 1)
    assert sitting.match.ply == 4


def test_the_end_leaves_nothing_owed_and_nothing_offered() -> None:
    sitting = begun()
    sitting.do(OfferDraw(1))
    sitting.do(Resign(0))
    assert isinstance(sitting.log[-1], PlayEnded)
    assert (sitting.match.owing, sitting.match.offers) == ((), frozenset())
    assert sitting.match.phase is MatchPhase.OVER


def test_a_match_is_a_value() -> None:
    one, other = begun().match, begun().match
    assert one == other
    assert one != begun(seed=bytes(32)).match


def test_sides_are_found_by_seat() -> None:
    match = begun(STONES, chosen={"seats": 4, "teams": True}).match
    assert [match.side_of(seat) for seat in range(4)] == [0, 1, 0, 1]


@pytest.mark.parametrize(("seat", "there"), [(0, "xbc"), (1, "axc"), (2, "abx")])
def test_one_thing_of_many_is_replaced(seat: int, there: str) -> None:
    assert "".join(replace_at(("a", "b", "c"), seat, "x")) == there


def test_position_and_chance_are_there_from_the_beginning_of_play_only() -> None:
    waiting = Sitting(terms(players=(Player("a"), Player("b"))))
    assert (waiting.match.position, waiting.match.chance) == (None, None)
    for early in (waiting.match.require_position, waiting.match.require_chance):
        with pytest.raises(ValueError, match="play has not begun"):
            early()
    waiting.do(StartPlay())
    assert waiting.match.require_position() == NIM.start(NIM.settings(), b"")
    assert waiting.match.require_chance() == waiting.match.chance


def test_events_that_no_match_can_tell_are_no_match() -> None:
    first = MatchCreated(0, terms())
    refused = MoveRefused(0, 0, "0.0.1", "x", "ILLEGAL_MOVE", "", "no", 2)
    with pytest.raises(ValueError, match="seat 0 owes no move that could be refused"):
        replay([first, refused], lambda _: NIM)
