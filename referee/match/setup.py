"""The setup of a match, which never changes. Its seed is the source of all randomness.

No single party can choose the randomness of a match. The referee commits to its seed by `SHA-256(seed)` before the
match; the seats, which know only that, may add a nonce each; the seed is revealed at the end. The seed of the match is

    HMAC-SHA-256(key = seed, message = for each seat in order: length of its nonce as one byte, nonce)

and every draw uses a fork of it (see `engines.chance`): `seats` to draw seats, `game` for the game itself,
`policy PLY SEAT` for a random move by policy.
"""

import hashlib
import hmac
from collections.abc import Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from engines.api import REFEREE, Game, Position, Seat, Table
from engines.chance import Chance
from referee.match.match_errors import BadSetup
from referee.match.match_terms import MatchTerms

SEED_BYTES = 32
MAX_TEXT_CHARS = 65_536
"""Limit of options, opening, labels and names together, so that they fit into one line of a record, also escaped."""


class Player(Struct, frozen=True, gc=False):
    """A bot and the version of it that plays. An empty name means that the seat is open."""

    bot: str = ""
    version: str = ""


class Setup(Struct, frozen=True, gc=False):
    """What one match is created with."""

    match_id: str
    game_version: int
    terms: MatchTerms
    players: tuple[Player, ...]
    """Players in order of seats; if seats are drawn by lot, in the order before the draw."""
    seed: bytes
    """The seed of the referee, secret until the end of the match. `commitment` is public from the start."""
    seed_given: bool = False
    """Whether the creator of the match chose the seed and therefore knows it."""
    opening: str = ""
    """The first position. Empty for the default of the game."""
    labels: tuple[tuple[str, str], ...] = ()
    """Labels that say what the match was created for (title, ladder, tournament, pairing), by name."""

    @property
    def commitment(self) -> bytes:
        return hashlib.sha256(self.seed).digest()

    def completed(self, game: Game) -> "Setup":
        """Return the same setup, with defaults for options that the game did not have when it was written."""
        settings = game.options.completed(self.terms.settings)
        return self if settings is self.terms.settings else replace(self, terms=replace(self.terms, settings=settings))

    def check(self, game: Game) -> Table:
        """Validate the setup and return the table of the match. Raises BadSetup or an error of the game."""
        table = self.terms.check(game)
        self.check_with(table, game)
        return table

    def check_with(self, table: Table, game: Game) -> None:
        """Validate everything but the terms, whose table this is. Raises BadSetup or an error of the game."""
        seats = len(table.seats)
        if self.game_version != game.version:
            raise BadSetup("game_version", f"must be {game.version} on this server")
        if len(self.players) != seats:
            why = f"must be {seats}, one for each seat; the name of an open seat is empty"
            raise BadSetup("players", why, given=str(len(self.players)), wanted=str(seats))
        if len(self.seed) != SEED_BYTES:
            raise BadSetup("seed", f"must have {SEED_BYTES} bytes")
        self._check_text()
        if self.opening and game.read(self.opening, self.terms.settings).outcome:
            raise BadSetup("opening", "must not be a position in which the game is over")

    def _check_text(self) -> None:
        """Raises BadSetup."""
        names = (name for player in self.players for name in (player.bot, player.version))
        texts = (self.opening, *self.terms.settings.texts().values(), *(text for _, text in self.labels), *names)
        chars = sum(map(len, texts))
        if chars > MAX_TEXT_CHARS:
            raise BadSetup("terms", f"have {chars} characters of text; the limit is {MAX_TEXT_CHARS}")


T = TypeVar("T")

MAX_NONCE_BYTES = 64


def match_chance(seed: bytes, nonces: Sequence[bytes]) -> Chance:
    """Return the random generator of a match."""
    message = b"".join(bytes([len(nonce)]) + nonce for nonce in nonces)
    return Chance(hmac.digest(seed, message, "sha256"))


def draw_seats(chance: Chance, players: Sequence[T]) -> tuple[T, ...]:
    """Return the players in the order of the seats drawn for them."""
    seated, _ = chance.fork("seats").shuffled(players)
    return seated


RANDOM_MOVES = frozenset({"random_move", "random_moves"})
TRIED_SEEDS = tuple(bytes([number]) * SEED_BYTES for number in range(8))


def seed_matters(terms: MatchTerms, game: Game, opening: str = "") -> bool:
    """Return whether anything in a match by these complete terms is drawn from its seed.

    With an opening the game itself draws nothing from it.
    The text of a position contains everything, also what later draws depend on. So if a game draws anything, its first
    positions differ between seeds.
    """
    policies = terms.policies
    if terms.random_seats or not RANDOM_MOVES.isdisjoint(
        (policies.illegal_move.action, policies.timeout, policies.forfeit_effect)
    ):
        return True
    return not opening and len({game.start(terms.settings, seed).text(REFEREE) for seed in TRIED_SEEDS}) > 1


def game_seed(chance: Chance) -> bytes:
    return chance.fork("game").seed


def draw_move(chance: Chance, position: Position, seat: Seat, ply: int) -> str:
    """Return a legal move of the seat, drawn uniformly."""
    moves = position.moves(seat)
    pick, _ = chance.fork(f"policy {ply} {seat}").below(len(moves))
    return moves[pick]
