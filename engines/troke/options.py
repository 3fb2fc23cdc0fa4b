"""Options of Troke: the seats, the board, and the points on which the two rule sheets differ."""

from engines.options import Choice, Count, Flag, Options, Preset, Text
from engines.troke.boards import BOARDS
from engines.troke.own_board import canonical

OPTIONS = Options(
    (
        Count(
            "seats",
            2,
            "Two: Red and White. Three: Red, White, and Blue or Yellow. Four: all.",
            least=2,
            most=4,
        ),
        Choice(
            "third",
            "blue",
            "The colour that joins Red and White where three play.",
            choices=("blue", "yellow"),
        ),
        Flag(
            "teams",
            False,
            "Partnership in a game of four: Red and White play together against Blue and Yellow.",
        ),
        Choice(
            "board",
            "diamond40",
            "The board: each is a reconstruction, as no readable drawing of the true one is known.",
            choices=tuple(BOARDS),
        ),
        Text(
            "own_board",
            "",
            "A board as JSON, in place of the one that board names; empty: none.",
            takes="a board in JSON",
            most_chars=65_536,
            canonical=canonical,
        ),
        Count(
            "start_chips",
            12,
            "The chips of each seat at the beginning.",
            least=0,
            most=1000,
        ),
        Choice(
            "extra_steps",
            "must",
            "must: all steps that a capture gives have to be made; may: any number of them.",
            choices=("must", "may"),
        ),
        Choice(
            "side_rows",
            "forbidden",
            "forbidden: no piece may enter the start rows of the two neighbouring colours.",
            choices=("forbidden", "allowed"),
        ),
        Choice(
            "goal_sideways",
            "leftover_steps",
            "On the goal row, leftover_steps: steps that are left may be used along the row; "
            "free_step: one step along the row is free on arriving without a capture, and left steps lapse; "
            "either: both, the free step without a capture and the left steps after one.",
            choices=("leftover_steps", "free_step", "either"),
        ),
        Choice(
            "goal_pieces",
            "frozen",
            "frozen: a piece on its goal row never moves again; sideways: it may still move along the row; "
            "own_captures: it may, and only its owner's pieces may capture it there.",
            choices=("frozen", "sideways", "own_captures"),
        ),
        Choice(
            "carry_home",
            "allowed",
            "forbidden: captured enemy pieces may not be carried back into their own start row.",
            choices=("allowed", "forbidden"),
        ),
        Choice(
            "clear_goal",
            "auto",
            "auto: a player whose start row is full must begin the turn by moving a piece out of it, if possible; "
            "on_demand: only if the seat whose goal row it is has demanded it; off: never.",
            choices=("auto", "off", "on_demand"),
        ),
        Choice(
            "lateral_rule",
            "no_reversal_if_other",
            "no_reversal_if_other: a piece that has just stepped sideways may not step back while there is "
            "another move; strict: it may never; free: it may; if_blocking: it may, unless no rival could move then "
            "and another move would let one.",
            choices=("no_reversal_if_other", "strict", "free", "if_blocking"),
        ),
        Choice(
            "capture_value",
            "flat",
            "flat: each captured enemy piece is worth one chip; graded: a tower 1, a wall 2, a moat 3.",
            choices=("flat", "graded"),
        ),
        Choice(
            "castle_award",
            "each_player",
            "each_player: every seat is paid for its own castles; "
            "first_only: only the seat that is the first to have that many.",
            choices=("each_player", "first_only"),
        ),
        Flag(
            "end_bonus",
            True,
            "The player who completes the fourth castle is paid for every enemy piece that is not in a castle.",
        ),
        Choice(
            "debt",
            "allow",
            "allow: chips may go below zero; cap: a seat pays no more than it has.",
            choices=("allow", "cap"),
        ),
        Choice(
            "scoring",
            "chips",
            "chips: most chips win; race: there are none, and the first with four castles wins.",
            choices=("chips", "race"),
        ),
        Count(
            "repetition",
            3,
            "The game ends when a position has occurred this many times; 0: never.",
            least=0,
            most=100,
        ),
        Count(
            "max_plies",
            2000,
            "The game ends after this many turns, passes included.",
            least=1,
            most=100_000,
        ),
    ),
    (
        Preset("troque_1956", "The French sheet, a facsimile of the original: the defaults.", {}),
        Preset(
            "troke_english",
            "The English rules page, where it differs from the French sheet.",
            {
                "castle_award": "first_only",
                "end_bonus": False,
                "carry_home": "forbidden",
                "goal_pieces": "own_captures",
                "side_rows": "allowed",
                "lateral_rule": "free",
                "clear_goal": "off",
            },
        ),
    ),
)
