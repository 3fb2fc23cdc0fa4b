"""Tournament report files of FIDE (TRF16), with the XX lines of pairing programs.

Two-sided tournaments of single matches are written, so that external checkers can pair and rank them again. Files of
other programs can be read. Columns are fixed: the line of a player has the starting number in 5-8, the name in 15-47,
the rating in 49-52, points in 81-84, the rank in 86-89; from 92 on, ten columns for each round have the opponent, the
colour and the result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.contests.contest_errors import MalformedTrf
from referee.contests.tables.round_result import (
    DRAW,
    LOSS,
    WIN,
    ResultKind,
    RoundResult,
    RoundResults,
    played_result,
    total_points,
)

FIRST_ROUND, ROUND_WIDTH = 91, 10
MAX_TRF_POINTS = 99.5
"""Limit of the four columns, in steps of half a point."""
COLOURS = "wb"
NOBODY = "0000"

PLAYED = {WIN: "1", DRAW: "=", LOSS: "0"}
UNPLAYED = {
    ResultKind.BYE: "U",
    ResultKind.UNOPPOSED: "+",
    ResultKind.ABSENT: "-",
    ResultKind.EXCUSED: "H",
    ResultKind.MISSED: "Z",
}
READ: dict[str, tuple[ResultKind, float]] = {
    **{sign: (ResultKind.PLAYED, points) for points, sign in PLAYED.items()},
    **{sign: (ResultKind.PLAYED, points) for sign, points in {"W": WIN, "D": DRAW, "L": LOSS}.items()},
    "U": (ResultKind.BYE, WIN),
    "F": (ResultKind.BYE, WIN),
    "+": (ResultKind.UNOPPOSED, WIN),
    "-": (ResultKind.ABSENT, LOSS),
    "H": (ResultKind.EXCUSED, DRAW),
    "Z": (ResultKind.MISSED, LOSS),
}


@dataclass(frozen=True, slots=True)
class TrfReport:
    """The contents of a report."""

    title: str
    rounds: int
    """Planned number of rounds. 0 if the file does not say."""
    table: RoundResults
    """Results of the entrants, in the order of starting numbers."""
    ratings: Mapping[str, int]
    ranks: Mapping[str, int]
    """Empty if the file does not say."""


def write_trf(report: TrfReport) -> str:
    """Return the report as text. Names are cut to 33 characters, ratings are limited to 0-9999.

    No entrant may have more than MAX_TRF_POINTS, because all later columns would shift.
    """
    numbers = {name: number for number, name in enumerate(report.table, start=1)}
    head = [f"012 {report.title}", f"062 {len(numbers)}", f"XXR {report.rounds}"]
    lines = [_player_line(report, name, numbers) for name in report.table]
    return "\n".join([*head, *lines]) + "\n"


def read_trf(text: str) -> TrfReport:
    """Parse a report. Lines without pairings or results are ignored. Raises MalformedTrf."""
    title, rounds = "", 0
    players: dict[int, tuple[int, str]] = {}
    for line_number, line in enumerate(text.splitlines(), start=1):
        tag, rest = line[:3], line[4:].strip()
        if tag == "012":
            title = rest
        elif tag in {"XXR", "142"}:
            rounds = _parse_number(rest, line_number, "has no number of rounds")
        elif tag == "001":
            number = _parse_number(line[4:8], line_number, "has no starting number")
            if number in players:
                raise MalformedTrf(line_number, f"has the starting number {number} again")
            players[number] = (line_number, line)
    return _report(title, rounds, dict(sorted(players.items())))


def _player_line(report: TrfReport, name: str, numbers: Mapping[str, int]) -> str:
    results = report.table[name]
    rating = min(9999, max(0, report.ratings.get(name, 0)))
    rank = report.ranks.get(name, "")
    head = f"001 {numbers[name]:>4}      {name[:33]:<33} {rating:>4}"
    return f"{head:<80}{total_points(results):>4.1f} {rank:>4}" + "".join(_round_columns(it, numbers) for it in results)


def _round_columns(result: RoundResult, numbers: Mapping[str, int]) -> str:
    opponent = str(numbers[result.opponents[0]]) if result.points_against else NOBODY
    colour = "-" if result.seat is None else COLOURS[result.seat]
    sign = UNPLAYED[result.kind] if result.kind is not ResultKind.PLAYED else PLAYED[result.points]
    return f"  {opponent:>4} {colour} {sign}"


def _report(title: str, rounds: int, players: Mapping[int, tuple[int, str]]) -> TrfReport:
    names = _unique_names({number: line[14:47].strip() for number, (_, line) in players.items()})
    ranks = {names[number]: line[85:89].strip() for number, (_, line) in players.items()}
    most = max((_round_count(line) for _, line in players.values()), default=0)
    return TrfReport(
        title,
        rounds,
        {names[number]: _results(line, line_number, names, most) for number, (line_number, line) in players.items()},
        {names[number]: int(line[48:52].strip() or 0) for number, (_, line) in players.items()},
        {name: int(rank) for name, rank in ranks.items() if rank},
    )


def _unique_names(named: Mapping[int, str]) -> dict[int, str]:
    """Append the starting number to names that are empty or not unique."""
    shared = {name for name in named.values() if not name or list(named.values()).count(name) > 1}
    return {number: f"{name} {number}".strip() if name in shared else name for number, name in named.items()}


def _round_count(line: str) -> int:
    return (len(line.rstrip()) - FIRST_ROUND + ROUND_WIDTH - 1) // ROUND_WIDTH


def _results(line: str, line_number: int, names: Mapping[int, str], rounds: int) -> Sequence[RoundResult]:
    starts = range(FIRST_ROUND, FIRST_ROUND + rounds * ROUND_WIDTH, ROUND_WIDTH)
    return [_result(line[start : start + ROUND_WIDTH - 2], line_number, names) for start in starts]


def _result(cell: str, line_number: int, names: Mapping[int, str]) -> RoundResult:
    """Parse the columns of a round. A blank round was missed."""
    if not cell.strip():
        return RoundResult(ResultKind.MISSED, LOSS)
    sign = cell[7:8].upper()
    if sign not in READ:
        raise MalformedTrf(line_number, f"has an unknown result {sign!r}")
    kind, points = READ[sign]
    number = _parse_number(cell[:4], line_number, "has an opponent without a number")
    if number == 0:
        return RoundResult(kind, points)
    if number not in names:
        raise MalformedTrf(line_number, f"has an opponent {number} that is not in the file")
    if kind is not ResultKind.PLAYED:
        return RoundResult(kind, points, ((names[number], points),))
    return played_result(points, names[number], COLOURS.index(cell[5]) if cell[5] in COLOURS else None)


def _parse_number(text: str, line_number: int, why: str) -> int:
    if not text.strip().isdecimal():
        raise MalformedTrf(line_number, why)
    return int(text)
