"""How matches end, with and without seats that have dropped out."""

import pytest

from referee.match.clock import SuddenDeath
from referee.match.commands import DisconnectSeat, EndGracePeriod, Resign
from referee.match.events import MovePlayed, MoveSource
from referee.match.match_errors import SeatOut, StaleTurn
from referee.match.result import EndCause, EndKind, Fault, Forfeit
from referee.match.setup import DisconnectPolicy, DropoutPolicy, IllegalMovePolicy, Policies
from tests.match.games import STONES
from tests.match.match_fixture import Sitting, begun, kinds
from tests.strangers_games.strangers_games import FINGERS

GOING_ON = [DropoutPolicy.RANDOM_MOVES, DropoutPolicy.DEFAULT_MOVES]
DEFAULTS = Policies(IllegalMovePolicy.FORFEIT, dropout=DropoutPolicy.DEFAULT_MOVES)


def four(heap: int = 40, policies: Policies = DEFAULTS) -> Sitting:
    return begun(STONES, SuddenDeath(100), {"seats": 4, "heap": heap}, policies=policies)


def sources(sitting: Sitting) -> list[tuple[int, MoveSource]]:
    return [(event.seat, event.source) for event in sitting.log if isinstance(event, MovePlayed)]


def test_a_game_that_is_played_out_ends_by_its_rules() -> None:
    sitting = begun(STONES, chosen={"heap": 6})
    sitting.move(0, "1")
    sitting.move(1, "2")
    assert kinds(sitting.move(2, "3")) == ["MovePlayed", "PlayEnded"]
    assert (sitting.result.kind, sitting.result.cause, sitting.result.reason) == (
        EndKind.PLAYED,
        EndCause.RULES,
        "none_left",
    )
    assert (sitting.result.scores, sitting.result.ranks) == ((1.0, 2.0, 3.0), (3, 2, 1))
    assert sitting.owing == []


def test_a_game_of_teams_that_is_played_out_ranks_the_teams() -> None:
    sitting = begun(STONES, chosen={"heap": 8, "seats": 4, "teams": True})
    for move in "1232":
        sitting.move(sitting.owing[0], move)
    assert sitting.result.scores == (1.0, 2.0, 3.0, 2.0)
    assert (sitting.result.side_scores, sitting.result.ranks) == ((4.0, 4.0), (1, 1, 1, 1))


@pytest.mark.parametrize("dropout", DropoutPolicy)
def test_with_two_sides_a_dropout_always_ends_the_match(dropout: DropoutPolicy) -> None:
    for sitting in (
        begun(policies=Policies(dropout=dropout)),
        begun(STONES, chosen={"seats": 4, "teams": True}, policies=Policies(dropout=dropout)),
    ):
        assert kinds(sitting.do(Resign(0))) == ["SeatResigned", "PlayEnded"]


def test_by_default_a_dropout_ends_a_match_of_four_sides() -> None:
    sitting = four(policies=Policies())
    sitting.move(0, "2")
    sitting.move(1, "3")
    assert kinds(sitting.flag(2, 101)) == ["FlagFell", "SeatForfeited", "PlayEnded"]
    assert (sitting.result.kind, sitting.result.ranks) == (EndKind.FORFEITED, (2, 1, 4, 3))
    assert sitting.result.forfeits == (Forfeit(2, Fault.TIME, 2),)


@pytest.mark.parametrize("dropout", GOING_ON)
def test_the_game_goes_on_and_the_policy_plays_for_the_seat_at_once(dropout: DropoutPolicy) -> None:
    sitting = four(policies=Policies(dropout=dropout))
    source = MoveSource.RANDOM if dropout is DropoutPolicy.RANDOM_MOVES else MoveSource.DEFAULT
    assert kinds(sitting.do(Resign(0))) == ["SeatResigned", "MovePlayed"]
    assert sitting.owing == [1]
    for seat in (1, 2):
        assert kinds(sitting.move(seat, "1")) == ["MovePlayed"]
    assert kinds(sitting.move(3, "1")) == ["MovePlayed", "MovePlayed"]
    assert sources(sitting) == [(0, source), (1, MoveSource.BOT), (2, MoveSource.BOT), (3, MoveSource.BOT), (0, source)]


def test_default_moves_for_a_dropout_are_the_games_own() -> None:
    sitting = four()
    sitting.do(Resign(0))
    played = sitting.log[-1]
    assert isinstance(played, MovePlayed)
    assert (played.move, played.row, played.request_id) == ("3", None, "")
    assert sitting.left_us == [100] * 4


def test_a_seat_drops_out_of_turn_and_is_played_for_when_its_turn_comes() -> None:
    sitting = four()
    assert kinds(sitting.do(Resign(1))) == ["SeatResigned"]
    assert sitting.owing == [0]
    assert kinds(sitting.move(0, "1")) == ["MovePlayed", "MovePlayed"]
    assert sitting.owing == [2]


@pytest.mark.parametrize("fault", Fault)
def test_every_fault_of_a_bot_drops_its_seat_out(fault: Fault) -> None:
    policies = Policies(
        IllegalMovePolicy.FORFEIT,
        gone=DisconnectPolicy.FORFEIT_AFTER_GRACE,
        grace_us=5,
        dropout=DropoutPolicy.DEFAULT_MOVES,
    )
    sitting = four(policies=policies)
    if fault is Fault.TIME:
        events = kinds(sitting.flag(0, 101))
        assert events == ["FlagFell", "SeatForfeited", "MovePlayed"]
    elif fault is Fault.ILLEGAL_MOVE:
        assert kinds(sitting.move(0, "9")) == ["MoveRefused", "SeatForfeited", "MovePlayed"]
    else:
        sitting.do(DisconnectSeat(0))
        assert kinds(sitting.do(EndGracePeriod(0), wait_us=5)) == ["SeatForfeited", "MovePlayed"]
    assert sitting.match.forfeits == (Forfeit(0, fault, 0),)
    assert sitting.match.dropped_seats == {0}


def test_who_dropped_out_can_neither_move_nor_drop_out_again() -> None:
    sitting = four()
    answer = sitting.answer(0, "1")
    sitting.do(Resign(0))
    assert isinstance(sitting.refuses(answer), StaleTurn)
    refusal = sitting.refuses(Resign(0))
    assert isinstance(refusal, SeatOut)
    assert refusal.details == {"seat": "0"}


def test_who_dropped_out_is_last_though_the_policy_played_well_for_it() -> None:
    sitting = begun(STONES, chosen={"heap": 5}, policies=DEFAULTS)
    sitting.move(0, "9")
    sitting.move(1, "1")
    assert kinds(sitting.move(2, "1")) == ["MovePlayed", "PlayEnded"]
    assert (sitting.result.kind, sitting.result.cause, sitting.result.reason) == (
        EndKind.FORFEITED,
        EndCause.FAULT,
        "none_left",
    )
    assert (sitting.result.scores, sitting.result.ranks) == ((3.0, 1.0, 1.0), (3, 1, 1))
    assert sitting.result.forfeits == (Forfeit(0, Fault.ILLEGAL_MOVE, 0),)


def test_a_game_that_went_on_without_who_resigned_was_played() -> None:
    sitting = begun(STONES, chosen={"heap": 5}, policies=DEFAULTS)
    sitting.do(Resign(0))
    sitting.move(1, "1")
    sitting.move(2, "1")
    assert (sitting.result.kind, sitting.result.cause) == (EndKind.PLAYED, EndCause.RULES)
    assert (sitting.result.ranks, sitting.result.side_ranks) == ((3, 1, 1), (3, 1, 1))


def test_the_match_ends_when_one_side_remains() -> None:
    sitting = four()
    sitting.do(Resign(3))
    sitting.move(0, "9")
    assert sitting.owing == [1]
    assert kinds(sitting.do(Resign(2))) == ["SeatResigned", "PlayEnded"]
    assert (sitting.result.kind, sitting.result.ranks) == (EndKind.FORFEITED, (2, 1, 2, 2))
    assert sitting.result.forfeits == (Forfeit(0, Fault.ILLEGAL_MOVE, 0),)


def test_faults_are_listed_in_the_order_in_which_they_happened() -> None:
    sitting = four()
    sitting.move(0, "1")
    sitting.move(1, "9")
    sitting.flag(2, 101)
    sitting.flag(3, 101)
    assert sitting.result.forfeits == (
        Forfeit(1, Fault.ILLEGAL_MOVE, 1),
        Forfeit(2, Fault.TIME, 2),
        Forfeit(3, Fault.TIME, 3),
    )
    assert sitting.result.ranks == (1, 2, 2, 2)


def test_a_sealed_choice_is_made_for_a_dropout_round_after_round() -> None:
    sitting = begun(FINGERS, policies=Policies(dropout=DropoutPolicy.DEFAULT_MOVES))
    assert kinds(sitting.do(Resign(1))) == ["SeatResigned", "MovePlayed"]
    assert sitting.owing == [0, 2]
    for _ in range(2):
        sitting.move(0, "2")
        assert kinds(sitting.move(2, "3")) == ["MovePlayed", "MovePlayed"]
    sitting.move(2, "3")
    assert kinds(sitting.move(0, "2")) == ["MovePlayed", "PlayEnded"]
    assert sitting.result.ranks[1] == 3


def test_policies_play_a_game_to_its_end_when_nobody_else_owes() -> None:
    sitting = begun(STONES, chosen={"heap": 3}, policies=DEFAULTS)
    assert kinds(sitting.do(Resign(0))) == ["SeatResigned", "MovePlayed", "PlayEnded"]
    assert sitting.result.scores == (3.0, 0.0, 0.0)
    assert sitting.result.ranks == (3, 1, 1)
