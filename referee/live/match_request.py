"""Request for a match: its terms before defaults are filled in, and filters for lists of matches."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engines.api import REFEREE, Game, Position, Seat
from engines.options import Value
from engines.refusals import UnknownGame
from referee.match.clock import SECOND, Micros, TimeControl
from referee.match.clock_charge import NetworkCredit
from referee.match.setup import (
    DEFAULT_POLICIES,
    NO_CREDIT,
    SHOWN_LIVE,
    Player,
    Policies,
    Setup,
    Visibility,
    game_seed,
    match_chance,
)
from referee.match.state import MatchPhase

MAKER = "maker"
REQUEST_ID = "request_id"
TITLE = "title"
LADDER = "ladder"
TOURNAMENT = "tournament"
PAIRING = "pairing"
SET = "set"
"""Names of the labels of a match."""

OPEN_SEAT = Player()


@dataclass(frozen=True, slots=True)
class LiveLimits:
    """How long the server waits for bots, and how far watchers may fall behind."""

    start_within_us: Micros = 60 * SECOND
    """How long a match waits for its start if its request sets no limit."""
    return_within_us: Micros = 15 * SECOND
    """How long a match in play waits for its bots after a restart, while match time stands still."""
    max_watcher_lag: int = 1024
    """How many entries a watcher may be behind after it has caught up once."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The start of a match."""

    position: str = ""
    """Text of the position. Empty: the initial position of the game."""
    moves: tuple[tuple[Seat, str], ...] = ()
    """Moves that are played from the position before any clock runs."""


DEFAULT_OPENING = Opening()


@dataclass(frozen=True, slots=True)
class MatchRequest:
    """The terms of a match to be created."""

    game: str
    chosen: Mapping[str, Value] = field(default_factory=dict)
    """Options, which override the preset, which overrides the defaults."""
    preset: str | None = None
    players: tuple[Player, ...] = ()
    """One for each seat; empty: all seats are open."""
    controls: tuple[TimeControl, ...] = ()
    """One for all seats, or one for each."""
    credit: NetworkCredit = NO_CREDIT
    policies: Policies = DEFAULT_POLICIES
    visibility: Visibility = SHOWN_LIVE
    seed: bytes | None = None
    """None: the referee draws one."""
    by_lot: bool = False
    nonce_within_us: Micros = 0
    """How long seats may add a nonce. 0: no nonces are requested."""
    start_within_us: Micros = 0
    """How long the match waits for its start. 0: the limit of the server (`LiveLimits.start_within_us`)."""
    opening: Opening = DEFAULT_OPENING
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels by name, without empty ones."""

    def setup(self, match_id: str, seed: bytes, games: Mapping[str, Game], limits: LiveLimits) -> Setup:
        """Return the terms with every default filled in. Raises UnknownGame, BadSetup or an error of the game."""
        game = find_game(games, self.game)
        settings = game.settings(self.chosen, self.preset)
        seats = len(game.table(settings).seats)
        setup = Setup(
            match_id,
            game.name,
            game.version,
            settings,
            self.players or (OPEN_SEAT,) * seats,
            self.controls * seats if len(self.controls) == 1 else self.controls,
            seed,
            self.credit,
            self.policies,
            self.visibility,
            self.seed is not None,
            self.by_lot,
            nonce_within_us=self.nonce_within_us,
            start_within_us=self.start_within_us or limits.start_within_us,
            labels=tuple(self.labels.items()),
        )
        opening = "" if self.opening == DEFAULT_OPENING else _opened(game, setup, self.opening).text(REFEREE)
        setup = replace(setup, opening=opening)
        setup.check(game)
        return setup


def find_game(games: Mapping[str, Game], name: str) -> Game:
    """Return the game of that name. Raises UnknownGame, which lists the known games."""
    if name not in games:
        raise UnknownGame(name, ", ".join(games))
    return games[name]


def _opened(game: Game, setup: Setup, opening: Opening) -> Position:
    if opening.position:
        position = game.read(opening.position, setup.settings)
    else:
        # The moves depend on what is dealt, so it follows from the seed alone and nonces cannot change it.
        position = game.start(setup.settings, game_seed(match_chance(setup.seed, ())))
    for seat, move in opening.moves:
        position = position.play(seat, move)
    return position


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches to list. All given fields must match."""

    bot: str = ""
    game: str = ""
    phase: MatchPhase | None = None
    ladder: str = ""
    tournament: str = ""
    open_only: bool = False
    since_ms: int = 0
    """Only matches created at this time or later."""


EVERY_MATCH = MatchFilter()
