"""What may be asked of a ladder: by who plays on it, by its organiser, and by who makes its matches."""

from dataclasses import dataclass

from referee.contest.finish import Finish
from referee.contest.ladder_events import Entrant
from referee.core.setup import Player


@dataclass(frozen=True, slots=True)
class Here:
    """An entrant whose bots are all there, and may play."""

    name: str
    bots: tuple[Player, ...]
    """In the versions that would play now."""
    room: int
    """How many more matches it takes now."""


@dataclass(frozen=True, slots=True)
class Join:
    entrant: Entrant


@dataclass(frozen=True, slots=True)
class Leave:
    name: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """Bring those together who are there and have room, everybody once at most."""

    here: tuple[Here, ...]
    hurry: bool = False
    """Rather have the same ones meet again too soon than wait for those who play now."""
    resting: frozenset[str] = frozenset()
    """Matches that are due and cannot begin now, by id: no place is kept for them."""
    most: int | None = None
    """So many pairings. None: all that there can be."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """Somebody wants these to meet, as soon as all of them have room."""

    request: str
    entrants: tuple[str, ...]
    """One for each place at the table, in any order."""


@dataclass(frozen=True, slots=True)
class Begin:
    """A match that was due was made."""

    due: str
    match_id: str


@dataclass(frozen=True, slots=True)
class Record:
    """A match that was due has a result. Where it is rated too, `Rate` says so."""

    due: str
    match_id: str
    finish: Finish[Player]
    forfeited: tuple[Player, ...] = ()
    """Who lost by a fault of its own."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A match is rated. It need not be one that the ladder made: then none was due."""

    match_id: str
    finish: Finish[Player]
    forfeited: tuple[Player, ...] = ()
    due: str = ""


@dataclass(frozen=True, slots=True)
class RecordVoid:
    """A match that was due was broken; it is to be played again."""

    due: str
    match_id: str


@dataclass(frozen=True, slots=True)
class StartSeason:
    request: str = ""


@dataclass(frozen=True, slots=True)
class Pause:
    """Begin no matches until `Resume`."""

    message: str = ""


@dataclass(frozen=True, slots=True)
class Resume:
    """Begin matches again."""


@dataclass(frozen=True, slots=True)
class Close:
    """Pair nobody any more."""

    message: str = ""


@dataclass(frozen=True, slots=True)
class End:
    """No match that it rates is being played any more."""


Command = (
    Join | Leave | Pair | Challenge | Begin | Record | Rate | RecordVoid | StartSeason | Pause | Resume | Close | End
)
