from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from referee_values import Elimination

from engines.chance import Chance
from referee.contests.pairing import DueMatch, MatchScore
from referee.contests.systems.knockout import (
    BracketStage,
    LoserOf,
    WinnerOf,
    double_elimination,
    seed_positions,
    separate_owners,
)
from referee.contests.tournament.commands import StartTournament
from tests.contests.tournament_harness import TournamentHarness, better_name_wins, entered, level, started


def pairs(play: TournamentHarness) -> list[str]:
    return ["".join(pairing.entrants) for pairing in play.planned]


def ranks(play: TournamentHarness) -> str:
    """Return each rank with its entrant, such as `1a 2b 3c 3d`."""
    return " ".join(f"{rank}{name}" for rank, name, _ in play.table)


def test_seeds_are_placed_so_that_the_best_meet_last() -> None:
    assert seed_positions(3) == [1, 8, 4, 5, 2, 7, 3, 6]


def quarters(names: str, owned: str) -> list[int]:
    """Return the quarters of the bracket in which the bots of one owner are, among entrants in the order of seeds."""
    seeds = separate_owners(names, {name: ("ann",) if name in owned else () for name in names})
    rounds = (len(names) - 1).bit_length()
    return sorted(4 * seed_positions(rounds).index(seeds.index(name) + 1) >> rounds for name in owned)


@pytest.mark.parametrize("owned", ["ag", "cd", "ef", "eh", "fh"])
def test_two_bots_of_one_owner_can_meet_only_in_the_final(owned: str) -> None:
    quarter, other = quarters("abcdefgh", owned)
    assert quarter < 2 <= other


@pytest.mark.parametrize("owned", ["aefg", "cdgh", "efgh", "abcd", "bcgh"])
def test_four_bots_of_one_owner_are_in_different_quarters(owned: str) -> None:
    assert quarters("abcdefgh", owned) == [0, 1, 2, 3]
    assert quarters("abcdefghijklmnop", owned) == [0, 1, 2, 3]


@given(st.lists(st.sampled_from([(), ("ann",), ("bob",), ("ann", "bob")]), min_size=2, max_size=20))
def test_only_seeds_that_are_worth_the_same_are_exchanged(owners: list[tuple[str, ...]]) -> None:
    names = [f"bot{number}" for number in range(len(owners))]
    seeds = separate_owners(names, dict(zip(names, owners, strict=True)))
    for start, end in ((0, 1), (1, 2), (2, 4), (4, 8), (8, 16), (16, 32)):
        assert sorted(seeds[start:end]) == sorted(names[start:end])
    if sum(map(bool, owners)) < 2:
        assert list(seeds) == names


def test_owners_in_the_log_decide_the_draw() -> None:
    play = entered(Elimination(), ())
    for name in "abcd":
        play.enter(name, owners=("ann",) if name in "ad" else ())
    play.do(StartTournament())
    assert pairs(play) == ["ac", "bd"]


def test_an_entrant_without_an_opponent_advances() -> None:
    play = started(Elimination(), "abcdef")
    assert pairs(play) == ["de", "cf"]
    play.play_out_one()
    assert pairs(play)[2:] == ["ad"]  # The other half of the draw need not be finished.


def test_the_standings_are_by_how_far_entrants_got() -> None:
    play = started(Elimination(), "abcdefgh").play_out()
    assert ranks(play) == "1a 2b 3c 3d 5e 5f 5g 5h"


def test_the_third_place_can_be_played_for() -> None:
    play = started(Elimination(third_place_match=True), "abcd").play_out()
    assert ranks(play) == "1a 2b 3c 4d"


@pytest.mark.parametrize(("extra", "played"), [(None, 4), (2, 4), (1, 3), (0, 2)])
def test_a_level_pairing_has_further_matches_and_then_the_better_seed_advances(extra: int | None, played: int) -> None:
    play = started(Elimination(matches_per_pairing=2, max_extra_matches=extra), "ab")
    play.play_out(level)
    assert len(play.tournament.pairings["w1.1"].scores) == played
    assert play.table[0][1] == "a"


def test_a_further_match_that_is_won_decides() -> None:
    play = started(Elimination(matches_per_pairing=2, max_extra_matches=2), "ab")
    play.play_out(lambda due: level(due) if due.number < 3 else MatchScore((2, 1)))
    assert len(play.tournament.pairings["w1.1"].scores) == 3
    assert play.table[0][1] == "b"


def test_the_winner_of_the_losers_bracket_has_to_win_two_finals() -> None:
    def lower_seed_wins(due: DueMatch) -> MatchScore:
        return MatchScore((2, 1)) if due.pairing.id in {"w2.1", "g6.1"} else better_name_wins(due)

    play = started(Elimination(double_elimination=True), "abcd").play_out(lower_seed_wins)
    assert [pairing.id for pairing in play.planned] == ["w1.1", "w1.2", "w2.1", "l1.1", "l2.1", "f5.1", "g6.1"]
    assert ranks(play) == "1b 2a 3c 4d"


def test_an_entrant_that_left_loses_its_next_pairing() -> None:
    play = started(Elimination(), "abcd")
    play.play_out_one()
    play.withdraw("a")
    play.play_out()
    assert ranks(play) == "1b 2a 3c 3d"


@settings(max_examples=12, deadline=None)
@given(st.integers(2, 21), st.booleans(), st.binary(max_size=3))
def test_every_entrant_but_the_winner_has_lost_the_required_number_of_matches(
    many: int, twice: bool, seed: bytes
) -> None:
    chance = Chance(seed)

    def random_winner(_: DueMatch) -> MatchScore:
        nonlocal chance
        drawn, chance = chance.below(2)
        return MatchScore(((1, 2), (2, 1))[drawn])

    names = [f"P{number:02}" for number in range(many)]
    play = started(Elimination(double_elimination=twice), names).play_out(random_winner)
    pairings = play.tournament.pairings.values()
    losses = Counter(name for progress in pairings for name in progress.pairing.entrants if name != progress.winner)
    (winner,) = [name for rank, name, _ in play.table if rank == 1]
    assert losses.pop(winner, 0) < (2 if twice else 1)
    assert losses == dict.fromkeys(set(names) - {winner}, 2 if twice else 1)


@pytest.mark.parametrize("twice", [False, True])
def test_every_pairing_is_planned_as_soon_as_its_entrants_are_known(twice: bool) -> None:
    play = started(Elimination(double_elimination=twice), "abcdefgh")
    while play.tournament.phase == "playing":
        bracket = play.tournament.knockout()
        assert bracket.ready() == []
        play.result(due := play.tournament.due_matches()[-1], better_name_wins(due))


def first_possible_rematch(entrants: int) -> int:
    """Return the first round of the losers' bracket in which two may meet that have met in the winners' bracket."""
    bracket = double_elimination(entrants)
    on_the_way: dict[str, set[str]] = {}
    """The winners' pairings that its entrants may have won before, by pairing of the winners' bracket."""
    lost: dict[str, set[str]] = {}
    """The winners' pairings that its winner may have lost, by pairing of the losers' bracket."""
    for pairing in bracket:
        feeders = [place for place in (pairing.first, pairing.second) if isinstance(place, WinnerOf | LoserOf)]
        if pairing.stage is BracketStage.WINNERS:
            on_the_way[pairing.id] = {won for place in feeders for won in (place.pairing, *on_the_way[place.pairing])}
        elif pairing.stage is BracketStage.LOSERS:
            first, other = ({place.pairing} if isinstance(place, LoserOf) else lost[place.pairing] for place in feeders)
            if any(a in on_the_way[b] or b in on_the_way[a] for a in first for b in other):
                return pairing.round
            lost[pairing.id] = first | other
    return 0


@pytest.mark.parametrize(
    ("entrants", "earliest", "last"),
    [(4, 2, 2), (8, 3, 4), (16, 4, 6), (32, 5, 8), (64, 7, 10), (128, 8, 12), (1024, 13, 18)],
)
def test_rematches_in_the_losers_bracket_come_late(entrants: int, earliest: int, last: int) -> None:
    rounds = [pairing.round for pairing in double_elimination(entrants) if pairing.stage is BracketStage.LOSERS]
    assert max(rounds) == last
    assert first_possible_rematch(entrants) == earliest
