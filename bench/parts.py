"""The parts of a move's path, and the part that each place in the code belongs to.

A sample of a stack belongs to the innermost frame in this project: what a library does, it does for its caller. A
function takes precedence over its file, and a file over its folder, so a new file belongs to the part of its folder.
"""

import re
from collections.abc import Sequence
from functools import cache

REST = "other: event loop, threads and tasks of grpc, garbage collection"

PARTS: dict[str, tuple[str, ...]] = {
    "read: incoming messages and items": ("referee/transport/",),
    "authorise: check seat and match": (
        "referee/transport/guards/",
        "referee/transport/services/bot_requests.py",
    ),
    "runner: timers, referee delay, replies": ("referee/live/",),
    "decide: clock, tokens, resulting events": ("referee/match/",),
    "engine: rules, positions as text": ("engines/",),
    "encode: event as a line of the log": (
        "referee/storage/codec.py",
        "referee/storage/value_codec.py",
    ),
    "append: SQLite, in its own thread": ("referee/storage/",),
    "announce: outgoing queues, watchers, metrics": (
        "referee/live/live_match.py",
        "referee/live/log_history.py",
        "referee/live/match_history.py",
        "referee/live/outbox.py",
        "referee/live/registry.py",
        "referee/live/sessions.py",
        "referee/live/turns.py",
        "referee/live/watch.py",
        "referee/observability/",
    ),
    "encode turn: turns and verdicts as messages": ("referee/transport/play/writer.py", "referee/transport/wire/"),
    "write: outgoing messages": (
        "referee/observability/rpc_metrics.py _RecordingContext.write",
        "referee/transport/guards/open_calls.py OpenCall.write",
        "referee/transport/play/pulled_stream.py PulledStream._write",
        "referee/transport/play/pushed_stream.py PushedStream._send_all",
    ),
}
"""Folders, files, and functions of a file."""

OF_PLACE = {place: part for part, places in PARTS.items() for place in places}
FRAME = re.compile(r"(?P<function>.+) \((?P<file>(?:referee|engines)/.+\.py):\d+\)")


def part_of(stack: Sequence[str]) -> str:
    """Return the part of a stack, given as frames of the form `function (file:line)`, the outermost first."""
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
