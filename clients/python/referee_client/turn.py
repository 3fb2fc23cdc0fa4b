"""A turn, as bots see it."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from referee_api.conversion import to_value
from referee_api.v1 import game_pb2, play_pb2
from referee_values import Clock, SeatMove

from referee_client import local
from referee_client.errors import Refusal


@dataclass(frozen=True)
class Turn:
    """A request for a move. It is self-contained: a bot may forget everything between two turns."""

    match_id: str
    seat: int
    """Number of the seat, from 0."""
    token: str
    game: str
    options: Mapping[str, str]
    """Every option of the game, with its value as text."""
    ply: int
    """How many moves have been played."""
    position: str
    """The position in the game's notation; what this seat may not know is `?`."""
    history: tuple[SeatMove, ...] = ()
    """The moves since the last turn of this seat; with `full_history`, all moves since the start."""
    clocks: tuple[Clock, ...] = ()
    """The clocks of all seats, in order."""
    time_left: float | None = None
    """Seconds until this seat's flag falls, at the time when the turn arrived. None: no clock."""
    attempts_left: int = 1
    """How many answers may still be given, including this one."""
    draw_offers: tuple[int, ...] = ()
    """Seats with an open draw offer. Moving declines it."""
    simultaneous: bool = False
    """Whether other seats choose at the same time without seeing this move."""
    repeated: bool = False
    """Whether this turn has been sent before."""
    rejection: Refusal | None = None
    """The error of the previous answer in the same turn."""
    arrived_at: float = field(default_factory=time.monotonic, compare=False)
    """When the turn arrived, by `time.monotonic()`."""
    listed_moves: tuple[str, ...] | None = field(default=None, repr=False)
    """Legal moves as far as the referee has listed them. None: it was not asked to list any."""
    listed_moves_count: int | None = field(default=None, repr=False)
    received_view: str = field(default="", repr=False)

    @property
    def time_left_now(self) -> float | None:
        """The value of `time_left` at this moment. The bot may begin to think later than the turn arrived."""
        return None if self.time_left is None else self.time_left - (time.monotonic() - self.arrived_at)

    @cached_property
    def legal_moves(self) -> tuple[str, ...]:
        """All legal moves, sorted; but a referee lists no more than its limit, by default the first 5000."""
        if self.listed_moves is not None:
            return self.listed_moves
        return tuple(local.position(self.game, self.options, self.position).moves(self.seat))

    @property
    def legal_moves_count(self) -> int:
        """The number of legal moves, listed or not."""
        return len(self.legal_moves) if self.listed_moves_count is None else self.listed_moves_count

    @property
    def legal_moves_truncated(self) -> bool:
        """Whether there are more legal moves than `legal_moves` has."""
        return self.legal_moves_count > len(self.legal_moves)

    @cached_property
    def view(self) -> Any:
        """The position as plain data, in the form of the game's view schema."""
        if self.received_view:
            return json.loads(self.received_view)
        if not local.INSTALLED:
            raise LookupError("this turn has no view: request it by run(..., view=True)")
        return local.position(self.game, self.options, self.position).view(self.seat)


def turn_in(message: play_pb2.Turn, listed: bool, rules: game_pb2.Rules | None = None) -> Turn:
    """Return a turn from a message.

    `listed`: whether the referee was asked to list legal moves. `rules`: those of the match, if the turn omits them.
    """
    rules = rules or message.rules
    return Turn(
        message.match_id,
        message.seat,
        message.turn_token,
        rules.game,
        dict(rules.options),
        message.ply,
        message.position,
        tuple(SeatMove(seat=played.seat, move=played.move) for played in message.move_history),
        tuple(to_value(clock, Clock) for clock in message.clocks),
        message.time_left_ms / 1_000 if message.HasField("time_left_ms") else None,
        message.attempts_left,
        tuple(message.draw_offer_seats),
        message.simultaneous,
        message.repeated,
        listed_moves=tuple(message.legal_moves) if listed else None,
        listed_moves_count=message.legal_move_count if message.HasField("legal_move_count") else None,
        received_view=message.view_json,
    )
