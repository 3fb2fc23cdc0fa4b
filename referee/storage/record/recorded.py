"""Events as a record holds them: those of the game. What became of ratings is a ladder's to tell.

A record proves a game, to whoever computes it again. So its end says nothing of ratings, and its lines have stayed
as they were before there were any.
"""

from dataclasses import dataclass

from referee.core.clock import Micros
from referee.core.events import Event, PlayEnded
from referee.core.result import Result
from referee.storage import codec
from referee.storage.line import Lines

VERSION = 1


@dataclass(frozen=True, slots=True)
class Ended:
    """A `PlayEnded` of a record."""

    at_us: Micros
    result: Result
    seed: bytes


EVENTS = {**codec.EVENTS, "play_ended": Ended}

_LINES: Lines[Event | Ended] = Lines(EVENTS, codec.KNOWN, VERSION, {})


def encode(event: Event) -> str:
    """The event's line. Raises MalformedEntry if the event could not be read back from it."""
    return _LINES.encode(Ended(event.at_us, event.result, event.seed) if isinstance(event, PlayEnded) else event)


def decode(line: str) -> Event:
    """The event of a line. Raises MalformedEntry."""
    event = _LINES.decode(line)
    return PlayEnded(event.at_us, event.result, event.seed) if isinstance(event, Ended) else event
