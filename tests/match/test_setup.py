"""Setups: terms that are accepted, and terms that are rejected."""

from dataclasses import replace
from typing import Any

import pytest

from engines.options import Settings
from engines.refusals import BadOption, MalformedPosition
from referee.match.clock import MAX_TIME_US, Fischer, Hourglass, SuddenDeath
from referee.match.events import MatchCreated
from referee.match.match_errors import BadSetup
from referee.match.setup import DisconnectPolicy, IllegalMovePolicy, Player, Policies, Visibility, VisibilityMode
from referee.match.state import create_match
from tests.match.games import STONES
from tests.match.match_fixture import GAMES, TEN_SECONDS, terms
from tests.strangers_games.strangers_games import NIM


def test_good_terms_give_the_table() -> None:
    assert terms(STONES).check(STONES) == STONES.table(STONES.settings())


@pytest.mark.parametrize(
    ("wrong", "field", "why"),
    [
        ({"control": [TEN_SECONDS]}, "controls", "must be 2, one for each seat"),
        ({"control": [TEN_SECONDS] * 3}, "controls", "must be 2, one for each seat"),
        ({"control": [TEN_SECONDS, Hourglass(5)]}, "hourglass", "must be the clock of all seats or of none"),
        ({"seed": b"short"}, "seed", "must have 32 bytes"),
        ({"seed": bytes(33)}, "seed", "must have 32 bytes"),
        (
            {"visibility": Visibility(VisibilityMode.DELAYED)},
            "delay_plies",
            "must be at least 1 if the match is shown with a delay",
        ),
        ({"nonce_within_us": -1}, "nonce_within_us", "must be from 0 to ten years"),
        ({"start_within_us": MAX_TIME_US + 1}, "start_within_us", "must be from 0 to ten years"),
        ({"labels": (("title", "x" * 65_536),)}, "terms", "have 65552 characters of text; the limit is 65536"),
        ({"opening": "0 1"}, "opening", "must not be a position in which the game is over"),
    ],
)
def test_terms_that_cannot_go_together_are_refused(wrong: dict[str, Any], field: str, why: str) -> None:
    setup = terms(**wrong)
    with pytest.raises(BadSetup) as caught:
        setup.check(NIM)
    assert caught.value.details == {"field": field, "why": why}
    assert str(caught.value) == f"invalid match terms: {field} {why}"


@pytest.mark.parametrize("given", [1, 3])
def test_a_player_too_few_or_too_many_is_refused_with_both_numbers(given: int) -> None:
    with pytest.raises(
        BadSetup, match="players must be 2, one for each seat; the name of an open seat is empty"
    ) as caught:
        terms(players=(Player(),) * given).check(NIM)
    assert caught.value.details.items() >= {"field": "players", "given": str(given), "wanted": "2"}.items()


@pytest.mark.parametrize(
    "right",
    [
        {"players": (Player(), Player())},
        {"control": [SuddenDeath(5), Fischer(1, 1)]},
        {"control": [Hourglass(5), Hourglass(7)]},
        {"visibility": Visibility(VisibilityMode.DELAYED, 1)},
        {"visibility": Visibility(VisibilityMode.AFTER_END)},
        {"opening": "7 1"},
    ],
)
def test_terms_that_go_together_are_taken(right: dict[str, Any]) -> None:
    assert terms(**right).check(NIM) == NIM.table(NIM.settings())


def test_an_opening_that_cannot_be_read_is_the_games_to_refuse() -> None:
    with pytest.raises(MalformedPosition, match="it is the heap"):
        terms(opening="nonsense").check(NIM)


def test_options_that_cannot_go_together_are_the_games_to_refuse() -> None:
    settings = Settings((("heap", 12), ("seats", 3), ("teams", True)))
    with pytest.raises(BadOption, match="four seats"):
        STONES.table(settings)


@pytest.mark.parametrize("attempts", [0, -1, 1001])
def test_attempts_are_bounded(attempts: int) -> None:
    with pytest.raises(BadSetup, match="attempts must be from 1 to 1000"):
        Policies(attempts=attempts)


def test_the_usual_policies_are_three_attempts_and_no_grace() -> None:
    assert Policies().attempts_a_turn == 3
    assert Policies(attempts=1).attempts_a_turn == 1
    assert Policies(attempts=1000).attempts_a_turn == 1000


@pytest.mark.parametrize("illegal", [IllegalMovePolicy.FORFEIT, IllegalMovePolicy.RANDOM_MOVE])
def test_other_policies_give_one_attempt(illegal: IllegalMovePolicy) -> None:
    assert Policies(illegal).attempts_a_turn == 1


def test_who_forfeits_when_gone_has_some_grace() -> None:
    with pytest.raises(BadSetup, match="grace_us must be greater than 0"):
        Policies(gone=DisconnectPolicy.FORFEIT_AFTER_GRACE)
    assert Policies(gone=DisconnectPolicy.FORFEIT_AFTER_GRACE, grace_us=1).grace_us == 1


def test_a_match_is_made_for_the_rules_that_are_here() -> None:
    with pytest.raises(BadSetup, match="game_version must be 1 on this server"):
        replace(terms(), game_version=2).check(NIM)


def test_terms_from_before_an_option_was_there_are_completed() -> None:
    game = GAMES["alquerque"]
    now = terms(game)
    late = [option.name for option in game.options.declared if option.late]
    before = replace(now, settings=Settings(tuple(it for it in now.settings.values if it[0] not in late)))
    assert late
    assert before != now
    assert before.completed(game) == now
    assert now.completed(game) is now
    assert create_match(MatchCreated(0, before), game).setup == now
