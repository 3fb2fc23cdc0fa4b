"""Options of Alquerque: the five variants of the sheet, and what the sheet does not specify."""

from engines.options import Choice, Count, Flag, Options

OPTIONS = Options(
    (
        Choice(
            "capture_choice",
            "max",
            "max: only captures that take the most men are legal; any: every capture is legal.",
            choices=("max", "any"),
        ),
        Flag(
            "multi_pawn",
            False,
            "A side whose man has captured moves again, and must capture, as long as any of its men can.",
        ),
        Flag(
            "huff",
            False,
            "Capturing is not compulsory, but the opponent may first take off one man that could have captured.",
        ),
        Choice(
            "no_backward",
            "off",
            "all: men never go back; moves: they go back only to capture.",
            choices=("off", "all", "moves"),
        ),
        Choice(
            "no_return",
            "off",
            "A man may not step to the point that it left on its last move (last), "
            "or to any that it has stood on (ever); captures are free.",
            choices=("off", "last", "ever"),
        ),
        Choice(
            "stalemate",
            "loss",
            "Result for a side to move that has men but no move.",
            choices=("loss", "draw"),
        ),
        Count(
            "repetition",
            3,
            "The game is drawn when a position has occurred this many times; 0: never.",
            least=0,
            most=100,
        ),
        Count(
            "no_capture_plies",
            100,
            "The game is drawn after this many plies in which no man was taken off; 0: never.",
            least=0,
            most=100_000,
        ),
        Choice(
            "on_draw",
            "draw",
            "count: a game that would be drawn is won by the side with more men.",
            choices=("draw", "count"),
        ),
        Choice(
            "chain",
            "finish",
            "finish: a man that has jumped must continue while it can; may_stop: its chain may end after any jump, "
            "unless capture_choice requires more.",
            choices=("finish", "may_stop"),
            late=True,
        ),
        Choice(
            "huff_short",
            "illegal",
            "With huff and capture_choice=max, a capture that takes fewer men than the most. illegal: it may not be "
            "made; huffable: it may, and the opponent may then huff a man that could have taken the most.",
            choices=("illegal", "huffable"),
            late=True,
        ),
    )
)
