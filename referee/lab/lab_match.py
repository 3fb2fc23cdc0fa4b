"""What the lab plays, and what comes out: a match by its complete setup, and its result as a value of one line."""

from collections import Counter
from collections.abc import Iterable

import msgspec
from msgspec import Struct
from referee_values import ForfeitCause

from engines.api import Seat
from referee.lab.match_player import PlayedMatch
from referee.local.local_standings import MatchFinish
from referee.match.events import FlagFell, MovePlayed, MoveRejected
from referee.match.moves_digest import digest_moves
from referee.match.plain_run import PlainMove
from referee.match.result import EndKind, Result
from referee.match.setup import Setup
from referee.records.describe_event import escape_unprintable

MAX_FAILURE_CHARS = 300
"""The beginning of a longer line of an error is in the result; the bot's log has all of it."""


class LabMatch(Struct, frozen=True):
    """A match to be played."""

    number: int
    """From 1, in the order of the plan."""
    name: str
    """Unique within the plan; also the path of its record below the folder of records, without suffix."""
    label: str
    """Label of the game."""
    bots: tuple[str, ...]
    """Names of the bots by seat."""
    setup: Setup


class LabResult(Struct, frozen=True):
    """How a match ended. Results of the same plan and seed are equal if its bots are repeatable."""

    number: int
    name: str
    label: str
    bots: tuple[str, ...]
    """Names of the bots by seat."""
    result: Result
    moves: int
    digest: str
    """Digest of the moves, by which repeated games are found. Empty if there are none."""
    faults: tuple[tuple[Seat, ForfeitCause, int], ...] = ()
    """How many flag falls and illegal moves each seat had."""
    failures: tuple[tuple[Seat, str], ...] = ()
    """Seats whose bots failed and resigned, each with the last line of the error, shortened."""
    match_id: str = ""
    """The id of the match. A packed file finds the record by it."""

    @property
    def void(self) -> bool:
        return self.result.kind is EndKind.VOID

    @property
    def forfeited(self) -> bool:
        return self.result.kind is EndKind.FORFEITED

    def finish(self, *, repeated: bool = False) -> MatchFinish:
        """Return what counts in the standings. `repeated`: it repeats an earlier match."""
        faults = Counter({(self.bots[seat], fault): count for seat, fault, count in self.faults})
        result = self.result
        return MatchFinish(self.label, self.bots, result.ranks, result.side_ranks, faults, repeated)


def repeated_games(results: Iterable[LabResult]) -> set[str]:
    """Return the names of the matches that repeat all moves of an earlier one from the same seats."""
    games: set[tuple[tuple[str, ...], str]] = set()
    repeated = set()
    for result in results:
        key = result.bots, result.digest
        if result.void or not result.digest:
            continue
        if key in games:
            repeated.add(result.name)
        games.add(key)
    return repeated


def lab_result(match: LabMatch, finished: PlayedMatch) -> LabResult:
    result = finished.match.result
    assert result
    moves = [(item.seat, item.move) for item in finished.items if type(item) is PlainMove or type(item) is MovePlayed]
    return LabResult(
        match.number,
        match.name,
        match.label,
        match.bots,
        result,
        finished.match.ply,
        digest_moves(match.setup, moves),
        _faults(finished),
        tuple((seat, _last_line(why)) for seat, why in finished.failures),
        match.setup.match_id,
    )


def _faults(finished: PlayedMatch) -> tuple[tuple[Seat, ForfeitCause, int], ...]:
    found = [event for event in finished.items if type(event) is FlagFell or type(event) is MoveRejected]
    faults: list[tuple[Seat, ForfeitCause]] = [
        (event.seat, "time" if isinstance(event, FlagFell) else "illegal_move") for event in found
    ]
    return tuple((seat, fault, count) for (seat, fault), count in Counter(faults).items()) if faults else ()


def _last_line(text: str) -> str:
    line = text.strip().rpartition("\n")[2]
    return escape_unprintable(line if len(line) <= MAX_FAILURE_CHARS else f"{line[:MAX_FAILURE_CHARS]}...")


RESULT_ENCODER = msgspec.json.Encoder()
RESULT_DECODER = msgspec.json.Decoder(LabResult)
