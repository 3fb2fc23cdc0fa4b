"""The options in the form that the move generator needs: tables by seat, and booleans."""

from typing import Final

from engines.options import Settings
from engines.troke.boards import opposite
from engines.troke.own_board import board_of
from engines.troke.ways import ways_of

RED, BLUE, WHITE, YELLOW = range(4)
NOBODY: Final = -1


def colours_of(settings: Settings) -> tuple[int, ...]:
    """Return the colour of each seat."""
    if settings.count("seats") == 2:
        return (RED, WHITE)
    if settings.count("seats") == 4:
        return (RED, BLUE, WHITE, YELLOW)
    return (RED, BLUE, WHITE) if settings.choice("third") == "blue" else (RED, WHITE, YELLOW)


class Rules:
    """The rules that follow from one choice of options."""

    __slots__ = (
        "across",
        "award_first_only",
        "board",
        "capped",
        "capture_values",
        "carry_home",
        "clear_goal",
        "colours",
        "end_bonus",
        "free_step",
        "frozen",
        "if_blocking",
        "leftover_steps",
        "limits_continuation",
        "may_stop",
        "on_demand",
        "own_captures",
        "race",
        "remembers",
        "rivals",
        "seats",
        "start_chips",
        "strict",
        "ways",
    )

    def __init__(self, settings: Settings) -> None:
        self.board = board_of(settings)
        self.colours = colours_of(settings)
        self.seats = len(self.colours)
        by_colour = {colour: seat for seat, colour in enumerate(self.colours)}
        self.across = tuple(by_colour.get(opposite(colour), NOBODY) for colour in self.colours)
        """The seat of the colour opposite to each seat, or NOBODY."""
        teams = settings.flag("teams")
        self.rivals = tuple(
            tuple(other for other in range(self.seats) if other != seat and not (teams and other == self.across[seat]))
            for seat in range(self.seats)
        )
        """All other seats except the partner, for each seat."""
        self.may_stop = settings.choice("extra_steps") == "may"
        self.free_step = settings.choice("goal_sideways") != "leftover_steps"
        self.leftover_steps = settings.choice("goal_sideways") != "free_step"
        self.frozen = settings.choice("goal_pieces") == "frozen"
        self.own_captures = settings.choice("goal_pieces") == "own_captures"
        side_rows_open = settings.choice("side_rows") == "allowed"
        self.ways = tuple(ways_of(self.board, colour, side_rows_open, self.frozen) for colour in self.colours)
        """The steps of each seat's colour."""
        self.carry_home = settings.choice("carry_home") == "allowed"
        self.limits_continuation = not (self.leftover_steps and self.carry_home)
        """Whether an assembly may sometimes not enter a circle that is open to a single piece."""
        self.clear_goal = settings.choice("clear_goal") != "off"
        self.on_demand = settings.choice("clear_goal") == "on_demand"
        self.remembers = settings.choice("lateral_rule") != "free"
        self.strict = settings.choice("lateral_rule") == "strict"
        self.if_blocking = settings.choice("lateral_rule") == "if_blocking"
        self.race = settings.choice("scoring") == "race"
        self.start_chips = 0 if self.race else settings.count("start_chips")
        self.capture_values: tuple[int, ...] = (1, 2, 3) if settings.choice("capture_value") == "graded" else (1, 1, 1)
        self.award_first_only = settings.choice("castle_award") == "first_only"
        self.end_bonus = settings.flag("end_bonus")
        self.capped = settings.choice("debt") == "cap"
