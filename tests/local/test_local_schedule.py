"""Pairings of an arena."""

from collections import Counter
from itertools import combinations

import pytest

from engines.registry import find
from referee.local.entrant import Entrant
from referee.local.local_schedule import order_of, schedule
from referee.local.plan import LOCAL_POLICIES, GameTerms, Plan
from referee.match.clock import Untimed

ANNA, BERT, CLEO, DORA = (Entrant(name, (name,)) for name in ("anna", "bert", "cleo", "dora"))
ALL = (ANNA, BERT, CLEO, DORA)


def terms(game: str, bots_per_match: int, games: int) -> GameTerms:
    known = find(game)
    return GameTerms(game, known, known.settings(), Untimed(), LOCAL_POLICIES, bots_per_match, games)


def plan(entrants: tuple[Entrant, ...], *games: GameTerms) -> Plan:
    return Plan(entrants, games, parallel=1)


def test_in_a_cycle_everybody_meets_everybody_in_every_seat() -> None:
    seatings = Counter(pairing.seats for pairing in schedule(plan(ALL, terms("trox", 2, 2))))
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
    before = schedule(plan((ANNA, BERT, DORA), terms("toc", 2, 4), terms("trox", 2, 2)))
    after = schedule(plan(ALL, terms("toc", 2, 4), terms("trox", 2, 2)))
    assert [pairing for pairing in after if CLEO not in pairing.seats] == before


def test_no_two_matches_share_a_name() -> None:
    names = [pairing.name for pairing in schedule(plan(ALL, terms("toc", 4, 4), terms("trox", 2, 4)))]
    assert len(set(names)) == len(names)
    assert "trox/anna.bert.1" in names


def test_who_stops_early_has_played_all_games_about_as_often() -> None:
    pairings = schedule(plan(ALL, terms("alquerque", 2, 2), terms("trox", 2, 2)))
    assert Counter(pairing.terms.label for pairing in pairings[:12]) == {"alquerque": 6, "trox": 6}


def test_two_bots_at_a_table_of_four_hold_a_side_each() -> None:
    (pairing,) = schedule(plan((ANNA, BERT), terms("toc", 2, 1)))
    assert pairing.seats == (ANNA, BERT, ANNA, BERT)
    assert pairing.entrants == (ANNA, BERT)
