"""A plan as a TOML file. docs/arena.md describes it."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from google.protobuf import json_format
from referee_api.v1 import policy_pb2

from engines.refusals import Refusal, quoted
from engines.registry import find
from referee.arena.clocks import read_clock
from referee.arena.entrant import NAME, NAME_RULE, Entrant, read_entrant
from referee.arena.plan import USUAL_CLOCK, USUAL_POLICIES, USUAL_START_WITHIN_S, Plan, Terms, check_table, cores
from referee.arena.refusals import BadPlan
from referee.core.policy import Policies
from referee.transport.convert.policies import read_policies

T = TypeVar("T")

PARALLEL_AT_MOST = 1_000
ROUNDS_AT_MOST = 100_000
DAY_S = 86_400
OF_A_GAME = ("game", "label", "options", "preset", "at_a_table", "clock", "policies", "cycles", "rounds")
OF_ALL = ("clock", "policies", "cycles", "rounds", "parallel", "start_within_s", "bots", "games")


def read_plan(file: Path) -> Plan:
    """Raises BadPlan, or the refusal of what it names."""
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # A ValueError: it is no TOML, or no UTF-8.
        raise BadPlan(str(file), f"it cannot be read: {error}") from None
    _known(str(file), content, OF_ALL)
    entrants = tuple(_bot(name, given) for name, given in _value("bots", content, dict, {}).items())
    games = _value("games", content, list, [])
    if not games:
        raise BadPlan("games", "there are none; each is a [[games]] with at least its game")
    terms = tuple(_terms(f"games {number}", content, given, entrants) for number, given in enumerate(games, 1))
    labels = [one.label for one in terms]
    if twice := [label for label in labels if labels.count(label) > 1]:
        raise BadPlan("games", f"two are called {twice[0]!r}; give one of them a label")
    parallel = _count("parallel", content, cores(), PARALLEL_AT_MOST)
    return Plan(entrants, terms, parallel, _count("start_within_s", content, USUAL_START_WITHIN_S, DAY_S))


def _bot(name: str, given: object) -> Entrant:
    if not NAME.fullmatch(name):
        raise BadPlan(f"bots.{name}", f"a name has {NAME_RULE}")
    if not isinstance(given, str):
        raise BadPlan(f"bots.{name}", 'it is given as a text, such as "random" or "./my-bot --fast"')
    return replace(read_entrant(given), name=name)


def _terms(where: str, every: Mapping[str, Any], given: object, entrants: tuple[Entrant, ...]) -> Terms:
    """One game, with what it does not say itself taken from what is said of every game."""
    if not isinstance(given, dict):
        raise BadPlan(where, "it is a table: [[games]]")
    _known(where, given, OF_A_GAME)
    own = {**_for_every_game(every, given), **given}
    try:
        game = find(_value("game", own, str, ""))
        settings = game.settings(_value("options", own, dict, {}), _value("preset", own, str, None))
        table = game.table(settings)
        at_a_table = _count("at_a_table", own, len(table.sides), len(table.seats))
        check_table("at_a_table", table, at_a_table, len(entrants))
        label = _value("label", own, str, game.name)
        if not NAME.fullmatch(label):
            raise BadPlan("label", f"it has {NAME_RULE}")
        control = read_clock(own.get("clock", USUAL_CLOCK))
        return Terms(label, game, settings, control, _policies(own), at_a_table, _games(own, at_a_table))
    except Refusal as refusal:
        raise BadPlan(where, str(refusal)) from None


def _for_every_game(every: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What is said of all games, where this one does not say how often it is played itself."""
    often = () if "cycles" in given or "rounds" in given else ("cycles", "rounds")
    return {name: every[name] for name in ("clock", "policies", *often) if name in every}


def _games(given: Mapping[str, Any], at_a_table: int) -> int:
    """How often the same bots meet: once a round; in a cycle, until each has sat everywhere."""
    if "rounds" not in given:
        return _count("cycles", given, 1, ROUNDS_AT_MOST) * at_a_table
    if "cycles" in given:
        raise BadPlan("rounds", "a cycle is as many rounds as there are bots at a table; say one of the two")
    return _count("rounds", given, 1, ROUNDS_AT_MOST)


def _policies(given: Mapping[str, Any]) -> Policies:
    table = _value("policies", given, dict, {})
    try:
        message = json_format.ParseDict(table, policy_pb2.Policies())
    except json_format.ParseError as error:
        raise BadPlan("policies", f"these are no Policies of the contract: {error}") from None
    if "gone" not in table:
        message.gone.action = policy_pb2.GONE_ACTION_FORFEIT_AFTER_GRACE
        message.gone.grace_ms = USUAL_POLICIES.grace_us // 1_000
    return read_policies(message)


def _known(where: str, content: Mapping[str, object], known: tuple[str, ...]) -> None:
    for name in content:
        if name not in known:
            raise BadPlan(where, f"unknown key {quoted(name)}; known: {', '.join(known)}")


def _value(name: str, content: Mapping[str, Any], kind: type[T], usual: Any) -> Any:
    value = content.get(name, usual)
    if value is not usual and not isinstance(value, kind):
        raise BadPlan(name, f"it is {WORDS[kind]}, not {quoted(value)}")
    return value


WORDS: dict[type, str] = {str: "a text", dict: "a table", list: "a list of tables"}


def _count(name: str, content: Mapping[str, Any], usual: int, most: int) -> int:
    value = content.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise BadPlan(name, f"it is a whole number, 1 to {most}, not {quoted(value)}")
    return value
