"""What a period of play cost the server, and its row in the report."""

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
    """Add a row: CPU of the server, moves per second, and CPU of the load generator."""
    found.add(name, CPU, *(cost.us_per_move for cost in rounds))
    found.add(name, RATE, *(cost.played.rate for cost in rounds))
    found.add(name, LOAD_CPU, *(cost.played.cpu_us_per_move for cost in rounds))
