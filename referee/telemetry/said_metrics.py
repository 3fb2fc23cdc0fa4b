"""What is measured of what goes out: answers that were given before, and entries that were skipped.

It reads the messages themselves as they leave, so that it counts what callers get and not what was meant.
"""

from collections.abc import Callable, Iterable
from typing import Any

from prometheus_client import CollectorRegistry, Counter


class SaidMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._duplicates = Counter(
            "referee_duplicates_absorbed",
            "Answers that were given before, and were given again: nothing happened twice.",
            ("method",),
            registry=registry,
        )
        self._gaps = Counter(
            "referee_resume_gaps",
            "Entries that a watcher was not told, or was told twice. It stays 0.",
            registry=registry,
        )

    def answered(self, method: str, answer: Any) -> None:
        """A call that is no stream has this answer."""
        if getattr(answer, "again", False):
            self._duplicates.labels(method).inc()

    def heard_by(self, method: str, request: Any) -> Callable[[Any], None]:
        """To be told each message of one stream, in order."""
        watched = Numbers(_after(request))

        def hear(message: Any) -> None:
            numbers = []
            for item in getattr(message, "items", ()):
                kind = item.WhichOneof("item")
                if kind == "verdict" and item.verdict.again:
                    self._duplicates.labels(method).inc()
                elif kind == "entry":
                    numbers.append(item.entry.number)
            if watched.skip(numbers):
                self._gaps.inc()

        return hear


class Numbers:
    """The numbers of the entries that one watcher is told: each is one more than the one before."""

    def __init__(self, after: int | None) -> None:
        """`after`: what the watcher knows already; None: the first entry says it."""
        self._last = after

    def skip(self, numbers: Iterable[int]) -> bool:
        """Is one of these, which it is told now, not the next one? It is gone on from there."""
        gap = False
        for number in numbers:
            gap = gap or self._last not in (None, number - 1)
            self._last = number
        return gap


def _after(request: Any) -> int | None:
    """What a request to watch goes on from; None: from now on, or it is no such request."""
    known = getattr(request, "DESCRIPTOR", None)  # What cannot be read is no message.
    field = known and known.fields_by_name.get("after")
    return request.after if field and field.has_presence and request.HasField("after") else None
