import csv
import json

import pytest

from referee.contests.contest_errors import TrfNotAvailable
from referee.contests.pairing import DuplicateSets, MatchScore
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.tables.round_result import ResultKind
from referee.contests.tournament.commands import RecordTournamentScore, StartTournamentMatch, WithdrawEntrant
from referee.contests.tournament.tournament_export import to_csv, to_json, to_trf, write_trf
from referee.contests.tournament.tournament_terms import Elimination, RoundRobin, SprtTrial, Swiss, TournamentPlayTerms
from tests.contests.test_swiss import read_report
from tests.contests.tournament_harness import started
from tests.contests.trf_reader import MalformedTrf, read_trf


@pytest.mark.parametrize("name", ["ten", "eleven", "twenty", "forty", "sixty"])
def test_reading_and_writing_gives_the_same_text(name: str) -> None:
    report = read_report(name)
    assert read_trf(write_trf(report)) == report


def test_a_written_tournament_reads_back_unchanged() -> None:
    play = started(Swiss(4), "abcdefg")
    play.do(WithdrawEntrant("c"))
    play.play_out()
    report = read_trf(to_trf(play.tournament, "Bots' open"))
    assert (report.title, report.rounds) == ("Bots' open", 4)
    assert report.table == play.tournament.round_results()
    assert report.ranks == {row.entrant: row.rank for row in play.tournament.standings()}


def test_only_complete_rounds_are_exported() -> None:
    play = started(Swiss(2), "abcd")
    for due in play.tournament.due_matches()[:1]:
        play.void(due)
    assert all(encounters == [] for encounters in read_trf(to_trf(play.tournament, "")).table.values())


def test_a_line_has_the_layout_of_fide() -> None:
    play = started(RoundRobin(), ["anna", "ben", "carl"]).play_out()
    line = to_trf(play.tournament, "").splitlines()[3]
    assert line == f"001{1:>5}{'':6}{'anna':<33}{0:>5}{'':28} 2.0    1  0000 - Z     2 w 1     3 b 1"


def test_formats_that_trf_does_not_support_are_an_error() -> None:
    with pytest.raises(TrfNotAvailable):
        to_trf(started(Elimination(), "ab").tournament, "")
    with pytest.raises(TrfNotAvailable):
        to_trf(started(TournamentPlayTerms(RoundRobin(), b"", duplicate=DuplicateSets()), "ab").tournament, "")


def test_points_that_exceed_the_columns_of_a_report_are_an_error() -> None:
    assert "  99.0    1" in to_trf(started(RoundRobin(99), "ab").play_out().tournament, "")
    with pytest.raises(TrfNotAvailable, match="no column for more than"):
        to_trf(started(RoundRobin(100), "ab").play_out().tournament, "")


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ("001    x", "has no starting number"),
        ("001    1" + " " * 83 + "   2 w 1", "has an opponent 2 that is not in the file"),
        ("001    1" + " " * 83 + "   2 w ?", "has an unknown result"),
        ("XXR many", "has no number of rounds"),
    ],
)
def test_a_malformed_report_names_the_line_and_the_problem(broken: str, why: str) -> None:
    with pytest.raises(MalformedTrf, match=f"line 2 of the tournament report {why}"):
        read_trf(f"012 Broken\n{broken}\n")


def test_the_csv_has_a_column_for_each_opponent() -> None:
    rows = list(csv.reader(to_csv(started(RoundRobin(), "abc").play_out().tournament).splitlines()))
    assert rows[0] == ["rank", "entrant", "points", "direct_encounter", "sonneborn_berger", "wins", "a", "b", "c"]
    assert [row[:3] + row[6:] for row in rows[1:]] == [
        ["1", "a", "2", "", "1", "1"],
        ["2", "b", "1", "0", "", "1"],
        ["3", "c", "0", "0", "0", ""],
    ]


def test_the_json_has_standings_cross_table_and_pairings() -> None:
    report = json.loads(to_json(started(Swiss(1), "abc").play_out().tournament))
    assert report["phase"] == "finished"
    assert [(row["entrant"], row["points"]) for row in report["standings"]] == [("c", 1), ("a", 1), ("b", 0)]
    assert report["cross_table"] == {"a": {"b": 1}, "b": {"a": 0}, "c": {}}
    assert [(sorted(it["entrants"]), sorted(it["points"])) for it in report["pairings"]] == [
        (["a", "b"], [0, 1]),
        (["c"], [1]),
    ]


def test_the_json_has_forfeits_estimates_and_match_ids() -> None:
    play = started(RoundRobin(), "ab")
    play.do(StartTournamentMatch("1.1", 1, 1, "m1"))
    assert json.loads(to_json(play.tournament))["standings"][0]["estimate"] is None
    play.do(RecordTournamentScore("1.1", 1, 1, MatchScore((2, 1), ("a",))))

    report = json.loads(to_json(play.tournament))
    best, other = report["standings"]
    assert (best["entrant"], best["forfeits"], other["forfeits"]) == ("b", 0, 1)
    assert best["estimate"]["elo"] == -other["estimate"]["elo"] > 0
    assert report["pairings"][0]["match_ids"] == ["m1"]
    assert report["test"] is None


def test_the_json_of_a_trial_has_the_state_of_the_test() -> None:
    play = started(TournamentPlayTerms(SprtTrial(SprtParameters(elo1=5, max_matches=4)), b""), "ab").play_out()

    report = json.loads(to_json(play.tournament))["test"]
    assert (report["verdict"], report["counts"], report["matches"]) == ("undecided", [0, 0, 0, 0, 2], 4)
    assert report["lower"] < report["llr"] < report["upper"]
    with pytest.raises(TrfNotAvailable):
        to_trf(play.tournament, "")


def test_a_repeated_starting_number_is_an_error_and_a_blank_round_counts_as_missed() -> None:
    first, second = (f"001 {number:>4}      {name:<33}".ljust(91) for number, name in [(1, "anna"), (2, "ben")])
    report = read_trf(f"{first}0000 - U  {2:>4} w 1\n{second}{'':10}{1:>4} b 0\n")
    assert [encounter.kind for encounter in report.table["ben"]] == [ResultKind.MISSED, ResultKind.PLAYED]
    with pytest.raises(MalformedTrf, match="line 2 of the tournament report has the starting number 1 again"):
        read_trf(f"{first}\n{first}\n")
