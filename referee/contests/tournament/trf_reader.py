"""Reads FIDE's tournament reports: the format of 2026 (TRF26), the one before, and the number of rounds in XXR."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

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


@dataclass(slots=True)
class _Content:
    """What was read so far. Players are still numbers, because a record may precede theirs."""

    title: str = ""
    rounds: int = 0
    first_colour: str = ""
    system: str = ""
    tie_breaks: tuple[str, ...] = ()
    players: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Line number and line, by starting number."""
    byes: list[tuple[str, int, int, int]] = field(default_factory=list)
    """Line number last."""
    virtual_points: list[VirtualPoints] = field(default_factory=list)
    forbidden: list[tuple[list[int], tuple[int, int], int]] = field(default_factory=list)
    """Players, rounds and line number."""


def read_trf(text: str) -> TrfReport:
    """Parse a report. Other records, such as those of teams and dates, are ignored. Raises MalformedTrf."""
    content = _Content()
    for number, line in enumerate(re.split("\r\n|\r|\n", text), start=1):
        if number > MAX_TRF_LINES:
            raise MalformedTrf(number, f"is one more than the limit of {MAX_TRF_LINES}")
        if reader := READERS.get(line[:3]):
            reader(content, line, number)
    return _report(content)


def _read_title(content: _Content, line: str, _: int) -> None:
    content.title = line[4:].strip()


def _read_rounds(content: _Content, line: str, number: int) -> None:
    content.rounds = _parse_number(line[4:], number, "has no number of rounds", MAX_TRF_ROUNDS)


def _read_first_colour(content: _Content, line: str, number: int) -> None:
    content.first_colour = line[4:].strip().upper()
    if content.first_colour not in {"W", "B"}:
        raise MalformedTrf(number, "has no colour W or B")


def _read_system(content: _Content, line: str, _: int) -> None:
    content.system = line[4:].strip().upper()


def _read_tie_breaks(content: _Content, line: str, _: int) -> None:
    codes = [code.strip().upper() for code in line[4:].split(",")]
    content.tie_breaks = tuple(code for code in codes if code and code != POINTS_CODE)


def _read_player(content: _Content, line: str, number: int) -> None:
    player = _parse_number(line[4:8], number, "has no starting number")
    if player in content.players:
        raise MalformedTrf(number, f"has the starting number {player} again")
    content.players[player] = (number, line)


def _read_byes(content: _Content, line: str, number: int) -> None:
    coming = _parse_number(line[6:9], number, "has no round", MAX_TRF_ROUNDS)
    for player in line[10:].split():
        content.byes.append((line[4:5].upper(), coming, _parse_number(player, number, "has no player"), number))


def _read_virtual_points(content: _Content, line: str, number: int) -> None:
    points = line[9:13].strip()
    if not points.replace(".", "", 1).isdecimal():
        raise MalformedTrf(number, "has no virtual points")
    first, last, lowest, highest = (
        _parse_number(line[start:end], number, "has no range of rounds and players")
        for start, end in ((14, 17), (18, 21), (22, 26), (27, 31))
    )
    content.virtual_points.append(VirtualPoints(float(points), (first, last), (lowest, highest)))


def _read_forbidden(content: _Content, line: str, number: int) -> None:
    first, last = (_parse_number(column, number, "has no range of rounds") for column in (line[4:7], line[8:11]))
    players = [_parse_number(word, number, "has no player") for word in line[12:].split()]
    content.forbidden.append((players, (first, last), number))


READERS: dict[str, Callable[[_Content, str, int], None]] = {
    "001": _read_player,
    "012": _read_title,
    "142": _read_rounds,
    "XXR": _read_rounds,
    "152": _read_first_colour,
    "192": _read_system,
    "202": _read_tie_breaks,
    "212": _read_tie_breaks,
    "240": _read_byes,
    "250": _read_virtual_points,
    "260": _read_forbidden,
}


def _report(content: _Content) -> TrfReport:
    players = dict(sorted(content.players.items()))
    names = _unique_names({number: line[14:47].strip() for number, (_, line) in players.items()})
    rows = players.items()
    most = min(MAX_TRF_ROUNDS, max((_round_count(line) for _, line in players.values()), default=0))
    return TrfReport(
        content.title,
        content.rounds,
        {names[number]: _results(line, at, names, most) for number, (at, line) in players.items()},
        {names[number]: _parse_number(line[48:52].strip() or "0", at, NO_RATING) for number, (at, line) in rows},
        {names[number]: _parse_number(line[85:89], at, NO_RANK) for number, (at, line) in rows if line[85:89].strip()},
        content.first_colour,
        content.system,
        content.tie_breaks,
        tuple((sign, coming, _name(names, player, at)) for sign, coming, player, at in content.byes),
        tuple(content.virtual_points),
        tuple(
            ForbiddenGroup(tuple(_name(names, player, at) for player in players), rounds)
            for players, rounds, at in content.forbidden
        ),
    )


def _name(names: Mapping[int, str], number: int, line_number: int) -> str:
    if number not in names:
        raise MalformedTrf(line_number, f"has a player {number} that is not in the file")
    return names[number]


def _unique_names(named: Mapping[int, str]) -> dict[int, str]:
    """Append the starting number to names that are empty or not unique."""
    shared = {name for name, many in Counter(named.values()).items() if not name or many > 1}
    return {number: f"{name} {number}".strip() if name in shared else name for number, name in named.items()}


def _round_count(line: str) -> int:
    return (len(line.rstrip()) - FIRST_ROUND + ROUND_WIDTH - 1) // ROUND_WIDTH


def _results(line: str, line_number: int, names: Mapping[int, str], rounds: int) -> Sequence[RoundResult]:
    starts = range(FIRST_ROUND, FIRST_ROUND + rounds * ROUND_WIDTH, ROUND_WIDTH)
    return [_result(line[start : start + ROUND_WIDTH - 2], line_number, names) for start in starts]


def _result(cell: str, line_number: int, names: Mapping[int, str]) -> RoundResult:
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
