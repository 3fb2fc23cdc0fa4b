"""Plans of arenas: as TOML files, and the pairings that follow from them."""

import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from engines.refusals import Refusal
from engines.registry import OURS, find
from referee.local.entrant import Entrant
from referee.local.match_terms import LOCAL_POLICIES
from referee.local.plan import GameTerms, Plan, order_of, read_plan
from referee.local.sandbox import Sandbox
from referee.match.clock import SECOND, Fischer, PerMove, Untimed
from referee.match.setup import DisconnectPolicy, LatePolicy

HOUSE = Path(__file__).parents[2]
BOTS = '[bots]\nanna = "random"\nbert = "./bert --fast"\n'


def plan(tmp_path: Path, text: str) -> Plan:
    file = tmp_path / "plan.toml"
    file.write_text(text, encoding="utf-8")
    return read_plan(file)


def test_the_least_plan_names_bots_and_a_game(tmp_path: Path) -> None:
    read = plan(tmp_path, f'{BOTS}[[games]]\ngame = "trox"\n')
    assert [entrant.name for entrant in read.bots] == ["anna", "bert"]
    assert read.bots[1].command[-2:] == ("./bert", "--fast")
    (terms,) = read.terms
    assert (terms.label, terms.bots_per_match, terms.games) == ("trox", 2, 2)
    assert (terms.control, terms.policies) == (Fischer(60 * SECOND, SECOND), LOCAL_POLICIES)


def test_a_game_has_its_own_terms_or_those_of_all(tmp_path: Path) -> None:
    first, second = plan(
        tmp_path,
        f"""
        clock = "2/move"
        cycles = 3
        policies = {{ timeout = "TIMEOUT_ACTION_RANDOM_MOVE" }}
        {BOTS}
        [[games]]
        game = "alquerque"
        [[games]]
        game = "alquerque"
        label = "huffing"
        options = {{ huff = true }}
        clock = "10+1"
        rounds = 5
        policies = {{ disconnect = {{ action = "DISCONNECT_ACTION_CLOCK_DECIDES" }} }}
        """,
    ).terms
    assert (first.label, first.control, first.games) == ("alquerque", PerMove(2 * SECOND), 6)
    assert (first.policies.late, first.policies.gone) == (LatePolicy.RANDOM_MOVE, DisconnectPolicy.FORFEIT_AFTER_GRACE)
    assert (second.label, second.control, second.games) == ("huffing", Fischer(10 * SECOND, SECOND), 5)
    assert (second.policies.late, second.policies.gone) == (LatePolicy.FORFEIT, DisconnectPolicy.CLOCK_DECIDES)
    assert second.settings.flag("huff")


def test_a_bot_may_have_a_folder_and_variables_and_all_of_them_a_sandbox(tmp_path: Path) -> None:
    bots = '[bots]\nanna = { run = "grpc:./bot", folder = "anna", env = ["BOOK"] }\nbert = "random"\n'
    game = '[[games]]\ngame = "trox"\n'
    read = plan(tmp_path, f'sandbox = {{ read = ["books"], processes = 9 }}\n{bots}{game}')
    assert (read.bots[0].command, read.bots[0].folder, read.bots[0].env) == (("./bot",), "anna", ("BOOK",))
    assert read.sandbox == Sandbox((tmp_path / "books",), processes=9)
    assert plan(tmp_path, f"sandbox = true\n{bots}{game}").sandbox == Sandbox()
    assert plan(tmp_path, f"sandbox = false\n{bots}{game}").sandbox is None


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("bots = ", "cannot be read"),
        (f"{BOTS}", "[[games]]"),
        ('gmaes = 1\n[[games]]\ngame = "trox"', "unknown key 'gmaes'; known: clock"),
        ('[bots]\nAnna = "random"\n[[games]]\ngame = "trox"', "bots.Anna: invalid name"),
        ('[bots]\nanna = 1\n[[games]]\ngame = "trox"', "bots.anna: expected a string such as"),
        ('[bots]\nanna = "random"\n[[games]]\ngame = "trox"', "a match takes 2 bots, but there are only 1"),
        (f'{BOTS}[[games]]\ngame = "chess"', "games 1: unknown game 'chess'; known: alquerque"),
        (f'{BOTS}[[games]]\ngame = "trox"\noptions = {{ huf = true }}', "unknown option 'huf'; known"),
        (
            f'{BOTS}[[games]]\ngame = "trox"\noptions = {{ max_plies = [1] }}',
            "value '[1]' for option max_plies",
        ),
        (f'{BOTS}[[games]]\ngame = "trox"\nclock = "slow"', "60+1"),
        (f'{BOTS}[[games]]\ngame = "trox"\npolicies = {{ timeout = "never" }}', "invalid Policies"),
        (f'{BOTS}[[games]]\ngame = "toc"\nat_a_table = 3', "takes 2 or 4 bots per match, not 3"),
        (f'{BOTS}[[games]]\ngame = "trox"\ncycles = 0', "cycles: expected an integer"),
        (f'{BOTS}[[games]]\ngame = "trox"\ncycles = 1\nrounds = 2', "give either rounds or cycles"),
        (f'{BOTS}[[games]]\ngame = "trox"\nlabel = "../x"', "label: expected up to 32"),
        (f'{BOTS}[[games]]\ngame = "trox"\n[[games]]\ngame = "trox"', "two games are called 'trox'"),
        (f'parallel = true\n{BOTS}[[games]]\ngame = "trox"', "parallel: expected an integer"),
        ('[bots]\nanna = { run = "random", folders = "x" }', "unknown key 'folders'; known: run, folder, env"),
        ('[bots]\nanna = { run = "random", env = "PATH" }', "bots.anna.env: expected a list of strings"),
        (f'sandbox = "yes"\n{BOTS}[[games]]\ngame = "trox"', "sandbox: expected true or a table with read"),
        (f'sandbox = {{ memory_mb = 0 }}\n{BOTS}[[games]]\ngame = "trox"', "memory_mb: expected an integer from 1 to"),
    ],
)
def test_what_cannot_be_is_refused_with_what_would_be_right(tmp_path: Path, text: str, right: str) -> None:
    with pytest.raises(Refusal, match=re.escape(right)):
        plan(tmp_path, text)


def test_there_is_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="No such file"):
        read_plan(tmp_path / "nothing.toml")


def test_the_demo_plays_every_game_of_ours() -> None:
    assert {terms.game.name for terms in read_plan(HOUSE / "demo.toml").terms} == set(OURS)


def test_the_plan_on_the_page_can_be_read(tmp_path: Path) -> None:
    page = (HOUSE / "docs" / "arena.md").read_text(encoding="utf-8")
    shown, sandboxed = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert plan(tmp_path, f'{sandboxed}[[games]]\ngame = "trox"\n').sandbox
    read = plan(tmp_path, shown)
    assert len(read.bots) >= 4


ANNA, BERT, CLEO, DORA = (Entrant(name, (name,)) for name in ("anna", "bert", "cleo", "dora"))
ALL = (ANNA, BERT, CLEO, DORA)


def terms(game: str, bots_per_match: int, games: int) -> GameTerms:
    known = find(game)
    return GameTerms(game, known, known.settings(), Untimed(), LOCAL_POLICIES, bots_per_match, games)


def plan_of(bots: tuple[Entrant, ...], *games: GameTerms) -> Plan:
    return Plan(bots=bots, terms=games, parallel=1)


def test_in_a_cycle_everybody_meets_everybody_in_every_seat() -> None:
    seatings = Counter(pairing.seats for pairing in plan_of(ALL, terms("trox", 2, 2)).pairings())
    wanted = {pair for both in combinations(ALL, 2) for pair in (both, both[::-1])}
    assert seatings == Counter(wanted)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_a_group_sits_in_every_order_once_before_it_sits_in_one_again(size: int) -> None:
    group = ALL[:size]
    different = {2: 2, 3: 6, 4: 24}[size]
    orders = [order_of(group, number) for number in range(2 * different)]
    assert orders[:different] == orders[different:]
    assert len(set(orders)) == different
    for turn in range(0, different, size):
        for seat in range(size):
            assert {order[seat] for order in orders[turn : turn + size]} == set(group)


def test_who_joins_later_plays_only_matches_of_its_own() -> None:
    before = plan_of((ANNA, BERT, DORA), terms("toc", 2, 4), terms("trox", 2, 2)).pairings()
    after = plan_of(ALL, terms("toc", 2, 4), terms("trox", 2, 2)).pairings()
    assert [pairing for pairing in after if CLEO not in pairing.seats] == before


def test_no_two_matches_share_a_name() -> None:
    names = [pairing.name for pairing in plan_of(ALL, terms("toc", 4, 4), terms("trox", 2, 4)).pairings()]
    assert len(set(names)) == len(names)
    assert "trox/anna.bert.1" in names


def test_who_stops_early_has_played_all_games_about_as_often() -> None:
    pairings = plan_of(ALL, terms("alquerque", 2, 2), terms("trox", 2, 2)).pairings()
    assert Counter(pairing.terms.label for pairing in pairings[:12]) == {"alquerque": 6, "trox": 6}


def test_two_bots_at_a_table_of_four_hold_a_side_each() -> None:
    (pairing,) = plan_of((ANNA, BERT), terms("toc", 2, 1)).pairings()
    assert pairing.seats == (ANNA, BERT, ANNA, BERT)
    assert pairing.entrants == (ANNA, BERT)
