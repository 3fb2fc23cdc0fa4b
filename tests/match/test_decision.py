"""How matches end, with and without seats that have dropped out."""

import pytest
from referee_values import ForfeitCause, ForfeitEffect, IllegalMovePolicy, Policies

from referee.match.clock import SuddenDeath
from referee.match.commands import DisconnectSeat, EndGracePeriod, Resign, WithdrawBot
from referee.match.events import MovePlayed, MoveSource
from referee.match.match_errors import SeatOut, StaleTurn
from referee.match.result import FORFEIT_CAUSES, EndCause, EndKind, Forfeit
from tests.match.games import STONES
from tests.match.match_fixture import MatchFixture, kinds, started_match
from tests.match.setups import forfeits_after
from tests.third_party_games.third_party_games import FINGERS

CONTINUING_POLICIES: list[ForfeitEffect] = ["random_moves", "default_moves"]
DEFAULTS = Policies(illegal_move=IllegalMovePolicy(action="forfeit"), forfeit_effect="default_moves")


def four(heap: int = 40, policies: Policies = DEFAULTS) -> MatchFixture:
    return started_match(STONES, SuddenDeath(100), {"seats": 4, "heap": heap}, policies=policies)


def sources(fixture: MatchFixture) -> list[tuple[int, MoveSource]]:
    return [(event.seat, event.source) for event in fixture.log if isinstance(event, MovePlayed)]


def test_a_finished_game_ends_the_match_by_its_rules() -> None:
    fixture = started_match(STONES, chosen={"heap": 6})
    fixture.move(0, "1")
    fixture.move(1, "2")
    assert kinds(fixture.move(2, "3")) == ["MovePlayed", "PlayEnded"]
    assert (fixture.result.kind, fixture.result.cause, fixture.result.reason) == (
        EndKind.PLAYED,
        EndCause.RULES,
        "none_left",
    )
    assert (fixture.result.scores, fixture.result.ranks) == ((1.0, 2.0, 3.0), (3, 2, 1))
    assert fixture.owing == []


def test_a_finished_game_of_teams_ranks_the_teams() -> None:
    fixture = started_match(STONES, chosen={"heap": 8, "seats": 4, "teams": True})
    for move in "1232":
        fixture.move(fixture.owing[0], move)
    assert fixture.result.scores == (1.0, 2.0, 3.0, 2.0)
    assert (fixture.result.side_scores, fixture.result.ranks) == ((4.0, 4.0), (1, 1, 1, 1))


@pytest.mark.parametrize("effect", ["ends_match", *CONTINUING_POLICIES])
def test_with_two_sides_a_dropout_always_ends_the_match(effect: ForfeitEffect) -> None:
    for fixture in (
        started_match(policies=Policies(forfeit_effect=effect)),
        started_match(STONES, chosen={"seats": 4, "teams": True}, policies=Policies(forfeit_effect=effect)),
    ):
        assert kinds(fixture.do(Resign(0))) == ["SeatResigned", "PlayEnded"]


def test_by_default_a_dropout_ends_a_match_of_four_sides() -> None:
    fixture = four(policies=Policies())
    fixture.move(0, "2")
    fixture.move(1, "3")
    assert kinds(fixture.flag(2, 101)) == ["FlagFell", "SeatForfeited", "PlayEnded"]
    assert (fixture.result.kind, fixture.result.ranks) == (EndKind.FORFEITED, (2, 1, 4, 3))
    assert fixture.result.forfeits == (Forfeit(2, "time", 2),)


@pytest.mark.parametrize("effect", CONTINUING_POLICIES)
def test_after_a_dropout_the_policy_moves_for_the_seat_at_once(effect: ForfeitEffect) -> None:
    fixture = four(policies=Policies(forfeit_effect=effect))
    source = MoveSource.RANDOM if effect == "random_moves" else MoveSource.DEFAULT
    assert kinds(fixture.do(Resign(0))) == ["SeatResigned", "MovePlayed"]
    assert fixture.owing == [1]
    for seat in (1, 2):
        assert kinds(fixture.move(seat, "1")) == ["MovePlayed"]
    assert kinds(fixture.move(3, "1")) == ["MovePlayed", "MovePlayed"]
    assert sources(fixture) == [(0, source), (1, MoveSource.BOT), (2, MoveSource.BOT), (3, MoveSource.BOT), (0, source)]


def test_default_moves_for_a_dropout_are_those_of_the_game() -> None:
    fixture = four()
    fixture.do(Resign(0))
    played = fixture.log[-1]
    assert isinstance(played, MovePlayed)
    assert (played.move, played.row, played.request_id) == ("3", None, "")
    assert fixture.left_us == [100] * 4


def test_the_policy_moves_for_a_seat_that_dropped_out_when_its_turn_comes() -> None:
    fixture = four()
    assert kinds(fixture.do(Resign(1))) == ["SeatResigned"]
    assert fixture.owing == [0]
    assert kinds(fixture.move(0, "1")) == ["MovePlayed", "MovePlayed"]
    assert fixture.owing == [2]


@pytest.mark.parametrize("fault", FORFEIT_CAUSES)
def test_every_fault_of_a_bot_makes_its_seat_drop_out(fault: ForfeitCause) -> None:
    policies = Policies(
        illegal_move=IllegalMovePolicy(action="forfeit"),
        disconnect=forfeits_after(1),
        forfeit_effect="default_moves",
    )
    fixture = four(policies=policies)
    if fault == "time":
        events = kinds(fixture.flag(0, 101))
        assert events == ["FlagFell", "SeatForfeited", "MovePlayed"]
    elif fault == "illegal_move":
        assert kinds(fixture.move(0, "9")) == ["MoveRejected", "SeatForfeited", "MovePlayed"]
    elif fault == "withdrawn":
        bot = fixture.match.players[0].bot
        assert kinds(fixture.do(WithdrawBot(bot))) == ["SeatForfeited", "MovePlayed"]
    else:
        fixture.do(DisconnectSeat(0))
        assert kinds(fixture.do(EndGracePeriod(0), wait_us=1_000)) == ["SeatForfeited", "MovePlayed"]
    assert fixture.match.forfeits == (Forfeit(0, fault, 0),)
    assert fixture.match.dropped_seats == {0}


def test_a_seat_that_dropped_out_can_neither_move_nor_drop_out_again() -> None:
    fixture = four()
    answer = fixture.answer(0, "1")
    fixture.do(Resign(0))
    assert isinstance(fixture.refuses(answer), StaleTurn)
    error = fixture.refuses(Resign(0))
    assert isinstance(error, SeatOut)
    assert error.details == {"seat": "0"}


def test_a_seat_that_dropped_out_is_last_even_if_the_policy_plays_well() -> None:
    fixture = started_match(STONES, chosen={"heap": 5}, policies=DEFAULTS)
    fixture.move(0, "9")
    fixture.move(1, "1")
    assert kinds(fixture.move(2, "1")) == ["MovePlayed", "PlayEnded"]
    assert (fixture.result.kind, fixture.result.cause, fixture.result.reason) == (
        EndKind.FORFEITED,
        EndCause.FAULT,
        "none_left",
    )
    assert (fixture.result.scores, fixture.result.ranks) == ((3.0, 1.0, 1.0), (3, 1, 1))
    assert fixture.result.forfeits == (Forfeit(0, "illegal_move", 0),)


def test_a_game_that_continues_after_a_resignation_counts_as_played() -> None:
    fixture = started_match(STONES, chosen={"heap": 5}, policies=DEFAULTS)
    fixture.do(Resign(0))
    fixture.move(1, "1")
    fixture.move(2, "1")
    assert (fixture.result.kind, fixture.result.cause) == (EndKind.PLAYED, EndCause.RULES)
    assert (fixture.result.ranks, fixture.result.side_ranks) == ((3, 1, 1), (3, 1, 1))


def test_the_match_ends_when_one_side_remains() -> None:
    fixture = four()
    fixture.do(Resign(3))
    fixture.move(0, "9")
    assert fixture.owing == [1]
    assert kinds(fixture.do(Resign(2))) == ["SeatResigned", "PlayEnded"]
    assert (fixture.result.kind, fixture.result.ranks) == (EndKind.FORFEITED, (2, 1, 2, 2))
    assert fixture.result.forfeits == (Forfeit(0, "illegal_move", 0),)


def test_faults_are_listed_in_the_order_in_which_they_happened() -> None:
    fixture = four()
    fixture.move(0, "1")
    fixture.move(1, "9")
    fixture.flag(2, 101)
    fixture.flag(3, 101)
    assert fixture.result.forfeits == (
        Forfeit(1, "illegal_move", 1),
        Forfeit(2, "time", 2),
        Forfeit(3, "time", 3),
    )
    assert fixture.result.ranks == (1, 2, 2, 2)


def test_the_policy_makes_sealed_choices_for_a_dropout_in_every_round() -> None:
    fixture = started_match(FINGERS, policies=Policies(forfeit_effect="default_moves"))
    assert kinds(fixture.do(Resign(1))) == ["SeatResigned", "MovePlayed"]
    assert fixture.owing == [0, 2]
    for _ in range(2):
        fixture.move(0, "2")
        assert kinds(fixture.move(2, "3")) == ["MovePlayed", "MovePlayed"]
    fixture.move(2, "3")
    assert kinds(fixture.move(0, "2")) == ["MovePlayed", "PlayEnded"]
    assert fixture.result.ranks[1] == 3


def test_policies_play_a_game_to_its_end_when_no_other_seat_is_to_move() -> None:
    fixture = started_match(STONES, chosen={"heap": 3}, policies=DEFAULTS)
    assert kinds(fixture.do(Resign(0))) == ["SeatResigned", "MovePlayed", "PlayEnded"]
    assert fixture.result.scores == (3.0, 0.0, 0.0)
    assert fixture.result.ranks == (3, 1, 1)
