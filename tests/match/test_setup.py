"""Setups and terms of matches: which are accepted and rejected, and their defaults."""

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from referee_values import IllegalMoveAction, IllegalMovePolicy, NetworkCredit, Policies, TimeControl, Visibility

from engines.api import Game
from engines.chance import Chance
from engines.game_errors import BadOption, MalformedPosition
from engines.options import Settings
from referee.match.clock import MAX_TIME_US, MS, SECOND, UNTIMED, Fischer, Hourglass, SuddenDeath
from referee.match.commands import AddNonce, StartPlay
from referee.match.events import MatchCreated, MovePlayed, MoveSource
from referee.match.match_errors import BadSetup
from referee.match.match_terms import DEFAULT_POLICIES, SHOWN_LIVE, MatchTerms, attempts_a_turn
from referee.match.setup import MAX_NONCE_BYTES, Player, draw_move, match_chance, seed_matters
from referee.match.state import create_match
from tests.match.games import STONES
from tests.match.match_fixture import GAMES, SEED, TEN_SECONDS, MatchFixture, match_setup, started_match
from tests.match.setups import change_setup, forfeits_after, time_control
from tests.match.test_chance_page import page_function
from tests.recomputation.signed_lines import Draws
from tests.third_party_games.third_party_games import FINGERS, NIM


def absent_bots(grace_period_ms: int) -> Policies:
    return Policies(disconnect=forfeits_after(grace_period_ms))


def illegal_moves(max_attempts: int) -> Policies:
    return Policies(illegal_move=IllegalMovePolicy(max_attempts=max_attempts))


@pytest.mark.parametrize(
    ("wrong", "field", "why"),
    [
        ({"control": [TEN_SECONDS, Hourglass(5 * MS)]}, "hourglass", "must be the clock of all seats or of none"),
        (
            {"visibility": Visibility(kind="delayed")},
            "visibility.delay_plies",
            "must be at least 1 if the match is shown with a delay",
        ),
        *[
            ({"policies": absent_bots(ms)}, "policies.disconnect.grace_period_ms", "must be from 0 to ten years")
            for ms in (-1, MAX_TIME_US // MS + 1)
        ],
        (
            {"policies": absent_bots(0)},
            "policies.disconnect.grace_period_ms",
            "must be greater than 0 if absent bots forfeit",
        ),
        *[
            ({"policies": illegal_moves(attempts)}, "policies.illegal_move.max_attempts", "must be from 1 to 1000")
            for attempts in (-1, 1001)
        ],
        ({"seed": b"short"}, "seed", "must have 32 bytes"),
        ({"seed": bytes(33)}, "seed", "must have 32 bytes"),
        ({"labels": (("title", "x" * 65_536),)}, "terms", "have 65552 characters of text; the limit is 65536"),
        ({"opening": "0 1"}, "opening", "must not be a position in which the game is over"),
    ],
)
def test_contradictory_terms_are_an_error(wrong: dict[str, Any], field: str, why: str) -> None:
    setup = match_setup(**wrong)
    with pytest.raises(BadSetup) as caught:
        setup.check(NIM)
    assert caught.value.details == {"field": field, "wrong": why}
    assert str(caught.value) == f"invalid match terms: {field} {why}"


@pytest.mark.parametrize(
    ("wrong", "field", "why"),
    [
        ({"nonce_timeout_us": -1}, "nonce_timeout_us", "must be from 0 to ten years"),
        ({"start_timeout_us": MAX_TIME_US + 1}, "start_timeout_us", "must be from 0 to ten years"),
    ],
)
def test_terms_with_impossible_times_cannot_be_written(wrong: dict[str, Any], field: str, why: str) -> None:
    with pytest.raises(BadSetup) as caught:
        match_setup(**wrong)
    assert caught.value.details == {"field": field, "wrong": why}


@pytest.mark.parametrize("given", [1, 3])
def test_the_error_for_a_wrong_number_of_players_has_both_numbers(given: int) -> None:
    with pytest.raises(
        BadSetup, match="players must be 2, one for each seat; the name of an open seat is empty"
    ) as caught:
        match_setup(players=(Player(),) * given).check(NIM)
    assert caught.value.details.items() >= {"field": "players", "given": str(given), "wanted": "2"}.items()


@pytest.mark.parametrize(
    "right",
    [
        {"players": (Player(), Player())},
        {"control": [SuddenDeath(5 * MS), Fischer(MS, MS)]},
        {"control": [Hourglass(5 * MS), Hourglass(7 * MS)]},
        {"visibility": Visibility(kind="delayed", delay_plies=1)},
        {"visibility": Visibility(kind="after_end")},
        {"policies": absent_bots(1)},
        {"policies": illegal_moves(1000)},
        {"opening": "7 1"},
    ],
)
def test_compatible_terms_are_accepted(right: dict[str, Any]) -> None:
    assert match_setup(**right).check(NIM) == NIM.table(NIM.settings())


def test_an_invalid_opening_raises_the_error_of_the_game() -> None:
    with pytest.raises(MalformedPosition, match="it is the heap"):
        match_setup(opening="nonsense").check(NIM)


def test_contradictory_options_raise_the_error_of_the_game() -> None:
    settings = Settings((("heap", 12), ("seats", 3), ("teams", True)))
    with pytest.raises(BadOption, match="four seats"):
        STONES.table(settings)


def test_the_default_policies_are_three_attempts_and_no_grace_period() -> None:
    assert attempts_a_turn(DEFAULT_POLICIES) == 3
    assert attempts_a_turn(match_setup(policies=illegal_moves(1)).terms.policies) == 1


@pytest.mark.parametrize("action", ["forfeit", "random_move"])
def test_other_policies_give_one_attempt(action: IllegalMoveAction) -> None:
    policies = Policies(illegal_move=IllegalMovePolicy(action=action))
    assert attempts_a_turn(match_setup(policies=policies).terms.policies) == 1


def test_a_match_needs_the_rules_version_of_this_server() -> None:
    with pytest.raises(BadSetup, match="game_version must be 1 on this server"):
        replace(match_setup(), game_version=2).check(NIM)


def test_terms_that_are_older_than_an_option_are_completed() -> None:
    game = GAMES["alquerque"]
    now = match_setup(game)
    late = [option.name for option in game.options.declared if option.late]
    before = change_setup(now, settings=Settings(tuple(old for old in now.terms.settings.values if old[0] not in late)))
    assert late
    assert before != now
    assert before.completed(game) == now
    assert now.completed(game) is now
    assert create_match(MatchCreated(0, before), game).setup == now


seed_of_match, fork = page_function("seed_of_match"), page_function("fork")
seeds = st.binary(min_size=32, max_size=32)
nonces = st.lists(st.binary(max_size=MAX_NONCE_BYTES), min_size=2, max_size=4)


@given(seeds, nonces)
def test_the_seed_of_a_match_mixes_the_seed_with_every_nonce(seed: bytes, given_nonces: list[bytes]) -> None:
    assert match_chance(seed, given_nonces) == Chance(seed_of_match(seed, given_nonces))


def test_the_commitment_is_the_hash_of_the_seed() -> None:
    assert match_setup().commitment == hashlib.sha256(SEED).digest()


@given(seeds, st.lists(st.binary(max_size=64), min_size=3, max_size=3))
def test_the_random_seats_and_the_seed_of_the_game_can_be_recomputed(seed: bytes, given_nonces: list[bytes]) -> None:
    setup = match_setup(FINGERS, seed=seed, random_seats=True, nonce_timeout_us=1_000_000)
    fixture = MatchFixture(setup)
    for seat, nonce in enumerate(given_nonces):
        fixture.do(AddNonce(seat, nonce))
    fixture.do(StartPlay())
    mixed = seed_of_match(seed, given_nonces)
    assert list(fixture.match.players) == Draws(mixed, "seats").shuffled(list(setup.players))
    assert fixture.match.position == FINGERS.start(setup.terms.settings, fork(mixed, "game"))


def test_a_missing_nonce_counts_as_an_empty_one() -> None:
    fixture = MatchFixture(match_setup(FINGERS, nonce_timeout_us=1_000_000))
    fixture.do(AddNonce(1, b"one"))
    fixture.do(StartPlay())
    assert fixture.match.require_chance().seed == seed_of_match(SEED, [b"", b"one", b""])


def test_without_random_seats_all_players_keep_their_seats() -> None:
    fixture = started_match(STONES)
    assert fixture.match.players == match_setup(STONES).players


def test_random_seats_can_give_every_seat_to_every_player() -> None:
    firsts = set()
    for number in range(20):
        firsts.add(started_match(STONES, seed=bytes([number]) * 32, random_seats=True).match.players[0])
    assert len(firsts) == 3


@given(seeds)
def test_a_random_move_for_a_seat_can_be_recomputed(seed: bytes) -> None:
    fixture = started_match(FINGERS, seed=seed, policies=Policies(timeout="random_move"))
    mixed = seed_of_match(seed, [b"", b"", b""])
    for ply, seat in enumerate([2, 0, 1, 1, 2]):
        fixture.now_us += 10_000_001
        *_, played = fixture.flag(seat)
        moves = ["1", "2", "3"]
        move = moves[Draws(mixed, f"policy {ply} {seat}").below(3)]
        assert isinstance(played, MovePlayed)
        assert (played.seat, played.move, played.source) == (seat, move, MoveSource.RANDOM)


def test_every_legal_move_can_be_drawn() -> None:
    position = NIM.start(NIM.settings(), b"")
    drawn = {draw_move(Chance(bytes([number])), position, 0, 0) for number in range(30)}
    assert drawn == {"1", "2", "3"}
    assert len({draw_move(Chance(b""), position, 0, ply) for ply in range(30)}) == 3


@pytest.mark.parametrize(
    ("game", "changed", "matters"),
    [
        (NIM, {}, False),
        (FINGERS, {}, True),
        (NIM, {"random_seats": True}, True),
        (NIM, {"policies": Policies(illegal_move=IllegalMovePolicy(action="random_move"))}, True),
        (NIM, {"policies": Policies(timeout="random_move")}, True),
        (NIM, {"policies": Policies(timeout="default_move")}, False),
        (STONES, {"policies": Policies(forfeit_effect="random_moves")}, True),
    ],
)
def test_the_seed_matters_if_the_game_the_seats_or_a_policy_draw_from_it(
    game: Game, changed: dict[str, Any], matters: bool
) -> None:
    assert seed_matters(match_setup(game, **changed).terms, game) is matters


def test_the_seed_does_not_matter_in_a_game_with_an_opening_unless_seats_or_a_policy_draw_from_it() -> None:
    opening = str(FINGERS.start(FINGERS.settings(), b"1"))
    assert not seed_matters(match_setup(FINGERS).terms, FINGERS, opening)
    assert seed_matters(match_setup(FINGERS, random_seats=True).terms, FINGERS, opening)


# Defaults


CONTROL = SuddenDeath(SECOND)
OTHER_CONTROL = Fischer(SECOND, SECOND)


@pytest.mark.parametrize("game", [NIM, FINGERS], ids=lambda game: game.name)
def test_defaults_are_all_options_a_clock_policies_and_the_start_timeout(game: Game) -> None:
    complete = MatchTerms(game.name, Settings(())).with_defaults(game, 5)
    assert complete == MatchTerms(
        game.name,
        game.settings(),
        TimeControl(rule=UNTIMED, network_credit=NetworkCredit()),
        DEFAULT_POLICIES,
        SHOWN_LIVE,
        start_timeout_us=5,
    )
    complete.check(game)


def test_what_is_given_is_not_replaced_by_defaults() -> None:
    given = MatchTerms(
        "nim", NIM.settings(), time_control((CONTROL, OTHER_CONTROL)), DEFAULT_POLICIES, SHOWN_LIVE, start_timeout_us=7
    )
    assert given.with_defaults(NIM, 5) == given


def test_terms_without_all_options_are_an_error() -> None:
    with pytest.raises(BadSetup) as error:
        MatchTerms("nim", Settings(())).check(NIM)
    assert error.value.details["field"] == "settings"
