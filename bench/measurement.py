"""One measurement: a name, a question, the function that answers it, and its goals."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from bench.figures import Findings, Goal

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Scope:
    """How thorough a run is, a folder for its files, and resources that measurements share."""

    quick: bool
    folder: Path
    closing: ExitStack
    """Closes the shared resources."""
    _kept: dict[str, Any] = field(default_factory=dict)

    def room(self, name: str) -> Path:
        """Return a folder of this name, created if necessary."""
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def keep(self, name: str, make: Callable[[], AbstractContextManager[T]]) -> T:
        """Return the shared resource of this name, created at the first use and kept for the following measurements."""
        if name not in self._kept:
            self._kept[name] = self.closing.enter_context(make())
        kept: T = self._kept[name]
        return kept

    def pick(self, quick: T, full: T) -> T:
        return quick if self.quick else full


@dataclass(frozen=True, slots=True)
class Measurement:
    name: str
    question: str
    measure: Callable[[Scope], Findings]
    """Runs the measurement. Raises NotMeasured."""
    goals: tuple[Goal, ...] = ()
    profile: str = ""
    """Name of the measurement that explains why a goal is not reached; empty: none."""


def alternate(candidates: Mapping[str, Callable[[], T]], rounds: int) -> dict[str, list[T]]:
    """Return the result of each candidate in each round, where candidates take turns so that drift affects all alike.

    Before the first round each candidate runs once, to warm up caches and open connections.
    """
    for run in candidates.values():
        run()
    found: dict[str, list[T]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, run in candidates.items():
            found[name].append(run())
    return found
