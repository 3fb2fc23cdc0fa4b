"""Validates the terms of ladders and tournaments, beyond what their pure terms check themselves."""

from collections.abc import Mapping, Sequence

from engines.api import REFEREE, Game
from referee.accounts.account_errors import BadField
from referee.contests.tournament.tournament_terms import Pools, Seeding, SprtTrial
from referee.hosting.contest_terms import LadderTerms, MatchTerms, Seating, TournamentTerms, seating
from referee.live.match_request import DEFAULT_OPENING, LiveLimits, Opening, find_game
from referee.match.setup import SEED_BYTES

HIDDEN_HANDS = (
    "duplicate play, and a test that counts sets, need a game without hidden hands: a bot that plays a start from both "
    "sides sees all hands; leave it out, or let a test count single matches (trinomial)"
)
FITTING_FORMATS = (
    "pools and a test with the same number of entrants at a table and the same sides fit; any other format needs two "
    "entrants in a match, such as fixed partners"
)


def check_ladder_terms(terms: LadderTerms, games: Mapping[str, Game], limits: LiveLimits) -> None:
    """Raises BadField, or what `MatchRequest.setup` raises for the terms and openings of its matches."""
    if not terms.match_terms:
        raise BadField("match_terms", "at least one is needed")
    for match_terms in terms.match_terms:
        _check_match_terms(match_terms, terms.openings, games, limits, in_sets=terms.duplicate is not None)
    tables = [find_game(games, it.game).table(it.settings) for it in terms.match_terms]
    if len({table.sides for table in tables}) > 1:
        raise BadField("match_terms", "they must all have the same seats and sides")
    _check_partners(seating(tables[0], terms.partners))


def check_tournament_terms(terms: TournamentTerms, games: Mapping[str, Game], limits: LiveLimits) -> None:
    """Raises BadField, or what `MatchRequest.setup` raises for the terms and openings of its matches."""
    for match_terms in terms.match_terms:
        _check_match_terms(
            match_terms, terms.openings, games, limits, in_sets=terms.tournament.duplicate_sets is not None
        )
    _check_format(terms, tournament_seating(terms, games))
    if terms.tournament.seeding is Seeding.RATING and not terms.ladder:
        raise BadField("seeding", "seeding by rating needs a ladder, which has the ratings")


def tournament_seating(terms: TournamentTerms, games: Mapping[str, Game]) -> Seating:
    """Return the seating of the tournament's game. Raises UnknownGame."""
    first = terms.match_terms[0]
    return seating(find_game(games, first.game).table(first.settings), terms.partners)


def _check_match_terms(
    terms: MatchTerms, openings: Sequence[Opening], games: Mapping[str, Game], limits: LiveLimits, *, in_sets: bool
) -> None:
    for opening in openings or (DEFAULT_OPENING,):
        terms.match_request((), {}, opening=opening).setup("", bytes(SEED_BYTES), games, limits)
    if terms.by_lot:
        raise BadField("match_terms.random_seats", "it must be false: the pairing decides who has which seat")
    if in_sets:
        _check_shared_seed(terms, find_game(games, terms.game))


def _check_shared_seed(terms: MatchTerms, game: Game) -> None:
    """Raises BadField if the matches of a set cannot share a seed."""
    if terms.nonce_within_us:
        raise BadField("match_terms.nonce_timeout_ms", "it must be 0 in duplicate play: a set has one seed")
    start = game.start(terms.settings, bytes(SEED_BYTES))
    if any(start.text(seat) != start.text(REFEREE) for seat in range(len(game.table(terms.settings).seats))):
        raise BadField("duplicate_play", HIDDEN_HANDS)


def _check_partners(seats: Seating) -> None:
    if len({len(place) for place in seats.places}) > 1:
        raise BadField("partner_rule", "they cannot be fixed in a game whose sides have different numbers of seats")


def _check_format(terms: TournamentTerms, seats: Seating) -> None:
    """Raises BadField if the format does not fit the number of entrants that meet in the game."""
    form = terms.tournament.format
    _check_partners(seats)
    meet = (form.at_a_table, form.sides) if isinstance(form, Pools | SprtTrial) else (2, ())
    if meet != (len(seats.places), seats.sides):
        why = f"it does not fit a game in which {len(seats.places)} entrants meet"
        raise BadField("format", why if len(seats.places) == 2 else f"{why}; {FITTING_FORMATS}")
