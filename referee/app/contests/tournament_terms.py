"""What a tournament cannot be played by, beyond what its pure terms refuse."""

from collections.abc import Mapping

from engines.api import Game
from referee.app.contests.match_terms import check_match_terms, check_partners
from referee.app.contests.seating import Seating, seating
from referee.app.contests.terms import TournamentTerms
from referee.app.refusals import BadField
from referee.app.wish import Limits, find_game
from referee.contest.formats import Pools, Trial
from referee.contest.terms import Seeding

FIT_TABLES = "pools and a test fit, with so many at a table and its sides; any other needs two, such as fixed partners"
"""Formats for games of more than two."""


def seating_of(terms: TournamentTerms, games: Mapping[str, Game]) -> Seating:
    """Raises UnknownGame."""
    first = terms.match_terms[0]
    return seating(find_game(games, first.game).table(first.settings), terms.partners)


def check_terms(terms: TournamentTerms, games: Mapping[str, Game], limits: Limits) -> None:
    """Raises BadField, or what `MatchWish.setup` raises of the terms and openings of its matches."""
    for match_terms in terms.match_terms:
        check_match_terms(match_terms, terms.openings, games, limits, in_sets=terms.tournament.sets is not None)
    _check_seats(terms, seating_of(terms, games))
    if terms.tournament.seeding is Seeding.RATING and not terms.ladder:
        raise BadField("seeding", "it cannot be by rating without a ladder, whose ratings these are")


def _check_seats(terms: TournamentTerms, seats: Seating) -> None:
    form = terms.tournament.format
    check_partners(seats)
    meet = (form.at_a_table, form.sides) if isinstance(form, Pools | Trial) else (2, ())
    if meet != (len(seats.places), seats.sides):
        why = f"it does not fit a game in which {len(seats.places)} entrants meet"
        raise BadField("format", why if len(seats.places) == 2 else f"{why}; {FIT_TABLES}")
