"""What happens in a match when something goes wrong, and who sees it."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

IllegalMoveAction: TypeAlias = Literal["", "retry_then_forfeit", "forfeit", "random_move"]
"""Reaction to a move that cannot be played.

Default: retry, then forfeit.
`retry_then_forfeit`: reject the move and let the bot try again on its clock, up to the number of attempts; then
    forfeit.
`forfeit`: forfeit immediately.
`random_move`: play a legal move, chosen at random from the match's seed.
"""

DisconnectAction: TypeAlias = Literal["", "clock_decides", "forfeit_after_grace_period"]
"""Reaction to the absence of a seat's bot (it has no session).

Default: the clock decides.
`clock_decides`: nothing: the clock keeps running, and the bot can return at any time.
`forfeit_after_grace_period`: forfeit after the grace period.
"""

TimeoutAction: TypeAlias = Literal["", "forfeit", "random_move", "default_move"]
"""Reaction to a fallen flag.

Default: forfeit.
`forfeit`: forfeit.
`random_move`: play a legal move, chosen at random from the match's seed.
`default_move`: play the game's default move.
"""

ForfeitEffect: TypeAlias = Literal["", "ends_match", "random_moves", "default_moves"]
"""Effect of a forfeit in a game of more than two sides. With two sides it always ends the match.

Default: ends the match.
`ends_match`: ends the match: the forfeiting side is last, the others are ranked by the game's current standing.
`random_moves`: the game continues, and legal moves chosen at random from the match's seed are played for the seat.
    Its side is last.
`default_moves`: the game continues, and the game's default moves are played for the seat. Its side is last.
"""

VisibilityKind: TypeAlias = Literal["", "live", "delayed", "after_end"]
"""Time from which spectators can see a match.

Default: live.
`live`: while it is played.
`delayed`: with a delay of a number of plies.
`after_end`: only when it is over.
"""


@dataclass(frozen=True, kw_only=True)
class IllegalMovePolicy:
    """Consequences of a move that cannot be played."""

    action: IllegalMoveAction = ""
    """Reaction to such a move. Default: retry, then forfeit."""
    max_attempts: int = 0
    """With retry-then-forfeit: number of invalid moves in a turn that forfeit the game, while the clock keeps running.

    Default 0: 3.
    """


@dataclass(frozen=True, kw_only=True)
class DisconnectPolicy:
    """Consequences of the absence of a seat's bot."""

    action: DisconnectAction = ""
    """Reaction to an absence. Default: the clock decides."""
    grace_period_ms: int = 0
    """With forfeit-after-grace-period: how long the bot may be absent while it has to move, in milliseconds.

    Greater than 0.
    """


@dataclass(frozen=True, kw_only=True)
class Policies:
    """Consequences of faults in a match."""

    illegal_move: IllegalMovePolicy = field(default_factory=IllegalMovePolicy)
    """After an illegal or malformed move. Default: retry, forfeit after three attempts."""
    timeout: TimeoutAction = ""
    """After the flag fell. Default: forfeit."""
    disconnect: DisconnectPolicy = field(default_factory=DisconnectPolicy)
    """While a seat's bot has no session. Default: the clock decides."""
    forfeit_effect: ForfeitEffect = ""
    """Effect of a forfeit in a game of more than two sides. Default: it ends the match."""


@dataclass(frozen=True, kw_only=True)
class Adjudication:
    """When a match ends although its game is not over.

    The result is PLAYED, its cause ADJUDICATION, and its reason `max_plies`, `resign_score` or `draw_score`. Scores are
    in hundredths of a point of the game, and need a game of two sides.
    """

    max_plies: int = 0
    """Number of plies after which the match ends, without those before its opening. Default 0: no limit.

    The sides are ranked by the game's current standing; chess is drawn.
    """
    resign_score: int = 0
    """A side loses if its bots sent scores of at most minus this in `resign_moves` moves in a row.

    Those of the other side must have sent scores of at least this. Default 0: no match ends in this way.
    """
    resign_moves: int = 0
    """Number of moves in a row of each seat. Required with `resign_score`."""
    draw_score: int = 0
    """The match is drawn if all bots sent scores from minus this to this in `draw_moves` moves in a row."""
    draw_moves: int = 0
    """Number of moves in a row of each seat. Default 0: no match ends in this way."""
    draw_after_ply: int = 0
    """With `draw_moves`: number of plies before which the match is not drawn in this way. Default 0."""


@dataclass(frozen=True, kw_only=True)
class Visibility:
    """Visibility of a match for spectators. Seats always see what the rules allow."""

    kind: VisibilityKind = ""
    """Time from which spectators can see the match. Default: live."""
    delay_plies: int = 0
    """With delayed: number of plies to delay, at least 1. Everything is visible after the end."""
