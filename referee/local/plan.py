"""Plan of an arena: its bots, games and matches. It is read from a TOML file (docs/arena.md) or a command line.

The name of a match does not depend on other entrants, so that after adding a bot to a plan only its matches are new.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

from msgspec import structs

from engines.api import Game, Table
from engines.game_errors import DetailedError
from engines.registry import find
from referee.local.entrant import NAME, NAME_RULE, Entrant, read_bots
from referee.local.opening_book import listed_openings
from referee.local.sandbox import NO_GROUPS, Sandbox, own_groups, read_sandbox
from referee.local.terms_reader import OF_A_MATCH, OF_EVERY_GAME, local_terms
from referee.local.toml_validation import BadPlan, count, known, read_toml, value
from referee.match.clock import UNTIMED
from referee.match.match_terms import MatchTerms

MAX_BOTS_PER_MATCH = 6
"""Limit, since the number of seat orders grows factorially."""
MAX_PARALLEL = 1_000
MAX_ROUNDS = 100_000
DAY_S = 86_400
DEFAULT_START_WITHIN_S = 60

OF_A_GAME = ("label", "at_a_table", "cycles", "rounds", "openings", *OF_A_MATCH)
OF_ALL = ("cycles", "rounds", "max_concurrent_matches", "start_within_s", "sandbox", "bots", "games", *OF_EVERY_GAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class BotPlan:
    """The bots that this machine runs for a contest."""

    bots: tuple[Entrant, ...]
    start_within_s: int = DEFAULT_START_WITHIN_S
    """Time for a bot to connect."""
    sandbox: Sandbox | None = None
    """Sandbox of all bots, or None."""
    matches_a_bot: int = 1
    """Maximum number of concurrent matches of each bot process."""

    def check_sandbox(self, run_in: Path) -> None:
        """Raise BadPlan if the bots, whose folders are relative to `run_in`, cannot be sandboxed here."""
        if self.sandbox:
            self.sandbox.check(run_in / bot.folder for bot in self.bots)

    def sandbox_notice(self) -> str:
        """Return what the sandboxes of the bots lack here; empty if nothing, or if there are none."""
        return NO_GROUPS if self.sandbox and not own_groups() else ""


@dataclass(frozen=True, slots=True)
class GameTerms:
    """One game of a plan, with the terms of its matches."""

    label: str
    """Name in tables and of its folder, unique within the plan."""
    game: Game
    match_terms: MatchTerms
    """Its `controls` have one for all seats, or one per seat."""
    bots_per_match: int
    """Number of bots per match: one per side, or one per seat."""
    games: int
    """Number of matches between the same bots."""
    openings: tuple[str, ...] = ()
    """Positions with which matches begin in turn, each in every order of the bots. Empty: as the game begins."""

    def opening(self, number: int) -> str:
        """Return the opening of the match of that number, from 0, between the same bots; empty: none."""
        return self.openings[number // self.bots_per_match % len(self.openings)] if self.openings else ""

    @property
    def table(self) -> Table:
        return self.game.table(self.match_terms.settings)

    def seated(self, order: tuple[Entrant, ...]) -> tuple[Entrant, ...]:
        """Return the entrant of each seat. With fewer bots than seats, each holds a side."""
        table = self.table
        if len(order) == len(table.seats):
            return order
        holder = {seat: entrant for side, entrant in zip(table.sides, order, strict=True) for seat in side}
        return tuple(holder[seat] for seat in range(len(table.seats)))


@dataclass(frozen=True, slots=True)
class LocalPairing:
    """One match to be played."""

    terms: GameTerms
    name: str
    """Also its path below the folder of records, without suffix."""
    seats: tuple[Entrant, ...]
    """Entrants by seat; a bot may hold several seats."""
    opening: str = ""
    """The first position; empty: that of the game."""

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """Each entrant once, in seat order."""
        return tuple(dict.fromkeys(self.seats))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(BotPlan):
    terms: tuple[GameTerms, ...]
    parallel: int
    """Maximum number of concurrent matches."""

    def pairings(self) -> list[LocalPairing]:
        """Return all matches, ordered so that all bots have played about equally often at any time."""
        most = max((terms.games for terms in self.terms), default=0)
        return [
            _pairing(terms, group, number)
            for number in range(most)
            for terms in self.terms
            if number < terms.games
            for group in combinations(self.bots, terms.bots_per_match)
        ]

    def unclocked(self) -> "Plan":
        """Return the plan without clocks."""
        terms = tuple(replace(terms, match_terms=_unclocked(terms.match_terms)) for terms in self.terms)
        return replace(self, terms=terms)


def _unclocked(terms: MatchTerms) -> MatchTerms:
    return structs.replace(terms, time_control=structs.replace(terms.time_control, rule=UNTIMED, odds=()))


def read_plan(file: Path) -> Plan:
    """Read a plan file. Raises BadPlan or another DetailedError."""
    content = read_toml(file)
    known(str(file), content, OF_ALL)
    bots = read_bots(content)
    games = value("games", content, list, [])
    if not games:
        raise BadPlan("games", "missing; add a [[games]] table with at least `game`")
    terms = tuple(
        _read_game(f"games {number}", content, given, len(bots), file.parent) for number, given in enumerate(games, 1)
    )
    for one in terms:
        for bot in bots:
            bot.check_game(one.game.name)
    labels = [one.label for one in terms]
    if twice := [label for label in labels if labels.count(label) > 1]:
        raise BadPlan("games", f"two games are called {twice[0]!r}; give one of them a label")
    return Plan(
        bots=bots,
        terms=terms,
        parallel=count("max_concurrent_matches", content, cores(), MAX_PARALLEL),
        start_within_s=count("start_within_s", content, DEFAULT_START_WITHIN_S, DAY_S),
        sandbox=read_sandbox(content, file.parent),
    )


def check_table(where: str, table: Table, bots_per_match: int, there: int) -> None:
    """Raise BadPlan if the game does not take this number of bots, or if there are too few."""
    fitting = sorted({len(table.sides), len(table.seats)})
    if bots_per_match not in fitting or bots_per_match > MAX_BOTS_PER_MATCH:
        raise BadPlan(where, f"this game takes {' or '.join(map(str, fitting))} bots per match, not {bots_per_match}")
    if there < bots_per_match:
        raise BadPlan(where, f"a match takes {bots_per_match} bots, but there are only {there}")


def cores() -> int:
    """Return the number of CPU cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def order_of(group: tuple[Entrant, ...], number: int) -> tuple[Entrant, ...]:
    """Return the seat order of a group in its game of that number, from 0.

    Seats rotate by one per game. After a full cycle the order of the others is permuted.
    """
    turns, turn = divmod(number, len(group))
    first, *others = group
    mixes = list(permutations(others))
    order = (first, *mixes[turns % len(mixes)])
    return order[turn:] + order[:turn]


def _pairing(terms: GameTerms, group: tuple[Entrant, ...], number: int) -> LocalPairing:
    names = ".".join(entrant.name for entrant in group)
    seats = terms.seated(order_of(group, number))
    return LocalPairing(terms, f"{terms.label}/{names}.{number + 1}", seats, terms.opening(number))


def _read_game(where: str, every: Mapping[str, Any], given: object, there: int, folder: Path) -> GameTerms:
    """Read one game, with defaults from the top level. A book of openings is relative to the folder."""
    if not isinstance(given, dict):
        raise BadPlan(where, "expected a table: [[games]]")
    known(where, given, OF_A_GAME)
    own = {**_for_every_game(every, given), **given}
    try:
        terms = local_terms({key: own[key] for key in OF_A_MATCH if key in own})
        game, settings = find(terms.game), terms.settings
        table = game.table(settings)
        bots_per_match = count("at_a_table", own, len(table.sides), len(table.seats))
        check_table("at_a_table", table, bots_per_match, there)
        label = value("label", own, str, game.name)
        if not NAME.fullmatch(label):
            raise BadPlan("label", f"expected {NAME_RULE}")
        if terms.random_seats:
            raise BadPlan("random_seats", "must be false: an arena gives each bot every seat equally often")
        openings = listed_openings(own.get("openings", []), game, settings, folder)
        return GameTerms(label, game, terms, bots_per_match, _games(own, bots_per_match), openings)
    except DetailedError as error:
        raise BadPlan(where, str(error)) from None


def _for_every_game(every: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the top-level defaults that apply to a game."""
    often = () if "cycles" in given or "rounds" in given else ("cycles", "rounds")
    return {name: every[name] for name in (*OF_EVERY_GAME, *often) if name in every}


def _games(given: Mapping[str, Any], bots_per_match: int) -> int:
    """Return the number of matches between the same bots: one per round; a cycle is one per seat order."""
    if "rounds" not in given:
        return count("cycles", given, 1, MAX_ROUNDS) * bots_per_match
    if "cycles" in given:
        raise BadPlan("rounds", "give either rounds or cycles; a cycle is one round for each bot of a match")
    return count("rounds", given, 1, MAX_ROUNDS)
