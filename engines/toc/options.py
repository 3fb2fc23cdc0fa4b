"""Options of Toc: what its sheet does not specify, and how the game is played elsewhere as Tock."""

from engines.options import Choice, Count, Flag, Options, Preset

_LANDING = ("illegal", "kill")

OPTIONS = Options(
    (
        Choice(
            "leader",
            "fixed",
            "fixed: the seat after the dealer leads all three deals of a deck; rotate: each deal the next seat leads.",
            choices=("fixed", "rotate"),
        ),
        Count(
            "branch_offset",
            0,
            "Number of cells before its start cell at which a colour's corridor branches off.",
            least=0,
            most=2,
        ),
        Flag("fresh_blocks", False, "A fresh pawn may not even be passed, by anybody, forward or back."),
        Choice(
            "land_on_own",
            "illegal",
            "Effect of landing on a pawn of the same colour: not allowed, or that pawn goes back to its reserve.",
            choices=_LANDING,
        ),
        Choice(
            "land_on_partner",
            "illegal",
            "Effect of landing on a pawn of the partner: not allowed, or that pawn goes back to its reserve.",
            choices=_LANDING,
        ),
        Flag(
            "back_shortcut",
            True,
            "A pawn that went back to or behind its branch cell may then enter its corridor; "
            "false: only when it has walked a whole lap.",
        ),
        Choice(
            "home_entry",
            "optional",
            "Choice if a count fits the corridor: enter it or stay on the ring (optional), or always enter (forced).",
            choices=("optional", "forced"),
        ),
        Flag("home_inner", True, "A pawn in the corridor may move deeper by an exact count."),
        Choice(
            "home_fill",
            "any",
            "deepest: a pawn that moves in the corridor must go as deep as the pawns in it allow.",
            choices=("any", "deepest"),
        ),
        Choice(
            "seven_kills",
            "enemies",
            "Pawns that a seven kills by passing: enemies, or all, including own and partner's; optional: those "
            "enemies that the player names, if any. Fresh pawns are never killed.",
            choices=("enemies", "all", "optional"),
        ),
        Choice(
            "seven_split_home",
            "no_entry",
            "Parts of a divided seven may not enter the corridor (no_entry), "
            "nor move in it (no_home_move), or may do both (allowed).",
            choices=("no_entry", "no_home_move", "allowed"),
        ),
        Choice(
            "jack_excludes",
            "any_start_cell",
            "Pawns on the ring that a jack cannot swap with: those on any start cell, "
            "those on their own start cell, or fresh ones only.",
            choices=("any_start_cell", "own_start_cell", "fresh_only"),
        ),
        Count(
            "max_turns",
            20_000,
            "The game is drawn after this many turns; a turn is a card played or discarded by one seat.",
            least=1,
            most=1_000_000,
        ),
        Choice(
            "overshoot",
            "undone",
            "A pawn that has gone past its branch cell on the ring and then goes back behind it. undone: as if it "
            "had not passed; new_lap: it must still walk a whole new lap before it may enter.",
            choices=("undone", "new_lap"),
            late=True,
        ),
        Flag(
            "jack_from_start",
            True,
            "A jack may swap an own pawn that stands where jack_excludes would spare it from others' jacks.",
            late=True,
        ),
    ),
    (
        Preset(
            "tock_common",
            "Tock as widely played: corridors two cells before the start, fresh pawns block, every landing kills.",
            {
                "branch_offset": 2,
                "fresh_blocks": True,
                "land_on_own": "kill",
                "land_on_partner": "kill",
                "seven_kills": "all",
                "seven_split_home": "allowed",
                "jack_excludes": "fresh_only",
            },
        ),
    ),
)
