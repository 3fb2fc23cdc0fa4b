"""Tournament reports in FIDE's format of 2026 (TRF26), so that other programs can check pairings and ranks.

A line begins with the number of its record. Columns are fixed: the line of a player (001) has the starting number in
5-8, the name in 15-47, the rating in 49-52, points in 81-84, the rank in 86-89; from 92 on, ten columns for each round
have the opponent, the colour and the result. Other records say how the tournament is paired and ranked: the number of
rounds (142), the colour that lot gave to the first player (152), the system (192), tie-breaks (202, 212), requested
byes of coming rounds (240), virtual points (250) and forbidden pairs (260).
"""

from collections.abc import Mapping

from msgspec import Struct
from referee_values import Elimination, Gauntlet, RoundRobin, Swiss

from referee.contests.contest_errors import NotExportable
from referee.contests.systems.swiss import Acceleration
from referee.contests.tables.round_result import (
    DRAW,
    LOSS,
    WIN,
    ResultKind,
    RoundResult,
    RoundResults,
    total_points,
)
from referee.contests.tournament.state import Tournament
from referee.contests.tournament.tournament_pairing import (
    acceleration_of,
    count_rounds,
    entrants_by_owner,
    first_has_first_move,
    rounds_between_owners,
)
from referee.contests.tournament.tournament_terms import Pools, SprtTrial

MAX_TRF_POINTS = 99.5
"""Limit of the four columns, in steps of half a point."""
COLOURS = "wb"
NOBODY = "0000"
HALF_POINT_BYE = "H"
LINE_END = "\r\n"

PLAYED = {WIN: "1", DRAW: "=", LOSS: "0"}
UNPLAYED = {
    ResultKind.BYE: "U",
    ResultKind.UNOPPOSED: "+",
    ResultKind.ABSENT: "-",
    ResultKind.MISSED: "Z",
}
REQUESTED = {"half_point": HALF_POINT_BYE, "zero_point": "Z"}
TIE_BREAK_CODES = {
    "buchholz": "BH",
    "buchholz_cut_1": "BH/C1",
    "median_buchholz": "BH/M1",
    "sonneborn_berger": "SB",
    "direct_encounter": "DE",
    "wins": "WON",
    "progressive": "PS",
    "koya": "KS",
}
"""FIDE's codes of the tie-breaks of single players."""
POINTS_CODE = "PTS"
SWISS_CODE, ACCELERATED_CODE = "FIDE_DUTCH", "FIDE_DUTCH_BAKU"
ROUND_ROBIN_CODE, DOUBLE_CODE, OTHER_ROUND_ROBIN = "BERGER_ROUNDROBIN", "FIDE_DOUBLEROUNDROBIN", "CUSTOM_ROUNDROBIN"


class VirtualPoints(Struct, frozen=True, gc=False):
    """Points by which some players are paired in some rounds."""

    points: float
    rounds: tuple[int, int]
    """The first round and the last one."""
    players: tuple[int, int]
    """The first starting number and the last one."""


class ForbiddenGroup(Struct, frozen=True, gc=False):
    """Players of whom no two meet in some rounds."""

    players: tuple[str, ...]
    rounds: tuple[int, int]
    """The first round and the last one."""


class TrfReport(Struct, frozen=True, gc=False):
    """The contents of a report."""

    title: str
    rounds: int
    """Planned number of rounds. 0 if the file does not say."""
    table: RoundResults
    """Results of the entrants, in the order of starting numbers."""
    ratings: Mapping[str, int]
    ranks: Mapping[str, int]
    """Empty if the file does not say."""
    first_colour: str = ""
    """`W` or `B`: the colour of the first player in the first round. Empty if the file does not say."""
    system: str = ""
    """FIDE's code of the pairing system. Empty if the file does not say."""
    tie_breaks: tuple[str, ...] = ()
    """FIDE's codes, in order."""
    requested_byes: tuple[tuple[str, int, str], ...] = ()
    """Sign, round and player of each bye of a coming round."""
    virtual_points: tuple[VirtualPoints, ...] = ()
    forbidden: tuple[ForbiddenGroup, ...] = ()


def to_trf(tournament: Tournament, title: str) -> str:
    """Return all complete rounds, so that other programs can check pairings and ranks. Raises NotExportable."""
    form = tournament.terms.format
    if isinstance(form, Elimination | Gauntlet | Pools | SprtTrial):
        raise NotExportable(tournament.name, "trf", "the format supports only round robin and Swiss")
    if tournament.terms.duplicate_sets or tournament.terms.value.boards:
        raise NotExportable(tournament.name, "trf", "the format supports only pairings of one match")
    rounds = tournament.complete_rounds
    table = tournament.round_results(rounds)
    if max(map(total_points, table.values()), default=0.0) > MAX_TRF_POINTS:
        raise NotExportable(tournament.name, "trf", f"the format has no column for more than {MAX_TRF_POINTS} points")
    is_swiss = isinstance(form, Swiss)
    report = TrfReport(
        title,
        form.rounds if isinstance(form, Swiss) else count_rounds(form, len(table)),
        table,
        {name: round(entrant.rating) for name, entrant in tournament.entrants.items() if entrant.rating is not None},
        {row.entrant: row.rank for row in tournament.standings(rounds)},
        ("W" if first_has_first_move(tournament) else "B") if is_swiss else "",
        _system(tournament, form),
        tuple(TIE_BREAK_CODES[tie_break] for tie_break in tournament.tie_breaks),
        tuple(
            (REQUESTED[kind], number, name)
            for (name, number), kind in tournament.requested_byes.items()
            if number > rounds
        ),
        _virtual_points(acceleration_of(tournament, form)) if isinstance(form, Swiss) else (),
        _forbidden(tournament, form) if isinstance(form, Swiss) else (),
    )
    return write_trf(report)


def _system(tournament: Tournament, form: Swiss | RoundRobin) -> str:
    if isinstance(form, Swiss):
        return ACCELERATED_CODE if form.accelerated else SWISS_CODE
    if form.cycles == 1 or len(tournament.entrants) % 2:  # No cycle exchanges its last two rounds.
        return f"{ROUND_ROBIN_CODE}_G{form.cycles}"
    return DOUBLE_CODE if form.cycles == 2 else OTHER_ROUND_ROBIN


def _forbidden(tournament: Tournament, form: Swiss) -> tuple[ForbiddenGroup, ...]:
    """Return the forbidden pairs, and the entrants of one owner in the rounds in which they are kept apart."""
    places = list(tournament.entrants)
    forbidden = ((pair.first, pair.second) for pair in tournament.terms.value.forbidden_pairs)
    groups = [
        *((pair, form.rounds) for pair in forbidden if {*pair} <= {*places}),
        *((names, rounds_between_owners(form)) for names in entrants_by_owner(tournament) if len(names) > 1),
    ]
    return tuple(ForbiddenGroup(tuple(sorted(names, key=places.index)), (1, last)) for names, last in groups)


def _virtual_points(acceleration: Acceleration) -> tuple[VirtualPoints, ...]:
    """Return the virtual points of the upper half, which are those of its first player."""
    first = next(iter(acceleration.upper), "")
    points = [acceleration.virtual_points(first, number) for number in range(1, acceleration.rounds + 1)]
    return tuple(
        VirtualPoints(
            value, (points.index(value) + 1, points.index(value) + points.count(value)), (1, len(acceleration.upper))
        )
        for value in (WIN, DRAW)
        if value in points
    )


def write_trf(report: TrfReport) -> str:
    """Return the report as text. Names are cut to 33 characters, ratings are limited to 0-9999.

    No entrant may have more than MAX_TRF_POINTS, because all later columns would shift.
    """
    numbers = {name: number for number, name in enumerate(report.table, start=1)}
    head = {
        "012": report.title,
        "062": str(len(numbers)),
        "142": str(report.rounds or ""),
        "152": report.first_colour,
        "192": report.system,
        "202": ",".join(report.tie_breaks),
        "212": ",".join((POINTS_CODE, *report.tie_breaks)) if report.tie_breaks else "",
    }
    lines = [f"{record} {said}" for record, said in head.items() if said or record == "012"]
    lines += (_player_line(report, name, numbers) for name in report.table)
    lines += (f"240 {sign} {number:03} {numbers[name]:04}" for sign, number, name in report.requested_byes)
    lines += map(_virtual_points_line, report.virtual_points)
    lines += (_forbidden_line(group, numbers) for group in report.forbidden)
    return "".join(f"{line}{LINE_END}" for line in lines)


def _forbidden_line(group: ForbiddenGroup, numbers: Mapping[str, int]) -> str:
    first, last = group.rounds
    return f"260 {first:03} {last:03}" + "".join(f" {numbers[name]:04}" for name in group.players)


def _virtual_points_line(virtual: VirtualPoints) -> str:
    (first, last), (lowest, highest) = virtual.rounds, virtual.players
    return f"250{'':6}{virtual.points:>4.1f} {first:03} {last:03} {lowest:04} {highest:04}"


def _player_line(report: TrfReport, name: str, numbers: Mapping[str, int]) -> str:
    results = report.table[name]
    rating = min(9999, max(0, report.ratings.get(name, 0)))
    rank = report.ranks.get(name, "")
    head = f"001 {numbers[name]:>4}      {name[:33]:<33} {rating:>4}"
    return f"{head:<80}{total_points(results):>4.1f} {rank:>4}" + "".join(
        _round_columns(result, numbers) for result in results
    )


def _round_columns(result: RoundResult, numbers: Mapping[str, int]) -> str:
    opponent = str(numbers[result.opponents[0]]) if result.points_against else NOBODY
    colour = "-" if result.seat is None else COLOURS[result.seat]
    return f"  {opponent:>4} {colour} {_sign(result)}"


def _sign(result: RoundResult) -> str:
    if result.kind is ResultKind.PLAYED:
        return PLAYED[result.points]
    return HALF_POINT_BYE if result.kind is ResultKind.MISSED and result.points else UNPLAYED[result.kind]
