"""Read the terms of matches and contests, which somebody gave as values of the contract, with the games of a server."""

from collections.abc import Mapping
from dataclasses import dataclass

import referee_values as values
from msgspec.structs import replace
from referee_values import Adjudication, LadderTerms, NetworkCredit, TournamentTerms

from engines.api import Game, Table
from referee.accounts.account_errors import BadField
from referee.contests.tournament.tournament_terms import TournamentPlayTerms, complete_terms
from referee.hosting.contest_terms import (
    MAX_MATCHES_PER_HOUR,
    HostedLadderTerms,
    HostedTournamentTerms,
    complete_ladder_terms,
    seating,
)
from referee.live.match_request import find_game
from referee.match.clock import MS, SECOND, Micros, complete_time
from referee.match.match_terms import DEFAULT_POLICIES, SHOWN_LIVE, MatchTerms, filled
from referee.match.setup import seed_matters

NONCE_TIMEOUT_US: Micros = SECOND
"""How long matches of a contest wait for nonces by default: much longer than an answer takes, and short enough for bots
that send none."""


@dataclass(frozen=True, slots=True)
class TermsReader:
    """All methods raise the error of the first invalid field."""

    games: Mapping[str, Game]
    credit: NetworkCredit
    """What a match has if its terms say nothing about it."""

    def match_terms(self, given: values.MatchTerms) -> MatchTerms:
        if given.nonce_timeout_ms and given.without_nonces:
            raise BadField("nonce_timeout_ms", "it must be 0 if without_nonces is true")
        game, rules = find_game(self.games, given.rules.game), given.rules
        return MatchTerms(
            game.name,
            game.settings(dict(rules.options), rules.preset or None),
            complete_time(given.time_control, self.credit),
            filled(given.policies, DEFAULT_POLICIES),
            filled(given.visibility, SHOWN_LIVE),
            given.random_seats,
            given.nonce_timeout_ms * MS,
            given.start_timeout_ms * MS,
            given.adjudication if given.adjudication != Adjudication() else None,
        )

    def tournament_terms(self, given: TournamentTerms) -> HostedTournamentTerms:
        """Return the terms, without the seed, which the server draws."""
        match_terms = self.match_terms(given.match_terms)
        table = self.table(match_terms)
        value = complete_terms(replace(given, match_terms=values.MatchTerms()), len(table.sides))
        seats = seating(table, value.partner_rule)
        places = (len(seats.places), seats.sides) if value.pools or value.sprt else (2, ())
        terms = TournamentPlayTerms(value, b"", *places)
        in_sets = value.duplicate_play is not None
        return HostedTournamentTerms((self.with_nonces(match_terms, given.match_terms, in_sets=in_sets),), terms)

    def ladder_terms(self, given: LadderTerms) -> HostedLadderTerms:
        match_terms = tuple(map(self.match_terms, given.match_terms))
        if not match_terms:
            raise BadField("terms.match_terms", "at least one is required")
        if (given.max_matches_per_hour or 0) > MAX_MATCHES_PER_HOUR:
            raise BadField("terms.max_matches_per_hour", f"the limit is {MAX_MATCHES_PER_HOUR}; 0 means no limit")
        table = self.table(match_terms[0])
        value = complete_ladder_terms(replace(given, match_terms=()), len(table.sides))
        if value.duplicate_play:
            _check_arrangements(value.duplicate_play.arrangements, len(seating(table, value.partner_rule).places))
        in_sets = value.duplicate_play is not None
        both = zip(match_terms, given.match_terms, strict=True)
        return HostedLadderTerms(tuple(self.with_nonces(*terms, in_sets=in_sets) for terms in both), value)

    def table(self, terms: MatchTerms) -> Table:
        return self.games[terms.game].table(terms.settings)

    def with_nonces(self, read: MatchTerms, given: values.MatchTerms, *, in_sets: bool) -> MatchTerms:
        """Return the terms of matches of a contest, as they were read.

        If they do not say whether matches use nonces, these do if the seed matters, so that nobody can choose what is
        dealt. The matches of a set cannot, as they share a seed, which follows from that of the contest.
        """
        if given.nonce_timeout_ms or given.without_nonces or in_sets or not seed_matters(read, self.games[read.game]):
            return read
        return replace(read, nonce_timeout_us=NONCE_TIMEOUT_US)


def _check_arrangements(arrangements: int, entrants: int) -> None:
    """`entrants`: how many meet in a pairing. Raises BadField."""
    if not 2 <= arrangements <= entrants:
        wrong = f"it is {arrangements}, but must be from 2 to {entrants}, or 0 for the default"
        raise BadField("terms.duplicate_play.arrangements", wrong)
