"""What turns took, by the clock rows of the matches' records; and which of these matches an illegal move has lost."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from io import BytesIO
from itertools import islice
from statistics import median

from referee.core.clock import Micros
from referee.core.events import Event, FlagFell, MovePlayed, Opened, PlayBegan
from referee.core.setup import Player
from referee.reporting.illegal_moves import illegal_moves
from referee.reporting.report import IllegalMove, Times
from referee.storage.record.reading import read
from referee.storage.record.verdict import Trouble

OF_TWENTY = 20
MAX_ILLEGAL_MOVES = 20
"""A bot that cannot play a game loses all its matches alike."""


class Stopwatches:
    """One for each entrant."""

    def __init__(self, entrant_of: Callable[[str, str], str | None]) -> None:
        """`entrant_of` a bot and its version."""
        self._entrant_of = entrant_of
        self._turns: defaultdict[str, list[Micros]] = defaultdict(list)
        self._flags: Counter[str] = Counter()
        self.matches = 0
        self.illegal_moves: list[IllegalMove] = []
        """The first `MAX_ILLEGAL_MOVES`."""

    def take(self, record: bytes) -> None:
        """One match. What is no record says nothing."""
        try:
            events = [entry.event for entry in read(BytesIO(record)).entries]
        except Trouble:
            return
        self.matches += 1
        seated = [self._entrant_of(player.bot, player.version) for player in _players(events)]
        room = MAX_ILLEGAL_MOVES - len(self.illegal_moves)
        self.illegal_moves += islice(illegal_moves(_match_id(events), events, seated), room)
        for event in events:
            if isinstance(event, MovePlayed | FlagFell) and event.row and (name := seated[event.seat]):
                self._turns[name].append(event.row.charged_us)
                self._flags[name] += isinstance(event, FlagFell)

    def times(self) -> dict[str, Times]:
        return {name: _times(turns, self._flags[name]) for name, turns in self._turns.items()}


def _match_id(events: Iterable[Event]) -> str:
    return next((event.setup.match_id for event in events if isinstance(event, Opened)), "")


def _players(events: Iterable[Event]) -> tuple[Player, ...]:
    """Who sat where, with the versions that played."""
    players: tuple[Player, ...] = ()
    for event in events:
        if isinstance(event, Opened):
            players = event.setup.players
        elif isinstance(event, PlayBegan):
            return event.seated
    return players


def _times(turns: list[Micros], flags: int) -> Times:
    turns.sort()
    slow = turns[-1 - len(turns) // OF_TWENTY]
    return Times(len(turns), sum(turns), round(median(turns)), slow, turns[-1], flags)
