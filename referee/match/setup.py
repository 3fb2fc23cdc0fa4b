"""The terms of a match: they are agreed before it starts and never change. Their seed is the source of all randomness.

No single party can choose the randomness of a match. The referee commits to its seed by `SHA-256(seed)` before the
match; the seats, which know only that, may add a nonce each; the seed is revealed at the end. The seed of the match is

    HMAC-SHA-256(key = seed, message = for each seat in order: length of its nonce as one byte, nonce)

and every draw uses a fork of it (see `engines.chance`): `seats` to draw seats, `game` for the game itself,
`policy PLY SEAT` for a random move by policy.
"""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeVar

from engines.api import Game, Position, Seat, Table
from engines.chance import Chance
from engines.options import Settings
from referee.match.clock import MAX_TIME_US, Hourglass, Micros, TimeControl
from referee.match.clock_charge import NetworkCredit
from referee.match.match_errors import BadSetup


class IllegalMovePolicy(Enum):
    """Reaction to a malformed or illegal move."""

    REFUSE_THEN_FORFEIT = "refuse_then_forfeit"
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
    FORFEIT_AFTER_GRACE = "forfeit_after_grace"


class DropoutPolicy(Enum):
    """Continuation after a forfeit or resignation in a game of more than two sides."""

    ENDS_MATCH = "ends_match"
    RANDOM_MOVES = "random_moves"
    DEFAULT_MOVES = "default_moves"


@dataclass(frozen=True, slots=True)
class Policies:
    illegal: IllegalMovePolicy = IllegalMovePolicy.REFUSE_THEN_FORFEIT
    attempts: int = 3
    """Malformed or illegal moves in one turn after which the policy applies."""
    late: LatePolicy = LatePolicy.FORFEIT
    gone: DisconnectPolicy = DisconnectPolicy.CLOCK_DECIDES
    grace_us: Micros = 0
    dropout: DropoutPolicy = DropoutPolicy.ENDS_MATCH

    def __post_init__(self) -> None:
        if not 1 <= self.attempts <= 1000:
            raise BadSetup("attempts", "must be from 1 to 1000")
        if self.gone is DisconnectPolicy.FORFEIT_AFTER_GRACE and self.grace_us < 1:
            raise BadSetup("grace_us", "must be greater than 0 if absent bots forfeit")

    @property
    def attempts_a_turn(self) -> int:
        return self.attempts if self.illegal is IllegalMovePolicy.REFUSE_THEN_FORFEIT else 1


SEED_BYTES = 32
MAX_TEXT_CHARS = 65_536
"""Limit of options, opening, labels and names together, so that they fit into one line of a record, also escaped."""


@dataclass(frozen=True, slots=True)
class Player:
    """A bot and the version of it that plays. An empty name means that the seat is open."""

    bot: str = ""
    version: str = ""


class VisibilityMode(Enum):
    """When spectators can watch a match."""

    LIVE = "live"
    DELAYED = "delayed"
    AFTER_END = "after_end"


@dataclass(frozen=True, slots=True)
class Visibility:
    shown: VisibilityMode = VisibilityMode.LIVE
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
    """Players in order of seats; if seats are drawn by lot, in the order before the draw."""
    controls: tuple[TimeControl, ...]
    """One per seat."""
    seed: bytes
    """The seed of the referee, secret until the end of the match. `commitment` is public from the start."""
    credit: NetworkCredit = NO_CREDIT
    policies: Policies = DEFAULT_POLICIES
    visibility: Visibility = SHOWN_LIVE
    seed_given: bool = False
    """Whether the creator of the match chose the seed and therefore knows it."""
    by_lot: bool = False
    nonce_within_us: Micros = 0
    """Time in which each seat may add a nonce to the seed. 0 means that nonces are not used."""
    start_within_us: Micros = 0
    """Time for which the match waits for its seats and their bots before it is void. 0 means without limit."""
    opening: str = ""
    """The first position. Empty for the default of the game."""
    labels: tuple[tuple[str, str], ...] = ()
    """Labels that say what the match was created for (title, ladder, tournament, pairing), by name."""

    @property
    def commitment(self) -> bytes:
        return hashlib.sha256(self.seed).digest()

    def completed(self, game: Game) -> "Setup":
        """Return the same terms, with defaults for options that the game did not have when they were written."""
        settings = game.options.completed(self.settings)
        return self if settings is self.settings else replace(self, settings=settings)

    def check(self, game: Game) -> Table:
        """Validate the terms and return the table of the match. Raises BadSetup or an error of the game."""
        table = game.table(self.settings)
        seats = len(table.seats)
        if self.game_version != game.version:
            raise BadSetup("game_version", f"must be {game.version} on this server")
        if len(self.players) != seats:
            why = f"must be {seats}, one for each seat; the name of an open seat is empty"
            raise BadSetup("players", why, given=str(len(self.players)), wanted=str(seats))
        if len(self.controls) != seats:
            raise BadSetup("controls", f"must be {seats}, one for each seat")
        if len(self.seed) != SEED_BYTES:
            raise BadSetup("seed", f"must have {SEED_BYTES} bytes")
        if len({isinstance(control, Hourglass) for control in self.controls}) > 1:
            raise BadSetup("hourglass", "must be the clock of all seats or of none")
        if self.visibility.shown is VisibilityMode.DELAYED and self.visibility.delay_plies < 1:
            raise BadSetup("delay_plies", "must be at least 1 if the match is shown with a delay")
        for field, within_us in (("nonce_within_us", self.nonce_within_us), ("start_within_us", self.start_within_us)):
            if not 0 <= within_us <= MAX_TIME_US:
                raise BadSetup(field, "must be from 0 to ten years")
        self._check_text()
        if self.opening and game.read(self.opening, self.settings).outcome:
            raise BadSetup("opening", "must not be a position in which the game is over")
        return table

    def _check_text(self) -> None:
        """Raises BadSetup."""
        names = (name for player in self.players for name in (player.bot, player.version))
        texts = (self.opening, *self.settings.texts().values(), *(text for _, text in self.labels), *names)
        chars = sum(map(len, texts))
        if chars > MAX_TEXT_CHARS:
            raise BadSetup("terms", f"have {chars} characters of text; the limit is {MAX_TEXT_CHARS}")


T = TypeVar("T")

MAX_NONCE_BYTES = 64


def match_chance(seed: bytes, nonces: Sequence[bytes]) -> Chance:
    """Return the random generator of a match."""
    message = b"".join(bytes([len(nonce)]) + nonce for nonce in nonces)
    return Chance(hmac.new(seed, message, hashlib.sha256).digest())


def draw_seats(chance: Chance, players: Sequence[T]) -> tuple[T, ...]:
    """Return the players in the order of the seats drawn for them."""
    seated, _ = chance.fork("seats").shuffled(players)
    return seated


def game_seed(chance: Chance) -> bytes:
    return chance.fork("game").seed


def draw_move(chance: Chance, position: Position, seat: Seat, ply: int) -> str:
    """Return a legal move of the seat, drawn uniformly."""
    moves = position.moves(seat)
    pick, _ = chance.fork(f"policy {ply} {seat}").below(len(moves))
    return moves[pick]
