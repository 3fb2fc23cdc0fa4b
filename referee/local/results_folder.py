"""Results folder of a local contest: its records, the logs of the referee and the bots, and what resuming it takes.

An arena resumes from its records alone. A tournament resumes from the database of its server, so that its folder also
has a plan, which must not change, and the administrator's token.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from referee_values import ForfeitCause

from engines.api import Seat
from engines.game_errors import DetailedError, quoted
from referee.local.entrant import entrant_of
from referee.local.plan import LocalPairing
from referee.match.clock import rules_in
from referee.match.events import Event, FlagFell, MatchCreated, MovePlayed, MoveRejected, PlayEnded, SeatForfeited
from referee.match.moves_digest import digest_of_events
from referee.match.result import EndKind, Result
from referee.records.record_reader import RecordInvalid, read_record
from referee.server.stores import StartupError

ENDING = ".jsonl"
VOID_ENDING = ".void.jsonl"
"""Suffix of a void match, which is played again."""


class TermsChanged(DetailedError):
    """The results folder contains a match or a tournament with other terms."""

    def __init__(self, file: str, differing: str) -> None:
        super().__init__(
            f"{file} was played with other {differing}; choose another folder with --out",
            file=file,
            differing=differing,
        )


class InvalidRecordFile(DetailedError):
    """A file of the results folder is not a record."""

    def __init__(self, file: str, verdict: str) -> None:
        super().__init__(f"{file} is not a valid record ({verdict}); remove it", file=file, verdict=verdict)


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
    faults: Counter[tuple[str, ForfeitCause]]
    """Number of flag falls, illegal moves and absences of each entrant."""
    moves: int
    last_refused: str = ""
    """If the match was lost by illegal moves: the last one, and its error."""
    digest: str = ""
    """Digest of the moves. Empty if there are none."""

    @property
    def void(self) -> bool:
        return self.result.kind is EndKind.VOID

    @property
    def forfeited(self) -> bool:
        return self.result.kind is EndKind.FORFEITED


class ResultsFolder:
    """Files of one contest."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records = path / "records"
        self.log = path / "referee.log"
        """Log of the referee."""
        self.bots = path / "bots"
        """Folder of the bots' log files."""
        self.data = path / "referee"
        """Data directory of a tournament's server."""
        self._plan = path / "plan.json"
        self._token = self.data / "token"

    def create(self) -> None:
        """Create the folder. Raises StartupError."""
        try:
            for folder in (self.bots, self.records):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StartupError(f"cannot write to {self.path}: {error.strerror}") from None

    def bot_log(self, bot: str) -> Path:
        return self.bots / f"{bot}.log"

    def record_of(self, pairing: str, number: int) -> Path:
        """Return the file of a match of a tournament's pairing, counted from 1."""
        return self.records / f"{pairing}.{number}{ENDING}"

    def check_plan(self, plan: str) -> None:
        """Raise TermsChanged if the folder was claimed for another plan."""
        if self._plan.exists() and self._plan.read_text(encoding="utf-8") != plan:
            raise TermsChanged(str(self._plan), "terms or entrants")

    def claim(self, plan: str) -> None:
        """Write the plan, so that the folder can only be used for it."""
        _write_atomically(self._plan, plan)

    def admin_token(self, given: str) -> str:
        """Save the administrator's token that the server has given at its first start, or return the saved one.

        Raises StartupError if there is none.
        """
        if given:
            _write_atomically(self._token, given)
        if not self._token.exists():
            raise StartupError(f"{self.data} belongs to another program; choose another folder with --out")
        return self._token.read_text(encoding="utf-8")

    def finish(self, pairing: LocalPairing) -> MatchFinish | None:
        """Read the record of a pairing; None if it was not played. Raises TermsChanged or InvalidRecordFile."""
        file = self._record(pairing)
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
        new = self._record(pairing, ".new")
        new.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(record)
        finish = _finish(str(new), pairing, _events(new))
        new.replace(self._record(pairing, VOID_ENDING if finish.void else ENDING))
        return finish

    def _record(self, pairing: LocalPairing, ending: str = ENDING) -> Path:
        return self.records / f"{pairing.name}{ending}"


def _write_atomically(file: Path, text: str) -> None:
    """Write a file atomically, readable only by its owner."""
    part = file.with_name(f"{file.name}.part")
    part.touch(0o600)
    part.write_text(text, encoding="utf-8")
    part.replace(file)


def _events(file: Path) -> list[Event]:
    with file.open("rb") as record:
        return [entry.event for entry in read_record(record).entries]


def _check(file: str, opened: Event, pairing: LocalPairing) -> None:
    if not isinstance(opened, MatchCreated):
        raise InvalidRecordFile(file, "its first entry does not open a match")
    terms = pairing.terms.match_terms
    setup = opened.setup.completed(pairing.terms.game)
    differing = {
        "rules": (setup.terms.game, setup.terms.settings) != (terms.game, terms.settings),
        "clocks": rules_in(setup.terms.time_control) != rules_in(terms.time_control),
        "policies": setup.terms.policies != terms.policies,
        "adjudication": setup.terms.adjudication != terms.adjudication,
        "openings": setup.opening != pairing.opening,
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
    faults: Counter[tuple[str, ForfeitCause]] = Counter(
        (seats[seat], fault) for seat, fault in map(_fault, events) if fault
    )
    moves = sum(isinstance(event, MovePlayed) for event in events)
    return MatchFinish(
        pairing.name,
        pairing.terms.label,
        seats,
        ended.result,
        faults,
        moves,
        _last_refused(ended.result, events),
        digest_of_events(events),
    )


def _last_refused(result: Result, events: Sequence[Event]) -> str:
    guilty = {one.seat for one in result.forfeits if one.cause == "illegal_move"}
    refused = [event for event in events if isinstance(event, MoveRejected) and event.seat in guilty]
    return f"{quoted(refused[-1].move)}: {refused[-1].sentence}" if refused else ""


def _fault(event: Event) -> tuple[Seat, ForfeitCause | None]:
    """Return the fault of a seat in an event, or None."""
    match event:
        case FlagFell(seat=seat):
            return seat, "time"
        case MoveRejected(seat=seat):
            return seat, "illegal_move"
        case SeatForfeited(seat=seat, cause="disconnected"):
            return seat, "disconnected"
    return 0, None
