"""The path of a move: where the processor time of the server goes, by sampling its stacks while it plays."""

import re
import subprocess
from collections import Counter

from bench.beside import ENVIRONMENT, other_python
from bench.figures import Findings, NotMeasured
from bench.measurement import Measurement, Scope
from bench.stage import Stage, Work, refereed
from bench.svg import bars

US = "server CPU per move, µs"
A_SECOND = 250
REST = "everything else: the event loop, grpc's own tasks, the garbage"

STAGES: tuple[tuple[str, str], ...] = (
    ("engine: the rules, positions as text", r"\(engines/"),
    ("write: a message to the wire", r"^_Overheard\.write|^write .*(conversation|speaking)"),
    ("append: SQLite, in its thread", r"\(referee/storage/(group|sqlite|sqlite_file|worker|contest_rows|seating)\.py"),
    ("encode: the event as a line of the log", r"\(referee/storage/(codec|line|forms|requests)\.py"),
    ("encode turn: turns and verdicts as messages", r"\(referee/transport/(speaking|convert/\w+|refusals)\.py"),
    (
        "announce: outboxes, watchers, metrics",
        r"\(referee/(app/(floor|outbox|sessions|lobby|ends|watch\w*)|telemetry/.*)\.py",
    ),
    ("authorise: whose seat, which match", r"\(referee/transport/(seats|auth|quota|door|noting)\.py"),
    ("decide: clock, tokens, what follows", r"\(referee/core/"),
    ("runner: inbox, alarm, stalls, answers", r"\(referee/app/"),
    ("speak: one write in flight", r"^Conversation\._speak"),
    ("read: the stream, and a task for each move", r"\(referee/transport/conversation\.py"),
)
"""By the innermost frame that one of these knows. Of those that know the same frame, the first."""


def measure(scope: Scope) -> Findings:
    other_python()
    found = Findings()
    for name, work, matches in (
        ("1 match a bot", Work(bots=200), 100),
        ("64 matches a bot", Work(bots=4, room=64), 128),
    ):
        with refereed(scope, f"path {name}", work) as stage:
            stage.fresh(matches, 1_000, 1)
            us_per_move, samples = _sampled(scope, stage, matches)
        whole = sum(samples.values())
        for part in [part for part, _ in STAGES] + [REST]:
            found.add(part, f"{name}: {US}", us_per_move * samples[part] / whole)
        found.add("all", f"{name}: {US}", us_per_move)
    found.notes.append("Sampling takes time of its own from the server: the shares hold better than the figures.")
    first = f"1 match a bot: {US}"
    found.plots["path"] = bars(first, [figure for figure in found.figures if figure.what == first])
    return found


def _sampled(scope: Scope, stage: Stage, matches: int) -> tuple[float, Counter[str]]:
    """CPU per move while it was looked at, and how many samples fell on each part of the path."""
    stage.crowd.do("leave")
    stage.crowd.do("make", matches=matches)
    raw = scope.folder / "stacks.txt"
    seconds = scope.pick(3, 6)
    command = [
        *(str(ENVIRONMENT / "bin" / "py-spy"), "record", "--pid", str(stage.pid), "--format", "raw", "--nonblocking"),
        *("--rate", str(A_SECOND), "--duration", str(seconds), "--output", str(raw)),
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as looking:
        cost = stage.cost(10**9, seconds)
        _, errors = looking.communicate()
    if looking.returncode or not raw.exists():
        raise NotMeasured(f"py-spy: {errors.strip()[-300:]}")
    samples = Counter[str]()
    for line in raw.read_text().splitlines():
        stack, _, times = line.rpartition(" ")
        samples[_part(stack.split(";"))] += int(times)
    return cost.us_per_move, samples


def _part(stack: list[str]) -> str:
    for frame in reversed(stack):
        for part, known in STAGES:
            if re.search(known, frame):
                return part
    return REST


MEASUREMENT = Measurement("path", "Where does the time of a move go, in the server?", measure)
