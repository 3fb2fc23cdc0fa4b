"""The records of an arena in its results folder, and the results of its matches."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.api import Seat
from engines.refusals import quoted
from referee.local.entrant import entrant_of
from referee.local.local_errors import InvalidRecordFile, TermsChanged
from referee.local.local_schedule import LocalPairing
from referee.match.events import Event, FlagFell, MatchCreated, MovePlayed, MoveRefused, PlayEnded, SeatForfeited
from referee.match.result import EndKind, Fault, Result
from referee.records.record_reader import RecordInvalid, read_record

ENDING = ".jsonl"
VOID_ENDING = ".void.jsonl"
"""Suffix of a void match, which is played again."""


@dataclass(frozen=True, slots=True)
class MatchFinish:
    """Result and faults of one match."""

    name: str
    """Name of the pairing."""
    label: str
    """Label of the game."""
    seats: tuple[str, ...]
    """Names of the entrants, by seat."""
    result: Result
    faults: Counter[tuple[str, Fault]]
    """Number of flag falls, illegal moves and absences of each entrant."""
    moves: int
    last_refused: str = ""
    """If the match was lost by illegal moves: the last one, and its error."""

    @property
    def void(self) -> bool:
        return self.result.kind is EndKind.VOID

    @property
    def forfeited(self) -> bool:
        return self.result.kind is EndKind.FORFEITED


class ResultsFolder:
    """Folder of the records of a plan."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def file(self, pairing: LocalPairing, ending: str = ENDING) -> Path:
        return self._path / f"{pairing.name}{ending}"

    def finish(self, pairing: LocalPairing) -> MatchFinish | None:
        """Read the record of a pairing; None if it was not played. Raises TermsChanged or InvalidRecordFile."""
        file = self.file(pairing)
        try:
            events = _events(file)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except RecordInvalid as trouble:
            raise InvalidRecordFile(str(file), str(trouble.verdict)) from None
        _check(str(file), events[0], pairing)
        return _finish(str(file), pairing, events)

    def keep(self, pairing: LocalPairing, record: bytes) -> MatchFinish:
        """Write the record of a finished match atomically, and return its result."""
        new = self.file(pairing, ".new")
        new.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(record)
        finish = _finish(str(new), pairing, _events(new))
        new.replace(self.file(pairing, VOID_ENDING if finish.void else ENDING))
        return finish


def _events(file: Path) -> list[Event]:
    with file.open("rb") as record:
        return [entry.event for entry in read_record(record).entries]


def _check(file: str, opened: Event, pairing: LocalPairing) -> None:
    if not isinstance(opened, MatchCreated):
        raise InvalidRecordFile(file, "its first entry does not open a match")
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
            raise TermsChanged(file, what)


def _finish(file: str, pairing: LocalPairing, events: Sequence[Event]) -> MatchFinish:
    seats = tuple(entrant.name for entrant in pairing.seats)
    ended = events[-1]
    if not isinstance(ended, PlayEnded):
        raise InvalidRecordFile(file, "its last entry does not end a match")
    faults = Counter((seats[seat], fault) for seat, fault in map(_fault, events) if fault)
    moves = sum(isinstance(event, MovePlayed) for event in events)
    return MatchFinish(
        pairing.name, pairing.terms.label, seats, ended.result, faults, moves, _last_refused(ended.result, events)
    )


def _last_refused(result: Result, events: Sequence[Event]) -> str:
    guilty = {one.seat for one in result.forfeits if one.fault is Fault.ILLEGAL_MOVE}
    refused = [event for event in events if isinstance(event, MoveRefused) and event.seat in guilty]
    return f"{quoted(refused[-1].move)}: {refused[-1].sentence}" if refused else ""


def _fault(event: Event) -> tuple[Seat, Fault | None]:
    """Return the fault of a seat in an event, or None."""
    match event:
        case FlagFell(seat=seat):
            return seat, Fault.TIME
        case MoveRefused(seat=seat):
            return seat, Fault.ILLEGAL_MOVE
        case SeatForfeited(seat=seat, fault=Fault.GONE):
            return seat, Fault.GONE
    return 0, None
