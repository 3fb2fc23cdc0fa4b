"""A plan as a TOML file. docs/arena.md describes it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engines.refusals import Refusal
from engines.registry import find
from referee.arena.clocks import read_clock
from referee.arena.entrant import NAME, NAME_RULE, Entrant
from referee.arena.keys import count, known, read_bots, read_sandbox, read_toml, value
from referee.arena.match_terms import policies_in
from referee.arena.plan import LOCAL_POLICIES, USUAL_CLOCK, USUAL_START_WITHIN_S, Plan, Terms, check_table, cores
from referee.arena.refusals import BadPlan
from referee.transport.convert.policies import read_policies

PARALLEL_AT_MOST = 1_000
ROUNDS_AT_MOST = 100_000
DAY_S = 86_400
OF_A_GAME = ("game", "label", "options", "preset", "at_a_table", "clock", "policies", "cycles", "rounds")
OF_ALL = ("clock", "policies", "cycles", "rounds", "parallel", "start_within_s", "sandbox", "bots", "games")


def read_plan(file: Path) -> Plan:
    """Raises BadPlan, or the refusal of what it names."""
    content = read_toml(file)
    known(str(file), content, OF_ALL)
    entrants = read_bots(content)
    games = value("games", content, list, [])
    if not games:
        raise BadPlan("games", "there are none; each is a [[games]] with at least its game")
    terms = tuple(_terms(f"games {number}", content, given, entrants) for number, given in enumerate(games, 1))
    labels = [one.label for one in terms]
    if twice := [label for label in labels if labels.count(label) > 1]:
        raise BadPlan("games", f"two are called {twice[0]!r}; give one of them a label")
    parallel = count("parallel", content, cores(), PARALLEL_AT_MOST)
    within_s = count("start_within_s", content, USUAL_START_WITHIN_S, DAY_S)
    return Plan(entrants, terms, parallel, within_s, read_sandbox(content, file.parent))


def _terms(where: str, every: Mapping[str, Any], given: object, entrants: tuple[Entrant, ...]) -> Terms:
    """One game, with what it does not say itself taken from what is said of every game."""
    if not isinstance(given, dict):
        raise BadPlan(where, "it is a table: [[games]]")
    known(where, given, OF_A_GAME)
    own = {**_for_every_game(every, given), **given}
    try:
        game = find(value("game", own, str, ""))
        settings = game.settings(value("options", own, dict, {}), value("preset", own, str, None))
        table = game.table(settings)
        at_a_table = count("at_a_table", own, len(table.sides), len(table.seats))
        check_table("at_a_table", table, at_a_table, len(entrants))
        label = value("label", own, str, game.name)
        if not NAME.fullmatch(label):
            raise BadPlan("label", f"it has {NAME_RULE}")
        control = read_clock(own.get("clock", USUAL_CLOCK))
        return Terms(
            label,
            game,
            settings,
            control,
            read_policies(policies_in(own, LOCAL_POLICIES)),
            at_a_table,
            _games(own, at_a_table),
        )
    except Refusal as refusal:
        raise BadPlan(where, str(refusal)) from None


def _for_every_game(every: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What is said of all games, where this one does not say how often it is played itself."""
    often = () if "cycles" in given or "rounds" in given else ("cycles", "rounds")
    return {name: every[name] for name in ("clock", "policies", *often) if name in every}


def _games(given: Mapping[str, Any], at_a_table: int) -> int:
    """How often the same bots meet: once a round; in a cycle, until each has sat everywhere."""
    if "rounds" not in given:
        return count("cycles", given, 1, ROUNDS_AT_MOST) * at_a_table
    if "cycles" in given:
        raise BadPlan("rounds", "a cycle is as many rounds as there are bots at a table; say one of the two")
    return count("rounds", given, 1, ROUNDS_AT_MOST)
