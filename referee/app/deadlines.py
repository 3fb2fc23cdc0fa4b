"""When which seat will be too late, if nothing happens before. In match time; None: never."""

from collections.abc import Callable
from typing import NamedTuple

from engines.api import Seat
from referee.core.clock import Micros
from referee.core.match import Match, Turn
from referee.core.policy import Gone
from referee.core.row import falls_at_us


class Deadline(NamedTuple):
    at_us: Micros
    """The first moment that is too late."""
    seat: Seat
    of_grace: bool = False
    """For a bot that is away; else for an answer."""


def deadlines(match: Match, stall_us: Callable[[Seat], Micros]) -> list[Deadline]:
    """Those of all seats that owe a move, each held up by the referee for its `stall_us`."""
    found = []
    for turn in filter(None, match.turns):
        falls_us, ends_us = flag_falls_us(match, turn), _grace_ends_us(match, turn)
        if falls_us is not None:
            found.append(Deadline(falls_us + stall_us(turn.seat), turn.seat))
        if ends_us is not None:
            found.append(Deadline(ends_us, turn.seat, of_grace=True))
    return found


def flag_falls_us(match: Match, turn: Turn) -> Micros | None:
    """The first moment that is too late for that turn, if the referee holds nothing up; None: it never is."""
    setup, seat = match.setup, turn.seat
    credit_us = min(setup.credit.per_move_us, match.credit_us[seat])
    return falls_at_us(setup.controls[seat], match.clocks[seat], turn.asked_us, credit_us)


def _grace_ends_us(match: Match, turn: Turn) -> Micros | None:
    gone_us, policies = match.gone_us[turn.seat], match.setup.policies
    if gone_us is None or policies.gone is not Gone.FORFEIT_AFTER_GRACE:
        return None
    return max(gone_us, turn.asked_us) + policies.grace_us
