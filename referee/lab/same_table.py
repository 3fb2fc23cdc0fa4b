"""`lab.play`: matches between the same bots, from a Python program."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from engines.api import Game
from engines.registry import find
from referee.lab.crew import play_all
from referee.lab.lab_bots import Bot, lab_bot, names_of
from referee.lab.lab_match import LabMatch, LabResult
from referee.lab.lab_worker import LabJob, installed_games
from referee.live.create import match_id_of
from referee.live.match_request import LiveLimits
from referee.local.entrant import Entrant
from referee.local.plan import GameTerms, check_table, cores, order_of
from referee.local.terms_reader import OF_A_MATCH, local_terms
from referee.local.toml_validation import known
from referee.match.match_terms import MatchTerms
from referee.match.setup import Player, Setup

DEFAULT_SEED = "0"


def terms(game: str, **words: Any) -> MatchTerms:
    """Return the terms of matches, by the words of a plan file: `options`, `preset`, `clock`, `policies`, ….

    Raises BadPlan or another DetailedError.
    """
    known("terms", words, [word for word in OF_A_MATCH if word != "game"])
    engine = find(game)
    settings = engine.settings(words.get("options", {}), words.get("preset"))
    return without_nonces(local_terms(engine, settings, {"game": game, **words}))


def play(
    bots: Mapping[str, Bot] | Sequence[Bot],
    terms: MatchTerms,
    matches: int,
    workers: int | None = None,
    seed: str = DEFAULT_SEED,
    records: Path | None = None,
) -> Iterator[LabResult]:
    """Play matches between all bots at one table, and yield each result as it comes. Seats rotate.

    There must be one bot for each side, or one for each seat. `workers`: how many processes play (None: one for each
    core, 0: this process alone). `records` is a packed file if its name ends in `.pack`, to which the records of all
    matches are added, which must not be there yet; otherwise a folder for a file of each match (None: no records).
    Python bots must be functions, objects or classes of a module that the processes can import; with 0 workers they
    may be any. Raises BadEntrant, BadPlan, LabBotRefused, LabWorkerDied, and for a packed file PackageMissing,
    NotPackable, RecordInvalid or OSError.
    """
    named = {name: lab_bot(name, bot) for name, bot in names_of(bots).items()}
    for bot in named.values():
        bot.check_game(terms.game)
    source = SameTable(tuple(named), terms, matches, seed)
    job = LabJob(named, records=str(records or ""))
    return chain.from_iterable(play_all(source, job, cores() if workers is None else workers))


class SameTable:
    """Matches between the same bots."""

    def __init__(self, names: Sequence[str], terms: MatchTerms, matches: int, seed: str) -> None:
        """Raises BadPlan or BadSetup."""
        game = installed_games().get(terms.game) or find(terms.game)
        check_table("bots", game.table(terms.settings), len(names), len(names))
        self._terms = GameTerms(game.name, game, terms.with_defaults(game, LiveLimits().start_timeout_us), 0, matches)
        self._group = tuple(Entrant(name, ()) for name in names)
        self._seed = seed
        self._given = 0
        if matches:
            self._match(0).setup.check(game)

    def take(self, count: int) -> Sequence[LabMatch]:
        first, self._given = self._given, min(self._given + count, self._terms.games)
        return [self._match(number) for number in range(first, self._given)]

    def record(self, result: LabResult) -> None:
        """Nothing follows from a result."""

    def _match(self, number: int) -> LabMatch:
        seats = self._terms.seated(order_of(self._group, number))
        terms, bots = self._terms, [seat.name for seat in seats]
        return new_match(number + 1, str(number + 1), terms.label, terms.game, terms.match_terms, bots, self._seed)


def new_match(
    number: int,
    name: str,
    label: str,
    game: Game,
    terms: MatchTerms,
    bots: Sequence[str],
    seed: str,
    opening: str = "",
) -> LabMatch:
    """Return a match by complete terms, whose seed follows from that of the run and the name of the match."""
    players = tuple(Player(bot) for bot in bots)
    match_id = match_id_of(f"lab/{seed}", name)
    setup = Setup(match_id, game.version, terms, players, seed_of(seed, name), opening=opening)
    return LabMatch(number, name, label, tuple(bots), setup)


def seed_of(seed: str, purpose: str) -> bytes:
    """Return the seed of a match or contest, given the text that seeds the run."""
    return hashlib.sha256(f"{seed}\0{purpose}".encode()).digest()


def without_nonces(terms: MatchTerms) -> MatchTerms:
    """Return the terms without nonces, which protect bots on a server from its operator."""
    return replace(terms, nonce_timeout_us=0)
