"""What can be said of a file that claims to be a record.

The numbers are exit statuses, and grow with the gravity: from what could not be checked, over what was
damaged, to what was signed and is not true. They start above those that a shell and the command line
use themselves.
"""

from dataclasses import dataclass
from enum import IntEnum


class Status(IntEnum):
    FINE = 0
    UNREADABLE = 3
    NO_RECORD = 4
    UNKNOWN_VERSION = 5
    UNKNOWN_GAME = 6
    OTHER_GAME_VERSION = 7
    TRUNCATED = 8
    REORDERED = 9
    EDITED = 10
    SIGNATURE_WRONG = 11
    OTHER_KEY = 12
    RULES_DIFFER = 13

    @property
    def words(self) -> str:
        return self.name.lower().replace("_", " ")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be said of one file."""

    status: Status
    sentence: str

    def __str__(self) -> str:
        return f"{self.status.words}: {self.sentence}"


class Trouble(Exception):
    """Why a file is no proof. The first reason that was found is the only one that is told."""

    def __init__(self, status: Status, sentence: str) -> None:
        super().__init__(sentence)
        self.verdict = Verdict(status, sentence)
