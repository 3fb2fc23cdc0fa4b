from pathlib import Path
from typing import get_args

import pytest
from referee_values import Elimination, RoundRobin, Swiss, TieBreak

from referee.contests.contest_errors import MalformedTrf, NotExportable
from referee.contests.pairing import DuplicateSets
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.systems.swiss import Acceleration, pair_swiss_round
from referee.contests.tables.round_result import ResultKind
from referee.contests.tournament.commands import RequestBye, StartTournament
from referee.contests.tournament.tournament_pairing import first_has_first_move
from referee.contests.tournament.tournament_terms import SprtTrial, TournamentFormat
from referee.contests.tournament.trf import TIE_BREAK_CODES, to_trf, write_trf
from referee.contests.tournament.trf_reader import read_trf
from tests.contests.test_swiss import read_report
from tests.contests.tournament_harness import entered, started

TRF26 = Path(__file__).parent / "trf26"


@pytest.mark.parametrize("name", ["ten", "eleven", "twenty", "forty", "sixty"])
def test_reading_and_writing_gives_the_same_text(name: str) -> None:
    report = read_report(name)
    assert read_trf(write_trf(report)) == report


def test_a_written_tournament_reads_back_unchanged() -> None:
    play = started(Swiss(rounds=4), "abcdefg")
    play.withdraw("c")
    play.play_out()
    report = read_trf(to_trf(play.tournament, "Bots' open"))
    assert (report.title, report.rounds) == ("Bots' open", 4)
    assert report.table == play.tournament.round_results()
    assert report.ranks == {row.entrant: row.rank for row in play.tournament.standings()}


def test_only_complete_rounds_are_exported() -> None:
    play = started(Swiss(rounds=2), "abcd")
    play.void(play.tournament.due_matches()[0])
    assert all(encounters == [] for encounters in read_trf(to_trf(play.tournament, "")).table.values())


def test_a_line_has_the_layout_of_fide() -> None:
    play = started(RoundRobin(), ["anna", "ben", "carl"]).play_out()
    line = next(line for line in to_trf(play.tournament, "").splitlines() if line.startswith("001"))
    assert line == f"001{1:>5}{'':6}{'anna':<33}{0:>5}{'':28} 2.0    1  0000 - Z     2 w 1     3 b 1"


def test_formats_that_trf_does_not_support_are_an_error() -> None:
    in_sets = started(RoundRobin(), "ab", duplicate=DuplicateSets())
    for play in (started(Elimination(), "ab"), in_sets, started(SprtTrial(SprtParameters(elo1=5)), "ab")):
        with pytest.raises(NotExportable):
            to_trf(play.tournament, "")


def test_points_that_exceed_the_columns_of_a_report_are_an_error() -> None:
    assert "  99.0    1" in to_trf(started(RoundRobin(cycles=99), "ab").play_out().tournament, "")
    with pytest.raises(NotExportable, match="no column for more than"):
        to_trf(started(RoundRobin(cycles=100), "ab").play_out().tournament, "")


def test_a_swiss_says_how_it_is_paired_and_ranked() -> None:
    play = started(
        Swiss(rounds=5, accelerated=True),
        "abcdefgh",
        tie_breaks=("buchholz_cut_1", "median_buchholz", "progressive"),
        forbidden_pairs=(("h", "a"), ("a", "nobody")),
        max_requested_byes=2,
    )
    play.do(RequestBye("c", 3, "half_point", "ann"))
    play.do(RequestBye("d", 3, "zero_point", "ann"))
    lines = to_trf(play.tournament, "Cup").split("\r\n")
    assert lines[:7] == [
        "012 Cup",
        "062 8",
        "142 5",
        f"152 {'W' if first_has_first_move(play.tournament) else 'B'}",
        "192 FIDE_DUTCH_BAKU",
        "202 BH/C1,BH/M1,PS",
        "212 PTS,BH/C1,BH/M1,PS",
    ]
    assert lines[15:] == [
        "240 H 003 0003",
        "240 Z 003 0004",
        "250       1.0 001 002 0001 0004",
        "250       0.5 003 003 0001 0004",
        "260 001 005 0001 0008",
        "",
    ]


def test_entrants_of_one_owner_are_forbidden_pairs_of_the_first_half() -> None:
    play = entered(Swiss(rounds=5), "")
    for name in "abcdef":
        play.enter(name, owners=("olga",) if name in "ace" else (name,))
    play.do(StartTournament())
    assert to_trf(play.tournament, "").splitlines()[-1] == "260 001 003 0001 0003 0005"


def test_requested_byes_of_past_rounds_are_results() -> None:
    play = entered(Swiss(rounds=3), "abcdef", max_requested_byes=2)
    play.do(RequestBye("a", 1, "half_point", "ann"))
    play.do(RequestBye("a", 3, "half_point", "ann"))
    play.do(StartTournament())
    while play.tournament.complete_rounds < 1:
        play.play_out_one()
    assert [line for line in to_trf(play.tournament, "").splitlines() if line.startswith("240")] == ["240 H 003 0001"]


@pytest.mark.parametrize(
    ("form", "names", "code", "rounds"),
    [
        (RoundRobin(), "abcd", "BERGER_ROUNDROBIN_G1", 3),
        (RoundRobin(cycles=2), "abc", "BERGER_ROUNDROBIN_G2", 6),
        (RoundRobin(cycles=2), "abcd", "FIDE_DOUBLEROUNDROBIN", 6),
        (RoundRobin(cycles=3), "abcd", "CUSTOM_ROUNDROBIN", 9),
        (Swiss(rounds=2), "abcd", "FIDE_DUTCH", 2),
    ],
)
def test_the_system_is_fides_code(form: TournamentFormat, names: str, code: str, rounds: int) -> None:
    report = read_trf(to_trf(started(form, names).tournament, ""))
    assert (report.system, report.rounds) == (code, rounds)


def test_every_tie_break_of_single_entrants_has_a_code() -> None:
    assert set(get_args(TieBreak)) - TIE_BREAK_CODES.keys() == {"", "board_points"}


@pytest.mark.parametrize("name", ["byes", "forbidden", "accelerated"])
def test_bbp_pairings_reads_what_we_write_and_pairs_likewise(name: str) -> None:
    """The files were exported during a tournament. bbpPairings 6.0.0 paired the next round of each: the last lines."""
    text = (TRF26 / f"{name}.trf").read_text(encoding="utf-8")
    report = read_trf(text)
    assert write_trf(report).replace("\r\n", "\n") == text[: text.index("###")]
    names = [*report.table]
    number = 1 + len(report.table[names[0]])
    away = {player for _, coming, player in report.requested_byes if coming == number}
    upper = frozenset(names[: report.virtual_points[0].players[1]] if report.virtual_points else ())
    pairings = pair_swiss_round(
        report.table,
        [player for player in names if player not in away],
        report.rounds,
        first_has_first_move=report.first_colour == "W",
        acceleration=Acceleration(upper, report.rounds),
        forbidden={frozenset(group.players) for group in report.forbidden},
    )
    ours = {" ".join(str(names.index(bot) + 1) for bot in pair.entrants) + " 0" * pair.is_bye for pair in pairings}
    assert ours == {line[4:] for line in text.splitlines() if line.startswith("### ")}
    assert away or report.forbidden


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ("152 white", "has no colour W or B"),
        ("240 H 00x 0001", "has no round"),
        ("240 H 002 000x", "has no player"),
        ("240 H 002 0007", "has a player 7 that is not in the file"),
        ("250       x.0 001 002 0001 0004", "has no virtual points"),
        ("250       1.0 001 00x 0001 0004", "has no range of rounds and players"),
        ("260 001 005 0001 000x", "has no player"),
        ("260 001 x05 0001 0002", "has no range of rounds"),
        ("142 1001", "has no number of rounds"),
        ("001    1" + " " * 40 + "many", "has a rating that is no number"),
        ("001    1" + " " * 77 + "1st", "has a rank that is no number"),
        ("001    x", "has no starting number"),
        ("001    1" + " " * 83 + "   2 w 1", "has an opponent 2 that is not in the file"),
        ("001    1" + " " * 83 + "   2 w ?", "has an unknown result"),
        ("XXR many", "has no number of rounds"),
    ],
)
def test_a_malformed_report_names_the_line_and_the_problem(broken: str, why: str) -> None:
    with pytest.raises(MalformedTrf, match=f"line 2 of the tournament report {why}"):
        read_trf(f"012 Broken\n{broken}\n")


def test_a_report_of_too_many_lines_is_not_read() -> None:
    with pytest.raises(MalformedTrf, match="line 20001 of the tournament report is one more than the limit"):
        read_trf("\n" * 20_001)


def test_a_repeated_starting_number_is_an_error_and_a_blank_round_counts_as_missed() -> None:
    first, second = (f"001 {number:>4}      {name:<33}".ljust(91) for number, name in [(1, "anna"), (2, "ben")])
    report = read_trf(f"{first}0000 - U  {2:>4} w 1\n{second}{'':10}{1:>4} b 0\n")
    assert [encounter.kind for encounter in report.table["ben"]] == [ResultKind.MISSED, ResultKind.PLAYED]
    with pytest.raises(MalformedTrf, match="line 2 of the tournament report has the starting number 1 again"):
        read_trf(f"{first}\n{first}\n")
