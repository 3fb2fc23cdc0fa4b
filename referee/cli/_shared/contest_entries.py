"""Format the log entries of ladders and tournaments, one line each."""

from collections.abc import Callable
from typing import Any

from referee_api.v1 import contest_pb2, ladder_pb2, tournament_pb2

from referee.reporting.formatting import MINUS, counted, points_text, signed
from referee.reporting.report import Sprt
from referee.reporting.tournament_report import sprt_of

PHASES = {
    contest_pb2.PAIRING_PHASE_PLANNED: "is planned",
    contest_pb2.PAIRING_PHASE_PLAYING: "is being played",
}


Entry = tournament_pb2.TournamentEntry | ladder_pb2.LadderEntry


def entry_line(entry: Entry) -> str:
    kind = entry.WhichOneof("event") or ""
    tell = LINES.get(kind)
    return tell(getattr(entry, kind)) if tell else "unknown event; this program is older than the referee"


def pairing_text(pairing: contest_pb2.Pairing) -> str:
    names = list(pairing.entrants)
    if len(names) == 1:
        return f"{pairing.id}: {names[0]} has a bye"
    if pairing.phase == contest_pb2.PAIRING_PHASE_DONE:
        text = ", ".join(f"{name} {points_text(got)}" for name, got in zip(names, pairing.points, strict=False))
        return f"{pairing.id}: {text}"
    return f"{pairing.id}: {' - '.join(names)} {PHASES.get(pairing.phase, '')}".rstrip()


def sprt_text(sprt: Sprt) -> str:
    """Format as `LLR 1.20 (−2.94, 2.94), +12 Elo (−8 to +32), 3-10-40-22-7`; narrow terminals cut off the end."""
    estimate = sprt.estimate
    ratio = [] if sprt.llr is None else [f"LLR {_ratio(sprt.llr)} ({', '.join(map(_ratio, sprt.bounds))})"]
    lead = f"{signed(estimate.elo)} Elo ({signed(estimate.low)} to {signed(estimate.high)})"
    return ", ".join([*ratio, lead, *(["-".join(map(str, sprt.counts))] if sprt.counts else [])])


def _ratio(llr: float) -> str:
    return f"{llr:.2f}".replace("-0.00", "0.00").replace("-", MINUS)


def _ratings(rated: ladder_pb2.MatchRated) -> str:
    return ", ".join(
        f"{change.bot} {change.after.value:.0f} ({signed(change.after.value - change.before.value)})"
        for change in rated.ratings
    )


def _name(entrant: contest_pb2.Entrant) -> str:
    return entrant.name or ", ".join(bot.bot for bot in entrant.bots)


def _ended(ended: tournament_pb2.TournamentEnded) -> str:
    cancelled = ended.phase == tournament_pb2.TOURNAMENT_PHASE_CANCELLED
    return _with("cancelled" if cancelled else "finished", ended.message)


def _with(text: str, message: str) -> str:
    return f"{text}: {message}" if message else text


LINES: dict[str, Callable[[Any], str]] = {
    "created": lambda made: f"{made.title or made.name} was created",
    "entrant_joined": lambda joined: f"{_name(joined.entrant)} joined",
    "entrant_left": lambda left: _with(f"{left.entrant} left", left.message),
    "round_started": lambda began: f"round {began.round} started",
    "pairings_planned": lambda planned: f"{counted(len(planned.pairings), 'pairing')} planned",
    "pairing": pairing_text,
    "sprt": lambda sprt: sprt_text(sprt_of(sprt)),
    "ended": _ended,
    "match_rated": lambda rated: f"{rated.match_id}: {_ratings(rated)}",
    "season_started": lambda began: f"season {began.season} started",
    "paused": lambda paused: _with("paused", paused.message),
    "resumed": lambda _: "resumed",
    "closing": lambda closing: _with("closing", closing.message),
    "closed": lambda closed: _with("closed", closed.message),
}
"""Formatters by event."""
