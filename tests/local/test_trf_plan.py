"""Plan files made from tournament reports of FIDE."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from referee_values import Policies, RoundRobin, Swiss

from referee.accounts.names import NAME
from referee.cli.tournament import tournament
from referee.contests.contest_errors import MalformedTrf
from referee.contests.tournament.tournament_terms import TournamentFormat
from referee.contests.tournament.trf import to_trf
from referee.local.contest_file import TournamentPlan, read_tournament
from referee.local.toml_validation import BadPlan
from referee.local.trf_plan import plan_of_report
from tests.contests.tournament_harness import play_terms, started


def plan_of(folder: Path, report: str) -> tuple[str, TournamentPlan]:
    """Return the plan file of a report, and what it says."""
    file, plan = folder / "report.trf", folder / "plan.toml"
    file.write_text(report, encoding="utf-8", newline="")
    text = plan_of_report(file, "alquerque")
    plan.write_text(text, encoding="utf-8")
    return text, read_tournament(plan, Policies())


def player(number: int, name: str) -> str:
    return f"001 {number:>4}      {name}\n"


def test_an_exported_swiss_can_be_held_again(tmp_path: Path) -> None:
    terms = play_terms(
        Swiss(rounds=3, accelerated=True),
        b"seed",
        tie_breaks=("buchholz_cut_1", "wins"),
        forbidden_pairs=(("anna", "bert"), ("anna", "nobody")),
    )
    play = started(terms, ["anna", "bert", "carl", "dora"]).play_out()
    text, plan = plan_of(tmp_path, to_trf(play.tournament, 'The "cup" \u2654'))
    assert text == (
        'title = "The \\"cup\\" \u2654"\n'
        'game = "alquerque"\n'
        "swiss = { rounds = 3, accelerated = true }\n"
        'tie_breaks = ["buchholz_cut_1", "wins"]\n'
        'forbidden_pairs = [["anna", "bert"]]\n'
        'entrants = ["anna", "bert", "carl", "dora"]\n'
    )
    assert [entrant.name for entrant in plan.entrants] == ["anna", "bert", "carl", "dora"]


@pytest.mark.parametrize("form", [RoundRobin(cycles=1), RoundRobin(cycles=2)])
def test_an_exported_round_robin_can_be_held_again(tmp_path: Path, form: TournamentFormat) -> None:
    report = to_trf(started(form, "abcd").play_out().tournament, "")
    _, plan = plan_of(tmp_path, report)
    assert plan.terms.round_robin.cycles == form.cycles  # type: ignore[union-attr]  # A round robin, see above.


@pytest.mark.parametrize(
    ("system", "line"),
    [
        ("", "swiss = { rounds = 5 }"),
        ("FIDE_DUTCH_2025_BAKU", "swiss = { rounds = 5, accelerated = true }"),
        ("BERGER_ROUNDROBIN_G3", "round_robin = { cycles = 3 }"),
        ("FIDE_DOUBLEROUNDROBIN", "round_robin = { cycles = 2 }"),
        ("FIDE_ROUNDROBIN", "round_robin = { cycles = 1 }"),
    ],
)
def test_the_system_of_other_programs_is_understood(tmp_path: Path, system: str, line: str) -> None:
    text, _ = plan_of(tmp_path, f"XXR 5\n192 {system}\n{player(1, 'Anna')}{player(2, 'Bert')}")
    assert line in text.splitlines()


def test_players_get_valid_names_that_differ(tmp_path: Path) -> None:
    names = ["M\u00fcller, J\u00f6rg", "Mueller", "M\u00fcller  J\u00f6rg", "007", "\u738b", "x" * 33]
    _, plan = plan_of(tmp_path, "142 5\n" + "".join(player(at, name) for at, name in enumerate(names, 1)))
    found = [entrant.name for entrant in plan.entrants]
    assert found == ["muller-jorg", "mueller", "muller-jorg-3", "p4-007", "p5", "x" * 33]
    assert all(map(NAME.fullmatch, found))


def test_pairs_that_are_kept_apart_only_at_first_are_left_out(tmp_path: Path) -> None:
    field = f"142 5\n{player(1, 'a')}{player(2, 'b')}{player(3, 'c')}"
    text, _ = plan_of(tmp_path, f"{field}260 001 003 0001 0002\n260 001 005 0001 0002 0003\n")
    assert 'forbidden_pairs = [["a", "b"], ["a", "c"], ["b", "c"]]\n' in text
    assert "forbidden" not in plan_of(tmp_path, f"{field}260 001 003 0001 0002\n")[0]


def test_tie_breaks_that_do_not_exist_here_are_named(tmp_path: Path) -> None:
    text, plan = plan_of(tmp_path, f"142 5\n192 FIDE_DUTCH\n202 BH,KS,ARO/C1,BH\n{player(1, 'a')}{player(2, 'b')}")
    assert "# Referee has no tie-break ARO/C1." in text
    assert len(plan.terms.tie_breaks) == 1


@pytest.mark.parametrize(
    ("report", "why"),
    [
        ("012 Nobody\n", "no players"),
        (player(1, "a"), "no number of rounds"),
        (f"192 FIDE_LIM\n{player(1, 'a')}", "FIDE_LIM"),
    ],
)
def test_a_report_without_a_plan_is_rejected(tmp_path: Path, report: str, why: str) -> None:
    with pytest.raises(BadPlan, match=why):
        plan_of(tmp_path, report)


def test_a_file_that_is_missing_malformed_or_too_large_is_an_error_of_one_sentence(tmp_path: Path) -> None:
    missing = CliRunner().invoke(tournament, ["import", str(tmp_path / "none.trf"), "--game", "trox"])
    assert (missing.exit_code, "cannot be read: No such file" in missing.output) == (2, True)
    with pytest.raises(MalformedTrf, match="line 1 of the tournament report has no starting number"):
        plan_of(tmp_path, "001 x\n")
    large = tmp_path / "large.trf"
    with large.open("wb") as file:
        file.truncate(16_000_001)
    with pytest.raises(BadPlan, match="more than 16000000 bytes"):
        plan_of_report(large, "trox")


def test_the_command_writes_the_plan(tmp_path: Path) -> None:
    report, plan = tmp_path / "cup.trf", tmp_path / "cup.toml"
    report.write_text(to_trf(started(Swiss(rounds=1), "ab").play_out().tournament, "Cup"), encoding="utf-8", newline="")
    done = CliRunner().invoke(tournament, ["import", str(report), "--game", "trox", "-o", str(plan)])
    assert (done.exit_code, done.output) == (0, "")
    assert [entrant.name for entrant in read_tournament(plan, Policies()).entrants] == ["a", "b"]
