"""Metrics of matches, recorded by an observer from the entries of their logs.

This runs with every move, so it adds to plain numbers, with few calls.
"""

from collections.abc import Callable, Sequence
from typing import Any

from prometheus_client import CollectorRegistry
from referee_values import ForfeitCause

from engines.api import Seat
from referee.live.ports import Entry
from referee.match.clock import SECOND
from referee.match.events import Event, FlagFell, MatchCreated, MovePlayed, MoveSource, PlayEnded
from referee.match.result import FORFEIT_CAUSES, VOID_CAUSES, EndCause, EndKind, Result
from referee.match.state import Match
from referee.observability.metric_families import CounterFamily, HistogramFamily

THINK_S = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000)
DECISION_S = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10)

ENDS: dict[EndKind, Sequence[EndCause | ForfeitCause]] = {
    EndKind.PLAYED: [cause for cause in EndCause if cause is not EndCause.FAULT and cause not in VOID_CAUSES],
    EndKind.FORFEITED: FORFEIT_CAUSES,
    EndKind.VOID: VOID_CAUSES,
}
"""All causes with which a match can end."""

BOT = MoveSource.BOT  # In Python 3.11 an attribute of an enumeration costs a call, and so does the hash of a member.


class _GameSeries:
    """The series of one game, looked up once, since a lookup costs more than an increment."""

    __slots__ = ("bot_moves", "credit", "decision", "game", "moves", "opened", "rated", "stall", "think")

    def __init__(self, families: "MatchMetrics", game: str) -> None:
        self.game = game
        self.opened = families.opened.labels(game)
        self.moves = {source: families.moves.labels(game, source.value) for source in MoveSource}
        self.bot_moves = self.moves[BOT]
        self.think = families.think.labels(game)
        self.decision = families.decision.labels(game)
        self.credit = families.credit.labels(game)
        self.stall = families.stall.labels(game)
        self.rated = families.rated.labels(game)
        for kind, causes in ENDS.items():
            for cause in causes:
                # Initialised with 0, so that `increase` sees the first one.
                families.ended.labels(game, kind.value, cause.value if isinstance(cause, EndCause) else cause)


class MatchMetrics:
    """A MatchObserver that counts entries after they were stored, and faults."""

    sees_moves = True

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, meaning: str, *labels: str) -> CounterFamily:
            return CounterFamily(registry, name, meaning, "game", *labels)

        def histogram(name: str, meaning: str, bounds: Sequence[float]) -> HistogramFamily:
            return HistogramFamily(registry, name, meaning, bounds, "game")

        self.opened = counter("referee_matches_opened", "Matches that were created.")
        self.ended = counter("referee_matches_ended", "Matches that ended, by kind and cause.", "kind", "cause")
        self.moves = counter("referee_moves", "Moves that were played, by source.", "source")
        self.flags = counter("referee_flags_fallen", "Flags that fell.", "cause")
        self.think = histogram("referee_think_seconds", "Time that bots were charged for a move.", THINK_S)
        self.decision = histogram(
            "referee_decision_seconds", "Time from the arrival of a move until its decision.", DECISION_S
        )
        self.credit = counter("referee_network_credit_seconds", "Network credit that was granted.")
        self.stall = counter("referee_stall_given_back_seconds", "Referee delay that was credited.")
        self.rated = counter("referee_ratings_applied", "Rating updates, one for each seat of a rated match.")
        self.faults = CounterFamily(
            registry, "referee_faults", "Internal faults in matches and contests; details are in the log."
        ).labels()
        self._games: dict[str, _GameSeries] = {}

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        """Record `entries`, which led from `before` to `match`."""
        game = match.setup.terms.game
        series = self._games.get(game) or self._games.setdefault(game, _GameSeries(self, game))
        for entry in entries:
            record = RECORDERS.get(type(entry.event))
            if record:
                record(self, series, entry.event, before)

    def on_fault(self, match_id: str, fault: Exception) -> None:
        """Record an internal fault."""
        self.faults.inc()

    def _opened(self, series: _GameSeries, _event: MatchCreated, _before: Match | None) -> None:
        series.opened.inc()

    def _move_played(self, series: _GameSeries, event: MovePlayed, _before: Match | None) -> None:
        charge, by_bot = event.row, event.source is BOT
        (series.bot_moves if by_bot else series.moves[event.source]).value += 1
        if charge is None:
            return
        series.credit.value += charge.network_credit_us / SECOND
        series.stall.value += charge.stall_us / SECOND
        if by_bot:
            series.think.observe(charge.charged_us / SECOND)
            series.decision.observe((event.at_us - charge.arrived_us) / SECOND)

    def _flag_fell(self, series: _GameSeries, event: FlagFell, before: Match | None) -> None:
        series.credit.inc(event.row.network_credit_us / SECOND)
        series.stall.inc(event.row.stall_us / SECOND)
        self.flags.labels(series.game, _flag_cause(event, before)).inc()

    def _play_ended(self, series: _GameSeries, event: PlayEnded, _before: Match | None) -> None:
        self.ended.labels(series.game, event.result.kind.value, _end_cause(event.result)).inc()
        series.rated.inc(len(event.ratings))


Recorder = Callable[[MatchMetrics, _GameSeries, Any, Match | None], None]

RECORDERS: dict[type[Event], Recorder] = {
    MatchCreated: MatchMetrics._opened,
    MovePlayed: MatchMetrics._move_played,
    FlagFell: MatchMetrics._flag_fell,
    PlayEnded: MatchMetrics._play_ended,
}


def _flag_cause(event: FlagFell, before: Match | None) -> str:
    if event.move or event.request_id:
        return "late_answer"
    return "away" if before and _is_away(before, event.seat) else "no_answer"


def _is_away(match: Match, seat: Seat) -> bool:
    return match.gone_us[seat] is not None


def _end_cause(result: Result) -> str:
    """Return the first fault of a forfeit, or else the cause."""
    return result.forfeits[0].cause if result.forfeits else result.cause.value
