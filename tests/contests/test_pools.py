"""Pools: tables by search, and by designs, all of which are checked: any two meet equally often in them."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from referee.contests.pairing import MatchScore
from referee.contests.systems.pool_designs import CYCLIC, PLANES, PoolDesign, find_designs
from referee.contests.tournament.tournament_terms import Pools
from tests.contests.tournament_harness import TournamentHarness, level, started

PARTNERS = ((0, 2), (1, 3))


def pools(form: Pools, entrants: int, **fields: int) -> TournamentHarness:
    """Return a tournament of entrants P00, P01 and so on, all of whose matches were level."""
    return started(form, [f"P{number:02}" for number in range(entrants)], **fields).play_out(level)


def tables(play: TournamentHarness) -> list[tuple[str, ...]]:
    return [pairing.entrants for pairing in play.planned if not pairing.is_bye]


def meetings(play: TournamentHarness) -> set[int]:
    """Return how often two entrants met: a single number if all met equally often."""
    met = Counter(frozenset(pair) for table in tables(play) for pair in combinations(table, 2))
    return {met[frozenset(pair)] for pair in combinations(play.tournament.entrants, 2)}


def partners_of(play: TournamentHarness) -> Counter[frozenset[str]]:
    return Counter(frozenset((table[seat], table[other])) for table in tables(play) for seat, other in PARTNERS)


def assert_seats_are_balanced(play: TournamentHarness) -> None:
    sat = Counter((name, seat) for table in tables(play) for seat, name in enumerate(table))
    for name in play.tournament.entrants:
        counts = [sat[name, seat] for seat in range(3)]
        assert max(counts) - min(counts) <= 2


@pytest.mark.parametrize(("many", "at_a_table", "rounds"), [(9, 3, 8), (8, 4, 7), (16, 4, 5), (10, 3, 9), (7, 4, 14)])
def test_entrants_meet_about_equally_often(many: int, at_a_table: int, rounds: int) -> None:
    often = meetings(pools(Pools(rounds, at_a_table), many))
    assert max(often) - min(often) <= 2


def test_seats_and_byes_rotate() -> None:
    play = pools(Pools(12, 3), 10)
    played = Counter(name for table in tables(play) for name in table)
    assert max(played.values()) - min(played.values()) <= 1
    assert_seats_are_balanced(play)


def test_partners_have_the_points_of_their_side_and_nothing_against_each_other() -> None:
    play = started(Pools(1, 4, PARTNERS), "abcd").play_out(lambda _: MatchScore((1, 2, 1, 2)))
    a, b, c, d = play.planned[0].entrants
    table = play.tournament.round_results()
    assert [table[name][0].points for name in (a, b, c, d)] == [1, 0, 1, 0]
    assert table[a][0].points_against == ((b, 1.0), (d, 1.0))


def test_a_slow_table_does_not_hold_up_the_next_round() -> None:
    play = started(Pools(3, 3), "abcdef")
    first, slow = play.tournament.due_matches()
    play.result(first, level(first))
    assert play.tournament.round == 2
    assert slow in play.tournament.due_matches()


def test_equal_tournaments_have_equal_tables() -> None:
    assert tables(pools(Pools(5, 4), 13)) == tables(pools(Pools(5, 4), 13))


SIZES = sorted(
    {
        *{size for size, _ in CYCLIC},
        *((seats, seats**2) for seats in PLANES),
        *((seats, seats + 1) for seats in range(2, 9)),
    }
)


@pytest.mark.parametrize(("seats", "entrants"), SIZES)
def test_any_two_meet_equally_often_in_a_design(seats: int, entrants: int) -> None:
    for design in find_designs(seats, entrants):
        met: Counter[frozenset[int]] = Counter()
        played: Counter[int] = Counter()
        for number in range(design.rounds):
            tables = design.tables(number)
            assert len(tables) == entrants // seats
            assert {len(table) for table in tables} == {seats}
            assert len({player for table in tables for player in table}) == entrants // seats * seats
            met.update(frozenset(pair) for table in tables for pair in combinations(table, 2))
            played.update(player for table in tables for player in table)
        assert met == {frozenset(pair): design.meetings for pair in combinations(range(entrants), 2)}
        assert len(set(played.values())) == 1


@pytest.mark.parametrize("design", [design for _, design in CYCLIC if design.partners], ids=lambda row: str(row.rounds))
def test_any_two_are_partners_equally_often_at_tables_of_four(design: PoolDesign) -> None:
    partners = Counter(
        frozenset((table[seat], table[other]))
        for number in range(design.rounds)
        for table in design.tables(number)
        for seat, other in PARTNERS
    )
    players = {player for number in (0, 1) for table in design.tables(number) for player in table}
    assert partners == {frozenset(pair): 1 for pair in combinations(players, 2)}


def test_there_is_no_design_for_every_number() -> None:
    assert find_designs(3, 8) == []
    assert [design.meetings for design in find_designs(4, 16)] == [1, 3]


@pytest.mark.parametrize(
    ("rounds", "seats", "entrants", "often"),
    [(4, 3, 9, 1), (8, 3, 9, 2), (7, 3, 15, 1), (5, 4, 16, 1), (11, 3, 12, 2), (7, 3, 7, 2), (10, 3, 9, None)],
)
def test_all_meet_equally_often_if_the_rounds_are_those_of_a_design(
    rounds: int, seats: int, entrants: int, often: int | None
) -> None:
    assert meetings(pools(Pools(rounds, seats), entrants)) == ({often} if often else {2, 3})


def test_partners_and_opponents_are_balanced_with_partners() -> None:
    play = pools(Pools(7, 4, PARTNERS), 8)
    stood = partners_of(play)
    assert (meetings(play), set(stood.values()), len(stood)) == ({3}, {1}, 28)


def test_with_partners_a_design_that_balances_them_is_preferred_if_it_can_be_finished() -> None:
    whole, part = (pools(Pools(rounds, 4, PARTNERS), 16) for rounds in (15, 5))
    assert (meetings(whole), meetings(part)) == ({3}, {1})


def test_a_design_that_cannot_be_finished_is_not_begun() -> None:
    by_design, shorter = (pools(Pools(rounds, 3), 12) for rounds in (11, 10))
    assert tables(shorter)[:4] != tables(by_design)[:4]
    assert max(meetings(shorter)) - min(meetings(shorter)) <= 2


def test_the_second_time_the_tables_of_a_design_are_others() -> None:
    seated = tables(pools(Pools(8, 3), 9))
    first, second = ({frozenset(table) for table in part} for part in (seated[:12], seated[12:]))
    assert first != second


def test_seats_are_balanced_within_a_design() -> None:
    assert_seats_are_balanced(pools(Pools(11, 3), 12))


def test_without_an_entrant_the_other_rounds_have_tables_by_search() -> None:
    play = started(Pools(4, 3), "abcdefghi")
    play.withdraw("a")
    assert max(meetings(play.play_out(level))) <= 2


def test_tournaments_with_late_entry_have_no_design() -> None:
    assert tables(pools(Pools(4, 3), 9, last_entry_round=1)) != tables(pools(Pools(4, 3), 9))


def shown(entrants: int, design: PoolDesign) -> str:
    text = f"{entrants}: {design.rounds}"
    return f"**{text}**" if design.meetings == 1 else text


def test_the_page_lists_every_design() -> None:
    page = (Path(__file__).parents[2] / "docs" / "tournaments.md").read_text(encoding="utf-8")
    for seats in range(3, 9):
        sizes = [" or ".join(shown(many, plan) for plan in find_designs(seats, many)) for many in range(seats + 1, 65)]
        assert f"| {seats} | {', '.join(filter(None, sizes))} |" in page
