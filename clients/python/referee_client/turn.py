"""A turn, in the players' words."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from referee_api.v1 import game_pb2, play_pb2

from referee_client import local
from referee_client.clocks import Clock, clock_in
from referee_client.errors import Refusal


@dataclass(frozen=True)
class Played:
    """A move that was played, as this seat may see it."""

    seat: int
    move: str


@dataclass(frozen=True)
class Turn:
    """A seat owes a move. It stands on its own: a bot may forget everything between two of them."""

    match_id: str
    seat: int
    """From 0."""
    token: str
    game: str
    options: Mapping[str, str]
    """Every option of the game, with its value as text."""
    ply: int
    """How many moves have been played."""
    position: str
    """In the game's notation; what this seat may not know is `?`."""
    moves_since: tuple[Played, ...] = ()
    """Since this seat's last turn."""
    clocks: tuple[Clock, ...] = ()
    """Every seat's, in order."""
    left: float | None = None
    """How many seconds this seat had, when the turn came, until its flag falls. None: no clock."""
    attempts_left: int = 1
    """Answers that may still be given, this one included."""
    draw_offers: tuple[int, ...] = ()
    """Seats whose offer of a draw stands. To move is to decline."""
    sealed: bool = False
    """Do others choose at the same time, unseen?"""
    again: bool = False
    """Has this turn been asked before?"""
    refused: Refusal | None = None
    """What was wrong with the answer before this one, in the same turn."""
    came_at: float = field(default_factory=time.monotonic, compare=False)
    """By `time.monotonic()`."""
    told_moves: tuple[str, ...] | None = field(default=None, repr=False)
    """Legal moves as far as the referee listed them. None: it was not asked to."""
    told_moves_count: int | None = field(default=None, repr=False)
    told_view: str = field(default="", repr=False)

    @property
    def left_now(self) -> float | None:
        """As `left`, at this moment: thinking may begin later than the turn came."""
        return None if self.left is None else self.left - (time.monotonic() - self.came_at)

    @cached_property
    def legal_moves(self) -> tuple[str, ...]:
        """In order. All of them; but a referee lists no more than its limit, by default the first 5000."""
        if self.told_moves is not None:
            return self.told_moves
        return tuple(local.position(self.game, self.options, self.position).moves(self.seat))

    @property
    def legal_moves_count(self) -> int:
        """How many there are, listed or not."""
        return len(self.legal_moves) if self.told_moves_count is None else self.told_moves_count

    @cached_property
    def view(self) -> Any:
        """The position as plain data, by the game's view schema."""
        if self.told_view:
            return json.loads(self.told_view)
        if not local.INSTALLED:
            raise LookupError("this turn has no view: run(..., view=True) wishes for it")
        return local.position(self.game, self.options, self.position).view(self.seat)


def turn_in(message: play_pb2.Turn, listed: bool, rules: game_pb2.Rules | None = None) -> Turn:
    """`listed`: was the referee asked to list the moves? `rules`: of the match, where the turn leaves them out."""
    rules = rules or message.rules
    return Turn(
        message.match_id,
        message.seat,
        message.token,
        rules.game,
        dict(rules.options),
        message.ply,
        message.position,
        tuple(Played(one.seat, one.move) for one in message.moves_since),
        tuple(map(clock_in, message.clocks)),
        message.left_ms / 1_000 if message.HasField("left_ms") else None,
        message.attempts_left,
        tuple(message.draw_offers),
        message.sealed,
        message.again,
        told_moves=tuple(message.legal_moves) if listed else None,
        told_moves_count=message.legal_moves_count if message.HasField("legal_moves_count") else None,
        told_view=message.view_json,
    )
