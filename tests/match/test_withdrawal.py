"""Bots that their owners take out of a match: before play their seats become open, in play they forfeit."""

import pytest
from referee_values import Policies

from referee.match.commands import AddNonce, Resign, StartPlay, TakeSeat, WithdrawBot
from referee.match.events import SeatForfeited, SeatVacated
from referee.match.match_errors import NotWithdrawable
from referee.match.result import EndCause, EndKind, Forfeit
from referee.match.setup import Player
from tests.match.games import STONES
from tests.match.match_fixture import MatchFixture, kinds, match_setup, started_match

ANNA, BERT, OPEN_SEAT = Player("anna", "2"), Player("bert", "1"), Player()
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
    error = fixture.refuses(WithdrawBot(bot))
    assert isinstance(error, NotWithdrawable)
    assert error.details == {"bot": bot, "why": "it holds no seat in this match"}


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
    error = fixture.refuses(WithdrawBot("bert"))
    assert isinstance(error, NotWithdrawable)
    assert error.details["why"] == "it has dropped out of the match"


def test_a_bot_with_two_seats_leaves_both_unless_the_first_ends_the_match() -> None:
    ends = started_match(STONES, players=(ANNA, BERT, ANNA))
    assert kinds(ends.do(WithdrawBot("anna"))) == ["SeatForfeited", "PlayEnded"]
    players = (ANNA, BERT, ANNA, Player("carl", "1"))
    continues = started_match(STONES, chosen={"seats": 4}, policies=CONTINUES, players=players)
    continues.do(WithdrawBot("anna"))
    assert [forfeit.seat for forfeit in continues.match.forfeits] == [0, 2]


def test_a_bot_leaves_the_seats_that_have_not_dropped_out_yet() -> None:
    players = (ANNA, BERT, ANNA, Player("carl", "1"))
    fixture = started_match(STONES, chosen={"seats": 4}, policies=CONTINUES, players=players)
    fixture.do(Resign(0))
    fixture.do(WithdrawBot("anna"))
    assert fixture.match.dropped_seats == {0, 2}
    assert [forfeit.seat for forfeit in fixture.match.forfeits] == [2]
