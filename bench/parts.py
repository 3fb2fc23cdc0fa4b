"""The parts of a move's path, and which of them a place in the house belongs to.

A sample of a stack belongs to the innermost frame that lies in the house: what a library does, it does for its
caller. A function counts before its file, a file before its folder, so a new file falls to what its folder does.
"""

import re
from collections.abc import Sequence
from functools import cache

REST = "everything else: the event loop, grpc's own threads and tasks, the garbage"

PARTS: dict[str, tuple[str, ...]] = {
    "read: messages and items from the wire": ("referee/transport/",),
    "authorise: whose seat, which match": tuple(
        f"referee/transport/{name}.py" for name in ("auth", "door", "noting", "quota", "seats")
    ),
    "runner: who asks whom, alarms, stalls, answers": ("referee/app/",),
    "decide: clock, tokens, what follows": ("referee/core/",),
    "engine: the rules, positions as text": ("engines/",),
    "encode: the event as a line of the log": tuple(
        f"referee/storage/{name}.py" for name in ("codec", "forms", "line", "requests")
    ),
    "append: SQLite, in its thread": ("referee/storage/",),
    "announce: outboxes, watchers, metrics": (
        *(f"referee/app/{name}.py" for name in ("crier", "ends", "floor", "lobby", "outbox", "sessions", "story")),
        *("referee/app/watching.py", "referee/telemetry/"),
    ),
    "encode turn: turns and verdicts as messages": ("referee/transport/speaking.py", "referee/transport/convert/"),
    "write: a message to the wire": (
        "referee/telemetry/rpc_metrics.py _Overheard.write",
        "referee/transport/conversation.py Conversation._speak",
    ),
}
"""Folders, files, and functions of a file."""

OF_PLACE = {place: part for part, places in PARTS.items() for place in places}
FRAME = re.compile(r"(?P<function>.+) \((?P<file>(?:referee|engines)/.+\.py):\d+\)")


def part_of(stack: Sequence[str]) -> str:
    """Of frames written as `function (file:line)`, the outermost first."""
    return next((part for frame in reversed(stack) if (part := _part_of(frame))), REST)


@cache
def _part_of(frame: str) -> str | None:
    found = FRAME.fullmatch(frame)
    if not found:
        return None
    file = found["file"]
    folders = [file[: at + 1] for at in reversed(range(len(file))) if file[at] == "/"]
    places = (f"{file} {found['function']}", file, *folders)
    return next((OF_PLACE[place] for place in places if place in OF_PLACE), None)
