"""The same start played again with the seats exchanged, so that neither luck nor the first move decides.

The matches of a pairing are played in sets, each set from one start: the same seed, drawn from the contest's own,
and the same opening. What one match of a set would tell about the next must stay hidden until the set is over.
"""

from dataclasses import dataclass

from engines.chance import Chance
from referee.contest.pairing import Due


@dataclass(frozen=True, slots=True)
class Duplicate:
    """How starts are played again."""

    arrangements: int = 2
    """In how many each start is played, from one to the next rotating; so many matches are a set."""
    openings: int = 0
    """How many there are to choose from, in turn. 0: the game's own beginning, with another seed for each set."""


@dataclass(frozen=True, slots=True)
class Start:
    """What the matches of a set have in common."""

    set: str
    """Its id."""
    seed: bytes
    opening: int | None
    """Its place in the list of openings. None: the game's own beginning."""


def start_of(due: Due, duplicate: Duplicate, chance: Chance, turn: int) -> Start:
    """How the match begins; the others of its set begin alike, and so does any other attempt at it.

    `turn` is that of the pairing, from 0: how many pairings have taken their openings before it.
    """
    sets = due.pairing.matches // duplicate.arrangements
    opening = (turn * sets + due.set - 1) % duplicate.openings if duplicate.openings else None
    return Start(due.set_id, chance.fork(due.set_id).seed, opening)
