"""How matches end: by the rules, by players or people, and with seats that have dropped out."""

from typing import Any

import pytest
from referee_values import ForfeitEffect, IllegalMovePolicy, Policies

from referee.match.clock import SuddenDeath
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
from referee.match.decide import decide
from referee.match.events import DrawDeclined, DrawOffered, MovePlayed, MoveSource, PlayEnded, SeatResigned
from referee.match.match_errors import (
    BadVerdict,
    DrawNotClaimable,
    DrawOfferedBefore,
    MatchOver,
    SeatOut,
    TooLateToAbort,
)
from referee.match.result import (
    VOID_CAUSES,
    EndCause,
    EndKind,
    Forfeit,
    PlayerRating,
    RatingChange,
    void_result,
)
from tests.match.games import STONES
from tests.match.match_fixture import GAMES, SEED, MatchFixture, kinds, match_setup, replay, started_match
from tests.third_party_games.third_party_games import FINGERS

CONTINUE_POLICIES = Policies(forfeit_effect="default_moves")


def stones(seats: int = 3, teams: bool = False, **rest: Any) -> MatchFixture:
    return started_match(STONES, chosen={"seats": seats, "teams": teams}, **rest)


# Resignation


@pytest.mark.parametrize(("seat", "ranks"), [(0, (2, 1)), (1, (1, 2))])
def test_when_one_of_two_sides_resigns_the_other_wins(seat: int, ranks: tuple[int, ...]) -> None:
    fixture = started_match()
    resigned, ended = fixture.do(Resign(seat), wait_us=9)
    assert resigned == SeatResigned(9, seat)
    assert isinstance(ended, PlayEnded)
    assert (ended.at_us, ended.seed) == (9, SEED)
    assert (fixture.result.kind, fixture.result.cause) == (EndKind.PLAYED, EndCause.RESIGNATION)
    assert (fixture.result.ranks, fixture.result.forfeits) == (ranks, ())


def test_with_four_sides_a_seat_that_resigns_is_last_and_the_others_rank_by_standing() -> None:
    fixture = stones(4)
    fixture.play("2311")
    assert kinds(fixture.do(Resign(1))) == ["SeatResigned", "PlayEnded"]
    assert fixture.result.ranks == (1, 4, 2, 2)
    assert fixture.result.scores == pytest.approx((1.0, 0.0, 0.5, 0.5))


def test_a_resignation_loses_for_the_team() -> None:
    fixture = stones(4, teams=True)
    fixture.do(Resign(3))
    assert fixture.result.ranks == (1, 2, 1, 2)
    assert (fixture.result.side_ranks, fixture.result.side_scores) == ((1, 2), (1.0, 0.0))


def test_commands_for_a_finished_match_are_errors() -> None:
    fixture = started_match()
    fixture.do(Resign(0))
    for command in (
        Resign(1),
        OfferDraw(1),
        AbortMatch(),
        VoidMatch(EndCause.DECLARED),
        AdjudicateMatch((1, 2)),
        StartPlay(),
    ):
        fixture.refuses(command, MatchOver, result="played, resignation, ranks 2 1")


# Draws by agreement


def test_an_accepted_draw_offer_ends_the_match_as_a_draw() -> None:
    fixture = started_match()
    assert fixture.do(OfferDraw(1), wait_us=4) == (DrawOffered(4, 1),)
    assert kinds(fixture.do(OfferDraw(0))) == ["DrawOffered", "PlayEnded"]
    assert (fixture.result.kind, fixture.result.cause) == (EndKind.PLAYED, EndCause.DRAW_AGREED)
    assert (fixture.result.ranks, fixture.result.scores) == ((1, 1), (0.5, 0.5))


def test_accepting_needs_an_offer_of_another_side() -> None:
    fixture = started_match()
    fixture.refuses(AcceptDraw(0), DrawNotClaimable, why="no other seat has offered one")
    fixture.do(OfferDraw(0))
    fixture.refuses(AcceptDraw(0), DrawNotClaimable, why="no other seat has offered one")
    assert kinds(fixture.do(AcceptDraw(1))) == ["DrawOffered", "PlayEnded"]
    assert fixture.result.cause is EndCause.DRAW_AGREED


def test_a_game_without_draws_by_agreement_has_no_offers() -> None:
    started_match(FINGERS).refuses(OfferDraw(0), DrawNotClaimable, why="Fingers has no draw by agreement")


def test_an_open_offer_cannot_be_repeated() -> None:
    fixture = started_match()
    fixture.do(OfferDraw(0))
    error = fixture.refuses(OfferDraw(0), DrawOfferedBefore)
    assert "offer is still open" in str(error)


def test_a_declined_offer_cannot_be_repeated_in_the_same_position() -> None:
    fixture = started_match()
    fixture.do(OfferDraw(0))
    assert fixture.do(DeclineDraw(1), wait_us=3) == (DrawDeclined(3, 1),)
    assert fixture.match.offers == frozenset()
    error = fixture.refuses(OfferDraw(0), DrawOfferedBefore)
    assert "declined in this position" in str(error)
    fixture.move(0, "1")
    assert kinds(fixture.do(OfferDraw(0))) == ["DrawOffered"]


def test_a_side_whose_offer_was_declined_may_accept_in_the_same_position() -> None:
    fixture = started_match()
    fixture.do(OfferDraw(0))
    fixture.do(DeclineDraw(1))
    fixture.do(OfferDraw(1))
    assert kinds(fixture.do(OfferDraw(0))) == ["DrawOffered", "PlayEnded"]


def test_a_move_declines_the_offers_of_other_sides_only() -> None:
    fixture = started_match()
    fixture.move(0, "1", offers_draw=True)
    fixture.move(1, "1")
    assert fixture.match.offers == frozenset()
    fixture.do(OfferDraw(0))
    fixture.move(0, "1")
    assert fixture.match.offers == {0}
    assert kinds(fixture.do(OfferDraw(1))) == ["DrawOffered", "PlayEnded"]


def test_with_three_sides_all_must_agree() -> None:
    fixture = stones(3)
    fixture.move(0, "3")
    assert kinds(fixture.do(OfferDraw(2))) == ["DrawOffered"]
    assert kinds(fixture.do(OfferDraw(0))) == ["DrawOffered"]
    assert kinds(fixture.do(OfferDraw(1))) == ["DrawOffered", "PlayEnded"]
    assert fixture.result.ranks == (1, 1, 1)


def test_one_seat_of_a_team_agrees_for_the_team() -> None:
    fixture = stones(4, teams=True)
    assert kinds(fixture.do(OfferDraw(0))) == ["DrawOffered"]
    assert kinds(fixture.do(OfferDraw(2))) == ["DrawOffered"]  # A partner's offer is not an acceptance.
    fixture.refuses(DeclineDraw(2), DrawNotClaimable)
    assert kinds(fixture.do(OfferDraw(3))) == ["DrawOffered", "PlayEnded"]
    assert fixture.result.ranks == (1, 1, 1, 1)


def test_a_seat_that_dropped_out_need_not_agree_to_a_draw() -> None:
    fixture = stones(3, policies=CONTINUE_POLICIES)
    fixture.do(Resign(2))
    fixture.refuses(OfferDraw(2), SeatOut)
    fixture.do(OfferDraw(0))
    fixture.refuses(DeclineDraw(2), SeatOut)
    assert kinds(fixture.do(OfferDraw(1))) == ["DrawOffered", "PlayEnded"]


def test_a_seat_that_resigned_is_last_after_a_draw_of_the_others() -> None:
    fixture = stones(3, policies=CONTINUE_POLICIES)
    fixture.do(Resign(2))
    fixture.do(OfferDraw(0))
    fixture.do(OfferDraw(1))
    assert (fixture.result.kind, fixture.result.cause) == (EndKind.PLAYED, EndCause.DRAW_AGREED)
    assert (fixture.result.ranks, fixture.result.scores) == ((1, 1, 3), (0.75, 0.75, 0.0))


def test_a_draw_is_agreed_when_the_last_side_that_had_not_agreed_drops_out() -> None:
    fixture = stones(3, policies=CONTINUE_POLICIES)
    fixture.do(OfferDraw(0))
    fixture.do(OfferDraw(1))
    assert kinds(fixture.do(Resign(2))) == ["SeatResigned", "PlayEnded"]
    assert fixture.result.cause is EndCause.DRAW_AGREED
    assert fixture.result.ranks == (1, 1, 3)


# Draws by claim


def test_a_draw_is_claimed_by_the_rules_of_the_game() -> None:
    fixture = stones(2)
    fixture.play("22")
    assert kinds(fixture.do(ClaimDraw(0))) == ["PlayEnded"]
    assert (fixture.result.kind, fixture.result.cause, fixture.result.reason) == (
        EndKind.PLAYED,
        EndCause.DRAW_CLAIMED,
        "level",
    )
    assert fixture.result.scores == (0.5, 0.5)


def test_there_is_no_draw_to_claim_out_of_turn_or_without_a_reason() -> None:
    fixture = stones(2)
    fixture.refuses(ClaimDraw(0), DrawNotClaimable)
    fixture.play("22")
    fixture.refuses(ClaimDraw(1), DrawNotClaimable, why="the rules allow this seat no claim in this position")


# Aborting


def test_a_seat_can_abort_only_before_its_first_move() -> None:
    fixture = started_match()
    fixture.move(0, "1")
    fixture.refuses(AbortMatch(0), TooLateToAbort)
    assert kinds(fixture.do(AbortMatch(1))) == ["PlayEnded"]
    assert fixture.result == void_result(EndCause.ABORTED)


def test_the_owner_can_abort_the_match_at_any_time() -> None:
    fixture = started_match()
    fixture.play("11")
    assert kinds(fixture.do(AbortMatch())) == ["PlayEnded"]
    waiting = MatchFixture(match_setup())
    assert kinds(waiting.do(AbortMatch())) == ["PlayEnded"]
    assert waiting.result.kind is EndKind.VOID


# Adjudication


@pytest.mark.parametrize("cause", VOID_CAUSES)
def test_a_failure_voids_the_match(cause: EndCause) -> None:
    for fixture in (started_match(), MatchFixture(match_setup())):
        assert kinds(fixture.do(VoidMatch(cause, "the power went"))) == ["PlayEnded"]
        assert fixture.result == void_result(cause, "the power went")


@pytest.mark.parametrize("cause", sorted(set(EndCause) - set(VOID_CAUSES), key=str))
def test_a_regular_cause_cannot_void_a_match(cause: EndCause) -> None:
    started_match().refuses(
        VoidMatch(cause), BadVerdict, field="side_scores", wrong=f"{cause.value} is no cause for a void match"
    )


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
def test_an_adjudication_decides_by_ranks(verdict: tuple[int, ...], ranks: tuple[int, ...]) -> None:
    fixture = stones(3)
    assert kinds(fixture.do(AdjudicateMatch(verdict, "by the rules"))) == ["PlayEnded"]
    assert fixture.result.side_ranks == ranks
    assert (fixture.result.kind, fixture.result.cause) == (EndKind.PLAYED, EndCause.ADJUDICATION)
    assert fixture.result.reason == "by the rules"


@pytest.mark.parametrize("verdict", [(), (1,), (1, 2, 3)])
def test_an_adjudication_must_rank_every_side(verdict: tuple[int, ...]) -> None:
    for fixture in (started_match(), stones(4, teams=True)):
        fixture.refuses(
            AdjudicateMatch(verdict),
            BadVerdict,
            field="side_scores",
            wrong="it must have one rank for each of the 2 sides",
        )


def test_an_adjudication_keeps_earlier_faults() -> None:
    fixture = stones(3, policies=CONTINUE_POLICIES)
    fixture.flag(0, 10_000_001)
    fixture.do(AdjudicateMatch((1, 2, 3)))
    assert fixture.result.forfeits == (Forfeit(0, "time", 0),)
    assert fixture.result.ranks == (1, 2, 3)


# Seats that drop out


CONTINUING_POLICIES: list[ForfeitEffect] = ["random_moves", "default_moves"]
DEFAULTS = Policies(illegal_move=IllegalMovePolicy(action="forfeit"), forfeit_effect="default_moves")


def four(heap: int = 40, policies: Policies = DEFAULTS) -> MatchFixture:
    return started_match(STONES, SuddenDeath(100), {"seats": 4, "heap": heap}, policies=policies)


def sources(fixture: MatchFixture) -> list[tuple[int, MoveSource]]:
    return [(event.seat, event.source) for event in fixture.log if isinstance(event, MovePlayed)]


def test_a_finished_game_ends_the_match_by_its_rules() -> None:
    fixture = started_match(STONES, chosen={"heap": 6})
    fixture.play("12")
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
    fixture.play("1232")
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
    fixture.play("23")
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


# Rated ends


CHANGES = (
    RatingChange(0, "bot0", "1.0", PlayerRating(1500, 250, 0, True), PlayerRating(1400, 220, 1, True)),
    RatingChange(1, "bot1", "1.0", PlayerRating(1500, 250, 0, True), PlayerRating(1600, 220, 1, True)),
)


def test_a_rated_end_follows_from_the_log() -> None:
    fixture = started_match()
    decided = decide(fixture.match, Resign(0), 5)
    rated = decided.rated(CHANGES)
    assert rated.match.ratings == CHANGES
    assert replay([*fixture.log, *rated.events], GAMES.__getitem__) == rated.match


def test_rating_changes_affect_only_the_rated_end() -> None:
    decided = decide(started_match().match, Resign(0), 5)
    assert decided.match.ratings == ()
    assert decided.rated(CHANGES) != decided
    assert decided.rated(CHANGES).rated(()) == decided
