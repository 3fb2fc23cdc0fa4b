"""Request for a match, before defaults are filled in, and filters for lists of matches."""

from collections.abc import Mapping

from msgspec import Struct, field
from referee_values import Opening

from engines.api import REFEREE, Game, Position, Table
from engines.registry import unknown_game
from referee.match.clock import SECOND, Micros
from referee.match.match_errors import NotWithdrawable
from referee.match.match_terms import MatchTerms
from referee.match.setup import Player, Setup, game_seed, match_chance
from referee.match.state import Match, MatchPhase

MAKER = "maker"
REQUEST_ID = "request_id"
TITLE = "title"
LADDER = "ladder"
TOURNAMENT = "tournament"
PAIRING = "pairing"
SET = "set"
"""Names of the labels of a match."""
OPEN_SEAT = Player()


class LiveLimits(Struct, frozen=True, gc=False):
    """How long the server waits for bots, and how far watchers may fall behind."""

    start_timeout_us: Micros = 60 * SECOND
    """How long a match waits for its start if its request sets no limit."""
    return_within_us: Micros = 15 * SECOND
    """How long a match in play waits for its bots after a restart, while match time stands still."""
    max_watcher_lag: int = 1024
    """How many entries a watcher may be behind after it has caught up once."""


DEFAULT_OPENING = Opening()


class MatchRequest(Struct, frozen=True, gc=False):
    """Request to create a match."""

    terms: MatchTerms
    players: tuple[Player, ...] = ()
    """One for each seat; empty: all seats are open."""
    seed: bytes | None = None
    """None: the referee draws one."""
    opening: Opening = DEFAULT_OPENING
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels by name, without empty ones."""
    match_id: str = ""
    """Empty: it follows from the labels."""

    def setup(self, match_id: str, seed: bytes, games: Mapping[str, Game], limits: LiveLimits) -> Setup:
        """Return the setup with every default filled in. Raises UnknownGame, BadSetup or an error of the game."""
        game = find_game(games, self.terms.game)
        terms, table = _complete(self.terms, game, limits.start_timeout_us)
        players = self.players or (OPEN_SEAT,) * len(table.seats)
        opening = "" if self.opening == DEFAULT_OPENING else _opened(game, terms, seed, self.opening).text(REFEREE)
        labels = tuple(self.labels.items())
        setup = Setup(match_id, game.version, terms, players, seed, self.seed is not None, opening, labels)
        setup.check_with(table, game)
        return setup


MAX_KNOWN_TERMS = 128
MAX_KNOWN_CHARS = 4096
_known_terms: dict[str, tuple[Game, MatchTerms, Table]] = {}
"""Checked terms and their tables by what was asked for: nearly all matches have the terms of another one."""


def _complete(asked: MatchTerms, game: Game, start_timeout_us: Micros) -> tuple[MatchTerms, Table]:
    """Return the checked terms with every default filled in, which matches share, and their table.

    Raises a MatchError or an error of the game.
    """
    key = f"{start_timeout_us} {asked}"  # As text, since options that are True and 1 are equal otherwise.
    known = _known_terms.get(key)
    if known is None or known[0] is not game:
        terms = asked.with_defaults(game, start_timeout_us)
        known = game, terms, terms.check(game)
        if len(_known_terms) >= MAX_KNOWN_TERMS:
            _known_terms.clear()
        if len(key) <= MAX_KNOWN_CHARS:
            _known_terms[key] = known
    return known[1:]


def find_game(games: Mapping[str, Game], name: str) -> Game:
    """Return the game of that name. Raises UnknownGame, which lists the known games or says why it is excluded."""
    if name not in games:
        raise unknown_game(name, games)
    return games[name]


def check_withdrawable(match: Match, bot: str, invited: bool) -> None:
    """Raises NotWithdrawable if the match counts for others too: a contest has created it or rates it.

    A bot that was `invited` to the contest can be taken out of a match that has started. No contest has a use for
    a match with an open seat.
    """
    if {LADDER, TOURNAMENT, PAIRING}.isdisjoint(dict(match.setup.labels)):
        return
    if not invited:
        raise NotWithdrawable(bot, "the match is rated or belongs to a contest")
    if match.phase is MatchPhase.WAITING:
        raise NotWithdrawable(bot, "the match of its contest has not started; withdraw it from the contest")


def _opened(game: Game, terms: MatchTerms, seed: bytes, opening: Opening) -> Position:
    if opening.position:
        position = game.read(opening.position, terms.settings)
    else:
        # The moves depend on what is dealt, so it follows from the seed alone and nonces cannot change it.
        position = game.start(terms.settings, game_seed(match_chance(seed, ())))
    for made in opening.moves:
        position = position.play(made.seat, made.move)
    return position


class MatchFilter(Struct, frozen=True, gc=False):
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
