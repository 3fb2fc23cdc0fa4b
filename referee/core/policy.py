"""What follows from which fault, in one match."""

from dataclasses import dataclass
from enum import Enum

from referee.core.clock import Micros
from referee.core.errors import BadSetup


class Illegal(Enum):
    """After a move that cannot be read or played."""

    REFUSE_THEN_FORFEIT = "refuse_then_forfeit"
    FORFEIT = "forfeit"
    RANDOM_MOVE = "random_move"


class Late(Enum):
    """After the flag fell."""

    FORFEIT = "forfeit"
    RANDOM_MOVE = "random_move"
    DEFAULT_MOVE = "default_move"


class Gone(Enum):
    """When a seat's bot has no session."""

    CLOCK_DECIDES = "clock_decides"
    FORFEIT_AFTER_GRACE = "forfeit_after_grace"


class Dropout(Enum):
    """What a forfeit, or a resignation, does to a game of more than two sides."""

    ENDS_MATCH = "ends_match"
    RANDOM_MOVES = "random_moves"
    DEFAULT_MOVES = "default_moves"


@dataclass(frozen=True, slots=True)
class Policies:
    illegal: Illegal = Illegal.REFUSE_THEN_FORFEIT
    attempts: int = 3
    """How many moves that cannot be played, in one turn, cost the game."""
    late: Late = Late.FORFEIT
    gone: Gone = Gone.CLOCK_DECIDES
    grace_us: Micros = 0
    dropout: Dropout = Dropout.ENDS_MATCH

    def __post_init__(self) -> None:
        if not 1 <= self.attempts <= 1000:
            raise BadSetup("attempts", "is from 1 to 1000")
        if self.gone is Gone.FORFEIT_AFTER_GRACE and self.grace_us < 1:
            raise BadSetup("grace_us", "is more than 0 where a bot that stays away forfeits")

    @property
    def attempts_a_turn(self) -> int:
        return self.attempts if self.illegal is Illegal.REFUSE_THEN_FORFEIT else 1
