"""What somebody wishes a match to be, before it is one."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engines.api import REFEREE, Game, Position, Seat
from engines.options import Value
from engines.refusals import UnknownGame
from referee.core import fair
from referee.core.clock import SECOND, Micros, TimeControl
from referee.core.match import Phase
from referee.core.policy import Policies
from referee.core.row import NetworkCredit
from referee.core.setup import DEFAULT_POLICIES, NO_CREDIT, SHOWN_LIVE, Player, Setup, Visibility

MAKER = "maker"
REQUEST_ID = "request_id"
TITLE = "title"
LADDER = "ladder"
TOURNAMENT = "tournament"
PAIRING = "pairing"
SET = "set"
"""Labels of a match, by name."""

OPEN_SEAT = Player()


@dataclass(frozen=True, slots=True)
class Limits:
    """How long this referee waits, and for whom."""

    start_within_us: Micros = 60 * SECOND
    """For the seats of a match whose wish says nothing."""
    return_within_us: Micros = 15 * SECOND
    """After a restart: for the bots of a match in play, while its time stands still."""
    watcher_behind_at_most: int = 1024
    """For how many entries a watcher may be behind after it had caught up once."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Where to start."""

    position: str = ""
    """Empty: at the game's own beginning."""
    moves: tuple[tuple[Seat, str], ...] = ()
    """Played from there before any clock runs."""


OWN_BEGINNING = Opening()


@dataclass(frozen=True, slots=True)
class MatchWish:
    """The terms of a match that is to be made."""

    game: str
    chosen: Mapping[str, Value] = field(default_factory=dict)
    """Options, over the preset, over the defaults."""
    preset: str | None = None
    players: tuple[Player, ...] = ()
    """One a seat; empty: all seats are open."""
    controls: tuple[TimeControl, ...] = ()
    """One for all seats, or one a seat."""
    credit: NetworkCredit = NO_CREDIT
    policies: Policies = DEFAULT_POLICIES
    visibility: Visibility = SHOWN_LIVE
    seed: bytes | None = None
    """None: the referee draws one."""
    by_lot: bool = False
    nonce_within_us: Micros = 0
    """0: no nonces are asked for."""
    start_within_us: Micros = 0
    """0: as long as the referee is set to wait."""
    opening: Opening = OWN_BEGINNING
    labels: Mapping[str, str] = field(default_factory=dict)
    """Only those that say something."""

    def setup(self, match_id: str, seed: bytes, games: Mapping[str, Game], limits: Limits) -> Setup:
        """The terms with every default filled in. Raises UnknownGame, BadSetup or a refusal of the game's."""
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
        opening = "" if self.opening == OWN_BEGINNING else _opened(game, setup, self.opening).text(REFEREE)
        setup = replace(setup, opening=opening)
        setup.check(game)
        return setup


def find_game(games: Mapping[str, Game], name: str) -> Game:
    """Raises UnknownGame, which names those there are."""
    if name not in games:
        raise UnknownGame(name, ", ".join(games))
    return games[name]


def _opened(game: Game, setup: Setup, opening: Opening) -> Position:
    if opening.position:
        position = game.read(opening.position, setup.settings)
    else:
        # What is dealt must be known to play on from it: no nonce can change it any more.
        position = game.start(setup.settings, fair.game_seed(fair.match_chance(setup.seed, ())))
    for seat, move in opening.moves:
        position = position.play(seat, move)
    return position


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches to list. What is given must all hold."""

    bot: str = ""
    game: str = ""
    phase: Phase | None = None
    ladder: str = ""
    tournament: str = ""
    open_only: bool = False
    since_ms: int = 0
    """Made at this moment or later."""


EVERY_MATCH = MatchFilter()
