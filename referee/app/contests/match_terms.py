"""By what terms the matches of a contest cannot be played."""

from collections.abc import Mapping, Sequence

from engines.api import Game
from referee.app.contests.seating import Seating
from referee.app.contests.terms import MatchTerms
from referee.app.refusals import BadField
from referee.app.wish import OWN_BEGINNING, Limits, Opening
from referee.core.setup import SEED_BYTES


def check_match_terms(
    terms: MatchTerms, openings: Sequence[Opening], games: Mapping[str, Game], limits: Limits, *, in_sets: bool
) -> None:
    """Raises BadField, or what `MatchWish.setup` raises of them and the openings."""
    for opening in openings or (OWN_BEGINNING,):
        terms.wish((), {}, opening=opening).setup("", bytes(SEED_BYTES), games, limits)
    if terms.by_lot:
        raise BadField("match_terms.seats_by_lot", "it must be false here: who sits where follows from the pairing")
    if in_sets and terms.nonce_within_us:
        raise BadField("match_terms.nonce_within_ms", "it must be 0 in duplicate play: a set has one seed")


def check_partners(seats: Seating) -> None:
    """Raises BadField."""
    if len({len(held) for held in seats.places}) > 1:
        raise BadField("partners", "they cannot be fixed in a game whose sides have different numbers of seats")
