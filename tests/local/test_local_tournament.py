"""A tournament is checked before any bot is started, ends when its matches are void, and has a folder of its own."""

from collections.abc import AsyncGenerator
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from referee_values import Pairing, Policies, Tournament, TournamentEntry

from engines.game_errors import DetailedError
from referee.local.contest_file import read_tournament
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
        ("swiss = {}", "rounds must be from 1 to 1000"),
        ("swiss = { rounds = 3 }", "takes 4 to 1000 entrants, not 3"),
        ('gauntlet = { challengers = ["a", "b", "c"] }', "challengers are all entrants"),
        ('tie_breaks = ["wins", "wins"]', "contain a repetition"),
        ("last_entry_round = 1", "only Swiss and pools"),
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
