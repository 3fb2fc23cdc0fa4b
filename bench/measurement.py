"""One measurement: a name, a question, a way to the answer, and the goals that hang on it."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from bench.figures import Findings, Goal

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Scope:
    """How long a look it is to be, where there is room for what it needs, and what stands there already."""

    quick: bool
    folder: Path
    closing: ExitStack
    """What is kept is closed with it."""
    _kept: dict[str, Any] = field(default_factory=dict)

    def room(self, name: str) -> Path:
        """A folder of that name, made if it is not there."""
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def keep(self, name: str, make: Callable[[], AbstractContextManager[T]]) -> T:
        """The one of that name, made for whoever wants it first, and there for all that follow."""
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
    """Raises NotMeasured."""
    goals: tuple[Goal, ...] = ()
    profile: str = ""
    """The measurement that says why a goal is not reached; empty: none does."""


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
