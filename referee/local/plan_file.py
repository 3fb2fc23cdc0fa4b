"""Read the plan file of an arena (docs/arena.md)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engines.refusals import Refusal
from engines.registry import find
from referee.local.clock_notation import read_clock
from referee.local.entrant import NAME, NAME_RULE, Entrant
from referee.local.local_errors import BadPlan
from referee.local.match_terms import policies_in
from referee.local.plan import (
    DEFAULT_CLOCK,
    DEFAULT_START_WITHIN_S,
    LOCAL_POLICIES,
    GameTerms,
    Plan,
    check_table,
    cores,
)
from referee.local.toml_validation import count, known, read_bots, read_sandbox, read_toml, value
from referee.wire.terms import read_policies

MAX_PARALLEL = 1_000
MAX_ROUNDS = 100_000
DAY_S = 86_400
OF_A_GAME = ("game", "label", "options", "preset", "at_a_table", "clock", "policies", "cycles", "rounds")
OF_ALL = ("clock", "policies", "cycles", "rounds", "parallel", "start_within_s", "sandbox", "bots", "games")


def read_plan(file: Path) -> Plan:
    """Read a plan file. Raises BadPlan or another Refusal."""
    content = read_toml(file)
    known(str(file), content, OF_ALL)
    entrants = read_bots(content)
    games = value("games", content, list, [])
    if not games:
        raise BadPlan("games", "missing; add a [[games]] table with at least `game`")
    terms = tuple(_terms(f"games {number}", content, given, entrants) for number, given in enumerate(games, 1))
    labels = [one.label for one in terms]
    if twice := [label for label in labels if labels.count(label) > 1]:
        raise BadPlan("games", f"two games are called {twice[0]!r}; give one of them a label")
    parallel = count("parallel", content, cores(), MAX_PARALLEL)
    within_s = count("start_within_s", content, DEFAULT_START_WITHIN_S, DAY_S)
    return Plan(entrants, terms, parallel, within_s, read_sandbox(content, file.parent))


def _terms(where: str, every: Mapping[str, Any], given: object, entrants: tuple[Entrant, ...]) -> GameTerms:
    """Read one game, with defaults from the top level."""
    if not isinstance(given, dict):
        raise BadPlan(where, "expected a table: [[games]]")
    known(where, given, OF_A_GAME)
    own = {**_for_every_game(every, given), **given}
    try:
        game = find(value("game", own, str, ""))
        settings = game.settings(value("options", own, dict, {}), value("preset", own, str, None))
        table = game.table(settings)
        bots_per_match = count("at_a_table", own, len(table.sides), len(table.seats))
        check_table("at_a_table", table, bots_per_match, len(entrants))
        label = value("label", own, str, game.name)
        if not NAME.fullmatch(label):
            raise BadPlan("label", f"expected {NAME_RULE}")
        control = read_clock(own.get("clock", DEFAULT_CLOCK))
        return GameTerms(
            label,
            game,
            settings,
            control,
            read_policies(policies_in(own, LOCAL_POLICIES)),
            bots_per_match,
            _games(own, bots_per_match),
        )
    except Refusal as refusal:
        raise BadPlan(where, str(refusal)) from None


def _for_every_game(every: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the top-level defaults that apply to a game."""
    often = () if "cycles" in given or "rounds" in given else ("cycles", "rounds")
    return {name: every[name] for name in ("clock", "policies", *often) if name in every}


def _games(given: Mapping[str, Any], bots_per_match: int) -> int:
    """Return the number of matches between the same bots: one per round; a cycle is one per seat order."""
    if "rounds" not in given:
        return count("cycles", given, 1, MAX_ROUNDS) * bots_per_match
    if "cycles" in given:
        raise BadPlan("rounds", "give either rounds or cycles; a cycle is one round for each bot of a match")
    return count("rounds", given, 1, MAX_ROUNDS)
