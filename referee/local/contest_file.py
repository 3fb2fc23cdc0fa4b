"""Read the plan files of tournaments and ladders (docs/tournaments.md, docs/ladders.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf.message import Message
from referee_api.v1 import contest_pb2, game_pb2, ladder_pb2, match_pb2, sprt_pb2, tournament_pb2
from referee_values import Policies

from engines.game_errors import quoted, unknown
from engines.registry import games
from referee.accounts.names import NAME, NAME_RULE
from referee.contests.tournament.tournament_terms import MAX_WAIT_MS
from referee.local.entrant import Entrant, read_bots
from referee.local.opening_book import read_book, read_openings
from referee.local.plan import DAY_S, DEFAULT_START_WITHIN_S, MAX_PARALLEL, BotPlan
from referee.local.sandbox import read_sandbox
from referee.local.terms_reader import OF_A_MATCH, OF_EVERY_GAME, match_terms, read_opening
from referee.local.toml_validation import BadPlan, count, fill, known, moment, read_toml, value, whole, word
from referee.match.match_terms import DEFAULT_POLICIES
from referee.transport.wire.rules import read_rules

FORMATS = ("round_robin", "swiss", "elimination", "gauntlet", "pools", "sprt")
OF_BOTH = ("title", "duplicate", "partners", *OF_EVERY_GAME)
WAITS = ("no_show_ms", "max_no_shows", "round_break_ms")
MOMENTS = ("starts_at", "entries_close_at")
OF_BOTS = ("matches_a_bot", "start_within_s", "sandbox", "bots")
"""Keys about the bots that this machine runs."""
OF_A_TOURNAMENT = (
    "name",
    *OF_BOTH,
    *(key for key in OF_A_MATCH if key not in OF_BOTH),
    *FORMATS,
    "tie_breaks",
    "seeding",
    "ladder",
    "last_entry_round",
    "freeze_versions",
    "qualification",
    "boards",
    "forbidden_pairs",
    "max_requested_byes",
    "play_off_entrants",
    *WAITS,
    *MOMENTS,
    "parallel",
    *OF_BOTS,
    "teams",
    "entrants",
)
COUNTS_OF_A_LADDER = (
    "max_concurrent_matches",
    "rematch_after",
    "provisional_matches",
    "pause_after_faults",
)
OF_A_LADDER = ("name", *OF_BOTH, "games", *COUNTS_OF_A_LADDER, "max_matches_per_hour")
MOST = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPlan(BotPlan):
    """A tournament, with the bots to start on this machine; none if they connect by themselves."""

    name: str
    title: str
    terms: tournament_pb2.TournamentTerms
    entrants: tuple[contest_pb2.Entrant, ...]

    @property
    def game(self) -> str:
        return self.terms.match_terms.rules.game


@dataclass(frozen=True, slots=True)
class LadderPlan:
    name: str
    title: str
    terms: ladder_pb2.LadderTerms


def read_tournament(file: Path, usual: Policies) -> TournamentPlan:
    """Read a tournament's plan file. Raises BadPlan or another DetailedError."""
    return tournament_plan(read_toml(file), file, usual)


def tournament_plan(content: Mapping[str, Any], file: Path, usual: Policies) -> TournamentPlan:
    """Return the plan with the keys of a tournament's file. Raises BadPlan or another DetailedError."""
    known(str(file), content, OF_A_TOURNAMENT)
    bots = read_bots(content)
    plan = TournamentPlan(
        name=_name(content, file),
        title=value("title", content, str, ""),
        terms=_tournament_terms(content, usual, file.parent),
        entrants=_entrants(content, bots),
        bots=bots,
        matches_a_bot=count("matches_a_bot", content, 1, MAX_PARALLEL),
        start_within_s=count("start_within_s", content, DEFAULT_START_WITHIN_S, DAY_S),
        sandbox=read_sandbox(content, file.parent),
    )
    _check_challengers(plan)
    for bot in bots:
        bot.check_game(plan.game)
    return plan


def read_ladder(file: Path) -> LadderPlan:
    """Read a ladder's plan file. Raises BadPlan or another DetailedError."""
    content = read_toml(file)
    known(str(file), content, OF_A_LADDER)
    every_game = _games(content)
    terms = ladder_pb2.LadderTerms(match_terms=every_game, partner_rule=_partners(content))
    for key in COUNTS_OF_A_LADDER:
        setattr(terms, key, count(key, content, 0, MOST))
    if "max_matches_per_hour" in content:
        terms.max_matches_per_hour = whole("max_matches_per_hour", content, MOST)
    if duplicate := _duplicate(content, every_game[0].rules, file.parent):
        terms.duplicate_play.CopyFrom(duplicate)
    return LadderPlan(_name(content, file), value("title", content, str, ""), terms)


def _name(content: Mapping[str, Any], file: Path) -> str:
    """Return the name, by default that of the file."""
    name = value("name", content, str, file.stem)
    if not NAME.fullmatch(name):
        source = "" if "name" in content else ', which is that of the file; give another one by `name = "..."`'
        raise BadPlan("name", f"{NAME_RULE}, not {quoted(name)}{source}")
    return str(name)


def _games(content: Mapping[str, Any]) -> list[match_pb2.MatchTerms]:
    games = value("games", content, list, [])
    if not games:
        raise BadPlan("games", "missing; add a [[games]] table with at least `game`")
    every = {key: content[key] for key in OF_EVERY_GAME if key in content}
    return [_game(f"games {number}", every, given) for number, given in enumerate(games, 1)]


def _game(where: str, every: Mapping[str, Any], given: object) -> match_pb2.MatchTerms:
    """Read one game, with defaults from the top level."""
    if not isinstance(given, dict):
        raise BadPlan(where, "expected a table: [[games]]")
    known(where, given, OF_A_MATCH)
    return match_terms(where, {**every, **given}, DEFAULT_POLICIES)


def _tournament_terms(content: Mapping[str, Any], usual: Policies, folder: Path) -> tournament_pb2.TournamentTerms:
    terms = tournament_pb2.TournamentTerms(
        match_terms=match_terms("", content, usual),
        tie_breaks=[
            word("tie_breaks", tournament_pb2.TieBreak, "TIE_BREAK_", given)
            for given in value("tie_breaks", content, list, [])
        ],
        max_concurrent_matches=count("parallel", content, 0, MAX_PARALLEL),
        ladder=value("ladder", content, str, ""),
        last_entry_round=count("last_entry_round", content, 0, MOST),
        freeze_versions=value("freeze_versions", content, bool, False),
        partner_rule=_partners(content),
        boards=count("boards", content, 0, MOST),
        forbidden_pairs=[_forbidden_pair(given) for given in value("forbidden_pairs", content, list, [])],
        max_requested_byes=count("max_requested_byes", content, 0, MOST),
        play_off_entrants=count("play_off_entrants", content, 0, MOST),
    )
    _set_times(terms, content)
    if "qualification" in content:
        fill("qualification", value("qualification", content, dict, {}), terms.qualification)
    if "seeding" in content:
        terms.seeding = word("seeding", tournament_pb2.Seeding, "SEEDING_", content["seeding"])
    if duplicate := _duplicate(content, terms.match_terms.rules, folder):
        terms.duplicate_play.CopyFrom(duplicate)
    _set_format(terms, content)
    return terms


def _forbidden_pair(given: object) -> tournament_pb2.ForbiddenPair:
    if not isinstance(given, list) or len(given) != 2 or not all(isinstance(one, str) for one in given):
        raise BadPlan("forbidden_pairs", 'expected pairs of entrants, such as [["anna", "bert"]]')
    first, second = given
    return tournament_pb2.ForbiddenPair(first=first, second=second)


def _set_times(terms: tournament_pb2.TournamentTerms, content: Mapping[str, Any]) -> None:
    for key in WAITS:
        if key in content:
            setattr(terms, key, whole(key, content, MAX_WAIT_MS))
    for key in MOMENTS:
        if key in content:
            getattr(terms, key).FromDatetime(moment(key, content))


def _set_format(terms: tournament_pb2.TournamentTerms, content: Mapping[str, Any]) -> None:
    given = [name for name in FORMATS if name in content]
    if len(given) > 1:
        raise BadPlan(given[1], f"a tournament has one format, but {given[0]} is also given")
    name = given[0] if given else FORMATS[0]
    table = dict(value(name, content, dict, {}))
    form: Message = getattr(terms, name)
    if name == "sprt" and "model" in table:
        table["model"] = word("sprt.model", sprt_pb2.SprtModel, "SPRT_MODEL_", table["model"])
    form.SetInParent()
    fill(name, table, form)


def _duplicate(content: Mapping[str, Any], rules: game_pb2.Rules, folder: Path) -> contest_pb2.DuplicatePlay | None:
    """Read duplicate play; a book of openings is relative to the folder of the plan. Raises BadPlan."""
    given = content.get("duplicate", False)
    if isinstance(given, bool):
        return contest_pb2.DuplicatePlay() if given else None
    if not isinstance(given, dict):
        raise BadPlan("duplicate", f"expected true or a table with arrangements and openings, not {quoted(given)}")
    known("duplicate", given, ("arrangements", "openings"))
    return contest_pb2.DuplicatePlay(
        arrangements=count("arrangements", given, 0, MOST),
        openings=_openings(given.get("openings", []), rules, folder),
    )


def _openings(given: object, rules: game_pb2.Rules, folder: Path) -> list[game_pb2.Opening]:
    if isinstance(given, dict):
        positions = read_openings(read_book(given, folder), *read_rules(games(), rules))
        return [game_pb2.Opening(position=position) for position in positions]
    if not isinstance(given, list):
        raise BadPlan("duplicate.openings", f"expected a list, or a table with the file of a book, not {quoted(given)}")
    return [read_opening("duplicate.openings", one) for one in given]


def _partners(content: Mapping[str, Any]) -> Any:
    return word("partners", contest_pb2.PartnerRule, "PARTNER_RULE_", content.get("partners", "individual"))


def _entrants(content: Mapping[str, Any], bots: Sequence[Entrant]) -> tuple[contest_pb2.Entrant, ...]:
    """Return the teams; if there are none, all bots and `entrants`."""
    names = [bot.name for bot in bots]
    teams = value("teams", content, dict, {})
    if teams:
        return tuple(_team(name, given, names) for name, given in teams.items())
    others = value("entrants", content, list, [])
    if wrong := [one for one in others if not isinstance(one, str)]:
        raise BadPlan("entrants", f"expected names of bots, not {quoted(wrong[0])}")
    return tuple(_entrant(name, [name]) for name in [*names, *others])


def _team(name: str, given: object, bots: Sequence[str]) -> contest_pb2.Entrant:
    where = f"teams.{name}"
    if not isinstance(given, list) or not given or not all(isinstance(one, str) for one in given):
        raise BadPlan(where, 'expected a list of bots in seat order, such as ["anna", "bert"]')
    if bots and (strangers := [one for one in given if one not in bots]):
        raise BadPlan(where, unknown("bot", strangers[0], bots))
    return _entrant(name, given)


def _entrant(name: str, bots: Sequence[str]) -> contest_pb2.Entrant:
    refs = [match_pb2.BotRef(bot=bot, version=version) for bot, _, version in (one.partition("/") for one in bots)]
    return contest_pb2.Entrant(name=name.partition("/")[0] if len(refs) == 1 else name, bots=refs)


def _check_challengers(plan: TournamentPlan) -> None:
    names = [entrant.name for entrant in plan.entrants]
    for name in plan.terms.gauntlet.challengers:
        if plan.bots and name not in names:
            raise BadPlan("gauntlet.challengers", unknown("entrant", name, names))
