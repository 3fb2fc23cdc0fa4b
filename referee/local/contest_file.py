"""Read the plan files of tournaments, ladders and single matches (docs/tournaments.md, docs/ladders.md)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from msgspec import Meta, Struct
from msgspec.structs import replace
from referee_values import (
    BotRef,
    Entrant,
    LadderTerms,
    MatchTerms,
    NetworkCredit,
    Opening,
    Policies,
    RoundRobin,
    Rules,
    TournamentTerms,
)

from engines.game_errors import quoted, unknown
from engines.registry import games
from referee.accounts.names import NAME, NAME_RULE
from referee.contests.contest_entrant import ContestEntrant
from referee.contests.tournament.commands import EnterTournament
from referee.hosting.contest_terms import HostedTournamentTerms
from referee.hosting.given_terms import TermsReader
from referee.local.entrant import BotTable, bots_of
from referee.local.opening_book import OpeningBook, read_book, read_openings
from referee.local.plan import DAY_S, DEFAULT_START_WITHIN_S, MAX_PARALLEL, BotPlan
from referee.local.sandbox import Sandbox
from referee.local.terms_reader import OF_EVERY_GAME, complete_match_terms, game_of
from referee.local.toml_validation import BadPlan, keys_of, known, read_table, read_toml
from referee.transport.wire.contests import read_entrant

T = TypeVar("T", TournamentTerms, LadderTerms)


class TournamentFile(Struct, frozen=True, kw_only=True):
    """What the file of a tournament says."""

    name: str = ""
    title: str = ""
    terms: TournamentTerms
    bots: Mapping[str, BotTable | str] = {}
    teams: Mapping[str, tuple[str, ...]] = {}
    entrants: tuple[str, ...] = ()
    matches_a_bot: Annotated[int, Meta(ge=1, le=MAX_PARALLEL)] = 1
    start_within_s: Annotated[int, Meta(ge=1, le=DAY_S)] = DEFAULT_START_WITHIN_S
    sandbox: Sandbox | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPlan(BotPlan):
    """A tournament, with the bots to start on this machine; none if they connect by themselves."""

    name: str
    title: str
    terms: TournamentTerms
    entrants: tuple[Entrant, ...]

    @property
    def game(self) -> str:
        return self.terms.match_terms.rules.game


class LadderPlan(Struct, frozen=True, kw_only=True):
    name: str = ""
    title: str = ""
    terms: LadderTerms


class MatchFile(Struct, frozen=True, kw_only=True):
    """What the file of a match on a running referee says."""

    title: str = ""
    ladder: str = ""
    """The ladder that rates the match; empty: none."""
    opening: Opening = Opening()
    seed: bytes = b""
    terms: MatchTerms


def read_tournament(file: Path, usual: Policies) -> TournamentPlan:
    """Read a tournament's plan file; `usual` says what happens if a bot goes away. Raises a DetailedError."""
    return tournament_plan(read_toml(file), file, usual)


def tournament_plan(content: dict[str, Any], file: Path, usual: Policies) -> TournamentPlan:
    """Return the plan with the keys of a tournament's file. Raises a DetailedError."""
    book = _take_book(content, file.parent)
    given = read_table(str(file), content, TournamentFile)
    terms = replace(given.terms, match_terms=complete_match_terms("", given.terms.match_terms, usual))
    if not terms.format:
        terms = replace(terms, round_robin=RoundRobin())
    plan = TournamentPlan(
        name=_name(given.name, file),
        title=given.title,
        terms=_with_openings(terms, terms.match_terms.rules, book),
        entrants=_entrants(given),
        bots=bots_of(given.bots),
        matches_a_bot=given.matches_a_bot,
        start_within_s=given.start_within_s,
        sandbox=given.sandbox and given.sandbox.within(file.parent),
    )
    _check_challengers(plan)
    for bot in plan.bots:
        bot.check_game(plan.game)
    return plan


def read_ladder(file: Path) -> LadderPlan:
    """Read a ladder's plan file. Raises a DetailedError."""
    content = read_toml(file)
    known(str(file), content, (*keys_of(LadderPlan), *OF_EVERY_GAME))
    book = _take_book(content, file.parent)
    every = {key: content.pop(key) for key in OF_EVERY_GAME if key in content}
    games = content.get("games")
    if isinstance(games, list):
        content["games"] = [{**every, **game} if isinstance(game, dict) else game for game in games]
    plan = read_table(str(file), content, LadderPlan)
    if not plan.terms.match_terms:
        raise BadPlan("games", "missing; add a [[games]] table with at least `game`")
    played = tuple(
        complete_match_terms(f"games {number}", terms, Policies())
        for number, terms in enumerate(plan.terms.match_terms, 1)
    )
    terms = _with_openings(replace(plan.terms, match_terms=played), played[0].rules, book)
    return replace(plan, name=_name(plan.name, file), terms=terms)


def read_match_file(file: Path) -> MatchFile:
    """Raises BadPlan or another DetailedError."""
    given = read_table(str(file), read_toml(file), MatchFile)
    return replace(given, terms=complete_match_terms("", given.terms, Policies()))


def hosted_terms(terms: TournamentTerms, credit: NetworkCredit) -> HostedTournamentTerms:
    """Return the terms as a server of this process has them. Raises a DetailedError."""
    return TermsReader(games(), credit).tournament_terms(terms)


def entries_of(entrants: Iterable[Entrant]) -> Iterator[EnterTournament]:
    """Yield the commands by which the entrants enter. Raises BadField."""
    for entrant in entrants:
        name, bots = read_entrant(entrant, f"entrant {entrant.name}")
        yield EnterTournament(ContestEntrant(name, bots))


def _name(given: str, file: Path) -> str:
    """Return the name, by default that of the file."""
    name = given or file.stem
    if not NAME.fullmatch(name):
        source = "" if given else ', which is that of the file; give another one by `name = "..."`'
        raise BadPlan("name", f"{NAME_RULE}, not {quoted(name)}{source}")
    return name


def _take_book(content: dict[str, Any], folder: Path) -> OpeningBook | None:
    """Take the book out of duplicate play: its openings can be read when the game is known. Raises BadPlan."""
    play = content.get("duplicate_play")
    if not isinstance(play, dict) or isinstance(play.get("openings", []), list):
        return None
    content["duplicate_play"] = {key: given for key, given in play.items() if key != "openings"}
    return read_book("duplicate_play.openings", play["openings"], folder)


def _with_openings(terms: T, rules: Rules, book: OpeningBook | None) -> T:
    """Return the terms with the openings of a book. Raises BadPlan."""
    if not book or not terms.duplicate_play:
        return terms
    openings = tuple(Opening(position=position) for position in read_openings(book, *game_of(rules)))
    return replace(terms, duplicate_play=replace(terms.duplicate_play, openings=openings))


def _entrants(given: TournamentFile) -> tuple[Entrant, ...]:
    """Return the teams; if there are none, all bots and `entrants`."""
    if given.teams:
        return tuple(_team(name, bots, tuple(given.bots)) for name, bots in given.teams.items())
    return tuple(_entrant(name, [name]) for name in (*given.bots, *given.entrants))


def _team(name: str, team: Sequence[str], bots: Sequence[str]) -> Entrant:
    if not team:
        raise BadPlan(f"teams.{name}", 'expected a list of bots in seat order, such as ["anna", "bert"]')
    if bots and (strangers := [bot for bot in team if bot not in bots]):
        raise BadPlan(f"teams.{name}", unknown("bot", strangers[0], bots))
    return _entrant(name, team)


def _entrant(name: str, bots: Sequence[str]) -> Entrant:
    refs = tuple(BotRef(bot=bot, version=version) for bot, _, version in (bot.partition("/") for bot in bots))
    return Entrant(name=name.partition("/")[0] if len(refs) == 1 else name, bots=refs)


def _check_challengers(plan: TournamentPlan) -> None:
    names = [entrant.name for entrant in plan.entrants]
    for name in plan.terms.gauntlet.challengers if plan.terms.gauntlet else ():
        if plan.bots and name not in names:
            raise BadPlan("gauntlet.challengers", unknown("entrant", name, names))
