"""The fold: events yield the state of a match and the seats that have a turn."""

import pytest
from msgspec import structs
from referee_values import NetworkCredit

from referee.match.commands import OfferDraw, Resign, StartPlay
from referee.match.events import MatchCreated, MoveRejected, PlayEnded, RefereeRecovered
from referee.match.setup import Player
from referee.match.state import NEVER, MatchPhase, create_match, evolve, replace_at
from tests.match.games import STONES
from tests.match.match_fixture import TEN_SECONDS, MatchFixture, match_setup, replay, started_match
from tests.third_party_games.third_party_games import NIM


def test_a_new_match_waits_with_full_clocks() -> None:
    setup = match_setup(STONES, credit=NetworkCredit(per_move_ms=5, per_match_ms=50))
    match = create_match(MatchCreated(7, setup), STONES)
    assert (match.phase, match.number, match.at_us, match.ply) == (MatchPhase.WAITING, 1, 7, 0)
    assert match.players == setup.players
    assert match.clocks == (TEN_SECONDS.initial_clock(),) * 3
    assert (match.credit_a_move_us, match.credit_us) == (5_000, (50_000,) * 3)
    assert (match.turns, match.nonces) == ((None,) * 3, (None,) * 3)
    assert (match.moves_made, match.offered_ply) == ((0,) * 3, (NEVER,) * 3)
    assert (match.owing, match.dropped_seats, match.result) == ((), frozenset(), None)


def test_every_event_has_the_next_number_and_its_time() -> None:
    match = create_match(MatchCreated(0, match_setup()), NIM)
    later = evolve(match, RefereeRecovered(12, 5))
    assert (later.number, later.at_us) == (2, 12)
    assert (match.number, match.at_us) == (1, 0)


def test_a_move_changes_no_other_field_of_the_state() -> None:
    fixture = started_match()
    before = fixture.match
    untouched = {
        name: object()
        for name in before.__struct_fields__
        if name
        not in {"setup", "table", "clocks", "turns", "verdicts", "moves_made", "number", "at_us", "ply", "position"}
        and name not in {"controls", "offers", "credit_us"}
    }
    fixture.move(0, "1", 5)
    (event,) = fixture.log[-1:]
    after = evolve(structs.replace(before, **untouched), event)
    assert {name: getattr(after, name) for name in untouched} == untouched
    assert after == structs.replace(fixture.match, **untouched)


def test_each_attempt_has_a_token_of_its_own() -> None:
    fixture = started_match()
    tokens = [fixture.token(0)]
    for move in ("9", "9", "1"):
        fixture.move(0, move)
        tokens.append(fixture.token(fixture.owing[0]))
    assert tokens == ["0.0.1", "0.0.2", "0.0.3", "1.1.1"]


def test_moves_are_counted_by_seat_including_those_of_policies() -> None:
    fixture = started_match(STONES)
    for _ in range(4):
        fixture.move(fixture.owing[0], "1")
    assert fixture.match.moves_made == (2, 1, 1)
    assert fixture.match.ply == 4


def test_after_the_end_there_are_no_turns_and_no_draw_offers() -> None:
    fixture = started_match()
    fixture.do(OfferDraw(1))
    fixture.do(Resign(0))
    assert isinstance(fixture.log[-1], PlayEnded)
    assert (fixture.match.owing, fixture.match.offers) == ((), frozenset())
    assert fixture.match.phase is MatchPhase.OVER


def test_sides_are_found_by_seat() -> None:
    match = started_match(STONES, chosen={"seats": 4, "teams": True}).match
    assert [match.side_of(seat) for seat in range(4)] == [0, 1, 0, 1]


@pytest.mark.parametrize(("seat", "there"), [(0, "xbc"), (1, "axc"), (2, "abx")])
def test_replace_at_changes_one_item(seat: int, there: str) -> None:
    assert "".join(replace_at(("a", "b", "c"), seat, "x")) == there


def test_position_and_random_generator_exist_only_after_the_start_of_play() -> None:
    waiting = MatchFixture(match_setup(players=(Player("a"), Player("b"))))
    assert (waiting.match.position, waiting.match.chance) == (None, None)
    for early in (waiting.match.require_position, waiting.match.require_chance):
        with pytest.raises(ValueError, match="play has not begun"):
            early()
    waiting.do(StartPlay())
    assert waiting.match.require_position() == NIM.start(NIM.settings(), b"")
    assert waiting.match.require_chance() == waiting.match.chance


def test_an_impossible_order_of_events_is_an_error() -> None:
    first = MatchCreated(0, match_setup())
    refused = MoveRejected(0, 0, "0.0.1", "x", "ILLEGAL_MOVE", "", "no", 2)
    with pytest.raises(ValueError, match="seat 0 owes no move that could be refused"):
        replay([first, refused], lambda _: NIM)


def test_a_turn_is_due_by_its_seat_and_token_only() -> None:
    match = started_match().match
    (turn,) = match.owing
    assert match.is_due(turn.seat, turn.token)
    assert not match.is_due(turn.seat, "0.9.1")
    assert not match.is_due(1 - turn.seat, turn.token)
    assert not match.is_due(2, turn.token)
    assert not match.is_due(-1, turn.token)
