"""Cost of refereed moves, compared with a bare echo of the same messages."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from bench.costs import CPU, Cost, add_costs
from bench.figures import Findings, Goal, short
from bench.measurement import Measurement, Scope, alternate
from bench.stage import (
    DOOR,
    HAS_DOOR,
    MATCHES,
    MATCHES_OF_ROOMY,
    ROOMY,
    SINGLE,
    Work,
    echoed,
    refereed,
    standing,
)
from bench.svg import bars

ONE, FULL = "alquerque, 1 match per bot", "alquerque, 64 matches per bot"
ECHO, ECHO_BATCHED = "echo, one item per message", "echo, 64 items per message"
ECHO_PAIRS = "echo, a verdict and a turn"
WITH_TURNS = "alquerque, 1 match per bot, verdicts with turns"
EVENT_ENGINE = ", with gRPC's event engine"

ECHOES = {
    "echo, unary": Work(unary=True),
    ECHO: Work(one_by_one=True),
    ECHO_PAIRS: Work(pairs=True),
    ECHO_BATCHED: Work(bots=4, room=64),
}
ECHOES |= {name + EVENT_ENGINE: replace(ECHOES[name], event_engine=True) for name in (ECHO, ECHO_PAIRS)}
ALL_GAMES = ("alquerque", "trox", "troke", "toc")
SEATS = {"toc": 4}


def refereed_works(quick: bool) -> dict[str, tuple[Work, int]]:
    """Return the work of each candidate, and its number of simultaneous matches."""
    works: dict[str, tuple[Work, int]] = {}
    for game in ALL_GAMES[:1] if quick else ALL_GAMES:
        seats = SEATS.get(game, 2)
        works[f"{game}, 1 match per bot"] = Work(game, MATCHES * seats), MATCHES
        works[f"{game}, 64 matches per bot"] = Work(game, 2 * seats, 64), MATCHES_OF_ROOMY
    works[WITH_TURNS] = Work(bots=2 * MATCHES, verdicts_with_turns=True), MATCHES
    for name in (ONE, FULL, WITH_TURNS):
        work, matches = works[name]
        works[name + EVENT_ENGINE] = replace(work, event_engine=True), matches
        if HAS_DOOR:
            works[name + DOOR] = replace(work, door=True), matches
    if not quick:
        for game in ALL_GAMES:
            works[f"{game}, legal moves in the turn"] = (
                Work(game, 2 * SEATS.get(game, 2), 64, legal=5000),
                MATCHES_OF_ROOMY,
            )
        works["alquerque, SubmitMove"] = Work(bots=2 * MATCHES, unary=True), MATCHES
    return works


def measure(scope: Scope) -> Findings:
    moves, seconds = scope.pick(1_000, 2_500), scope.pick(0.7, 1.2)
    with ExitStack() as stack:
        candidates: dict[str, Callable[[], Cost]] = {}
        for name, work in ECHOES.items():
            candidates[name] = partial(stack.enter_context(echoed(work)).cost, moves, seconds)
        for name, (work, matches) in refereed_works(scope.quick).items():
            stage = (
                standing(scope, work) if work in (SINGLE, ROOMY) else stack.enter_context(refereed(scope, name, work))
            )
            candidates[name] = partial(stage.among, matches, moves, seconds)
        return _findings(alternate(candidates, scope.pick(2, 3)))


def _findings(costs: dict[str, list[Cost]]) -> Findings:
    found = Findings()
    for name, rounds in costs.items():
        add_costs(found, name, rounds)
        found.add(name, "items per message", *(cost.played.items / (cost.played.messages or 1) for cost in rounds))
        found.add(name, "bytes per item", *(cost.played.bytes / (cost.played.items or 1) for cost in rounds))
    for name, echo in ((ONE, ECHO_PAIRS), (WITH_TURNS, ECHO), (FULL, ECHO)):
        other = found.ratio(CPU, echo + EVENT_ENGINE, name + EVENT_ENGINE)
        found.notes.append(f"{name}{EVENT_ENGINE}, in units of the same echo with it: {short(other)}.")
    found.plots["moves"] = bars(CPU, [figure for figure in found.figures if figure.what == CPU])
    return found


WITH_DOOR = (
    Goal(
        "one match per bot, with the front door",
        "Moves per CPU-second of server and door, in units of the echo of a verdict and a turn.",
        0.95,
        lambda found: found.ratio(CPU, ECHO_PAIRS, ONE + DOOR),
    ),
    Goal(
        "64 matches per bot, with the front door",
        "Moves per CPU-second of server and door, in units of the echo with one item per message.",
        1.25,
        lambda found: found.ratio(CPU, ECHO, FULL + DOOR),
    ),
)

MEASUREMENT = Measurement(
    "moves",
    "What does a refereed move cost the server, durable, beside a bare echo of the same messages?",
    measure,
    goals=(
        Goal(
            "one match per bot",
            "Moves per CPU-second, in units of the echo of a verdict and a turn, which is two messages, too.",
            0.75,
            lambda found: found.ratio(CPU, ECHO_PAIRS, ONE),
        ),
        Goal(
            "verdicts with turns",
            "Moves per CPU-second with one match per bot, in units of the echo with one item per message.",
            0.5,
            lambda found: found.ratio(CPU, ECHO, WITH_TURNS),
        ),
        Goal(
            "64 matches per bot",
            "Moves per CPU-second, in units of the echo with one item per message.",
            1.0,
            lambda found: found.ratio(CPU, ECHO, FULL),
        ),
        Goal(
            "64 items per message",
            "CPU per move with 64 matches per bot, in units of the echo with 64 items per message.",
            4.5,
            lambda found: found.ratio(CPU, FULL, ECHO_BATCHED),
            at_least=False,
        ),
        *(WITH_DOOR if HAS_DOOR else ()),
    ),
    profile="path",
)
