"""By what terms the matches of a contest cannot be played."""

from collections.abc import Mapping, Sequence

from engines.api import REFEREE, Game
from referee.app.contests.seating import Seating
from referee.app.contests.terms import MatchTerms
from referee.app.refusals import BadField
from referee.app.wish import OWN_BEGINNING, Limits, Opening, find_game
from referee.core.setup import SEED_BYTES

NOTHING_HIDDEN = (
    "a game with hidden hands takes none, nor a test that counts sets: who plays a start from both sides sees all "
    "hands; leave it out, or let a test count single matches (trinomial)"
)


def check_match_terms(
    terms: MatchTerms, openings: Sequence[Opening], games: Mapping[str, Game], limits: Limits, *, in_sets: bool
) -> None:
    """Raises BadField, or what `MatchWish.setup` raises of them and the openings."""
    for opening in openings or (OWN_BEGINNING,):
        terms.wish((), {}, opening=opening).setup("", bytes(SEED_BYTES), games, limits)
    if terms.by_lot:
        raise BadField("match_terms.seats_by_lot", "it must be false here: who sits where follows from the pairing")
    if in_sets:
        _check_set(terms, find_game(games, terms.game))


def _check_set(terms: MatchTerms, game: Game) -> None:
    """Raises BadField if the matches of a set cannot share a seed."""
    if terms.nonce_within_us:
        raise BadField("match_terms.nonce_within_ms", "it must be 0 in duplicate play: a set has one seed")
    start = game.start(terms.settings, bytes(SEED_BYTES))
    if any(start.text(seat) != start.text(REFEREE) for seat in range(len(game.table(terms.settings).seats))):
        raise BadField("duplicate", NOTHING_HIDDEN)


def check_partners(seats: Seating) -> None:
    """Raises BadField."""
    if len({len(held) for held in seats.places}) > 1:
        raise BadField("partners", "they cannot be fixed in a game whose sides have different numbers of seats")
