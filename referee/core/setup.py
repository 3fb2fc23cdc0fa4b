"""What is agreed before a match, and never changes."""

import hashlib
from dataclasses import dataclass, replace
from enum import Enum

from engines.api import Game, Table
from engines.options import Settings
from referee.core.clock import LONGEST, Hourglass, Micros, TimeControl
from referee.core.errors import BadSetup
from referee.core.policy import Policies
from referee.core.row import NetworkCredit

SEED_BYTES = 32
MAX_TEXT_CHARS = 65_536
"""Of options, opening and labels together: as JSON they fit into one line of a record, however they are escaped."""


@dataclass(frozen=True, slots=True)
class Player:
    """A bot, and the version of it that plays. No name: the seat is open."""

    bot: str = ""
    version: str = ""


class Shown(Enum):
    """When those who hold no seat see a match."""

    LIVE = "live"
    DELAYED = "delayed"
    AFTER_END = "after_end"


@dataclass(frozen=True, slots=True)
class Visibility:
    shown: Shown = Shown.LIVE
    delay_plies: int = 0


NO_CREDIT = NetworkCredit()
DEFAULT_POLICIES = Policies()
SHOWN_LIVE = Visibility()


@dataclass(frozen=True, slots=True)
class Setup:
    """The terms of one match."""

    match_id: str
    game: str
    game_version: int
    settings: Settings
    players: tuple[Player, ...]
    """In order of seats; where seats are drawn by lot, in the order that the lot will mix."""
    controls: tuple[TimeControl, ...]
    """One a seat."""
    seed: bytes
    """The referee's. Nobody else sees it before the end; everybody sees `commitment`."""
    credit: NetworkCredit = NO_CREDIT
    policies: Policies = DEFAULT_POLICIES
    visibility: Visibility = SHOWN_LIVE
    seed_given: bool = False
    """Whoever made the match gave the seed, and so knew it."""
    by_lot: bool = False
    nonce_within_us: Micros = 0
    """How long each seat is given to add a nonce to the seed. 0: none is asked for."""
    start_within_us: Micros = 0
    """How long the match waits for its seats and their bots before it is void. 0: for ever."""
    opening: str = ""
    """The position to start from; none: the game's own first."""
    labels: tuple[tuple[str, str], ...] = ()
    """What it was made for (title, ladder, tournament, pairing), by name."""

    @property
    def commitment(self) -> bytes:
        return hashlib.sha256(self.seed).digest()

    def completed(self, game: Game) -> "Setup":
        """The same terms with the default of every option that the game did not have when they were written."""
        settings = game.options.completed(self.settings)
        return self if settings is self.settings else replace(self, settings=settings)

    def check(self, game: Game) -> Table:
        """The table of this match. Raises BadSetup or a refusal of the game's."""
        table = game.table(self.settings)
        seats = len(table.seats)
        if self.game_version != game.version:
            raise BadSetup("game_version", f"is {game.version} here")
        if len(self.players) != seats:
            why = f"are {seats} here, one a seat; an open seat has no name"
            raise BadSetup("players", why, given=str(len(self.players)), wanted=str(seats))
        if len(self.controls) != seats:
            raise BadSetup("controls", f"are {seats} here, one a seat")
        if len(self.seed) != SEED_BYTES:
            raise BadSetup("seed", f"has {SEED_BYTES} bytes")
        if len({isinstance(control, Hourglass) for control in self.controls}) > 1:
            raise BadSetup("hourglass", "stands for all seats or for none")
        if self.visibility.shown is Shown.DELAYED and self.visibility.delay_plies < 1:
            raise BadSetup("delay_plies", "is at least 1 where the match is shown late")
        for field, within_us in (("nonce_within_us", self.nonce_within_us), ("start_within_us", self.start_within_us)):
            if not 0 <= within_us <= LONGEST:
                raise BadSetup(field, "is from 0 to ten years")
        self._check_text()
        if self.opening and game.read(self.opening, self.settings).outcome:
            raise BadSetup("opening", "is a position in which the game is over")
        return table

    def _check_text(self) -> None:
        """Raises BadSetup."""
        names = (name for player in self.players for name in (player.bot, player.version))
        texts = (self.opening, *self.settings.texts().values(), *(text for _, text in self.labels), *names)
        chars = sum(map(len, texts))
        if chars > MAX_TEXT_CHARS:
            raise BadSetup("terms", f"have {chars} characters of text; {MAX_TEXT_CHARS} are the most")
