"""Reads tournament report files of FIDE (TRF16), of ours and of other programs."""

from collections.abc import Mapping, Sequence

from referee.contests.tables.round_result import (
    DRAW,
    LOSS,
    WIN,
    ResultKind,
    RoundResult,
)
from referee.contests.tournament.tournament_export import COLOURS, PLAYED, TrfReport

FIRST_ROUND, ROUND_WIDTH = 91, 10

READ: dict[str, tuple[ResultKind, float]] = {
    **{sign: (ResultKind.PLAYED, points) for points, sign in PLAYED.items()},
    **{sign: (ResultKind.PLAYED, points) for sign, points in {"W": WIN, "D": DRAW, "L": LOSS}.items()},
    "U": (ResultKind.BYE, WIN),
    "F": (ResultKind.BYE, WIN),
    "+": (ResultKind.UNOPPOSED, WIN),
    "-": (ResultKind.ABSENT, LOSS),
    "H": (ResultKind.MISSED, DRAW),  # A requested bye with half a point, which our tournaments do not have.
    "Z": (ResultKind.MISSED, LOSS),
}


class MalformedTrf(Exception):
    """A tournament report that cannot be read."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line} of the tournament report {why}")


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


def played_result(points: float, opponent: str, seat: int | None = None) -> RoundResult:
    """Return the result of one match of two."""
    return RoundResult(ResultKind.PLAYED, points, ((opponent, points),), seat, wins=points == WIN, draws=points == DRAW)
