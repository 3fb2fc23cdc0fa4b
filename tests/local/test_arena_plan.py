"""Plans of arenas: each game of a TOML file becomes a tournament in which all bots meet."""

import re
from pathlib import Path

import pytest
from referee_values import ClockRule, DuplicatePlay, Opening, RoundRobin

from engines.game_errors import DetailedError
from engines.registry import OURS, find
from referee.local.arena_plan import meeting_keys, read_arena
from referee.local.contest_file import TournamentPlan
from referee.local.local_tournament import LocalContest, check_can_start
from referee.local.results_folder import ResultsFolder
from referee.local.sandbox import Sandbox
from referee.local.short_forms import read_clock

PROJECT = Path(__file__).parents[2]
BOTS = '[bots]\nanna = "random"\nbert = "./bert --fast"\n'


def plans_from(tmp_path: Path, text: str, *, clocks: bool = True) -> tuple[TournamentPlan, ...]:
    file = tmp_path / "plan.toml"
    file.write_text(text, encoding="utf-8")
    return read_arena(file, clocks=clocks)


def clock_of(plan: TournamentPlan) -> ClockRule:
    return plan.terms.match_terms.time_control.rule


def keys(game: str, at_a_table: int, bots: int, rounds: int) -> dict[str, object]:
    rules = find(game)
    return meeting_keys(rules.table(rules.settings()), at_a_table, [f"b{number}" for number in range(bots)], rounds)


def test_a_minimal_plan_has_bots_and_a_game(tmp_path: Path) -> None:
    (plan,) = plans_from(tmp_path, f'{BOTS}[[games]]\ngame = "trox"\n')
    assert [entrant.name for entrant in plan.bots] == ["anna", "bert"]
    assert plan.bots[1].command[-2:] == ("./bert", "--fast")
    assert (plan.name, plan.game, plan.terms.round_robin) == ("trox", "trox", RoundRobin(cycles=2))
    assert clock_of(plan) == read_clock("60+1")
    action = plan.terms.match_terms.policies.disconnect.action
    assert action == "forfeit_after_grace_period"
    check_can_start(plan.terms, plan.entrants)


def test_a_game_has_its_own_terms_or_the_common_ones(tmp_path: Path) -> None:
    first, second = plans_from(
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
    )
    assert (first.name, first.terms.round_robin) == ("alquerque", RoundRobin(cycles=6))
    assert (second.name, second.terms.round_robin) == ("huffing", RoundRobin(cycles=5))
    terms, others = first.terms.match_terms, second.terms.match_terms
    assert (clock_of(first), clock_of(second)) == (read_clock("2/move"), read_clock("10+1"))
    assert (terms.policies.timeout, others.policies.timeout) == ("random_move", "")
    assert others.policies.disconnect.action == "clock_decides"
    assert (terms.rules.options["huff"], others.rules.options["huff"]) == ("false", "true")


def test_bots_can_have_folders_and_variables_and_a_plan_can_have_a_sandbox(tmp_path: Path) -> None:
    bots = '[bots]\nanna = { run = "grpc:./bot", folder = "anna", env = ["BOOK"] }\nbert = "random"\n'
    game = '[[games]]\ngame = "trox"\n'
    (plan,) = plans_from(tmp_path, f'sandbox = {{ read = ["books"], processes = 9 }}\n{bots}{game}')
    assert (plan.bots[0].command, plan.bots[0].folder, plan.bots[0].env) == (("./bot",), "anna", ("BOOK",))
    assert plan.sandbox == Sandbox((tmp_path / "books",), processes=9)
    assert plans_from(tmp_path, f"sandbox = true\n{bots}{game}")[0].sandbox == Sandbox()
    assert plans_from(tmp_path, f"sandbox = false\n{bots}{game}")[0].sandbox is None


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
        (
            f'{BOTS}[[games]]\ngame = "trox"\noptions = {{ max_plies = [1] }}',
            "options.max_plies: expected a string, an integer, or true or false, not '[1]'",
        ),
        (
            f'{BOTS}[[games]]\ngame = "trox"\npolicies = {{ illegal_move = 3 }}',
            "policies.illegal_move: expected a table with action, max_attempts, not '3'",
        ),
        (f'{BOTS}[[games]]\ngame = "toc"\nat_a_table = 3', "takes 2 or 4 bots per match, not 3"),
        (f'{BOTS}[[games]]\ngame = "trox"\ncycles = 0', "cycles: expected an integer"),
        (f'{BOTS}[[games]]\ngame = "trox"\ncycles = 1\nrounds = 2', "give either rounds or cycles"),
        (f'{BOTS}[[games]]\ngame = "trox"\nlabel = "../x"', "label: expected up to 32"),
        (f'{BOTS}[[games]]\ngame = "trox"\n[[games]]\ngame = "trox"', "two games are called 'trox'"),
        ('[bots]\nanna = { run = "random", folders = "x" }', "unknown key 'folders'; known: run, folder, env"),
        ('[bots]\nanna = { run = "random", env = "PATH" }', "bots.anna.env: expected a list, not 'PATH'"),
        (f'sandbox = "yes"\n{BOTS}[[games]]\ngame = "trox"', "sandbox: expected true or a table with read"),
        (f'sandbox = {{ memory_mb = 0 }}\n{BOTS}[[games]]\ngame = "trox"', "memory_mb: expected an integer from 1 to"),
    ],
)
def test_an_invalid_plan_is_rejected_with_a_hint(tmp_path: Path, text: str, hint: str) -> None:
    with pytest.raises(DetailedError, match=re.escape(hint)):
        plans_from(tmp_path, text)


def test_a_missing_plan_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DetailedError, match="No such file"):
        read_arena(tmp_path / "nothing.toml")


def test_the_demo_plan_contains_the_four_games_of_the_rule_sheets() -> None:
    assert {plan.game for plan in read_arena(PROJECT / "demo.toml")} == set(OURS) - {"go"}


def test_the_example_plans_of_the_documentation_can_be_read(tmp_path: Path) -> None:
    page = (PROJECT / "docs" / "arena.md").read_text(encoding="utf-8")
    example, sandboxed = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert plans_from(tmp_path, f'{sandboxed}[[games]]\ngame = "trox"\n')[0].sandbox
    for plan in plans_from(tmp_path, example):
        check_can_start(plan.terms, plan.entrants)


def test_two_bots_meet_in_each_round_of_a_round_robin() -> None:
    assert keys("trox", 2, 5, 4) == {"round_robin": {"cycles": 4}}


def test_of_fewer_bots_than_seats_each_holds_a_side() -> None:
    teams = {"b0": ["b0", "b0"], "b1": ["b1", "b1"]}
    assert keys("toc", 2, 2, 1) == {"partner_rule": "fixed", "teams": teams, "round_robin": {"cycles": 1}}


@pytest.mark.parametrize(("bots", "rounds", "expected"), [(4, 1, 1), (4, 6, 6), (7, 2, 4), (8, 1, 3)])
def test_at_larger_tables_there_are_enough_rounds_for_all_bots_to_meet(bots: int, rounds: int, expected: int) -> None:
    assert keys("toc", 4, bots, rounds) == {"pools": {"rounds": expected}}


def test_openings_are_played_in_sets_with_all_orders_of_the_bots(tmp_path: Path) -> None:
    (tmp_path / "book").write_text("3bb/5/5/5/w4 w 0\n3bb/5/5/5/w4 b 0\n", encoding="utf-8")
    for openings in ('{ file = "book" }', '["3bb/5/5/5/w4 w 0", "3bb/5/5/5/w4 b 0"]'):
        game = f'[[games]]\ngame = "alquerque"\nrounds = 5\nopenings = {openings}\n'
        (plan,) = plans_from(tmp_path, f"{BOTS}{game}")
        positions = ("3bb/5/5/5/w4 w 0", "3bb/5/5/5/w4 b 0")
        play = DuplicatePlay(openings=tuple(Opening(position=position) for position in positions))
        assert (plan.terms.duplicate_play, plan.terms.round_robin) == (play, RoundRobin(cycles=3))
        check_can_start(plan.terms, plan.entrants)


@pytest.mark.parametrize(
    ("openings", "error"),
    [
        ('["nowhere"]', "nowhere"),
        ('["5/5/5/5/w4 b 0"]', "over"),
        ("[1]", "expected"),
        ('{ file = "none" }', "cannot be read"),
    ],
)
def test_openings_that_are_none_are_an_error(tmp_path: Path, openings: str, error: str) -> None:
    text = f'{BOTS}[[games]]\ngame = "alquerque"\nopenings = {openings}\n'
    with pytest.raises(DetailedError, match=error):
        LocalContest(plans_from(tmp_path, text), tmp_path, ResultsFolder(tmp_path)).check()


def test_a_plan_without_clocks_is_the_same_but_untimed(tmp_path: Path) -> None:
    games = '[[games]]\ngame = "trox"\nclock = "5/move"\nodds = { 1 = "3" }\n[[games]]\ngame = "alquerque"\n'
    plans = plans_from(tmp_path, f'odds = {{ 0 = "3" }}\n{BOTS}{games}', clocks=False)
    times = [plan.terms.match_terms.time_control for plan in plans]
    assert [(time.rule.untimed is not None, len(time.odds)) for time in times] == [(True, 0)] * 2


def test_parallel_matches_are_as_many_as_the_command_or_the_file_says(tmp_path: Path) -> None:
    text = f'max_concurrent_matches = 3\n{BOTS}[[games]]\ngame = "trox"\n'
    (plan,) = plans_from(tmp_path, text)
    (other,) = read_arena(tmp_path / "plan.toml", 5)
    assert (plan.terms.max_concurrent_matches, other.terms.max_concurrent_matches) == (3, 5)


def test_scores_of_more_than_two_sides_cannot_end_a_match(tmp_path: Path) -> None:
    game = '[[games]]\ngame = "troke"\noptions = { seats = 4 }\nadjudication = { draw_moves = 3 }\n'
    with pytest.raises(DetailedError, match="only in a game of two sides"):
        plans_from(tmp_path, f'[bots]\na = "random"\nb = "random"\nc = "random"\nd = "random"\n{game}')
