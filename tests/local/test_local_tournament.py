"""A tournament is checked before any bot is started, ends when its matches are void, and has a folder of its own."""

from collections import Counter
from collections.abc import AsyncGenerator
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from referee_values import Pairing, Policies, Tournament, TournamentEntry

from engines.game_errors import DetailedError
from referee.local.contest_file import read_tournament
from referee.local.local_standings import MatchFinish, standings
from referee.local.local_tournament import ContestRuntime, TournamentRuntime, check_can_start
from referee.local.results_folder import ResultsFolder, TermsChanged
from referee.server.stores import StartupError


def check_tournament(folder: Path, text: str, bots: str = "abc") -> None:
    file = folder / "cup.toml"
    bot_lines = "".join(f'{bot} = "random"\n' for bot in bots)
    file.write_text(f'game = "alquerque"\n{text}\n[bots]\n{bot_lines}', encoding="utf-8")
    plan = read_tournament(file, Policies())
    check_can_start(plan.terms, plan.entrants)


@pytest.mark.parametrize(
    "text",
    ["", "swiss = { rounds = 2 }", 'gauntlet = { challengers = ["a"] }', "elimination = { double_elimination = true }"],
)
def test_a_tournament_that_can_start_is_accepted(tmp_path: Path, text: str) -> None:
    check_tournament(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("swiss = { rounds = 3 }", "takes 4 to 1000 entrants, not 3"),
        ('gauntlet = { challengers = ["a", "b", "c"] }', "challengers are all entrants"),
        ('duplicate_play = { openings = ["nowhere"] }', "cannot read the position 'nowhere'"),
        ("sprt = { elo1 = 5 }", "takes 2 entrants"),
        ('seeding = "rating"', "needs a ladder"),
    ],
)
def test_a_tournament_that_cannot_start_is_rejected_with_a_hint(tmp_path: Path, text: str, hint: str) -> None:
    with pytest.raises(DetailedError) as error:
        check_tournament(tmp_path, text)
    assert hint in str(error.value)


async def void_again_and_again(_: str) -> AsyncGenerator[TournamentEntry, None]:
    for number in count(1):
        yield TournamentEntry(number=number, pairing=Pairing(id="1.1", phase="playing", void_matches=number - 1))


async def test_a_tournament_stops_at_the_third_void_match_of_a_pairing(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text('game = "trox"\n[bots]\na = "random"\nb = "random"\n', encoding="utf-8")
    organiser = SimpleNamespace(tournaments=SimpleNamespace(watch=void_again_and_again))
    contest = cast(ContestRuntime, SimpleNamespace(server=SimpleNamespace(organiser=organiser)))
    runtime = TournamentRuntime(contest, read_tournament(file, Policies()), Tournament(name="cup"), [])
    seen: list[TournamentEntry] = []
    await runtime.play(seen.append)
    assert (runtime.broken_pairing, len(seen)) == ("1.1", 4)


def test_a_claimed_folder_belongs_to_one_plan(tmp_path: Path) -> None:
    folder = ResultsFolder(tmp_path)
    folder.check_plan("anything")
    folder.claim("the plan")
    folder.check_plan("the plan")
    with pytest.raises(TermsChanged, match="terms or entrants; choose another folder with --out"):
        folder.check_plan("another")


def test_the_first_admin_token_is_stored_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    folder = ResultsFolder(tmp_path)
    folder.data.mkdir()
    with pytest.raises(StartupError, match="belongs to another program"):
        folder.admin_token("")
    assert folder.admin_token("rf_secret") == "rf_secret"
    assert folder.admin_token("") == "rf_secret"
    assert [file.stat().st_mode & 0o777 for file in folder.data.iterdir()] == [0o600]


def finish(*ranks: int, seats: str = "ab", sides: tuple[int, ...] | None = None) -> MatchFinish:
    """Return a match that the rules ended, with these ranks in order of seats."""
    return MatchFinish("nim", tuple(seats), ranks, sides or ranks, Counter())


def test_a_win_is_a_point_and_a_draw_half_of_one() -> None:
    best, worst = standings("ab", [finish(1, 2), finish(1, 1), finish(1, 2), finish(2, 1)])
    assert (best.name, best.points, best.won, best.drawn, best.lost) == ("a", 2.5, 2, 1, 1)
    assert (worst.name, worst.points, worst.won, worst.drawn, worst.lost) == ("b", 1.5, 1, 1, 2)
    assert (best.score, best.points_in["nim"]) == (2.5 / 4, 2.5)


def test_the_second_of_three_gets_half_a_point_and_counts_as_a_loss() -> None:
    rows = standings("abc", [finish(2, 1, 3, seats="abc")])
    assert [(row.name, row.points, row.won, row.lost) for row in rows] == [
        ("b", 1.0, 1, 0),
        ("a", 0.5, 0, 1),
        ("c", 0.0, 0, 1),
    ]


def test_partners_each_get_the_points_of_their_side() -> None:
    rows = standings("abcd", [finish(1, 2, 1, 2, seats="abcd", sides=(1, 2))])
    assert {row.name: row.points for row in rows} == {"a": 1.0, "b": 0.0, "c": 1.0, "d": 0.0}


def test_a_bot_with_two_seats_of_a_side_has_played_one_match() -> None:
    rows = standings("ab", [finish(1, 2, 1, 2, seats="abab", sides=(1, 2))])
    assert [(row.name, row.played, row.points) for row in rows] == [("a", 1, 1.0), ("b", 1, 0.0)]


def test_faults_are_counted_by_kind() -> None:
    lost = replace(finish(1, 2), faults=Counter({("b", "time"): 1, ("b", "disconnected"): 2}))
    rows = {row.name: row for row in standings("ab", [lost])}
    assert rows["b"].faults == {"time": 1, "disconnected": 2}
    assert not rows["a"].faults


def test_a_void_match_counts_for_nothing() -> None:
    rows = standings("ab", [finish()])
    assert [(row.played, row.points) for row in rows] == [(0, 0.0), (0, 0.0)]


def test_repeated_games_count_once_in_the_bounds() -> None:
    first = finish(1, 2)
    again = [first, *[replace(first, repeated=True)] * 9]
    best, _ = standings("ab", again)
    assert (best.played, best.points) == (10, 10)
    assert best.bounds == standings("ab", [first])[0].bounds


def test_numbers_in_the_names_of_equal_bots_sort_as_numbers() -> None:
    names = [row.name for row in standings(["b", "team-10", "team-2", "a2b10", "a2b9"], [])]
    assert names == ["a2b9", "a2b10", "b", "team-2", "team-10"]
