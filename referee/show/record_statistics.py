"""Statistics from match records: time used by each entrant, and forfeits by illegal moves."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from io import BytesIO
from itertools import islice
from statistics import median

from engines.api import Seat
from engines.game_errors import quoted
from referee.match.clock import Micros
from referee.match.events import Event, FlagFell, MatchCreated, MovePlayed, MoveRejected, PlayEnded, PlayStarted
from referee.match.moves_digest import digest_of_events
from referee.match.setup import Player
from referee.records.record_reader import RecordInvalid, read_record
from referee.show.report import IllegalMove, Times

OF_TWENTY = 20
MAX_ILLEGAL_MOVES = 20
"""Limit of the list, since a faulty bot may forfeit all its matches."""


class RecordStatistics:
    """Accumulates statistics over the records of a contest."""

    def __init__(self, entrant_of: Callable[[str, str], str | None], match_ids: Collection[str] | None = None) -> None:
        """`entrant_of` maps a bot and its version to an entrant, or None. Only records of `match_ids` are added.

        None: records of all matches are added.
        """
        self._entrant_of = entrant_of
        self._match_ids = match_ids
        self._turns: defaultdict[str, list[Micros]] = defaultdict(list)
        self._flags: Counter[str] = Counter()
        self.matches = 0
        self.illegal_moves: list[IllegalMove] = []
        """The first `MAX_ILLEGAL_MOVES`."""
        self.repeated: list[str] = []
        """Ids of matches that repeat the game of one whose record was added before."""
        self._games: set[tuple[tuple[str | None, ...], str]] = set()

    def add_record(self, record: bytes) -> None:
        """Add the record of a match. Ignores data that is not a record."""
        try:
            events = [entry.event for entry in read_record(BytesIO(record)).entries]
        except RecordInvalid:
            return
        match_id = _match_id(events)
        if self._match_ids is not None and match_id not in self._match_ids:
            return
        self.matches += 1
        seated = [self._entrant_of(player.bot, player.version) for player in _players(events)]
        self._find_repetition(match_id, tuple(seated), digest_of_events(events))
        room = MAX_ILLEGAL_MOVES - len(self.illegal_moves)
        self.illegal_moves += islice(illegal_moves(match_id, events, seated), room)
        for event in events:
            if isinstance(event, MovePlayed | FlagFell) and event.row and (name := seated[event.seat]):
                self._turns[name].append(event.row.charged_us)
                self._flags[name] += isinstance(event, FlagFell)

    def _find_repetition(self, match_id: str, seated: tuple[str | None, ...], moves: str) -> None:
        if (seated, moves) in self._games:
            self.repeated.append(match_id)
        elif moves:
            self._games.add((seated, moves))

    def times(self) -> dict[str, Times]:
        return {name: _times(turns, self._flags[name]) for name, turns in self._turns.items()}


def read_moves(record: bytes) -> tuple[str, ...] | None:
    """Return the moves of a match. None: the data are no record."""
    try:
        entries = read_record(BytesIO(record)).entries
    except RecordInvalid:
        return None
    return tuple(entry.event.move for entry in entries if isinstance(entry.event, MovePlayed))


def _match_id(events: Iterable[Event]) -> str:
    return next((event.setup.match_id for event in events if isinstance(event, MatchCreated)), "")


def _players(events: Iterable[Event]) -> tuple[Player, ...]:
    """Return the players by seat, with the versions that played."""
    players: tuple[Player, ...] = ()
    for event in events:
        if isinstance(event, MatchCreated):
            players = event.setup.players
        elif isinstance(event, PlayStarted):
            return event.seated
    return players


def _times(turns: list[Micros], flags: int) -> Times:
    turns.sort()
    slow = turns[-1 - len(turns) // OF_TWENTY]
    return Times(len(turns), sum(turns), round(median(turns)), slow, turns[-1], flags)


def illegal_moves(match_id: str, events: Sequence[Event], names: Sequence[str | None]) -> Iterable[IllegalMove]:
    """Yield the forfeits by illegal moves. `names` are the entrants by seat; None for others."""
    for ended in events:
        if isinstance(ended, PlayEnded):
            for forfeit in ended.result.forfeits:
                name = names[forfeit.seat]
                if name and forfeit.cause == "illegal_move":
                    yield IllegalMove(match_id, name, _last_refused(events, forfeit.seat))


def _last_refused(events: Iterable[Event], seat: Seat) -> str:
    refused = [event for event in events if isinstance(event, MoveRejected) and event.seat == seat]
    return f"{quoted(refused[-1].move)}: {refused[-1].sentence}" if refused else ""
