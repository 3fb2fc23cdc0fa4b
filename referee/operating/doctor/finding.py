"""What the doctor finds: one sentence each, and what to do."""

from dataclasses import dataclass
from enum import Enum


class State(Enum):
    """The worse, the later."""

    OK = "ok"
    WARN = "warn"
    """It serves, and something will hurt."""
    BAD = "bad"
    """It does not serve, or is about to lose something."""


@dataclass(frozen=True, slots=True)
class Finding:
    state: State
    about: str
    """One or two words."""
    sentence: str
    advice: str = ""
    """What to do; empty where nothing is to be done."""


def ok(about: str, sentence: str) -> Finding:
    return Finding(State.OK, about, sentence)


def warn(about: str, sentence: str, advice: str) -> Finding:
    return Finding(State.WARN, about, sentence, advice)


def bad(about: str, sentence: str, advice: str) -> Finding:
    return Finding(State.BAD, about, sentence, advice)


def worst(findings: list[Finding]) -> State:
    return max((finding.state for finding in findings), key=[*State].index, default=State.OK)
