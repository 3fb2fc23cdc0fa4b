"""How a match ended."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Ending: TypeAlias = Literal["", "rules", "resignation", "draw_agreed", "draw_claimed", "adjudication"]
"""Cause of the end of a played game.

`rules`: the rules of the game.
`resignation`: all sides but one resigned.
`draw_agreed`: a draw was offered and accepted.
`draw_claimed`: a draw was claimed by the rules.
`adjudication`: an administrator decided.
"""

ForfeitCause: TypeAlias = Literal["", "time", "illegal_move", "disconnected", "withdrawn"]
"""Faults that lose a game.

`time`: the flag fell.
`illegal_move`: all attempts at a legal move were used.
`disconnected`: the bot was absent for longer than the grace period.
`withdrawn`: the owner withdrew the bot from the match, which does not count as a fault of the bot.
"""

VoidCause: TypeAlias = Literal["", "not_started", "aborted", "declared", "engine_fault", "referee_fault"]
"""Causes of void matches.

`not_started`: not all seats were taken and online in time.
`aborted`: its creator aborted it.
`declared`: an administrator voided it.
`engine_fault`: the implementation of the game failed.
`referee_fault`: the server failed.
"""


@dataclass(frozen=True, kw_only=True)
class PlayedResult:
    """The players finished the game."""

    ending: Ending = ""
    """Cause of the end."""
    reason: str = ""
    """The game's name for the ending, such as `no_men`, as listed in its rules.

    Empty unless the rules ended the game.
    """


@dataclass(frozen=True, kw_only=True)
class Forfeit:
    """A fault that lost the game."""

    seat: int = 0
    """The seat, from 0. Its whole side is last."""
    cause: ForfeitCause = ""
    """The fault."""
    ply: int = 0
    """Ply of the fault, from 0."""


@dataclass(frozen=True, kw_only=True)
class ForfeitedResult:
    """A side lost by a fault."""

    forfeits: tuple[Forfeit, ...] = ()
    """Forfeits in chronological order. Only one, unless the game continued without the first side."""


@dataclass(frozen=True, kw_only=True)
class VoidResult:
    """The match does not count."""

    cause: VoidCause = ""
    """Reason why it is void."""
    message: str = ""
    """Reason in one sentence."""
    fault_id: str = ""
    """For `engine_fault` and `referee_fault`: id of the fault in the server's log. Otherwise empty."""


@dataclass(frozen=True, kw_only=True)
class SeatResult:
    """Result of a seat."""

    seat: int = 0
    """The seat, from 0."""
    score: float = 0.0
    """Score in the game's own points: men, chips, or 1, 0.5 and 0."""
    rank: int = 0
    """Rank of the side; 1 is best. Tied sides share a rank, and the next ranks are skipped."""


@dataclass(frozen=True, kw_only=True)
class SideResult:
    """Result of a side."""

    score: float = 0.0
    """Score in the game's own points."""
    rank: int = 0
    """Rank of the side; 1 is best. Tied sides share a rank, and the next ranks are skipped."""


Outcome: TypeAlias = PlayedResult | ForfeitedResult | VoidResult


@dataclass(frozen=True, kw_only=True)
class Result:
    """Result of a match. Set by the server, once."""

    outcome: Outcome | None = field(default=None, metadata={"wire": "kind"})
    """What ended the match."""
    seats: tuple[SeatResult, ...] = ()
    """Score and rank of each seat, in seat order. Empty if void."""
    sides: tuple[SideResult, ...] = ()
    """Score and rank of each side, in the order of `SeatLayout.sides`. Empty if void."""

    @property
    def kind(self) -> Literal["", "played", "forfeited", "void"]:
        """Empty if this library does not know the kind yet."""
        match self.outcome:
            case PlayedResult():
                return "played"
            case ForfeitedResult():
                return "forfeited"
            case VoidResult():
                return "void"
        return ""

    @property
    def reason(self) -> str:
        """Reason in one word.

        Played: a reason of the game, or an `Ending`. Forfeited: the cause of the first forfeit. Void: the cause.
        """
        match self.outcome:
            case PlayedResult(ending=ending, reason=reason):
                return reason or ending
            case ForfeitedResult(forfeits=(first, *_)):
                return first.cause
            case VoidResult(cause=cause):
                return cause
        return ""

    @property
    def scores(self) -> tuple[float, ...]:
        """Score of each seat, in the game's own points. Empty if void."""
        return tuple(seat.score for seat in self.seats)

    @property
    def ranks(self) -> tuple[int, ...]:
        """Rank of each seat; 1 is best, and the seats of a side share their rank. Empty if void."""
        return tuple(seat.rank for seat in self.seats)
