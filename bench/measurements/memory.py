"""Memory of each bot, match and watcher, and the memory that remains after the end of a match."""

from bench.figures import Findings, Goal
from bench.measurement import Measurement, Scope
from bench.stage import DOOR, HAS_DOOR, TO_THE_END, Stage, Work, refereed

EACH = "resident, KB each"
OVER = "finished match"
IDLE = "idle stream"
GAMES = (("alquerque", 2), ("trox", 2), ("troke", 2), ("toc", 4))
"""Games with their number of seats."""
KB = 1024


def measure(scope: Scope) -> Findings:
    found, many = Findings(), scope.pick(100, 500)
    for door in (False, True) if HAS_DOOR else (False,):
        found.add(IDLE + DOOR * door, EACH, _idle(scope, scope.pick(200, 2000), door))
    for game, seats in scope.pick(GAMES[:1], GAMES):
        with refereed(scope, f"memory of {game}", Work(game, seats * -(-many // 64), 64)) as stage:
            found.add(f"match of {game}, under way", EACH, _grown(stage, many))
            if game == "alquerque":
                before = stage.resident_bytes()
                stage.crowd.do("watch", watchers=many)
                found.add("watcher", EACH, (stage.resident_bytes() - before) / many / KB)
    if scope.quick:
        found.notes.append("What is over is not measured: a quick look ends too few matches to tell.")
    else:
        found.add(OVER, EACH, _left_behind(scope, 500, 1500))
    return found


def _idle(scope: Scope, many: int, door: bool) -> float:
    """Return the memory of an idle stream, in the server and in its front door together."""
    with refereed(scope, f"memory of streams{DOOR * door}", Work(bots=100, door=door)) as stage:
        before = stage.resident_with_door_bytes()
        stage.crowd.do("more", bots=many)
        return (stage.resident_with_door_bytes() - before) / many / KB


def _grown(stage: Stage, matches: int) -> float:
    """Return the memory of a match after ten moves."""
    before = stage.resident_bytes()
    stage.crowd.do("make", matches=matches)
    stage.crowd.play(10 * matches, 30)
    return (stage.resident_bytes() - before) / matches / KB


def _left_behind(scope: Scope, before: int, matches: int) -> float:
    """Return the memory that remains per finished match, after other matches have warmed up the server."""
    with refereed(scope, "memory of what is over", Work(bots=16, room=64, whole=True)) as stage:
        _played_out(stage, before)
        held = stage.resident_bytes()
        _played_out(stage, matches)
        return (stage.resident_bytes() - held) / matches / KB


def _played_out(stage: Stage, matches: int) -> None:
    for _ in range(matches // PLAYED_AT_ONCE):
        stage.crowd.do("make", matches=PLAYED_AT_ONCE)
        stage.crowd.play(TO_THE_END, 60)
        stage.crowd.do("leave")


PLAYED_AT_ONCE = 100

WITH_DOOR = Goal(
    "memory of an idle stream, with the front door",
    "KB in the server and in the door together.",
    35,
    lambda found: found.of(IDLE + DOOR, EACH).median,
    at_least=False,
)

MEASUREMENT = Measurement(
    "memory",
    "How much memory does each bot, match and watcher hold, and what remains of a finished match?",
    measure,
    goals=(
        Goal(
            "memory of finished matches",
            "KB that stay resident for each match that is over: a day has tens of thousands of them.",
            1,
            lambda found: found.of(OVER, EACH).median,
            at_least=False,
        ),
        *((WITH_DOOR,) if HAS_DOOR else ()),
    ),
)
