"""SGF of a match of Go (FF[4]): rules, bots, result, and the moves with the time left after each."""

from datetime import UTC, datetime

from engines.api import REFEREE, Seat
from referee.match.clock import Fischer, SuddenDeath, Untimed
from referee.match.events import MovePlayed, PlayStarted
from referee.match.result import EndCause, EndKind, Result
from referee.match.state import Match
from referee.records.describe_event import escape_unprintable, player_text
from referee.records.record_reader import RecordHistory
from referee.show.words import seat_control_text

GAME = "go"
US = 1_000_000
COLOURS = "BW"
COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
LETTERS = "abcdefghijklmnopqrstuvwxy"
"""Columns from the left and rows from the top, in SGF."""
RULE_SETS = {("allowed", "positional"): "Tromp-Taylor", ("allowed", "situational"): "NZ"}
OTHER_RULES = "Chinese"
UNFINISHED, VOID, DRAW = "?", "Void", "0"


def sgf_text(history: RecordHistory) -> str:
    """Return a match of Go as SGF. The result of a match that is void is `Void`, of one that is not over `?`."""
    nodes = [_root(history), *_moves(history)]
    return "(;" + "\n;".join(nodes) + ")\n"


def _root(history: RecordHistory) -> str:
    first, last = history.first, history.last
    begun = next((step for step in history.steps if isinstance(step.entry.event, PlayStarted)), history.steps[0])
    options = dict(last.terms.settings.texts())
    black, white = (player_text(last, seat) for seat in (0, 1))
    values = {
        "GM": "1",
        "FF": "4",
        "CA": "UTF-8",
        "AP": "Referee",
        "SZ": options["size"],
        "KM": options["komi"],
        "RU": RULE_SETS.get((options["suicide"], options["ko"]), OTHER_RULES),
        "PB": black,
        "PW": white,
        "DT": f"{datetime.fromtimestamp(begun.entry.at_ms / 1_000, UTC):%Y-%m-%d}",
        "EV": dict(first.setup.labels).get("title", ""),
        "RE": _result(last.result),
        "GC": ", ".join(f"{name}={value}" for name, value in options.items()),
        **_times(last),
    }
    written = [f"{name}[{_escaped(value)}]" for name, value in values.items() if value]
    return "".join([*written, *_stones(history, options["handicap"])])


def _stones(history: RecordHistory, handicap: str) -> list[str]:
    """Return the stones of the first position, and the side that begins, where they are not those of an empty board."""
    position = next((step.state.position for step in history.steps if step.state.position is not None), None)
    if position is None:
        return []
    view = position.view(REFEREE)
    assert isinstance(view, dict)
    placed = {"AB": view["black"], "AW": view["white"]}
    found = [f"HA[{handicap}]"] if handicap != "0" else []
    for name, points in placed.items():
        if points:
            found.append(name + "".join([f"[{_point(point, view['size'])}]" for point in points]))
    return [*found, f"PL[{view['to_move'][0].upper()}]"] if found else []


def _moves(history: RecordHistory) -> list[str]:
    last, found = history.last, []
    size = int(last.terms.settings.texts()["size"])
    for step in history.steps:
        event = step.entry.event
        if isinstance(event, MovePlayed):
            left_us = last.controls[event.seat].limit_us(step.state.clocks[event.seat])
            left = f"{COLOURS[event.seat]}L[{left_us / US:.3f}]" if left_us is not None else ""
            found.append(f"{COLOURS[event.seat]}[{_point(event.move, size)}]{left}")
    return found


def _point(move: str, size: int) -> str:
    """Return a point in the letters of SGF; a pass is no point."""
    return "" if move == "pass" else LETTERS[COLUMNS.index(move[0])] + LETTERS[size - int(move[1:])]


def _result(result: Result | None) -> str:
    if result is None:
        return UNFINISHED
    if result.kind is EndKind.VOID:
        return VOID
    if result.ranks[0] == result.ranks[1]:
        return DRAW
    return f"{COLOURS[result.ranks.index(1)]}+{_margin(result, result.ranks.index(2))}"


def _margin(result: Result, loser: Seat) -> str:
    """Return by how much, or how, a match was won; empty if SGF has no word for it."""
    if result.cause is EndCause.RULES:
        return f"{abs(result.scores[0] - result.scores[1]):g}"
    if result.cause is EndCause.RESIGNATION:
        return "R"
    faults = {forfeit.cause for forfeit in result.forfeits if forfeit.seat == loser}
    return "T" if "time" in faults else "F" if faults else ""


def _times(last: Match) -> dict[str, str]:
    """Return the main time, and what there is besides in words; nothing if the seats have different clocks."""
    black, white = last.controls
    match black if black == white else Untimed():
        case Untimed():
            return {}
        case SuddenDeath(main_us=main):
            return {"TM": f"{main / US:g}"}
        case Fischer(main_us=main, increment_us=added):
            return {"TM": f"{main / US:g}", "OT": f"{added / US:g} fischer"}
    return {"OT": seat_control_text(last, 0)}


def _escaped(text: str) -> str:
    return escape_unprintable(text).replace("\\", "\\\\").replace("]", "\\]")
