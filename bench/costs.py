"""What a stretch of play cost the server, and how it is told."""

from collections.abc import Sequence
from dataclasses import dataclass

from bench.crowd import Played
from bench.figures import Findings

CPU = "server CPU per move, µs"
RATE = "moves per second"
LOAD_CPU = "load CPU per move, µs"


@dataclass(frozen=True, slots=True)
class Cost:
    played: Played
    cpu_s: float

    @property
    def us_per_move(self) -> float:
        return self.cpu_s / self.played.moves * 1e6


def add_costs(found: Findings, name: str, rounds: Sequence[Cost]) -> None:
    """A row: what the server used, how fast it was, and what the load used itself."""
    found.add(name, CPU, *(cost.us_per_move for cost in rounds))
    found.add(name, RATE, *(cost.played.rate for cost in rounds))
    found.add(name, LOAD_CPU, *(cost.played.cpu_us_per_move for cost in rounds))
