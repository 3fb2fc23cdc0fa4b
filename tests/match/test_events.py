"""Events: what each viewer may see of each."""

import pytest
from msgspec import structs
from msgspec.structs import replace
from referee_values import Policies

from engines.api import REFEREE, SPECTATOR
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import AddNonce, AdjudicateMatch, FallFlag
from referee.match.events import (
    Event,
    FlagFell,
    MatchCreated,
    MovePlayed,
    MoveRejected,
    NonceAdded,
    PlayEnded,
    PlayStarted,
    SeatTaken,
    SeatVacated,
    redact,
    seated_bots,
)
from referee.match.setup import Player
from referee.match.state import create_match, evolve
from tests.match.match_fixture import SEED, MatchFixture, match_setup, started_match
from tests.third_party_games.third_party_games import FINGERS, NIM


def visible_events(fixture: MatchFixture, viewer: int) -> list[Event | None]:
    """Return the events of a match as a viewer sees them; None for an entry that is hidden."""
    first, *rest = fixture.log
    assert isinstance(first, MatchCreated)
    visible, match = [redact(first, None, viewer)], create_match(first, fixture.game)
    for event in rest:
        visible.append(redact(event, match.position, viewer))
        match = evolve(match, event)
    return visible


def visible_moves(fixture: MatchFixture, viewer: int) -> list[str]:
    return [event.move for event in visible_events(fixture, viewer) if isinstance(event, MovePlayed)]


def test_the_referee_sees_all_events_unchanged() -> None:
    fixture = started_match(FINGERS)
    fixture.move(1, "9")
    fixture.move(1, "3", request_id="r1")
    fixture.do(AdjudicateMatch((1, 2, 3)))
    assert visible_events(fixture, REFEREE) == fixture.log


@pytest.mark.parametrize("viewer", [0, 1, SPECTATOR])
def test_the_seed_is_visible_only_at_the_end(viewer: int) -> None:
    fixture = started_match(NIM)
    fixture.move(0, "1")
    before_the_end = visible_events(fixture, viewer)
    assert repr(SEED) not in repr(before_the_end)
    first = before_the_end[0]
    assert isinstance(first, MatchCreated)
    assert first.setup == replace(fixture.match.setup, seed=b"")
    fixture.do(AdjudicateMatch((1, 2)))
    last = visible_events(fixture, viewer)[-1]
    assert isinstance(last, PlayEnded)
    assert last.seed == SEED


@pytest.mark.parametrize("viewer", [0, 1, 2, SPECTATOR])
def test_the_full_text_of_an_opening_is_not_visible(viewer: int) -> None:
    """The text of an opening is for the referee: it holds hidden information and the seed of later draws."""
    secret = "0 0,0,0 --- 2 c0ffee/1"
    assert "c0ffee" not in repr(visible_events(started_match(FINGERS, opening=secret), viewer))
    assert "c0ffee" in repr(visible_events(started_match(FINGERS, opening=secret), REFEREE))


def test_a_sealed_choice_is_visible_only_to_its_seat() -> None:
    fixture = started_match(FINGERS)
    for seat, move in [(2, "3"), (0, "1"), (1, "2")]:
        fixture.move(seat, move)
    assert visible_moves(fixture, REFEREE) == ["3", "1", "2"]
    assert visible_moves(fixture, 0) == ["?", "1", "?"]
    assert visible_moves(fixture, 1) == ["?", "?", "2"]
    assert visible_moves(fixture, 2) == ["3", "?", "?"]
    assert visible_moves(fixture, SPECTATOR) == ["?", "?", "?"]


def test_a_sealed_choice_of_a_policy_is_visible_only_to_its_seat() -> None:
    fixture = started_match(FINGERS, policies=Policies(timeout="random_move"))
    fixture.flag(1, 10_000_001)
    drawn = fixture.log[-1]
    assert isinstance(drawn, MovePlayed)
    assert [visible_moves(fixture, viewer) for viewer in (0, 1, 2, SPECTATOR)] == [["?"], [drawn.move], ["?"], ["?"]]


def test_open_moves_are_visible_to_all() -> None:
    fixture = started_match(NIM)
    fixture.move(0, "2")
    assert [visible_moves(fixture, viewer) for viewer in (0, 1, SPECTATOR)] == [["2"]] * 3


@pytest.mark.parametrize("viewer", [0, 2, SPECTATOR])
def test_a_rejected_attempt_is_visible_only_to_its_seat(viewer: int) -> None:
    fixture = started_match(FINGERS)
    fixture.move(1, "7", request_id="mine")
    assert visible_events(fixture, viewer)[-1] is None
    own = visible_events(fixture, 1)[-1]
    assert isinstance(own, MoveRejected)
    assert own == fixture.log[-1]


@pytest.mark.parametrize("viewer", [0, 2, SPECTATOR])
def test_others_see_the_clock_but_not_the_move_of_a_late_answer(viewer: int) -> None:
    fixture = started_match(FINGERS)
    fixture.move(1, "3", 10_000_001, request_id="mine")
    late = fixture.log[2]
    assert isinstance(late, FlagFell)
    assert (late.move, late.request_id) == ("3", "mine")
    assert visible_events(fixture, viewer)[2] == structs.replace(late, move="", request_id="")
    assert visible_events(fixture, 1)[2] == late


def test_a_request_id_is_visible_only_to_its_seat() -> None:
    fixture = started_match(NIM)
    fixture.move(0, "2", request_id="mine")
    named = [
        event.request_id
        for viewer in (0, 1)
        for event in visible_events(fixture, viewer)
        if isinstance(event, MovePlayed)
    ]
    assert named == ["mine", ""]


def test_all_other_events_are_visible_to_all() -> None:
    fixture = MatchFixture(match_setup(NIM, nonce_timeout_us=1_000_000))
    fixture.do(AddNonce(1, b"salt"))
    assert visible_events(fixture, SPECTATOR)[1] == NonceAdded(0, 1, b"salt")
    began = started_match(NIM)
    began.do(FallFlag(0, TurnMeasurement(10_000_001)))
    _, start, *rest = visible_events(began, SPECTATOR)
    assert isinstance(start, PlayStarted)
    assert rest == began.log[2:]


def test_seated_bots_returns_the_players_by_seat() -> None:
    first = MatchFixture(match_setup(players=(Player("anna"), Player()))).log[0]
    assert seated_bots(first) == {0: "anna", 1: ""}
    assert seated_bots(SeatTaken(0, 1, Player("bert"))) == {1: "bert"}
    assert seated_bots(PlayStarted(0, (Player("bert"), Player("anna")))) == {0: "bert", 1: "anna"}
    assert seated_bots(SeatVacated(0, 1)) == {1: ""}
    assert seated_bots(NonceAdded(0, 1, b"")) == {}
