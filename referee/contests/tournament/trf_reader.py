"""Reads FIDE's tournament reports: the format of 2026 (TRF26), the one before, and the number of rounds in XXR."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from referee.contests.contest_errors import MalformedTrf
from referee.contests.tables.round_result import DRAW, LOSS, MISSED, WIN, ResultKind, RoundResult
from referee.contests.tournament.trf import COLOURS, PLAYED, POINTS_CODE, ForbiddenGroup, TrfReport, VirtualPoints

FIRST_ROUND, ROUND_WIDTH = 91, 10
MAX_TRF_LINES = 20_000
"""Limit of lines, so that a file which is no report is not read to its end."""
MAX_TRF_ROUNDS = 1_000

NO_RATING, NO_RANK = "has a rating that is no number", "has a rank that is no number"

READ: dict[str, tuple[ResultKind, float]] = {
    **{sign: (ResultKind.PLAYED, points) for points, sign in PLAYED.items()},
    **{sign: (ResultKind.PLAYED, points) for sign, points in {"W": WIN, "D": DRAW, "L": LOSS}.items()},
    "U": (ResultKind.BYE, WIN),
    "F": (ResultKind.BYE, WIN),
    "+": (ResultKind.UNOPPOSED, WIN),
    "-": (ResultKind.ABSENT, LOSS),
    "H": (ResultKind.MISSED, DRAW),
    "Z": (ResultKind.MISSED, LOSS),
}


_Line = tuple[int, str]
"""A line with its number."""
_Names = Mapping[int, str]
"""Names of the players by starting number."""


def read_trf(text: str) -> TrfReport:
    """Parse a report. Other records, such as those of teams and dates, are ignored. Raises MalformedTrf."""
    records: defaultdict[str, list[_Line]] = defaultdict(list)
    for number, line in enumerate(re.split("\r\n|\r|\n", text), start=1):
        if number > MAX_TRF_LINES:
            raise MalformedTrf(number, f"is one more than the limit of {MAX_TRF_LINES}")
        records[line[:3]].append((number, line))
    players = _read_players(records["001"])
    names = _unique_names({number: line[14:47].strip() for number, (_, line) in players.items()})
    rows = [(names[number], line, at) for number, (at, line) in players.items()]
    most = min(MAX_TRF_ROUNDS, max((_round_count(line) for _, line, _ in rows), default=0))
    rounds = [
        _parse_number(line[4:], number, "has no number of rounds", MAX_TRF_ROUNDS)
        for number, line in sorted(records["142"] + records["XXR"])
    ]
    return TrfReport(
        _last(records["012"]),
        rounds[-1] if rounds else 0,
        {name: _results(line, at, names, most) for name, line, at in rows},
        {name: _parse_number(line[48:52].strip() or "0", at, NO_RATING) for name, line, at in rows},
        {name: _parse_number(line[85:89], at, NO_RANK) for name, line, at in rows if line[85:89].strip()},
        _read_first_colour(records["152"]),
        _last(records["192"]).upper(),
        _read_tie_breaks(_last(sorted(records["202"] + records["212"]))),
        tuple(bye for number, line in records["240"] for bye in _read_byes(line, number, names)),
        tuple(_read_virtual_points(line, number) for number, line in records["250"]),
        tuple(_read_forbidden(line, number, names) for number, line in records["260"]),
    )


def _last(lines: Sequence[_Line]) -> str:
    """Return what the last of these lines says. Empty: there are none."""
    return lines[-1][1][4:].strip() if lines else ""


def _read_players(lines: Iterable[_Line]) -> dict[int, _Line]:
    """Return the line of each player by starting number, in the order of these."""
    players: dict[int, _Line] = {}
    for number, line in lines:
        player = _parse_number(line[4:8], number, "has no starting number")
        if player in players:
            raise MalformedTrf(number, f"has the starting number {player} again")
        players[player] = (number, line)
    return dict(sorted(players.items()))


def _read_first_colour(lines: Sequence[_Line]) -> str:
    colours = [line[4:].strip().upper() for _, line in lines]
    for (number, _), colour in zip(lines, colours, strict=True):
        if colour not in {"W", "B"}:
            raise MalformedTrf(number, "has no colour W or B")
    return colours[-1] if colours else ""


def _read_tie_breaks(said: str) -> tuple[str, ...]:
    codes = [code.strip().upper() for code in said.split(",")]
    return tuple(code for code in codes if code and code != POINTS_CODE)


def _read_byes(line: str, number: int, names: _Names) -> list[tuple[str, int, str]]:
    coming = _parse_number(line[6:9], number, "has no round", MAX_TRF_ROUNDS)
    return [(line[4:5].upper(), coming, player) for player in _read_names(line[10:], number, names)]


def _read_virtual_points(line: str, number: int) -> VirtualPoints:
    points = line[9:13].strip()
    if not points.replace(".", "", 1).isdecimal():
        raise MalformedTrf(number, "has no virtual points")
    first, last, lowest, highest = (
        _parse_number(line[start:end], number, "has no range of rounds and players")
        for start, end in ((14, 17), (18, 21), (22, 26), (27, 31))
    )
    return VirtualPoints(float(points), (first, last), (lowest, highest))


def _read_forbidden(line: str, number: int, names: _Names) -> ForbiddenGroup:
    first, last = (_parse_number(column, number, "has no range of rounds") for column in (line[4:7], line[8:11]))
    return ForbiddenGroup(tuple(_read_names(line[12:], number, names)), (first, last))


def _read_names(columns: str, line_number: int, names: _Names) -> list[str]:
    numbers = [_parse_number(word, line_number, "has no player") for word in columns.split()]
    for number in numbers:
        if number not in names:
            raise MalformedTrf(line_number, f"has a player {number} that is not in the file")
    return [names[number] for number in numbers]


def _unique_names(named: _Names) -> dict[int, str]:
    """Append the starting number to names that are empty or not unique."""
    shared = {name for name, many in Counter(named.values()).items() if not name or many > 1}
    return {number: f"{name} {number}".strip() if name in shared else name for number, name in named.items()}


def _round_count(line: str) -> int:
    return (len(line.rstrip()) - FIRST_ROUND + ROUND_WIDTH - 1) // ROUND_WIDTH


def _results(line: str, line_number: int, names: _Names, rounds: int) -> Sequence[RoundResult]:
    starts = range(FIRST_ROUND, FIRST_ROUND + rounds * ROUND_WIDTH, ROUND_WIDTH)
    return [_result(line[start : start + ROUND_WIDTH - 2], line_number, names) for start in starts]


def _result(cell: str, line_number: int, names: _Names) -> RoundResult:
    """Parse the columns of a round. A blank round was missed."""
    if not cell.strip():
        return MISSED
    sign = cell[7:8].upper() or " "
    if sign not in READ:
        raise MalformedTrf(line_number, f"has an unknown result {sign!r}")
    kind, points = READ[sign]
    number = _parse_number(cell[:4].strip() or "0", line_number, "has an opponent without a number")
    if number == 0:
        return RoundResult(kind, points)
    if number not in names:
        raise MalformedTrf(line_number, f"has an opponent {number} that is not in the file")
    if kind is not ResultKind.PLAYED:
        return RoundResult(kind, points, ((names[number], points),))
    colour = cell[5].lower()
    return played_result(points, names[number], COLOURS.index(colour) if colour in COLOURS else None)


def _parse_number(text: str, line_number: int, why: str, most: int = 9_999) -> int:
    if not text.strip().isdecimal() or len(text.strip()) > 4 or int(text) > most:
        raise MalformedTrf(line_number, why)
    return int(text)


def played_result(points: float, opponent: str, seat: int | None = None) -> RoundResult:
    """Return the result of one match of two."""
    return RoundResult(ResultKind.PLAYED, points, ((opponent, points),), seat, wins=points == WIN, draws=points == DRAW)
