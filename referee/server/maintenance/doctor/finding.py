"""Findings of the doctor: a severity, one sentence, and advice."""

from dataclasses import dataclass
from enum import Enum


class Severity(Enum):
    """In increasing order."""

    OK = "ok"
    WARN = "warn"
    """The server works, but something will cause trouble."""
    BAD = "bad"
    """The server does not work, or may lose data."""


@dataclass(frozen=True, slots=True)
class Finding:
    state: Severity
    about: str
    """The subject, in one or two words."""
    sentence: str
    advice: str = ""
    """What to do; empty if nothing is."""


def ok(about: str, sentence: str) -> Finding:
    return Finding(Severity.OK, about, sentence)


def warn(about: str, sentence: str, advice: str) -> Finding:
    return Finding(Severity.WARN, about, sentence, advice)


def bad(about: str, sentence: str, advice: str) -> Finding:
    return Finding(Severity.BAD, about, sentence, advice)


def worst(findings: list[Finding]) -> Severity:
    """Return the highest severity; OK without findings."""
    return max((finding.state for finding in findings), key=[*Severity].index, default=Severity.OK)
