"""Policies: consequences of faults, and visibility for spectators.

Policies are chosen for each match. A fault of a bot affects that bot only. Faults of the server or of an engine make
the match void, whatever the policies.
"""

from typing import Literal

from referee_values.value import Count, Int64, Value

IllegalMoveAction = Literal["", "retry_then_forfeit", "forfeit", "random_move"]
"""Reaction to a move that cannot be played.

- `""`: Default: retry, then forfeit.
- `"retry_then_forfeit"`: Reject the move and let the bot try again on its clock, up to the number of attempts; then
  forfeit.

- `"forfeit"`: Forfeit immediately.
- `"random_move"`: Play a legal move, chosen at random from the match's seed.
"""
TimeoutAction = Literal["", "forfeit", "random_move", "default_move"]
"""Reaction to a fallen flag.

- `""`: Default: forfeit.
- `"forfeit"`: Forfeit.
- `"random_move"`: Play a legal move, chosen at random from the match's seed.
- `"default_move"`: Play the game's default move.
"""
DisconnectAction = Literal["", "clock_decides", "forfeit_after_grace_period"]
"""Reaction to the absence of a seat's bot (it has no session).

- `""`: Default: the clock decides.
- `"clock_decides"`: Nothing: the clock keeps running, and the bot can return at any time.
- `"forfeit_after_grace_period"`: Forfeit after the grace period.
"""
ForfeitEffect = Literal["", "ends_match", "random_moves", "default_moves"]
"""Effect of a forfeit in a game of more than two sides. With two sides it always ends the match.

- `""`: Default: ends the match.
- `"ends_match"`: Ends the match: the forfeiting side is last, the others are ranked by the game's current standing.
- `"random_moves"`: The game continues, and legal moves chosen at random from the match's seed are played for the
  seat. Its side is last.

- `"default_moves"`: The game continues, and the game's default moves are played for the seat. Its side is last.
"""
VisibilityKind = Literal["", "live", "delayed", "after_end"]
"""Time from which spectators can see a match.

- `""`: Default: live.
- `"live"`: While it is played.
- `"delayed"`: With a delay of a number of plies.
- `"after_end"`: Only when it is over.
"""


class IllegalMovePolicy(Value, frozen=True, kw_only=True):
    """Consequences of a move that cannot be played."""

    action: IllegalMoveAction = ""
    """Reaction to such a move. Default: retry, then forfeit."""
    max_attempts: Count = 0
    """With retry-then-forfeit: number of invalid moves in a turn that forfeit the game, while the clock keeps
    running. Default 0: 3.
    """


class Adjudication(Value, frozen=True, kw_only=True):
    """When a match ends although its game is not over: after a number of plies, or when the scores that its bots
    send with their moves agree. The result is PLAYED, its cause ADJUDICATION, and its reason `max_plies`,
    `resign_score` or `draw_score`. Scores are in hundredths of a point of the game, and need a game of two sides.
    """

    max_plies: Count = 0
    """Number of plies after which the match ends, up to 1000000, without those before its opening. The sides are
    ranked by the game's current standing; chess is drawn. Default 0: no limit.
    """
    resign_score: Count = 0
    """A side loses if its bots sent scores of at most minus this in `resign_moves` moves in a row, and those of the
    other side scores of at least this. Up to 1000000. Default 0: no match ends in this way.
    """
    resign_moves: Count = 0
    """Number of moves in a row of each seat, up to 1000. Required with `resign_score`."""
    draw_score: Count = 0
    """The match is drawn if all bots sent scores from minus this to this in `draw_moves` moves in a row. Up to
    1000000.
    """
    draw_moves: Count = 0
    """Number of moves in a row of each seat, up to 1000. Default 0: no match ends in this way."""
    draw_after_ply: Count = 0
    """With `draw_moves`: number of plies before which the match is not drawn in this way, up to 1000000. Default 0."""


class DisconnectPolicy(Value, frozen=True, kw_only=True):
    """Consequences of the absence of a seat's bot."""

    action: DisconnectAction = ""
    """Reaction to an absence. Default: the clock decides."""
    grace_period_ms: Int64 = 0
    """With forfeit-after-grace-period: how long the bot may be absent while it has to move, in milliseconds. Greater
    than 0.
    """


class Visibility(Value, frozen=True, kw_only=True):
    """Visibility of a match for spectators. Seats always see what the rules allow."""

    kind: VisibilityKind = ""
    """Time from which spectators can see the match. Default: live."""
    delay_plies: Count = 0
    """With delayed: number of plies to delay, at least 1. Everything is visible after the end."""


class Policies(Value, frozen=True, kw_only=True):
    """Consequences of faults in a match."""

    illegal_move: IllegalMovePolicy = IllegalMovePolicy()
    """After an illegal or malformed move. Default: retry, forfeit after three attempts."""
    timeout: TimeoutAction = ""
    """After the flag fell. Default: forfeit."""
    disconnect: DisconnectPolicy = DisconnectPolicy()
    """While a seat's bot has no session. Default: the clock decides."""
    forfeit_effect: ForfeitEffect = ""
    """Effect of a forfeit in a game of more than two sides. Default: it ends the match."""
