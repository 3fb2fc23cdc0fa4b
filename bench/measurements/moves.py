"""The wire floor, and refereed moves beside it."""

from collections.abc import Callable
from contextlib import ExitStack

from bench.figures import Findings, Goal
from bench.measurement import Measurement, Scope, alternate
from bench.stage import Cost, Stage, Work, echoed, refereed
from bench.svg import bars

CPU = "server CPU per move, µs"
ONE, FULL = "alquerque, 1 match a bot", "alquerque, 64 matches a bot"
ECHO, ECHO_BATCHED = "echo, one item a message", "echo, 64 items a message"
MATCHES = 100

ECHOES = {
    "echo, unary": Work(unary=True),
    ECHO: Work(one_by_one=True),
    ECHO_BATCHED: Work(bots=4, room=64),
}
ALL_GAMES = ("alquerque", "trox", "troke", "toc")
SEATS = {"toc": 4}


def refereed_works(quick: bool) -> dict[str, tuple[Work, int]]:
    """What is played, and in how many matches at once."""
    works: dict[str, tuple[Work, int]] = {}
    for game in ALL_GAMES[:1] if quick else ALL_GAMES:
        seats = SEATS.get(game, 2)
        works[f"{game}, 1 match a bot"] = Work(game, MATCHES * seats), MATCHES
        works[f"{game}, 64 matches a bot"] = Work(game, 2 * seats, 64), 128
    works["alquerque, 1 match a bot, 10 at once"] = Work(bots=20), 10
    if not quick:
        works["alquerque, legal moves in the turn"] = Work(bots=2 * MATCHES, legal=5000), MATCHES
    works["alquerque, SubmitMove"] = Work(bots=2 * MATCHES, unary=True), MATCHES
    return works


def measure(scope: Scope) -> Findings:
    moves, seconds = scope.pick(1_000, 4_000), scope.pick(1.0, 2.0)
    with ExitStack() as stack:
        candidates: dict[str, Callable[[], Cost]] = {}
        for name, work in ECHOES.items():
            candidates[name] = _flowing(stack.enter_context(echoed(work)), moves, seconds)
        for name, (work, matches) in refereed_works(scope.quick).items():
            stage = stack.enter_context(refereed(scope, name, work))
            candidates[name] = _refereed(stage, matches, moves, seconds)
        return _findings(alternate(candidates, scope.pick(2, 5)))


def _flowing(stage: Stage, moves: int, seconds: float) -> Callable[[], Cost]:
    return lambda: stage.cost(moves, seconds)


def _refereed(stage: Stage, matches: int, moves: int, seconds: float) -> Callable[[], Cost]:
    return lambda: stage.fresh(matches, moves, seconds)


def _findings(costs: dict[str, list[Cost]]) -> Findings:
    found = Findings()
    for name, rounds in costs.items():
        found.add(name, CPU, *(cost.us_per_move for cost in rounds))
        found.add(name, "moves per second", *(cost.played.moves / cost.played.seconds for cost in rounds))
        found.add(name, "load CPU per move, µs", *(cost.played.cpu_s / cost.played.moves * 1e6 for cost in rounds))
        found.add(name, "items per message", *(cost.played.items / (cost.played.messages or 1) for cost in rounds))
        found.add(name, "bytes per item", *(cost.played.bytes / (cost.played.items or 1) for cost in rounds))
    found.plots["moves"] = bars(CPU, [figure for figure in found.figures if figure.what == CPU])
    return found


MEASUREMENT = Measurement(
    "moves",
    "What does a refereed move cost the server, durable, beside a bare echo of the same messages?",
    measure,
    goals=(
        Goal(
            "one match a bot",
            "Moves per CPU-second, in units of the echo with one item a message.",
            0.6,
            lambda found: found.ratio(CPU, ECHO, ONE),
        ),
        Goal(
            "64 matches a bot",
            "Moves per CPU-second, in units of the echo with one item a message.",
            1.5,
            lambda found: found.ratio(CPU, ECHO, FULL),
        ),
    ),
)
