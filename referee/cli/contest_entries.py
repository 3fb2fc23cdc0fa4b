"""What is said of the entries of ladders and tournaments, a line each."""

from collections.abc import Callable
from typing import Any

from referee_api.v1 import contest_pb2, ladder_pb2, tournament_pb2

from referee.reporting.of_tournament import sprt_of
from referee.reporting.report import Sprt
from referee.reporting.words import MINUS, counted, points_text, signed

PHASES = {
    contest_pb2.PAIRING_PHASE_PLANNED: "waits",
    contest_pb2.PAIRING_PHASE_PLAYING: "is being played",
}


Entry = tournament_pb2.TournamentEntry | ladder_pb2.LadderEntry


def entry_line(entry: Entry) -> str:
    kind = entry.WhichOneof("event") or ""
    tell = LINES.get(kind)
    return tell(getattr(entry, kind)) if tell else "something that this program does not know"


def pairing_text(pairing: contest_pb2.Pairing) -> str:
    names = list(pairing.entrants)
    if len(names) == 1:
        return f"{pairing.id}: {names[0]} has a bye"
    if pairing.phase == contest_pb2.PAIRING_PHASE_DONE:
        said = ", ".join(f"{name} {points_text(got)}" for name, got in zip(names, pairing.points, strict=False))
        return f"{pairing.id}: {said}"
    return f"{pairing.id}: {' - '.join(names)} {PHASES.get(pairing.phase, '')}".rstrip()


def sprt_text(sprt: Sprt) -> str:
    """`LLR 1.20 (−2.94, 2.94), +12 Elo (−8 to +32), 3-10-40-22-7`: what decides comes first, where there is no room."""
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
    return _with("called off" if cancelled else "finished", ended.message)


def _with(said: str, message: str) -> str:
    return f"{said}: {message}" if message else said


LINES: dict[str, Callable[[Any], str]] = {
    "made": lambda made: f"{made.title or made.name} was made",
    "joined": lambda joined: f"{_name(joined.entrant)} is in",
    "left": lambda left: _with(f"{left.entrant} is out", left.message),
    "round_began": lambda began: f"round {began.round} begins",
    "planned": lambda planned: f"{counted(len(planned.pairings), 'pairing')} planned",
    "pairing": pairing_text,
    "sprt": lambda sprt: sprt_text(sprt_of(sprt)),
    "ended": _ended,
    "rated": lambda rated: f"{rated.match_id}: {_ratings(rated)}",
    "season_began": lambda began: f"season {began.season} begins",
    "paused": lambda paused: _with("paused: no match begins", paused.message),
    "resumed": lambda _: "resumed",
    "closing": lambda closing: _with("about to close", closing.message),
    "closed": lambda closed: _with("closed", closed.message),
}
"""By what happened."""
