"""The options in the form that the move generator needs: tables by colour, and booleans."""

from engines.options import Settings
from engines.toc.places import RING, STARTS


class Rules:
    """The rules that follow from one choice of options."""

    __slots__ = (
        "branches",
        "counts_laps",
        "deepest",
        "entry_forced",
        "fresh_blocks",
        "inner",
        "jack_from_start",
        "keeps_laps",
        "kills_own",
        "kills_partner",
        "lead_rotates",
        "max_turns",
        "new_lap",
        "settings",
        "seven_kills_all",
        "seven_kills_optional",
        "spares_all_starts",
        "spares_own_start",
        "split_enters",
        "split_moves_home",
        "starts_short",
        "to_branch",
    )

    def __init__(self, settings: Settings) -> None:
        offset = settings.count("branch_offset")
        self.settings = settings
        self.branches = tuple((start - offset) % RING for start in STARTS)
        self.to_branch = tuple(tuple((branch - cell) % RING for cell in range(RING)) for branch in self.branches)
        """Number of steps to the branch cell, by colour and ring cell; 0 on the branch cell."""
        self.lead_rotates = settings.choice("leader") == "rotate"
        self.fresh_blocks = settings.flag("fresh_blocks")
        self.kills_own = settings.choice("land_on_own") == "kill"
        self.kills_partner = settings.choice("land_on_partner") == "kill"
        self.counts_laps = not settings.flag("back_shortcut")
        self.new_lap = settings.choice("overshoot") == "new_lap"
        self.keeps_laps = self.counts_laps or self.new_lap
        """Whether the laps that a pawn is ahead or short are tracked."""
        self.starts_short = self.counts_laps and offset == 0
        """Whether a pawn starts one lap short: on its branch cell, which it must reach once more to enter."""
        self.entry_forced = settings.choice("home_entry") == "forced"
        self.inner = settings.flag("home_inner")
        self.deepest = settings.choice("home_fill") == "deepest"
        self.seven_kills_all = settings.choice("seven_kills") == "all"
        self.seven_kills_optional = settings.choice("seven_kills") == "optional"
        self.split_enters = settings.choice("seven_split_home") == "allowed"
        self.split_moves_home = settings.choice("seven_split_home") != "no_home_move"
        self.spares_all_starts = settings.choice("jack_excludes") == "any_start_cell"
        self.jack_from_start = settings.flag("jack_from_start")
        self.spares_own_start = settings.choice("jack_excludes") == "own_start_cell"
        self.max_turns = settings.count("max_turns")
