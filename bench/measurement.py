"""One measurement: a name, a question, a way to the answer, and the goals that hang on it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from bench.figures import Findings, Goal

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Scope:
    """How long a look it is to be, and where there is room for what it needs."""

    quick: bool
    folder: Path

    def room(self, name: str) -> Path:
        """A folder of that name, made if it is not there."""
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def pick(self, quick: T, full: T) -> T:
        return quick if self.quick else full


@dataclass(frozen=True, slots=True)
class Measurement:
    name: str
    question: str
    measure: Callable[[Scope], Findings]
    """Raises NotMeasured."""
    goals: tuple[Goal, ...] = ()


def alternate(candidates: Mapping[str, Callable[[], T]], rounds: int) -> dict[str, list[T]]:
    """What each candidate did in each round: one after the other, so that what drifts hits all of them.

    Before the first round each runs once for nothing, so that caches are warm and connections stand.
    """
    for run in candidates.values():
        run()
    found: dict[str, list[T]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, run in candidates.items():
            found[name].append(run())
    return found
