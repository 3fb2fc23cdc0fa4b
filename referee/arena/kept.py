"""Matches that have been played, as their records tell of them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.api import Seat
from engines.refusals import quoted
from referee.arena.entrant import entrant_of
from referee.arena.refusals import NoRecord, OtherTerms
from referee.arena.schedule import Pairing
from referee.core.events import Event, FlagFell, MovePlayed, MoveRefused, Opened, PlayEnded, SeatForfeited
from referee.core.result import Fault, Kind, Result
from referee.storage.record.reading import read
from referee.storage.record.verdict import Trouble

ENDING = ".jsonl"
VOID_ENDING = ".void.jsonl"
"""Of a match that counts for nothing, and is played again."""


@dataclass(frozen=True, slots=True)
class Finish:
    """How one match ended, and whose faults were in it."""

    name: str
    """The pairing's."""
    label: str
    """The game's."""
    seats: tuple[str, ...]
    """The names of the entrants, in order of seats."""
    result: Result
    faults: Counter[tuple[str, Fault]]
    """By entrant: flags that fell, moves that could not be played, and times it stayed away for good."""
    moves: int
    last_refused: str = ""
    """Of a match that was lost by moves that could not be played: the last of them, and what was wrong with it."""

    @property
    def void(self) -> bool:
        return self.result.kind is Kind.VOID

    @property
    def forfeited(self) -> bool:
        return self.result.kind is Kind.FORFEITED


class Folder:
    """Where the records of a plan are kept."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def file(self, pairing: Pairing, ending: str = ENDING) -> Path:
        return self._path / f"{pairing.name}{ending}"

    def finish(self, pairing: Pairing) -> Finish | None:
        """How this pairing ended; None: it has not been played. Raises OtherTerms or NoRecord."""
        file = self.file(pairing)
        try:
            events = _events(file)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except Trouble as trouble:
            raise NoRecord(str(file), str(trouble.verdict)) from None
        _check(str(file), events[0], pairing)
        return _finish(str(file), pairing, events)

    def keep(self, pairing: Pairing, record: bytes) -> Finish:
        """Keep the record of a match that is over, whole or not at all."""
        new = self.file(pairing, ".new")
        new.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(record)
        finish = _finish(str(new), pairing, _events(new))
        new.replace(self.file(pairing, VOID_ENDING if finish.void else ENDING))
        return finish


def _events(file: Path) -> list[Event]:
    with file.open("rb") as record:
        return [entry.event for entry in read(record).entries]


def _check(file: str, opened: Event, pairing: Pairing) -> None:
    if not isinstance(opened, Opened):
        raise NoRecord(file, "its first entry does not open a match")
    terms = pairing.terms
    setup = opened.setup.completed(terms.game)
    differing = {
        "rules": (setup.game, setup.settings) != (terms.game.name, terms.settings),
        "clocks": set(setup.controls) != {terms.control},
        "policies": setup.policies != terms.policies,
        "seats": [entrant_of(player.bot) for player in setup.players] != [entrant.name for entrant in pairing.seats],
    }
    for what, differs in differing.items():
        if differs:
            raise OtherTerms(file, what)


def _finish(file: str, pairing: Pairing, events: Sequence[Event]) -> Finish:
    seats = tuple(entrant.name for entrant in pairing.seats)
    ended = events[-1]
    if not isinstance(ended, PlayEnded):
        raise NoRecord(file, "its last entry does not end a match")
    faults = Counter((seats[seat], fault) for seat, fault in map(_fault, events) if fault)
    moves = sum(isinstance(event, MovePlayed) for event in events)
    return Finish(
        pairing.name, pairing.terms.label, seats, ended.result, faults, moves, _last_refused(ended.result, events)
    )


def _last_refused(result: Result, events: Sequence[Event]) -> str:
    guilty = {one.seat for one in result.forfeits if one.fault is Fault.ILLEGAL_MOVE}
    refused = [event for event in events if isinstance(event, MoveRefused) and event.seat in guilty]
    return f"{quoted(refused[-1].move)}: {refused[-1].sentence}" if refused else ""


def _fault(event: Event) -> tuple[Seat, Fault | None]:
    """What a seat did wrong here, if it did."""
    match event:
        case FlagFell(seat=seat):
            return seat, Fault.TIME
        case MoveRefused(seat=seat):
            return seat, Fault.ILLEGAL_MOVE
        case SeatForfeited(seat=seat, fault=Fault.GONE):
            return seat, Fault.GONE
    return 0, None
