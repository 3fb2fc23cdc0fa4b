"""Ends that players or people cause: resignation, agreed and claimed draws, aborts, adjudication."""

from typing import Any

import pytest

from referee.match.commands import (
    AbortMatch,
    AcceptDraw,
    AdjudicateMatch,
    ClaimDraw,
    DeclineDraw,
    OfferDraw,
    Resign,
    StartPlay,
    VoidMatch,
)
from referee.match.events import DrawDeclined, DrawOffered, PlayEnded, SeatResigned
from referee.match.match_errors import BadVerdict, MatchOver, NoDraw, OfferedBefore, SeatOut, TooLateToAbort
from referee.match.result import VOID_CAUSES, EndCause, EndKind, Fault, Forfeit, void_result
from referee.match.setup import DropoutPolicy, Policies
from tests.match.games import STONES
from tests.match.match_fixture import SEED, Sitting, begun, kinds, terms
from tests.strangers_games.strangers_games import FINGERS

GOES_ON = Policies(dropout=DropoutPolicy.DEFAULT_MOVES)


def stones(seats: int = 3, teams: bool = False, **rest: Any) -> Sitting:
    return begun(STONES, chosen={"seats": seats, "teams": teams}, **rest)


# Resignation


@pytest.mark.parametrize(("seat", "ranks"), [(0, (2, 1)), (1, (1, 2))])
def test_of_two_sides_the_other_has_won(seat: int, ranks: tuple[int, ...]) -> None:
    sitting = begun()
    resigned, ended = sitting.do(Resign(seat), wait_us=9)
    assert resigned == SeatResigned(9, seat)
    assert isinstance(ended, PlayEnded)
    assert (ended.at_us, ended.seed) == (9, SEED)
    assert (sitting.result.kind, sitting.result.cause) == (EndKind.PLAYED, EndCause.RESIGNATION)
    assert (sitting.result.ranks, sitting.result.forfeits) == (ranks, ())


def test_of_four_single_sides_who_resigns_is_last_and_the_rest_rank_by_the_standing() -> None:
    sitting = stones(4)
    for move in "2311":
        sitting.move(sitting.owing[0], move)
    assert kinds(sitting.do(Resign(1))) == ["SeatResigned", "PlayEnded"]
    assert sitting.result.ranks == (1, 4, 2, 2)
    assert sitting.result.scores == pytest.approx((1.0, 0.0, 0.5, 0.5))


def test_who_resigns_loses_for_its_team() -> None:
    sitting = stones(4, teams=True)
    sitting.do(Resign(3))
    assert sitting.result.ranks == (1, 2, 1, 2)
    assert (sitting.result.side_ranks, sitting.result.side_scores) == ((1, 2), (1.0, 0.0))


def test_nothing_can_be_asked_of_a_match_that_is_over() -> None:
    sitting = begun()
    sitting.do(Resign(0))
    for command in (
        Resign(1),
        OfferDraw(1),
        AbortMatch(),
        VoidMatch(EndCause.DECLARED),
        AdjudicateMatch((1, 2)),
        StartPlay(),
    ):
        refusal = sitting.refuses(command)
        assert isinstance(refusal, MatchOver)
        assert refusal.details == {"result": "played, resignation, ranks 2 1"}


# Draws by agreement


def test_a_draw_offered_and_accepted_is_a_draw() -> None:
    sitting = begun()
    assert sitting.do(OfferDraw(1), wait_us=4) == (DrawOffered(4, 1),)
    assert kinds(sitting.do(OfferDraw(0))) == ["DrawOffered", "PlayEnded"]
    assert (sitting.result.kind, sitting.result.cause) == (EndKind.PLAYED, EndCause.DRAW_AGREED)
    assert (sitting.result.ranks, sitting.result.scores) == ((1, 1), (0.5, 0.5))


def test_to_accept_needs_an_offer_of_another_side() -> None:
    sitting = begun()
    nobodys = sitting.refuses(AcceptDraw(0))
    sitting.do(OfferDraw(0))
    ones_own = sitting.refuses(AcceptDraw(0))
    assert isinstance(nobodys, NoDraw)
    assert nobodys.details == ones_own.details == {"why": "no other seat has offered one"}
    assert kinds(sitting.do(AcceptDraw(1))) == ["DrawOffered", "PlayEnded"]
    assert sitting.result.cause is EndCause.DRAW_AGREED


def test_a_game_without_draws_knows_none() -> None:
    refusal = begun(FINGERS).refuses(OfferDraw(0))
    assert isinstance(refusal, NoDraw)
    assert refusal.details == {"why": "Fingers has no draw by agreement"}


def test_an_offer_that_stands_is_not_made_twice() -> None:
    sitting = begun()
    sitting.do(OfferDraw(0))
    refusal = sitting.refuses(OfferDraw(0))
    assert isinstance(refusal, OfferedBefore)
    assert "offer is still open" in str(refusal)


def test_a_declined_offer_is_not_made_again_in_the_same_position() -> None:
    sitting = begun()
    sitting.do(OfferDraw(0))
    assert sitting.do(DeclineDraw(1), wait_us=3) == (DrawDeclined(3, 1),)
    assert sitting.match.offers == frozenset()
    refusal = sitting.refuses(OfferDraw(0))
    assert isinstance(refusal, OfferedBefore)
    assert "declined in this position" in str(refusal)
    sitting.move(0, "1")
    assert kinds(sitting.do(OfferDraw(0))) == ["DrawOffered"]


def test_who_was_declined_may_still_accept_in_the_same_position() -> None:
    sitting = begun()
    sitting.do(OfferDraw(0))
    sitting.do(DeclineDraw(1))
    sitting.do(OfferDraw(1))
    assert kinds(sitting.do(OfferDraw(0))) == ["DrawOffered", "PlayEnded"]


def test_to_move_is_to_decline_but_not_ones_own_offer() -> None:
    sitting = begun()
    sitting.move(0, "1", offers_draw=True)
    sitting.move(1, "1")
    assert sitting.match.offers == frozenset()
    sitting.do(OfferDraw(0))
    sitting.move(0, "1")
    assert sitting.match.offers == {0}
    assert kinds(sitting.do(OfferDraw(1))) == ["DrawOffered", "PlayEnded"]


def test_an_offer_with_a_move_declines_and_offers_anew() -> None:
    sitting = begun()
    sitting.do(OfferDraw(1))
    assert kinds(sitting.move(0, "1", offers_draw=True)) == ["MovePlayed", "DrawOffered"]
    assert sitting.match.offers == {0}


def test_there_is_nothing_to_decline_without_anothers_offer() -> None:
    sitting = begun()
    assert isinstance(sitting.refuses(DeclineDraw(0)), NoDraw)
    sitting.do(OfferDraw(0))
    refusal = sitting.refuses(DeclineDraw(0))
    assert isinstance(refusal, NoDraw)
    assert refusal.details == {"why": "no other seat has offered one"}


def test_of_three_sides_all_must_agree() -> None:
    sitting = stones(3)
    sitting.move(0, "3")
    assert kinds(sitting.do(OfferDraw(2))) == ["DrawOffered"]
    assert kinds(sitting.do(OfferDraw(0))) == ["DrawOffered"]
    assert kinds(sitting.do(OfferDraw(1))) == ["DrawOffered", "PlayEnded"]
    assert sitting.result.ranks == (1, 1, 1)


def test_one_of_a_team_speaks_for_it() -> None:
    sitting = stones(4, teams=True)
    assert kinds(sitting.do(OfferDraw(0))) == ["DrawOffered"]
    assert kinds(sitting.do(OfferDraw(2))) == ["DrawOffered"]  # A partner's offer is not an acceptance.
    assert isinstance(sitting.refuses(DeclineDraw(2)), NoDraw)
    assert kinds(sitting.do(OfferDraw(3))) == ["DrawOffered", "PlayEnded"]
    assert sitting.result.ranks == (1, 1, 1, 1)


def test_a_partners_move_declines_nothing_of_its_own_team() -> None:
    sitting = stones(4, teams=True)
    sitting.do(OfferDraw(2))
    sitting.move(0, "1")
    assert sitting.match.offers == {2}
    sitting.move(1, "1")
    assert sitting.match.offers == frozenset()


def test_a_seat_that_dropped_out_is_not_asked_about_a_draw() -> None:
    sitting = stones(3, policies=GOES_ON)
    sitting.do(Resign(2))
    assert isinstance(sitting.refuses(OfferDraw(2)), SeatOut)
    sitting.do(OfferDraw(0))
    assert isinstance(sitting.refuses(DeclineDraw(2)), SeatOut)
    assert kinds(sitting.do(OfferDraw(1))) == ["DrawOffered", "PlayEnded"]


def test_a_draw_without_the_seat_that_resigned_leaves_it_last() -> None:
    sitting = stones(3, policies=GOES_ON)
    sitting.do(Resign(2))
    sitting.do(OfferDraw(0))
    sitting.do(OfferDraw(1))
    assert (sitting.result.kind, sitting.result.cause) == (EndKind.PLAYED, EndCause.DRAW_AGREED)
    assert (sitting.result.ranks, sitting.result.scores) == ((1, 1, 3), (0.75, 0.75, 0.0))


def test_a_draw_without_the_seat_that_forfeited_leaves_it_last_by_its_fault() -> None:
    sitting = stones(3, policies=GOES_ON)
    sitting.flag(0, 10_000_001)
    sitting.do(OfferDraw(2))
    sitting.do(OfferDraw(1))
    assert (sitting.result.kind, sitting.result.cause) == (EndKind.FORFEITED, EndCause.FAULT)
    assert sitting.result.ranks == (3, 1, 1)
    assert sitting.result.forfeits == (Forfeit(0, Fault.TIME, 0),)


def test_the_last_who_had_not_agreed_drops_out_and_the_rest_are_agreed() -> None:
    sitting = stones(3, policies=GOES_ON)
    sitting.do(OfferDraw(0))
    sitting.do(OfferDraw(1))
    assert kinds(sitting.do(Resign(2))) == ["SeatResigned", "PlayEnded"]
    assert sitting.result.cause is EndCause.DRAW_AGREED
    assert sitting.result.ranks == (1, 1, 3)


def test_an_offer_goes_with_the_seat_that_made_it() -> None:
    resigned, late = stones(4, policies=GOES_ON), stones(4, policies=GOES_ON)
    for sitting in (resigned, late):
        sitting.do(OfferDraw(0))
        sitting.do(OfferDraw(1))
    resigned.do(Resign(1))
    late.flag(0, 10_000_001)
    assert resigned.match.offers == {0}
    assert 0 not in late.match.offers


# Draws by claim


def test_a_draw_is_claimed_by_the_rules_of_the_game() -> None:
    sitting = stones(2)
    sitting.move(0, "2")
    sitting.move(1, "2")
    assert kinds(sitting.do(ClaimDraw(0))) == ["PlayEnded"]
    assert (sitting.result.kind, sitting.result.cause, sitting.result.reason) == (
        EndKind.PLAYED,
        EndCause.DRAW_CLAIMED,
        "level",
    )
    assert sitting.result.scores == (0.5, 0.5)


def test_there_is_no_draw_to_claim_out_of_turn_or_without_a_reason() -> None:
    sitting = stones(2)
    assert isinstance(sitting.refuses(ClaimDraw(0)), NoDraw)
    sitting.move(0, "2")
    sitting.move(1, "2")
    refusal = sitting.refuses(ClaimDraw(1))
    assert isinstance(refusal, NoDraw)
    assert refusal.details == {"why": "the rules allow this seat no claim in this position"}


def test_most_games_give_no_draw_to_claim() -> None:
    assert isinstance(begun().refuses(ClaimDraw(0)), NoDraw)


def test_a_claim_leaves_the_seat_that_dropped_out_last() -> None:
    sitting = begun(STONES, chosen={"heap": 40}, policies=GOES_ON)
    sitting.do(Resign(2))
    sitting.move(0, "3")
    sitting.move(1, "3")  # Seat 2 takes three by default, so all are level.
    sitting.do(ClaimDraw(0))
    assert (sitting.result.ranks, sitting.result.reason) == ((1, 1, 3), "level")


# Aborting


def test_a_seat_calls_off_before_its_own_first_move_only() -> None:
    sitting = begun()
    sitting.move(0, "1")
    refusal = sitting.refuses(AbortMatch(0))
    assert isinstance(refusal, TooLateToAbort)
    assert kinds(sitting.do(AbortMatch(1))) == ["PlayEnded"]
    assert sitting.result == void_result(EndCause.ABORTED)


def test_whoever_made_the_match_calls_it_off_at_any_time() -> None:
    sitting = begun()
    sitting.move(0, "1")
    sitting.move(1, "1")
    assert kinds(sitting.do(AbortMatch())) == ["PlayEnded"]
    waiting = Sitting(terms())
    assert kinds(waiting.do(AbortMatch())) == ["PlayEnded"]
    assert waiting.result.kind is EndKind.VOID


def test_a_seat_calls_off_while_others_are_waited_for() -> None:
    assert kinds(Sitting(terms()).do(AbortMatch(1))) == ["PlayEnded"]


def test_a_seat_that_dropped_out_cannot_call_off_what_it_lost() -> None:
    sitting = stones(3, policies=GOES_ON)
    sitting.do(Resign(2))
    assert isinstance(sitting.refuses(AbortMatch(2)), SeatOut)


# Adjudication


@pytest.mark.parametrize("cause", VOID_CAUSES)
def test_a_match_that_broke_is_void(cause: EndCause) -> None:
    for sitting in (begun(), Sitting(terms())):
        assert kinds(sitting.do(VoidMatch(cause, "the power went"))) == ["PlayEnded"]
        assert sitting.result == void_result(cause, "the power went")


@pytest.mark.parametrize("cause", sorted(set(EndCause) - set(VOID_CAUSES), key=str))
def test_what_ends_a_game_makes_no_match_void(cause: EndCause) -> None:
    refusal = begun().refuses(VoidMatch(cause))
    assert isinstance(refusal, BadVerdict)
    assert refusal.details == {"why": f"{cause.value} is no cause for a void match"}


@pytest.mark.parametrize(
    ("verdict", "ranks"),
    [
        ((1, 2, 3), (1, 2, 3)),
        ((3, 1, 2), (3, 1, 2)),
        ((1, 1, 2), (1, 1, 3)),  # However ranks were counted, a shared rank skips the next one.
        ((5, 5, 5), (1, 1, 1)),
        ((0, 7, -2), (2, 3, 1)),
    ],
)
def test_a_person_decides_by_ranks(verdict: tuple[int, ...], ranks: tuple[int, ...]) -> None:
    sitting = stones(3)
    assert kinds(sitting.do(AdjudicateMatch(verdict, "by the book"))) == ["PlayEnded"]
    assert sitting.result.side_ranks == ranks
    assert (sitting.result.kind, sitting.result.cause) == (EndKind.PLAYED, EndCause.ADJUDICATION)
    assert sitting.result.reason == "by the book"


@pytest.mark.parametrize("verdict", [(), (1,), (1, 2, 3)])
def test_a_verdict_ranks_every_side(verdict: tuple[int, ...]) -> None:
    for sitting in (begun(), stones(4, teams=True)):
        refusal = sitting.refuses(AdjudicateMatch(verdict))
        assert isinstance(refusal, BadVerdict)
        assert refusal.details == {"why": "it must have one rank for each of the 2 sides"}


def test_a_verdict_keeps_the_faults_that_went_before() -> None:
    sitting = stones(3, policies=GOES_ON)
    sitting.flag(0, 10_000_001)
    sitting.do(AdjudicateMatch((1, 2, 3)))
    assert sitting.result.forfeits == (Forfeit(0, Fault.TIME, 0),)
    assert sitting.result.ranks == (1, 2, 3)
