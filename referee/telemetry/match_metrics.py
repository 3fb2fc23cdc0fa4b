"""What is measured of matches, by reading what has happened in them: nothing in the rules counts anything."""

from collections.abc import Callable, Sequence
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram

from engines.api import Seat
from referee.app.ports import Entry
from referee.core.clock import SECOND
from referee.core.events import Event, FlagFell, MovePlayed, Opened, PlayEnded, Source
from referee.core.match import Match
from referee.core.result import VOID_CAUSES, Cause, Fault, Kind, Result
from referee.core.row import ClockRow

THINK_S = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000)
DECISION_S = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10)

ENDS: dict[Kind, Sequence[Cause | Fault]] = {
    Kind.PLAYED: [cause for cause in Cause if cause is not Cause.FAULT and cause not in VOID_CAUSES],
    Kind.FORFEITED: list(Fault),
    Kind.VOID: VOID_CAUSES,
}
"""All ways in which a match can end."""


class _OfGame:
    """The series of one game, looked up once: to look them up costs as much as to count."""

    def __init__(self, families: "MatchMetrics", game: str) -> None:
        self.game = game
        self.opened = families.opened.labels(game)
        self.moves = {source: families.moves.labels(game, source.value) for source in Source}
        self.think = families.think.labels(game)
        self.decision = families.decision.labels(game)
        self.credit = families.credit.labels(game)
        self.stall = families.stall.labels(game)
        self.rated = families.rated.labels(game)
        for kind, causes in ENDS.items():
            for cause in causes:
                families.ended.labels(game, kind.value, cause.value)  # From 0 on, for whoever asks how it has risen.

    def row(self, row: ClockRow) -> None:
        if row.network_credit_us:
            self.credit.inc(row.network_credit_us / SECOND)
        if row.stall_us:
            self.stall.inc(row.stall_us / SECOND)


class MatchMetrics:
    """A listener: it is told each entry once, after it was written, and each fault."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, meaning: str, *labels: str) -> Counter:
            return Counter(name, meaning, ("game", *labels), registry=registry)

        def histogram(name: str, meaning: str, buckets: Sequence[float]) -> Histogram:
            return Histogram(name, meaning, ("game",), buckets=buckets, registry=registry)

        self.opened = counter("referee_matches_opened", "Matches that were made.")
        self.ended = counter("referee_matches_ended", "Matches that ended, by how and by what.", "kind", "cause")
        self.moves = counter("referee_moves", "Moves that were played, by who chose them.", "source")
        self.flags = counter("referee_flags_fallen", "Flags that fell.", "cause")
        self.think = histogram("referee_think_seconds", "Time that a bot was charged for a move.", THINK_S)
        self.decision = histogram(
            "referee_decision_seconds", "From the arrival of a move until it was its turn to be decided.", DECISION_S
        )
        self.credit = counter("referee_network_credit_seconds", "Time on the network that was given back.")
        self.stall = counter("referee_stall_given_back_seconds", "Stalls of the referee that were given back.")
        self.rated = counter("referee_ratings_applied", "Ratings that matches have changed, one for each seat.")
        self.faults = Counter(
            "referee_faults",
            "What failed in a match or a contest and was no player's doing; the log says more.",
            registry=registry,
        )
        self._games: dict[str, _OfGame] = {}

    def announce(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        """`entries` have made `match` of `before`."""
        game = match.setup.game
        series = self._games.get(game) or self._games.setdefault(game, _OfGame(self, game))
        for entry in entries:
            note = NOTES.get(type(entry.event))
            if note:
                note(self, series, entry.event, before)

    def broke(self, match_id: str, fault: Exception) -> None:
        """Something failed that is no player's doing."""
        self.faults.inc()

    def _opened(self, series: _OfGame, _event: Opened, _before: Match | None) -> None:
        series.opened.inc()

    def _move_played(self, series: _OfGame, event: MovePlayed, _before: Match | None) -> None:
        series.moves[event.source].inc()
        if event.row is None:
            return
        series.row(event.row)
        if event.source is Source.BOT:
            series.think.observe(event.row.charged_us / SECOND)
            series.decision.observe((event.at_us - event.row.arrived_us) / SECOND)

    def _flag_fell(self, series: _OfGame, event: FlagFell, before: Match | None) -> None:
        series.row(event.row)
        self.flags.labels(series.game, _why(event, before)).inc()

    def _play_ended(self, series: _OfGame, event: PlayEnded, _before: Match | None) -> None:
        self.ended.labels(series.game, event.result.kind.value, _cause(event.result)).inc()
        series.rated.inc(len(event.ratings))


Note = Callable[[MatchMetrics, _OfGame, Any, Match | None], None]

NOTES: dict[type[Event], Note] = {
    Opened: MatchMetrics._opened,
    MovePlayed: MatchMetrics._move_played,
    FlagFell: MatchMetrics._flag_fell,
    PlayEnded: MatchMetrics._play_ended,
}


def _why(event: FlagFell, before: Match | None) -> str:
    if event.move or event.request_id:
        return "late_answer"
    return "away" if before and _is_away(before, event.seat) else "no_answer"


def _is_away(match: Match, seat: Seat) -> bool:
    return match.gone_us[seat] is not None


def _cause(result: Result) -> str:
    """Where a fault ended the match: the first fault."""
    return result.forfeits[0].fault.value if result.forfeits else result.cause.value
