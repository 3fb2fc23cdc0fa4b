"""Plans of arenas: as TOML files, and the pairings that follow from them."""

import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from referee_values import Adjudication

from engines.game_errors import DetailedError
from engines.registry import OURS, find
from referee.local.entrant import Entrant
from referee.local.plan import GameTerms, Plan, order_of, read_plan
from referee.local.sandbox import Sandbox
from referee.local.terms_reader import LOCAL_POLICIES
from referee.match.clock import SECOND, Fischer, PerMove, TimeControl, Untimed, control_of, rules_in
from referee.match.match_terms import MatchTerms

PROJECT = Path(__file__).parents[2]
BOTS = '[bots]\nanna = "random"\nbert = "./bert --fast"\n'


def plan_from(tmp_path: Path, text: str) -> Plan:
    file = tmp_path / "plan.toml"
    file.write_text(text, encoding="utf-8")
    return read_plan(file)


def controls_in(terms: GameTerms) -> list[TimeControl]:
    return list(map(control_of, rules_in(terms.match_terms.time_control)))


def test_a_minimal_plan_has_bots_and_a_game(tmp_path: Path) -> None:
    plan = plan_from(tmp_path, f'{BOTS}[[games]]\ngame = "trox"\n')
    assert [entrant.name for entrant in plan.bots] == ["anna", "bert"]
    assert plan.bots[1].command[-2:] == ("./bert", "--fast")
    (terms,) = plan.terms
    assert (terms.label, terms.bots_per_match, terms.games) == ("trox", 2, 2)
    assert controls_in(terms) == [Fischer(60 * SECOND, SECOND)]
    assert terms.match_terms.policies == LOCAL_POLICIES


def test_a_game_has_its_own_terms_or_the_common_ones(tmp_path: Path) -> None:
    first, second = plan_from(
        tmp_path,
        f"""
        clock = "2/move"
        cycles = 3
        policies = {{ timeout = "random_move" }}
        {BOTS}
        [[games]]
        game = "alquerque"
        [[games]]
        game = "alquerque"
        label = "huffing"
        options = {{ huff = true }}
        clock = "10+1"
        rounds = 5
        policies = {{ disconnect = {{ action = "clock_decides" }} }}
        """,
    ).terms
    assert (first.label, *controls_in(first), first.games) == ("alquerque", PerMove(2 * SECOND), 6)
    policies = first.match_terms.policies
    assert (policies.timeout, policies.disconnect.action) == (
        "random_move",
        "forfeit_after_grace_period",
    )
    assert (second.label, *controls_in(second), second.games) == ("huffing", Fischer(10 * SECOND, SECOND), 5)
    policies = second.match_terms.policies
    assert (policies.timeout, policies.disconnect.action) == (
        "forfeit",
        "clock_decides",
    )
    assert second.match_terms.settings.flag("huff")


def test_bots_can_have_folders_and_variables_and_a_plan_can_have_a_sandbox(tmp_path: Path) -> None:
    bots = '[bots]\nanna = { run = "grpc:./bot", folder = "anna", env = ["BOOK"] }\nbert = "random"\n'
    game = '[[games]]\ngame = "trox"\n'
    plan = plan_from(tmp_path, f'sandbox = {{ read = ["books"], processes = 9 }}\n{bots}{game}')
    assert (plan.bots[0].command, plan.bots[0].folder, plan.bots[0].env) == (("./bot",), "anna", ("BOOK",))
    assert plan.sandbox == Sandbox((tmp_path / "books",), processes=9)
    assert plan_from(tmp_path, f"sandbox = true\n{bots}{game}").sandbox == Sandbox()
    assert plan_from(tmp_path, f"sandbox = false\n{bots}{game}").sandbox is None


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("bots = ", "cannot be read"),
        (f"{BOTS}", "[[games]]"),
        ('[bots]\nanna = "uci:fish"\nbert = "random"\n[[games]]\ngame = "trox"', "anna plays only chess, not trox"),
        (f'{BOTS}[[games]]\ngame = "trox"\n[[games]]\ngame = "troke"\noptions = {{ seats = 9 }}', "games 2: "),
        ('gmaes = 1\n[[games]]\ngame = "trox"', "unknown key 'gmaes'; known: cycles"),
        ('[bots]\nAnna = "random"\n[[games]]\ngame = "trox"', "bots.Anna: invalid name"),
        ('[bots]\nanna = 1\n[[games]]\ngame = "trox"', "bots.anna: expected a string or a table with run, folder, env"),
        ('[bots]\nanna = "random"\n[[games]]\ngame = "trox"', "a match takes 2 bots, but there are only 1"),
        (f'{BOTS}[[games]]\ngame = "shogi"', "games 1: unknown game 'shogi'; known: alquerque"),
        (f'{BOTS}[[games]]\ngame = "trox"\noptions = {{ huf = true }}', "unknown option 'huf'; known"),
        (
            f'{BOTS}[[games]]\ngame = "trox"\noptions = {{ max_plies = [1] }}',
            "options.max_plies: expected a string, an integer, or true or false, not '[1]'",
        ),
        (f'{BOTS}[[games]]\ngame = "trox"\nclock = "slow"', "60+1"),
        (
            f'{BOTS}[[games]]\ngame = "trox"\npolicies = {{ timeout = "never" }}',
            "policies.timeout: unknown value 'never'; known: default_move",
        ),
        (
            f'{BOTS}[[games]]\ngame = "trox"\npolicies = {{ time = 1 }}',
            "policies: unknown key 'time'; known: illegal_move",
        ),
        (
            f'{BOTS}[[games]]\ngame = "trox"\npolicies = {{ illegal_move = {{ attempts = 3 }} }}',
            "policies.illegal_move: unknown key 'attempts'; known: action, max_attempts",
        ),
        (
            f'{BOTS}[[games]]\ngame = "trox"\npolicies = {{ illegal_move = {{ max_attempts = "3" }} }}',
            "policies.illegal_move.max_attempts: expected an integer from 0 to 4294967295, not '3'",
        ),
        (
            f'{BOTS}[[games]]\ngame = "trox"\npolicies = {{ illegal_move = 3 }}',
            "policies.illegal_move: expected a table with action, max_attempts, not '3'",
        ),
        (
            f'{BOTS}[[games]]\ngame = "trox"\npolicies = {{ timeout = [1] }}',
            "policies.timeout: unknown value '[1]'; known",
        ),
        (f'{BOTS}[[games]]\ngame = "toc"\nat_a_table = 3', "takes 2 or 4 bots per match, not 3"),
        (f'{BOTS}[[games]]\ngame = "trox"\ncycles = 0', "cycles: expected an integer"),
        (f'{BOTS}[[games]]\ngame = "trox"\ncycles = 1\nrounds = 2', "give either rounds or cycles"),
        (f'{BOTS}[[games]]\ngame = "trox"\nlabel = "../x"', "label: expected up to 32"),
        (f'{BOTS}[[games]]\ngame = "trox"\n[[games]]\ngame = "trox"', "two games are called 'trox'"),
        (
            f'max_concurrent_matches = true\n{BOTS}[[games]]\ngame = "trox"',
            "max_concurrent_matches: expected an integer",
        ),
        ('[bots]\nanna = { run = "random", folders = "x" }', "unknown key 'folders'; known: run, folder, env"),
        ('[bots]\nanna = { run = "random", env = "PATH" }', "bots.anna.env: expected a list, not 'PATH'"),
        (f'sandbox = "yes"\n{BOTS}[[games]]\ngame = "trox"', "sandbox: expected true or a table with read"),
        (f'sandbox = {{ memory_mb = 0 }}\n{BOTS}[[games]]\ngame = "trox"', "memory_mb: expected an integer from 1 to"),
    ],
)
def test_an_invalid_plan_is_rejected_with_a_hint(tmp_path: Path, text: str, hint: str) -> None:
    with pytest.raises(DetailedError, match=re.escape(hint)):
        plan_from(tmp_path, text)


def test_a_missing_plan_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DetailedError, match="No such file"):
        read_plan(tmp_path / "nothing.toml")


def test_the_demo_plan_contains_the_four_games_of_the_rule_sheets() -> None:
    assert {terms.game.name for terms in read_plan(PROJECT / "demo.toml").terms} == set(OURS) - {"go"}


def test_the_example_plans_of_the_documentation_can_be_read(tmp_path: Path) -> None:
    page = (PROJECT / "docs" / "arena.md").read_text(encoding="utf-8")
    example, sandboxed = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert plan_from(tmp_path, f'{sandboxed}[[games]]\ngame = "trox"\n').sandbox
    plan = plan_from(tmp_path, example)
    assert len(plan.bots) >= 4


ANNA, BERT, CLEO, DORA = (Entrant(name, (name,)) for name in ("anna", "bert", "cleo", "dora"))
ALL_BOTS = (ANNA, BERT, CLEO, DORA)


def terms(game: str, bots_per_match: int, games: int) -> GameTerms:
    game_rules = find(game)
    match_terms = MatchTerms(game, game_rules.settings(), policies=LOCAL_POLICIES)
    return GameTerms(game, game_rules, match_terms, bots_per_match, games)


def plan_of(bots: tuple[Entrant, ...], *games: GameTerms) -> Plan:
    return Plan(bots=bots, terms=games, parallel=1)


def test_in_a_cycle_all_bots_meet_each_other_in_every_seat() -> None:
    seatings = Counter(pairing.seats for pairing in plan_of(ALL_BOTS, terms("trox", 2, 2)).pairings())
    expected = {pair for pair_of_bots in combinations(ALL_BOTS, 2) for pair in (pair_of_bots, pair_of_bots[::-1])}
    assert seatings == Counter(expected)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_a_group_has_every_seating_order_once_before_one_repeats(size: int) -> None:
    group = ALL_BOTS[:size]
    order_count = {2: 2, 3: 6, 4: 24}[size]
    orders = [order_of(group, number) for number in range(2 * order_count)]
    assert orders[:order_count] == orders[order_count:]
    assert len(set(orders)) == order_count
    for turn in range(0, order_count, size):
        for seat in range(size):
            assert {order[seat] for order in orders[turn : turn + size]} == set(group)


def test_adding_a_bot_adds_only_matches_of_that_bot() -> None:
    before = plan_of((ANNA, BERT, DORA), terms("toc", 2, 4), terms("trox", 2, 2)).pairings()
    after = plan_of(ALL_BOTS, terms("toc", 2, 4), terms("trox", 2, 2)).pairings()
    assert [pairing for pairing in after if CLEO not in pairing.seats] == before


def test_match_names_are_unique() -> None:
    names = [pairing.name for pairing in plan_of(ALL_BOTS, terms("toc", 4, 4), terms("trox", 2, 4)).pairings()]
    assert len(set(names)) == len(names)
    assert "trox/anna.bert.1" in names


def test_a_plan_without_clocks_is_the_same_but_untimed() -> None:
    plan = plan_of((ANNA, BERT), terms("alquerque", 2, 2), terms("trox", 2, 2)).unclocked()
    assert [controls_in(pairing.terms) for pairing in plan.pairings()] == [[Untimed()]] * 4
    assert {pairing.terms.match_terms.game for pairing in plan.pairings()} == {"alquerque", "trox"}


def test_the_games_of_a_plan_alternate() -> None:
    pairings = plan_of(ALL_BOTS, terms("alquerque", 2, 2), terms("trox", 2, 2)).pairings()
    assert Counter(pairing.terms.label for pairing in pairings[:12]) == {"alquerque": 6, "trox": 6}


def test_each_of_two_bots_holds_one_side_in_a_game_for_four() -> None:
    (pairing,) = plan_of((ANNA, BERT), terms("toc", 2, 1)).pairings()
    assert pairing.seats == (ANNA, BERT, ANNA, BERT)
    assert pairing.entrants == (ANNA, BERT)


def test_each_opening_is_played_in_every_order_of_the_bots(tmp_path: Path) -> None:
    (tmp_path / "book").write_text("3bb/5/5/5/w4 w 0\n3bb/5/5/5/w4 b 0\n", encoding="utf-8")
    for openings in ('{ file = "book" }', '["3bb/5/5/5/w4 w 0", "3bb/5/5/5/w4 b 0"]'):
        game = f'[[games]]\ngame = "alquerque"\nrounds = 5\nopenings = {openings}\n'
        pairings = plan_from(tmp_path, f"{BOTS}{game}").pairings()
        assert [(pairing.seats[0].name, pairing.opening.split()[1]) for pairing in pairings] == [
            ("anna", "w"),
            ("bert", "w"),
            ("anna", "b"),
            ("bert", "b"),
            ("anna", "w"),
        ]
    assert {one.opening for one in plan_from(tmp_path, f'{BOTS}[[games]]\ngame = "trox"\n').pairings()} == {""}


@pytest.mark.parametrize(
    ("openings", "error"),
    [
        ('["nowhere"]', "nowhere"),
        ('["5/5/5/5/w4 b 0"]', "the game is over in one of these positions"),
        ("[1]", "openings: expected a string, not '1'"),
        ('{ file = "none" }', "cannot be read"),
    ],
)
def test_openings_that_are_none_are_an_error(tmp_path: Path, openings: str, error: str) -> None:
    with pytest.raises(DetailedError, match=error):
        plan_from(tmp_path, f'{BOTS}[[games]]\ngame = "alquerque"\nopenings = {openings}\n')


def test_a_plan_says_when_matches_end_before_their_games(tmp_path: Path) -> None:
    (terms,) = plan_from(tmp_path, f'adjudication = {{ max_plies = 9 }}\n{BOTS}[[games]]\ngame = "trox"\n').terms
    assert terms.match_terms.adjudication == Adjudication(max_plies=9)


def test_scores_of_more_than_two_sides_cannot_end_a_match(tmp_path: Path) -> None:
    game = '[[games]]\ngame = "troke"\noptions = { seats = 4 }\nadjudication = { draw_moves = 3 }\n'
    with pytest.raises(DetailedError, match="only in a game of two sides"):
        plan_from(tmp_path, f'[bots]\na = "random"\nb = "random"\nc = "random"\nd = "random"\n{game}')
