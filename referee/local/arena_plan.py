"""Plan of an arena: for each of its games, a tournament in which all its bots meet.

It is read from a TOML file (docs/arena.md). Each game becomes the keys of a tournament's file.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from referee_values import MatchTerms

from engines.api import Table
from engines.game_errors import DetailedError
from referee.contests.tournament.tournament_terms import MAX_REPETITIONS
from referee.local.contest_file import TournamentPlan, tournament_plan
from referee.local.entrant import NAME, NAME_RULE, read_bots
from referee.local.plan import MAX_PARALLEL, cores
from referee.local.terms_reader import LOCAL_POLICIES, OF_A_MATCH, OF_EVERY_GAME, game_of
from referee.local.toml_validation import BadPlan, count, known, read, read_toml, value

OF_RUN = ("max_concurrent_matches", "matches_a_bot", "start_within_s", "sandbox", "bots")
"""Keys about the run on this machine, for all games."""
OF_A_GAME = ("label", "at_a_table", "cycles", "rounds", "openings", *OF_A_MATCH)
OF_ALL = ("cycles", "rounds", "games", *OF_RUN, *OF_EVERY_GAME)


def read_arena(file: Path, parallel: int | None = None, *, clocks: bool = True) -> tuple[TournamentPlan, ...]:
    """Read a plan file; `parallel` replaces that of the file. Raises BadPlan or another DetailedError."""
    content = read_toml(file)
    known(str(file), content, OF_ALL)
    bots = [bot.name for bot in read_bots(content)]
    games = value("games", content, list, [])
    if not games:
        raise BadPlan("games", "missing; add a [[games]] table with at least `game`")
    if not clocks:
        content = {**_unclocked(content), "clock": "none"}
        games = [_unclocked(given) for given in games]
    usual = count("max_concurrent_matches", content, cores(), MAX_PARALLEL)
    content["max_concurrent_matches"] = parallel or usual
    plans = tuple(_read_game(f"games {number}", content, given, bots, file) for number, given in enumerate(games, 1))
    labels = [plan.name for plan in plans]
    if twice := [label for label in labels if labels.count(label) > 1]:
        raise BadPlan("games", f"two games are called {twice[0]!r}; give one of them a label")
    return plans


def meeting_keys(
    table: Table, at_a_table: int, bots: Sequence[str], rounds: int, openings: object = ()
) -> dict[str, Any]:
    """Return the keys of a tournament's file by which all bots meet in that many matches, with rotating seats.

    With openings, whole sets are played. Raises BadPlan.
    """
    check_table("at_a_table", table, at_a_table, len(bots))
    keys: dict[str, Any] = {}
    if openings:
        keys["duplicate_play"] = {"openings": openings}
    if at_a_table < len(table.seats):
        keys |= {"partner_rule": "fixed", "teams": {bot: [bot] * len(table.sides[0]) for bot in bots}}
    many = rounds if at_a_table == 2 else -(-rounds * (len(bots) - 1) // (at_a_table - 1))
    many = -(-many // len(table.sides)) if openings else many
    return keys | ({"round_robin": {"cycles": many}} if at_a_table == 2 else {"pools": {"rounds": many}})


def check_table(where: str, table: Table, at_a_table: int, there: int) -> None:
    """Raise BadPlan if the game does not take this number of bots, or if there are too few."""
    fitting = sorted({len(table.sides), len(table.seats)})
    if at_a_table not in fitting:
        raise BadPlan(where, f"this game takes {' or '.join(map(str, fitting))} bots per match, not {at_a_table}")
    if there < at_a_table:
        raise BadPlan(where, f"a match takes {at_a_table} bots, but there are only {there}")


def _read_game(where: str, every: Mapping[str, Any], given: object, bots: Sequence[str], file: Path) -> TournamentPlan:
    """Read one game, with defaults from the top level."""
    if not isinstance(given, dict):
        raise BadPlan(where, "expected a table: [[games]]")
    known(where, given, OF_A_GAME)
    often = () if "cycles" in given or "rounds" in given else ("cycles", "rounds")
    own = {
        **{key: every[key] for key in (*OF_EVERY_GAME, *OF_RUN, *often) if key in every},
        **given,
    }
    try:
        keys = {key: own[key] for key in (*OF_A_MATCH, *OF_RUN) if key in own}
        terms = read("", {key: keys[key] for key in OF_A_MATCH if key in keys}, MatchTerms)
        game, settings = game_of(terms.rules)
        table = game.table(settings)
        label = value("label", own, str, game.name)
        if not NAME.fullmatch(label):
            raise BadPlan("label", f"expected {NAME_RULE}")
        at_a_table = count("at_a_table", own, len(table.sides), len(table.seats))
        meetings = meeting_keys(table, at_a_table, bots, _rounds(own, at_a_table), own.get("openings", ()))
        return tournament_plan({**keys, **meetings, "name": label}, file, LOCAL_POLICIES)
    except DetailedError as error:
        raise BadPlan(where, str(error)) from None


def _unclocked(given: Any) -> Any:
    """Return the keys of a game without those of its clock."""
    return {key: given[key] for key in given if key not in ("clock", "odds")} if isinstance(given, dict) else given


def _rounds(given: Mapping[str, Any], at_a_table: int) -> int:
    """Return the number of matches between the same bots; a cycle is one for each seat order."""
    if "rounds" not in given:
        return count("cycles", given, 1, MAX_REPETITIONS) * at_a_table
    if "cycles" in given:
        raise BadPlan("rounds", "give either rounds or cycles; a cycle is one round for each bot of a match")
    return count("rounds", given, 1, MAX_REPETITIONS)
