"""What happens to a match of a pairing: the same on ladders and in tournaments."""

from dataclasses import dataclass

from referee.contest.pairing import Score


@dataclass(frozen=True, slots=True)
class Began:
    """A match is there to be played."""

    pairing: str
    number: int
    attempt: int
    match_id: str


@dataclass(frozen=True, slots=True)
class Scored:
    pairing: str
    number: int
    score: Score


@dataclass(frozen=True, slots=True)
class Voided:
    pairing: str
    number: int
