"""What is asked of ladders: which to make, and which of them to list."""

from collections.abc import Mapping
from dataclasses import dataclass

from engines.api import Game
from referee.app.contests.held_ladder import HeldLadder
from referee.app.contests.match_terms import check_match_terms, check_partners
from referee.app.contests.seating import seating
from referee.app.contests.terms import LadderTerms
from referee.app.refusals import BadField
from referee.app.wish import Limits, find_game


@dataclass(frozen=True, slots=True)
class LadderWish:
    """A ladder that is to be made."""

    name: str
    organiser: str
    request_id: str
    terms: LadderTerms
    title: str = ""
    """Empty: the name."""


@dataclass(frozen=True, slots=True)
class LadderFilter:
    """Which ladders to list. What is given must all hold."""

    game: str = ""
    bot: str = ""
    with_closed: bool = False


OPEN_LADDERS = LadderFilter()


def check_ladder(terms: LadderTerms, games: Mapping[str, Game], limits: Limits) -> None:
    """Raises BadField, or what `MatchWish.setup` raises of the terms and openings of its matches."""
    if not terms.match_terms:
        raise BadField("match_terms", "by what terms are its matches played? At least one is right")
    openings = terms.duplicate.openings if terms.duplicate else ()
    for match_terms in terms.match_terms:
        check_match_terms(match_terms, openings, games, limits, in_sets=terms.duplicate is not None)
    tables = [find_game(games, it.game).table(it.settings) for it in terms.match_terms]
    if len({table.sides for table in tables}) > 1:
        raise BadField("match_terms", "they differ in seats or sides; the same for all are right")
    check_partners(seating(tables[0], terms.partners))


def is_wanted(held: HeldLadder, wanted: LadderFilter) -> bool:
    return (
        wanted.game in ("", *(terms.game for terms in held.terms.match_terms))
        and (not wanted.bot or held.ladder.entrant_of(wanted.bot) is not None)
        and (wanted.with_closed or not held.closed)
    )
