"""What is said of matches of a contest."""

from referee.arena.conductor import Done, Missed
from referee.arena.kept import Finish
from referee.arena.standings import points
from referee.core.result import Fault

FAULTS = {Fault.TIME: "late", Fault.ILLEGAL_MOVE: "illegal", Fault.GONE: "gone"}


def told(done: Done) -> str:
    """One match in one line."""
    if isinstance(done, Missed):
        return f"{done.pairing.name}: not played, {done.entrant.name} would not start"
    if done.void:
        return f"{done.name}: void, {done.result.cause.value} ({done.result.reason})"
    scores = ", ".join(f"{name} {points_text(got)}" for name, got in points(done).items())
    return f"{done.name}: {scores} ({_why(done)})"


def _why(finish: Finish) -> str:
    result = finish.result
    faults = [f"{finish.seats[one.seat]} {FAULTS[one.fault]} at ply {one.ply}" for one in result.forfeits]
    why = ", ".join(faults) or result.reason or result.cause.value
    return f"{why}: {finish.last_refused}" if finish.last_refused else why


def points_text(points: float) -> str:
    return f"{round(points, 2):g}"
