"""Options of Trox: what the sheet does not specify."""

from engines.options import Choice, Count, Options

OPTIONS = Options(
    (
        Choice(
            "tileset",
            "6x2",
            "The twelve pieces. 6x2: each order of colours twice; 3x4: NBR, BRN and RNB four times each; "
            "3x4_flip: the same, and they may be turned over; identical: twelve NBR; free: any order.",
            choices=("6x2", "3x4", "3x4_flip", "identical", "free"),
        ),
        Choice(
            "hole_rule",
            "edge",
            "No piece may enclose an empty area. edge: areas hang together by whole sides; "
            "vertex: a common point is enough to lead outside; off: holes are allowed.",
            choices=("edge", "vertex", "off"),
        ),
        Choice(
            "suicide",
            "captured",
            "A pawn played into a capturing triangle of the other seat. captured: it is turned over at once; "
            "safe: not at once, but by the other seat's next action if it still stands there; "
            "forbidden: it may not be played.",
            choices=("captured", "safe", "forbidden"),
        ),
        Choice(
            "no_move",
            "pass",
            "Result, once all pawns are down, for a player who has pawns that are not neutral but no legal move.",
            choices=("pass", "loss"),
        ),
        Choice(
            "all_neutral",
            "pass",
            "Result, once all pawns are down, for a player who is to move with all six pawns neutral.",
            choices=("pass", "loss"),
        ),
        Count(
            "repetition",
            3,
            "The game is drawn when the same pawns and side to move have occurred this many times "
            "once all pawns are down; 0: never.",
            least=0,
            most=100,
        ),
        Count(
            "max_plies",
            500,
            "The game is drawn when it has lasted for this many plies.",
            least=1,
            most=100_000,
        ),
        Choice(
            "neutral_triangle",
            "wins",
            "A pawn among three neutral pawns. wins: its seat has won; captures: they capture it as enemies would, "
            "and to win at least one of the three must be one's own.",
            choices=("wins", "captures"),
            late=True,
        ),
    )
)
