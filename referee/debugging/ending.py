"""How a match ended, and through whom, in one sentence."""

from engines.api import Seat
from referee.core.match import Match
from referee.core.result import Fault, Kind

FAULTS = {
    Fault.TIME: "overstepped its time",
    Fault.ILLEGAL_MOVE: "had no attempt left at a legal move",
    Fault.GONE: "was gone for too long",
}


def ending(match: Match) -> str:
    """For people."""
    result = match.result
    if result is None:
        return "The record breaks off before the match ended."
    if result.kind is Kind.VOID:
        return f"The match is void ({result.cause.value}): no bot's doing, and scored for nobody."
    if result.kind is Kind.FORFEITED:
        faults = "; ".join(f"{_who(match, one.seat)} {FAULTS[one.fault]}" for one in result.forfeits)
        return f"The match was forfeited: {faults}."
    resigned = "".join(f" {_who(match, seat)} resigned." for seat in match.resigned)
    first = [_who(match, seat) for seat, rank in enumerate(result.ranks) if rank == 1]
    whose = "Nobody won" if len(first) == len(result.ranks) else f"{' and '.join(first)} won"
    return f"{whose}: {result.reason or result.cause.value}.{resigned}"


def _who(match: Match, seat: Seat) -> str:
    bot = match.players[seat].bot
    return f"seat {seat} ({bot})" if bot else f"seat {seat}"
