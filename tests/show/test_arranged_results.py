"""Results of a ladder that look arranged, and how rarely those of honest bots do."""

from dataclasses import replace
from math import exp, hypot

import pytest
from click import unstyle

from referee.cli._shared.report_text import findings_text
from referee.contests.ladder.events import MatchRated
from referee.contests.strength.elo import ELO_SCALE
from referee.show.arranged_results import ReviewedMatch, chance_of_share, chance_of_wins, find_arranged
from tests.contests.farmed_ladder import FARMER, HELPER, FarmedLadder

LONG = tuple(f"move {number}" for number in range(40))


def match(
    bot: str, other: str, points: float, at: int, expected: float = 0.5, given_up: bool = False, moves: int = 40
) -> ReviewedMatch:
    """Return a match that no other one overlaps, unless it is at the same time. Its moves are new."""
    played = tuple(f"{bot} {other} {at} {number}" for number in range(moves))
    return ReviewedMatch(10 * at, 10 * at + 5, (bot, other), points, expected, given_up, played)


def reviewed(rated: MatchRated) -> ReviewedMatch:
    change, other = rated.changes
    deviation = hypot(change.before.rating.deviation, other.before.rating.deviation, ELO_SCALE)
    expected = 1 / (1 + exp((other.before.rating.value - change.before.rating.value) / deviation))
    first, second = rated.finish.ranks
    points = 0.5 if first == second else float(first < second)
    return ReviewedMatch(rated.at_ms, rated.at_ms + 1, (change.player.bot, other.player.bot), points, expected)


@pytest.mark.slow
@pytest.mark.parametrize("ladders", [1, pytest.param(10, marks=pytest.mark.soak)])
def test_a_helper_that_loses_on_purpose_is_found(ladders: int) -> None:
    found = 0
    for number in range(ladders):
        farmed = FarmedLadder(f"farm {number}", throws=True)
        farmed.play_half_alone(120)
        found += any(
            FARMER in clue.what and HELPER in clue.what for clue in find_arranged(list(map(reviewed, farmed.rated)))
        )
    assert found >= 0.9 * ladders


@pytest.mark.slow
@pytest.mark.parametrize("ladders", [5, pytest.param(40, marks=pytest.mark.soak)])
def test_honest_bots_rarely_look_as_if_they_arranged_results(ladders: int) -> None:
    found = []
    for number in range(ladders):
        honest = FarmedLadder(f"honest {number}")
        honest.play_half_alone(80)
        found += find_arranged([reviewed(rated) for rated in honest.rated])
    assert len(found) <= ladders // 20, found


def test_wins_while_nobody_else_plays_are_compared_with_those_at_other_times() -> None:
    alone = [match("a", "b", 1, at) for at in range(30)]
    crowded = [match("b", "a", float(at % 4 > 0), 100 + at) for at in range(30)]
    others = [match("c", "d", at % 2, 100 + at) for at in range(30)]
    sentences = [finding.what for finding in find_arranged([*alone, *crowded, *others])]
    assert "a won 30 of 30 matches against b while nobody else played, and 8 of 30 at other times" in sentences


def test_early_losses_against_one_opponent_are_compared_with_those_against_others() -> None:
    foregone = [match("a", "b", 1, at, given_up=True, moves=3) for at in range(8)]
    fought = [match("a", "b", 0.5, 50 + at) for at in range(4)]
    usual = [match("b", f"c{at}", at % 2, 100 + at) for at in range(40)]
    late = [match("d", "b", 1, 200 + at, given_up=True) for at in range(3)]
    unread = [replace(match("a", "b", 1, 300), given_up=True, moves=None)]
    (finding, *_) = find_arranged([*foregone, *fought, *usual, *late, *unread])
    assert finding.what == "b gave up early in 8 of 12 matches against a, and in 0 of 43 against others"


def test_identical_games_are_listed_without_a_chance() -> None:
    same = [replace(match("a", "b", 0.5, at), moves=LONG) for at in range(4)]
    exchanged = [replace(match("b", "a", 0.5, 10 + at), moves=LONG) for at in range(2)]
    (finding,) = find_arranged([*same, *exchanged])
    assert finding.what == "a and b played 6 games, of which 4 repeat an earlier one move by move"
    assert finding.chance is None
    assert find_arranged(same[:3]) == []


def test_nothing_is_found_among_no_matches() -> None:
    assert find_arranged([]) == []
    assert findings_text([], 0) == "nothing in the newest 0 matches looks arranged"


def test_findings_are_shown_with_their_rarity() -> None:
    matches = [match("a", "b", 1, at) for at in range(12)] + [
        replace(match("c", "d", 0.5, 50), moves=LONG) for _ in range(4)
    ]
    text = findings_text(find_arranged(matches), len(matches))
    head, first, second = map(str.split, unstyle(text).splitlines())
    assert head == ["in", "the", "newest", "16", "matches", "by", "chance", "on"]
    won = "a won 12 of 12 matches against b; the ratings predicted 6.0 points 1 of 1,024 ladders"
    assert first == won.split()
    repeated = "c and d played 4 games, of which 3 repeat an earlier one move by move -"
    assert second == repeated.split()


def test_chances_are_exact() -> None:
    assert chance_of_wins([0.5] * 4, 3) == pytest.approx(5 / 16)
    assert chance_of_wins([0.2, 0.7], 1) == pytest.approx(1 - 0.8 * 0.3)
    assert chance_of_wins([], 0) == 1
    assert chance_of_share(8, 4, 4, 4) == pytest.approx(1 / 70)
    assert chance_of_share(10, 3, 5, 0) == 1
