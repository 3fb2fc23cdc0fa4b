"""Tournament reports as chess programs exchange them (FIDE's TRF16, with the XX lines that pairing programs add).

Written are two-sided tournaments of single matches, so that outside checkers can pair and rank them again;
read are anybody's. Columns are fixed: a player's line has the starting number in 5-8, the name in 15-47, the
rating in 49-52, the points in 81-84, the rank in 86-89, and from 92 on ten columns a round: whom, with which
colour, with which result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.contest.encounters import DRAW, LOSS, WIN, Encounter, How, Table, one_match, score
from referee.contest.refusals import MalformedTrf

FIRST_ROUND, ROUND_WIDTH = 91, 10
POINTS_AT_MOST = 99.5
"""In steps of half a point: four columns take no more."""
COLOURS = "wb"
NOBODY = "0000"

PLAYED = {WIN: "1", DRAW: "=", LOSS: "0"}
UNPLAYED = {How.BYE: "U", How.UNOPPOSED: "+", How.ABSENT: "-", How.EXCUSED: "H", How.MISSED: "Z"}
READ: dict[str, tuple[How, float]] = {
    **{sign: (How.PLAYED, points) for points, sign in PLAYED.items()},
    **{sign: (How.PLAYED, points) for sign, points in {"W": WIN, "D": DRAW, "L": LOSS}.items()},
    "U": (How.BYE, WIN),
    "F": (How.BYE, WIN),
    "+": (How.UNOPPOSED, WIN),
    "-": (How.ABSENT, LOSS),
    "H": (How.EXCUSED, DRAW),
    "Z": (How.MISSED, LOSS),
}


@dataclass(frozen=True, slots=True)
class Report:
    """A tournament, as a file tells it."""

    title: str
    rounds: int
    """How many there will be; 0 if the file does not say."""
    table: Table
    """In the order of starting numbers."""
    ratings: Mapping[str, int]
    ranks: Mapping[str, int]
    """Empty if the file does not say."""


def write_trf(report: Report) -> str:
    """The report as text. A name longer than 33 characters is cut, a rating above 9999 or below 0 too.

    Nobody may have more than POINTS_AT_MOST: all that follows would stand in the wrong columns.
    """
    numbers = {name: number for number, name in enumerate(report.table, start=1)}
    head = [f"012 {report.title}", f"062 {len(numbers)}", f"XXR {report.rounds}"]
    lines = [_player(report, name, numbers) for name in report.table]
    return "\n".join([*head, *lines]) + "\n"


def read_trf(text: str) -> Report:
    """Raises MalformedTrf. Lines that say nothing about pairings and results are passed over."""
    title, rounds = "", 0
    players: dict[int, tuple[int, str]] = {}
    for at, line in enumerate(text.splitlines(), start=1):
        tag, rest = line[:3], line[4:].strip()
        if tag == "012":
            title = rest
        elif tag in {"XXR", "142"}:
            rounds = _number(rest, at, "has no number of rounds")
        elif tag == "001":
            number = _number(line[4:8], at, "has no starting number")
            if number in players:
                raise MalformedTrf(at, f"has the starting number {number} again")
            players[number] = (at, line)
    return _report(title, rounds, dict(sorted(players.items())))


def _player(report: Report, name: str, numbers: Mapping[str, int]) -> str:
    encounters = report.table[name]
    rating = min(9999, max(0, report.ratings.get(name, 0)))
    rank = report.ranks.get(name, "")
    head = f"001 {numbers[name]:>4}      {name[:33]:<33} {rating:>4}"
    return f"{head:<80}{score(encounters):>4.1f} {rank:>4}" + "".join(_round(it, numbers) for it in encounters)


def _round(encounter: Encounter, numbers: Mapping[str, int]) -> str:
    opponent = str(numbers[encounter.opponents[0]]) if encounter.against else NOBODY
    colour = "-" if encounter.seat is None else COLOURS[encounter.seat]
    sign = UNPLAYED[encounter.how] if encounter.how is not How.PLAYED else PLAYED[encounter.points]
    return f"  {opponent:>4} {colour} {sign}"


def _report(title: str, rounds: int, players: Mapping[int, tuple[int, str]]) -> Report:
    names = _names({number: line[14:47].strip() for number, (_, line) in players.items()})
    ranks = {names[number]: line[85:89].strip() for number, (_, line) in players.items()}
    most = max((_rounds(line) for _, line in players.values()), default=0)
    return Report(
        title,
        rounds,
        {names[number]: _encounters(line, at, names, most) for number, (at, line) in players.items()},
        {names[number]: int(line[48:52].strip() or 0) for number, (_, line) in players.items()},
        {name: int(rank) for name, rank in ranks.items() if rank},
    )


def _names(named: Mapping[int, str]) -> dict[int, str]:
    """Who shares a name, or has none, is told apart by the starting number."""
    shared = {name for name in named.values() if not name or list(named.values()).count(name) > 1}
    return {number: f"{name} {number}".strip() if name in shared else name for number, name in named.items()}


def _rounds(line: str) -> int:
    return (len(line.rstrip()) - FIRST_ROUND + ROUND_WIDTH - 1) // ROUND_WIDTH


def _encounters(line: str, at: int, names: Mapping[int, str], rounds: int) -> Sequence[Encounter]:
    starts = range(FIRST_ROUND, FIRST_ROUND + rounds * ROUND_WIDTH, ROUND_WIDTH)
    return [_encounter(line[start : start + ROUND_WIDTH - 2], at, names) for start in starts]


def _encounter(cell: str, at: int, names: Mapping[int, str]) -> Encounter:
    """A round that is left blank was missed."""
    if not cell.strip():
        return Encounter(How.MISSED, LOSS)
    sign = cell[7:8].upper()
    if sign not in READ:
        raise MalformedTrf(at, f"has a result that is not known: {sign!r}")
    how, points = READ[sign]
    number = _number(cell[:4], at, "has an opponent without a number")
    if number == 0:
        return Encounter(how, points)
    if number not in names:
        raise MalformedTrf(at, f"has an opponent {number} who is not in the file")
    if how is not How.PLAYED:
        return Encounter(how, points, ((names[number], points),))
    return one_match(points, names[number], COLOURS.index(cell[5]) if cell[5] in COLOURS else None)


def _number(text: str, at: int, why: str) -> int:
    if not text.strip().isdecimal():
        raise MalformedTrf(at, why)
    return int(text)
