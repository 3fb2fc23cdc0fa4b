"""`lab.play`: matches between the same bots, from a Python program."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, permutations
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from engines.api import Table
from engines.registry import find
from referee.lab.crew import play_all
from referee.lab.lab_bots import Bot, lab_bot, names_of
from referee.lab.lab_match import LabMatch, LabResult
from referee.lab.lab_records import is_packed_name
from referee.lab.lab_worker import LabJob, installed_games
from referee.live.create import match_id_of
from referee.live.match_request import LiveLimits
from referee.local.arena_plan import check_table
from referee.local.plan import MAX_PARALLEL, cores
from referee.local.terms_reader import OF_A_MATCH, local_terms
from referee.local.toml_validation import BadPlan, known
from referee.match.match_terms import MatchTerms
from referee.match.setup import Player, Setup
from referee.records.packed_records import NotPackable, PackedRecords

DEFAULT_SEED = "0"


def terms(game: str, **words: Any) -> MatchTerms:
    """Return the terms of matches, by the words of a plan file: `options`, `preset`, `clock`, `policies`, ….

    Raises BadPlan or another DetailedError.
    """
    known("terms", words, [word for word in OF_A_MATCH if word != "game"])
    return without_nonces(local_terms({"game": game, **words}))


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
    may be any. A bot that raises an exception resigns; but KeyboardInterrupt in this process ends the run. Raises
    BadEntrant, WrongGame, BadPlan, LabBotRefused, LabWorkerDied, and for a packed file PackageMissing, NotPackable,
    RecordInvalid or OSError.
    """
    _check_count("workers", workers, MAX_PARALLEL)
    _check_count("matches", matches)
    named = {name: lab_bot(name, bot) for name, bot in names_of(bots).items()}
    for bot in named.values():
        bot.check_game(terms.game)
    source = SameTable(tuple(named), terms, matches, seed)
    job = LabJob(named, records=str(records or ""))
    if workers != 0:
        for bot in named.values():
            bot.check_importable()
    if records and is_packed_name(records) and records.exists():
        _check_absent(records, source)
    return chain.from_iterable(play_all(source, job, cores() if workers is None else workers))


def _check_count(where: str, given: int | None, most: int | None = None) -> None:
    if given is not None and (given < 0 or (most is not None and given > most)):
        raise BadPlan(
            where, f"it must be 0 to {most}, not {given}" if most else f"it must not be negative, like {given}"
        )


def _check_absent(file: Path, source: "SameTable") -> None:
    """Raise NotPackable if the packed file has one of the matches already."""
    with PackedRecords(file) as packed:
        for match_id in source.match_ids():
            if match_id in packed:
                raise NotPackable(f"match {match_id} is packed already in {file}; another seed gives other matches")


class SameTable:
    """Matches between the same bots."""

    def __init__(self, names: Sequence[str], terms: MatchTerms, matches: int, seed: str) -> None:
        """Raises BadPlan or BadSetup."""
        game = installed_games().get(terms.game) or find(terms.game)
        if not all(names):
            raise BadPlan("bots", "a bot has an empty name")
        self._table = game.table(terms.settings)
        check_table("bots", self._table, len(names), len(names))
        self._game, self._terms = game, terms.with_defaults(game, LiveLimits().start_timeout_us)
        self._names = tuple(names)
        self._matches = matches
        self._seed = seed
        self._given = 0
        if matches:
            self._match(0).setup.check(game)

    def take(self, count: int) -> Sequence[LabMatch]:
        first, self._given = self._given, min(self._given + count, self._matches)
        return [self._match(number) for number in range(first, self._given)]

    def record(self, result: LabResult) -> None:
        """Nothing follows from a result."""

    def match_ids(self) -> Iterator[str]:
        """Yield the ids of all matches."""
        return (_match_id(self._seed, _name(number)) for number in range(self._matches))

    def _match(self, number: int) -> LabMatch:
        bots, name = seated(self._table, order_of(self._names, number)), _name(number)
        players, seed = tuple(map(Player, bots)), seed_of(self._seed, name)
        setup = Setup(_match_id(self._seed, name), self._game.version, self._terms, players, seed)
        return LabMatch(number + 1, name, self._game.name, bots, setup)


def order_of(names: tuple[str, ...], number: int) -> tuple[str, ...]:
    """Return the order of the bots in their match of that number, from 0.

    Seats rotate by one per match. After a full cycle the order of the others is permuted.
    """
    turns, turn = divmod(number, len(names))
    first, *others = names
    mixes = list(permutations(others))
    order = (first, *mixes[turns % len(mixes)])
    return order[turn:] + order[:turn]


def seated(table: Table, order: tuple[str, ...]) -> tuple[str, ...]:
    """Return the bot of each seat. With fewer bots than seats, each holds a side."""
    if len(order) == len(table.seats):
        return order
    holders = {seat: name for side, name in zip(table.sides, order, strict=True) for seat in side}
    return tuple(holders[seat] for seat in range(len(table.seats)))


def _name(number: int) -> str:
    """Return the name of a match, which is counted from 0."""
    return str(number + 1)


def _match_id(seed: str, name: str) -> str:
    return match_id_of(f"lab/{seed}", name)


def seed_of(seed: str, purpose: str) -> bytes:
    """Return the seed of a match or contest, given the text that seeds the run."""
    return hashlib.sha256(f"{seed}\0{purpose}".encode()).digest()


def without_nonces(terms: MatchTerms) -> MatchTerms:
    """Return the terms without nonces, which protect bots on a server from its operator."""
    return replace(terms, nonce_timeout_us=0)
