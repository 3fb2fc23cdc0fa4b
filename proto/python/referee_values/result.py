"""Results: played, forfeited or void.

A game that the players finished is played. A game that a bot lost by a fault is forfeited. A game that the
infrastructure interrupted is void: it is not scored, and a pairing replays it.
"""

from typing import Literal

from referee_values.value import Count, Value

Ending = Literal["", "rules", "resignation", "draw_agreed", "draw_claimed", "adjudication"]
"""Cause of the end of a played game.

- `""`: Not used.
- `"rules"`: The rules of the game.
- `"resignation"`: All sides but one resigned.
- `"draw_agreed"`: A draw was offered and accepted.
- `"draw_claimed"`: A draw was claimed by the rules.
- `"adjudication"`: The terms of the match (`Adjudication`) or an administrator decided.
"""
ForfeitCause = Literal["", "time", "illegal_move", "disconnected", "withdrawn"]
"""Faults that lose a game.

- `""`: Not used.
- `"time"`: The flag fell.
- `"illegal_move"`: All attempts at a legal move were used.
- `"disconnected"`: The bot was absent for longer than the grace period.
- `"withdrawn"`: The owner withdrew the bot from the match, which does not count as a fault of the bot.
"""
VoidCause = Literal["", "not_started", "aborted", "declared", "engine_fault", "referee_fault"]
"""Causes of void matches.

- `""`: Not used.
- `"not_started"`: Not all seats were taken and online in time.
- `"aborted"`: Its creator aborted it.
- `"declared"`: An administrator voided it.
- `"engine_fault"`: The implementation of the game failed.
- `"referee_fault"`: The server failed.
"""


class PlayedResult(Value, frozen=True, kw_only=True):
    """The players finished the game."""

    ending: Ending = ""
    """Cause of the end."""
    reason: str = ""
    """The game's name for the ending, such as `no_men`, as listed in its rules; of an adjudication by the terms
    `max_plies`, `resign_score` or `draw_score`. Otherwise empty, or what an administrator gave.
    """


class SeatResult(Value, frozen=True, kw_only=True):
    """Result of a seat."""

    seat: Count = 0
    """The seat, from 0."""
    score: float = 0.0
    """Score in the game's own points: men, chips, or 1, 0.5 and 0."""
    rank: Count = 0
    """Rank of the side; 1 is best. Tied sides share a rank, and the next ranks are skipped."""


class SideResult(Value, frozen=True, kw_only=True):
    """Result of a side."""

    score: float = 0.0
    """Score in the game's own points."""
    rank: Count = 0
    """Rank of the side; 1 is best. Tied sides share a rank, and the next ranks are skipped."""


class Forfeit(Value, frozen=True, kw_only=True):
    """A fault that lost the game."""

    seat: Count = 0
    """The seat, from 0. Its whole side is last."""
    cause: ForfeitCause = ""
    """The fault."""
    ply: Count = 0
    """Ply of the fault, from 0."""


class VoidResult(Value, frozen=True, kw_only=True):
    """The match does not count."""

    cause: VoidCause = ""
    """Reason why it is void."""
    message: str = ""
    """Reason in one sentence."""
    fault_id: str = ""
    """For ENGINE_FAULT and REFEREE_FAULT: id of the fault in the server's log. Otherwise empty."""


class ForfeitedResult(Value, frozen=True, kw_only=True):
    """A side lost by a fault."""

    forfeits: tuple[Forfeit, ...] = ()
    """Forfeits in chronological order. Only one, unless the game continued without the first side."""


class Result(Value, frozen=True, kw_only=True):
    """Result of a match. Set by the server, once."""

    played: PlayedResult | None = None
    """The players finished the game."""
    forfeited: ForfeitedResult | None = None
    """A side lost by a fault."""
    voided: VoidResult | None = None
    """The match does not count."""
    seats: tuple[SeatResult, ...] = ()
    """Score and rank of each seat, in seat order. Empty if void."""
    sides: tuple[SideResult, ...] = ()
    """Score and rank of each side, in the order of `SeatLayout.sides`. Empty if void."""

    @property
    def kind(self) -> PlayedResult | ForfeitedResult | VoidResult | None:
        """Kind of result."""
        return self.played or self.forfeited or self.voided
