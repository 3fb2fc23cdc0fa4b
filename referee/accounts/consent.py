"""Consent of a bot: from whom it takes matches, and on which conditions.

The owner of a bot sets it. It binds all other holders, who could otherwise seat the bot in any match.
"""

from collections.abc import Callable
from enum import Enum
from typing import Any

from msgspec import Struct

from referee.accounts.account_errors import BadField, ConsentMissing
from referee.accounts.names import check_words
from referee.match.clock import (
    MS,
    Bank,
    Bronstein,
    CanadianByoYomi,
    Correspondence,
    Fischer,
    JapaneseByoYomi,
    Micros,
    MovesPerPeriod,
    PerMove,
    TimeControl,
    UsDelay,
    control_of,
    rules_in,
)
from referee.match.match_terms import MatchTerms

GAME_CHARS = 64
MAX_GAMES = 32
MAX_TIME_MS = 2**32 - 1
MAX_MATCHES_PER_MAKER = 1000


class ConsentScope(Enum):
    """From whom a bot takes matches."""

    OWN = "own"
    """Only from its own holder."""
    OWN_AND_CONTESTS = "contests"
    """Also in contests that its owner or the bot itself enters, and in open seats that they take."""
    ANYONE = "anyone"
    """Also from every other holder; organisers may enter it in their contests too."""


class Consent(Struct, frozen=True, gc=False):
    """The conditions bind everybody but the owner of the bot. Raises BadField."""

    scope: ConsentScope = ConsentScope.OWN_AND_CONTESTS
    games: tuple[str, ...] = ()
    """Games that it plays. Empty: all."""
    min_first_move_ms: int = 1000
    """Least time for the first move. A match without a clock needs 0 here and in `min_move_ms`."""
    min_move_ms: int = 0
    """Least time of every later move, however much was used before."""
    accept_odds: bool = False
    """Whether it takes matches with different clocks, a given start or a given seed."""
    max_matches_per_maker: int = 2
    """Limit of its unfinished matches that one other holder created."""

    def __post_init__(self) -> None:
        if len(self.games) > MAX_GAMES:
            raise BadField("consent.games", f"the limit is {MAX_GAMES} games")
        for game in self.games:
            check_words("consent.games", game, GAME_CHARS, at_least=1)
        for name in ("min_first_move_ms", "min_move_ms"):
            if not 0 <= getattr(self, name) <= MAX_TIME_MS:
                raise BadField(f"consent.{name}", f"it must be 0 to {MAX_TIME_MS}")
        if not 1 <= self.max_matches_per_maker <= MAX_MATCHES_PER_MAKER:
            raise BadField("consent.max_matches_per_maker", f"it must be 1 to {MAX_MATCHES_PER_MAKER}")


DEFAULT_CONSENT = Consent()


class MatchOffer(Struct, frozen=True, gc=False):
    """One match of another holder, or all matches of its contest."""

    terms: tuple[MatchTerms, ...]
    start_given: bool = False
    """Whether the maker has chosen the start or the seed of the game, outside of duplicate play."""
    by_bot: bool = False
    """Whether the owner of the bot or the bot itself asks for its seat or its entry."""


def check_offer(bot: str, consent: Consent, offer: MatchOffer) -> None:
    """Raise ConsentMissing unless the bot takes such matches of other holders."""
    if consent.scope is ConsentScope.OWN:
        raise ConsentMissing(bot, "scope", "it takes only matches and contests of its own holder")
    if consent.scope is ConsentScope.OWN_AND_CONTESTS and not offer.by_bot:
        why = "it takes matches of other holders only if its owner or the bot itself joins"
        raise ConsentMissing(bot, "scope", why)
    for terms in offer.terms:
        _check_terms(bot, consent, terms)
    if offer.start_given:
        _check_odds(bot, consent, "a given start or seed")


def check_match_count(bot: str, consent: Consent, matches: int) -> None:
    """Raise ConsentMissing if the bot takes no more than that many unfinished matches of the same other holder."""
    limit = consent.max_matches_per_maker
    if matches >= limit:
        why = f"it takes at most {limit} matches of the same holder at a time"
        raise ConsentMissing(bot, "max_matches_per_maker", why)


def _check_terms(bot: str, consent: Consent, terms: MatchTerms) -> None:
    if consent.games and terms.game not in consent.games:
        raise ConsentMissing(bot, "games", f"it does not play {terms.game} for other holders")
    rules = rules_in(terms.time_control)
    for rule in rules:
        _check_clock(bot, consent, control_of(rule))
    if len(set(rules)) > 1:
        _check_odds(bot, consent, "different clocks")


def _check_clock(bot: str, consent: Consent, control: TimeControl) -> None:
    first_us = control.limit_us(control.initial_clock())
    if first_us is None:
        if consent.min_first_move_ms or consent.min_move_ms:
            raise ConsentMissing(bot, "min_first_move_ms", "it takes no matches without a clock")
        return
    if first_us < consent.min_first_move_ms * MS:
        why = f"every seat needs at least {consent.min_first_move_ms} ms for its first move"
        raise ConsentMissing(bot, "min_first_move_ms", why)
    if least_move_us(control) < consent.min_move_ms * MS:
        why = f"every seat needs at least {consent.min_move_ms} ms for each move, however much it has used"
        raise ConsentMissing(bot, "min_move_ms", why)


def _check_odds(bot: str, consent: Consent, odds: str) -> None:
    if not consent.accept_odds:
        raise ConsentMissing(bot, "accept_odds", f"it takes no matches at odds, such as {odds}")


def least_move_us(control: TimeControl) -> Micros:
    """Return the time that every move has at least, after all other time is used; 0: none."""
    least = _LEAST_MOVE_US.get(type(control))
    return least(control) if least else 0


_LEAST_MOVE_US: dict[type[TimeControl], Callable[[Any], Micros]] = {
    Fischer: lambda control: control.increment_us,
    Bronstein: lambda control: min(control.main_us, control.delay_us),
    UsDelay: lambda control: control.delay_us,
    PerMove: lambda control: control.move_us,
    Bank: lambda control: control.move_us,
    Correspondence: lambda control: control.move_us,
    JapaneseByoYomi: lambda control: control.period_us,
    CanadianByoYomi: lambda control: control.period_us if control.moves == 1 else 0,
    MovesPerPeriod: lambda control: min(period.increment_us for period in control.periods),
}
"""Controls that are missing here guarantee nothing: all moves share one time."""
