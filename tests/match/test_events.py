"""Events: what each viewer may see of each."""

from dataclasses import replace

import pytest

from engines.api import REFEREE, SPECTATOR
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import AddNonce, AdjudicateMatch, FallFlag
from referee.match.events import (
    Event,
    FlagFell,
    MatchCreated,
    MovePlayed,
    MoveRefused,
    NonceAdded,
    PlayEnded,
    PlayStarted,
    SeatTaken,
    redact,
    seated_bots,
)
from referee.match.setup import LatePolicy, Player, Policies
from referee.match.state import create_match, evolve
from tests.match.match_fixture import GAMES, SEED, Sitting, begun, terms
from tests.strangers_games.strangers_games import FINGERS, NIM

TOC = GAMES["toc"]


def heard(sitting: Sitting, viewer: int) -> list[Event | None]:
    """Return the events of a match as a viewer sees them; None for an entry that is hidden."""
    first, *rest = sitting.log
    assert isinstance(first, MatchCreated)
    hearing, match = [redact(first, None, viewer)], create_match(first, sitting.game)
    for event in rest:
        hearing.append(redact(event, match.position, viewer))
        match = evolve(match, event)
    return hearing


def moves_heard(sitting: Sitting, viewer: int) -> list[str]:
    return [event.move for event in heard(sitting, viewer) if isinstance(event, MovePlayed)]


def test_the_referee_hears_everything_as_it_is() -> None:
    sitting = begun(FINGERS)
    sitting.move(1, "9")
    sitting.move(1, "3", request_id="r1")
    sitting.do(AdjudicateMatch((1, 2, 3)))
    assert heard(sitting, REFEREE) == sitting.log


@pytest.mark.parametrize("viewer", [0, 1, SPECTATOR])
def test_the_seed_is_told_with_the_end_and_not_before(viewer: int) -> None:
    sitting = begun(NIM)
    sitting.move(0, "1")
    before_the_end = heard(sitting, viewer)
    assert repr(SEED) not in repr(before_the_end)
    first = before_the_end[0]
    assert isinstance(first, MatchCreated)
    assert first.setup == replace(sitting.match.setup, seed=b"")
    sitting.do(AdjudicateMatch((1, 2)))
    last = heard(sitting, viewer)[-1]
    assert isinstance(last, PlayEnded)
    assert last.seed == SEED


@pytest.mark.parametrize("viewer", [0, 1, 2, SPECTATOR])
def test_an_opening_is_not_told_in_the_text_that_shows_hidden_things(viewer: int) -> None:
    """The text of an opening is for the referee: it holds hidden information and the seed of later draws."""
    secret = "0 0,0,0 --- 2 c0ffee/1"
    assert "c0ffee" not in repr(heard(begun(FINGERS, opening=secret), viewer))
    assert "c0ffee" in repr(heard(begun(FINGERS, opening=secret), REFEREE))


def test_a_sealed_choice_is_told_to_its_seat_alone() -> None:
    sitting = begun(FINGERS)
    for seat, move in [(2, "3"), (0, "1"), (1, "2")]:
        sitting.move(seat, move)
    assert moves_heard(sitting, REFEREE) == ["3", "1", "2"]
    assert moves_heard(sitting, 0) == ["?", "1", "?"]
    assert moves_heard(sitting, 1) == ["?", "?", "2"]
    assert moves_heard(sitting, 2) == ["3", "?", "?"]
    assert moves_heard(sitting, SPECTATOR) == ["?", "?", "?"]


def test_a_sealed_choice_that_a_policy_drew_is_told_to_its_seat_alone() -> None:
    sitting = begun(FINGERS, policies=Policies(late=LatePolicy.RANDOM_MOVE))
    sitting.flag(1, 10_000_001)
    drawn = sitting.log[-1]
    assert isinstance(drawn, MovePlayed)
    assert [moves_heard(sitting, viewer) for viewer in (0, 1, 2, SPECTATOR)] == [["?"], [drawn.move], ["?"], ["?"]]


def test_a_gift_in_toc_is_told_to_its_giver_alone() -> None:
    sitting = begun(TOC)
    for seat in (3, 1, 0):
        gift = sitting.match.require_position().moves(seat)[0]
        sitting.move(seat, gift)
        for viewer in {0, 1, 2, 3, SPECTATOR} - {seat}:
            assert moves_heard(sitting, viewer)[-1] != gift
            assert f"move={gift!r}" not in repr(heard(sitting, viewer)[-1])
        assert moves_heard(sitting, seat)[-1] == gift


def test_moves_that_lie_open_are_told_to_all() -> None:
    sitting = begun(NIM)
    sitting.move(0, "2")
    assert [moves_heard(sitting, viewer) for viewer in (0, 1, SPECTATOR)] == [["2"]] * 3


@pytest.mark.parametrize("viewer", [0, 2, SPECTATOR])
def test_a_refused_attempt_is_its_seats_own_business(viewer: int) -> None:
    sitting = begun(FINGERS)
    sitting.move(1, "7", request_id="mine")
    assert heard(sitting, viewer)[-1] is None
    own = heard(sitting, 1)[-1]
    assert isinstance(own, MoveRefused)
    assert own == sitting.log[-1]


@pytest.mark.parametrize("viewer", [0, 2, SPECTATOR])
def test_a_late_answer_is_not_told_to_others_but_its_clock_is(viewer: int) -> None:
    sitting = begun(FINGERS)
    sitting.move(1, "3", 10_000_001, request_id="mine")
    late = sitting.log[2]
    assert isinstance(late, FlagFell)
    assert (late.move, late.request_id) == ("3", "mine")
    assert heard(sitting, viewer)[2] == replace(late, move="", request_id="")
    assert heard(sitting, 1)[2] == late


def test_the_name_that_a_caller_gave_its_request_is_told_to_it_alone() -> None:
    sitting = begun(NIM)
    sitting.move(0, "2", request_id="mine")
    named = [event.request_id for viewer in (0, 1) for event in heard(sitting, viewer) if isinstance(event, MovePlayed)]
    assert named == ["mine", ""]


def test_everything_else_is_told_to_all_as_it_is() -> None:
    sitting = Sitting(terms(NIM, nonce_within_us=1_000_000))
    sitting.do(AddNonce(1, b"salt"))
    assert heard(sitting, SPECTATOR)[1] == NonceAdded(0, 1, b"salt")
    began = begun(NIM)
    began.do(FallFlag(0, TurnMeasurement(10_000_001)))
    _, start, *rest = heard(began, SPECTATOR)
    assert isinstance(start, PlayStarted)
    assert rest == began.log[2:]


def test_the_bots_that_an_event_seats_are_named_by_seat() -> None:
    first = Sitting(terms(players=(Player("anna"), Player()))).log[0]
    assert seated_bots(first) == {0: "anna", 1: ""}
    assert seated_bots(SeatTaken(0, 1, Player("bert"))) == {1: "bert"}
    assert seated_bots(PlayStarted(0, (Player("bert"), Player("anna")))) == {0: "bert", 1: "anna"}
    assert seated_bots(NonceAdded(0, 1, b"")) == {}
