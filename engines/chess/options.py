"""Options of chess: how draws come about, and the first position."""

from engines.options import Choice, Flag, Options

OPTIONS = Options(
    (
        Choice(
            "draws",
            "automatic",
            "automatic: the third occurrence of a position and fifty moves without progress end the game; "
            "claimed: they must be claimed, and only the fifth occurrence and seventy-five moves end it.",
            choices=("automatic", "claimed"),
        ),
        Flag(
            "chess960",
            False,
            "The first position is one of the 960 of chess960, drawn by lot; castling is written as king takes rook.",
        ),
    )
)
