"""Terms of a match: what its creator decides. They are the same for all matches of a contest."""

from enum import Enum

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from engines.api import Game, Table
from engines.options import Settings
from referee.match.adjudication import Adjudication
from referee.match.clock import MAX_TIME_US, Hourglass, Micros, TimeControl
from referee.match.clock_charge import NetworkCredit
from referee.match.match_errors import BadSetup


class IllegalMovePolicy(Enum):
    """Reaction to a malformed or illegal move."""

    RETRY_THEN_FORFEIT = "retry_then_forfeit"
    FORFEIT = "forfeit"
    RANDOM_MOVE = "random_move"


class LatePolicy(Enum):
    """Reaction to a fallen flag."""

    FORFEIT = "forfeit"
    RANDOM_MOVE = "random_move"
    DEFAULT_MOVE = "default_move"


class DisconnectPolicy(Enum):
    """Reaction to the absence of a seat's bot, which has no session."""

    CLOCK_DECIDES = "clock_decides"
    FORFEIT_AFTER_GRACE_PERIOD = "forfeit_after_grace_period"


class DropoutPolicy(Enum):
    """Continuation after a forfeit or resignation in a game of more than two sides."""

    ENDS_MATCH = "ends_match"
    RANDOM_MOVES = "random_moves"
    DEFAULT_MOVES = "default_moves"


def check_time(field: str, time_us: Micros) -> None:
    """Raises BadSetup."""
    if not 0 <= time_us <= MAX_TIME_US:
        raise BadSetup(field, "must be from 0 to ten years")


class Policies(Struct, frozen=True, gc=False):
    illegal: IllegalMovePolicy = IllegalMovePolicy.RETRY_THEN_FORFEIT
    max_attempts: int = 3
    """Malformed or illegal moves in one turn after which the policy applies."""
    late: LatePolicy = LatePolicy.FORFEIT
    gone: DisconnectPolicy = DisconnectPolicy.CLOCK_DECIDES
    grace_period_us: Micros = 0
    dropout: DropoutPolicy = DropoutPolicy.ENDS_MATCH

    def __post_init__(self) -> None:
        if not 1 <= self.max_attempts <= 1000:
            raise BadSetup("max_attempts", "must be from 1 to 1000")
        check_time("grace_period_us", self.grace_period_us)
        if self.gone is DisconnectPolicy.FORFEIT_AFTER_GRACE_PERIOD and self.grace_period_us < 1:
            raise BadSetup("grace_period_us", "must be greater than 0 if absent bots forfeit")

    @property
    def attempts_a_turn(self) -> int:
        return self.max_attempts if self.illegal is IllegalMovePolicy.RETRY_THEN_FORFEIT else 1


class VisibilityMode(Enum):
    """When spectators can watch a match."""

    LIVE = "live"
    DELAYED = "delayed"
    AFTER_END = "after_end"


class Visibility(Struct, frozen=True, gc=False):
    shown: VisibilityMode = VisibilityMode.LIVE
    delay_plies: int = 0

    def __post_init__(self) -> None:
        if self.delay_plies < 0:
            raise BadSetup("delay_plies", "must not be negative")
        if self.shown is VisibilityMode.DELAYED and self.delay_plies < 1:
            raise BadSetup("delay_plies", "must be at least 1 if the match is shown with a delay")


NO_CREDIT = NetworkCredit()
DEFAULT_POLICIES = Policies()
SHOWN_LIVE = Visibility()


class MatchTerms(Struct, frozen=True, gc=False):
    game: str
    settings: Settings
    controls: tuple[TimeControl, ...] = ()
    """One per seat; in the terms of a request or contest also one for all seats."""
    credit: NetworkCredit = NO_CREDIT
    policies: Policies = DEFAULT_POLICIES
    visibility: Visibility = SHOWN_LIVE
    random_seats: bool = False
    nonce_timeout_us: Micros = 0
    """Time in which each seat may add a nonce to the seed. 0 means that nonces are not used."""
    start_timeout_us: Micros = 0
    """Time for which the match waits for its seats and their bots before it is void.

    0 means the default of the server in a request or contest, and without limit in a match.
    """
    adjudication: Adjudication | UnsetType = UNSET
    """When the match ends although its game is not over. Unset, and not written: never."""

    def __post_init__(self) -> None:
        for field in ("nonce_timeout_us", "start_timeout_us"):
            check_time(field, getattr(self, field))

    def with_defaults(self, game: Game, start_timeout_us: Micros) -> "MatchTerms":
        """Return the terms of one match: all options, a control for each seat, and that start timeout if none is set.

        Raises an error of the game.
        """
        settings = game.settings(dict(self.settings.values))
        seats = len(game.table(settings).seats)
        controls = self.controls * seats if len(self.controls) == 1 else self.controls
        start_timeout_us = self.start_timeout_us or start_timeout_us
        return replace(self, settings=settings, controls=controls, start_timeout_us=start_timeout_us)

    def check(self, game: Game) -> Table:
        """Validate the terms of one match and return its table. Raises BadSetup or an error of the game."""
        if self.settings != game.settings(dict(self.settings.values)):
            raise BadSetup("settings", f"must be all the options of {game.name}, in their order")
        table = game.table(self.settings)
        if len(self.controls) != len(table.seats):
            raise BadSetup("controls", f"must be {len(table.seats)}, one for each seat")
        if len({isinstance(control, Hourglass) for control in self.controls}) > 1:
            raise BadSetup("hourglass", "must be the clock of all seats or of none")
        if self.adjudication:
            self.adjudication.check(table)
        return table
