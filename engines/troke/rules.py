"""The options as the generator wants them: tables by seat, and plain yes and no."""

from engines.options import Settings
from engines.troke.boards import opposite
from engines.troke.own_board import board_of
from engines.troke.ways import ways_of

RED, BLUE, WHITE, YELLOW = range(4)


def colours_of(settings: Settings) -> tuple[int, ...]:
    """By seat: its colour."""
    if settings.count("seats") == 2:
        return (RED, WHITE)
    if settings.count("seats") == 4:
        return (RED, BLUE, WHITE, YELLOW)
    return (RED, BLUE, WHITE) if settings.choice("third") == "blue" else (RED, WHITE, YELLOW)


class Rules:
    """What a game is played by."""

    __slots__ = (
        "award_first_only",
        "board",
        "capped",
        "capture_values",
        "carry_home",
        "clear_goal",
        "colours",
        "end_bonus",
        "facing",
        "free_step",
        "frozen",
        "may_stop",
        "race",
        "remembers",
        "seats",
        "start_chips",
        "strict",
        "ways",
    )

    def __init__(self, settings: Settings) -> None:
        self.board = board_of(settings)
        self.colours = colours_of(settings)
        self.seats = len(self.colours)
        self.facing = tuple(opposite(colour) in self.colours for colour in self.colours)
        """By seat: does anybody sit across?"""
        self.may_stop = settings.choice("extra_steps") == "may"
        self.free_step = settings.choice("goal_sideways") == "free_step"
        self.frozen = settings.choice("goal_pieces") == "frozen"
        side_rows_open = settings.choice("side_rows") == "allowed"
        self.ways = tuple(ways_of(self.board, colour, side_rows_open, self.frozen) for colour in self.colours)
        """By seat."""
        self.carry_home = settings.choice("carry_home") == "allowed"
        self.clear_goal = settings.choice("clear_goal") == "auto"
        self.remembers = settings.choice("lateral_rule") != "free"
        self.strict = settings.choice("lateral_rule") == "strict"
        self.race = settings.choice("scoring") == "race"
        self.start_chips = 0 if self.race else settings.count("start_chips")
        self.capture_values: tuple[int, ...] = (1, 2, 3) if settings.choice("capture_value") == "graded" else (1, 1, 1)
        self.award_first_only = settings.choice("castle_award") == "first_only"
        self.end_bonus = settings.flag("end_bonus")
        self.capped = settings.choice("debt") == "cap"
