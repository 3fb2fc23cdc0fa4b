"""Which matches were lost by an illegal move, and what was refused, by the matches' records."""

from collections.abc import Iterable, Sequence

from engines.api import Seat
from engines.refusals import quoted
from referee.core.events import Event, MoveRefused, PlayEnded
from referee.core.result import Fault
from referee.reporting.report import IllegalMove


def illegal_moves(match_id: str, events: Sequence[Event], names: Sequence[str | None]) -> Iterable[IllegalMove]:
    """One for each seat that lost the match so; `names` are those of the seats, None: of nobody who takes part."""
    for ended in events:
        if isinstance(ended, PlayEnded):
            for forfeit in ended.result.forfeits:
                name = names[forfeit.seat]
                if name and forfeit.fault is Fault.ILLEGAL_MOVE:
                    yield IllegalMove(match_id, name, _last_refused(events, forfeit.seat))


def _last_refused(events: Iterable[Event], seat: Seat) -> str:
    refused = [event for event in events if isinstance(event, MoveRefused) and event.seat == seat]
    return f"{quoted(refused[-1].move)}: {refused[-1].sentence}" if refused else ""
