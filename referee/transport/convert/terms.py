"""Terms of matches: what somebody says of them, and what holds where nothing is said."""

from collections.abc import Mapping
from dataclasses import dataclass

from referee_api.v1 import match_pb2

from engines.api import Game, Table
from referee.app.contests.terms import MatchTerms
from referee.app.wish import Limits
from referee.core.clock import MS
from referee.core.row import NetworkCredit
from referee.core.setup import SEED_BYTES
from referee.transport.convert.controls import read_controls, read_credit
from referee.transport.convert.matches import terms_of
from referee.transport.convert.policies import read_policies, read_visibility
from referee.transport.convert.rules import read_rules


@dataclass(frozen=True, slots=True)
class Customs:
    """What holds here where terms say nothing."""

    games: Mapping[str, Game]
    credit: NetworkCredit
    limits: Limits

    def read(self, terms: match_pb2.MatchTerms) -> MatchTerms:
        """Raises a refusal of whatever cannot be said; what cannot be played by, a contest refuses."""
        game, settings = read_rules(self.games, terms.rules)
        seats = len(game.table(settings).seats)
        return MatchTerms(
            game.name,
            settings,
            read_controls(terms.time_control, seats),
            read_credit(terms.time_control, self.credit),
            read_policies(terms.policies),
            read_visibility(terms.visibility),
            terms.seats_by_lot,
            terms.nonce_within_ms * MS,
            terms.start_within_ms * MS,
        )

    def table(self, terms: MatchTerms) -> Table:
        return self.games[terms.game].table(terms.settings)

    def told(self, terms: MatchTerms) -> match_pb2.MatchTerms:
        """With every default filled in."""
        return terms_of(terms.wish((), {}).setup("", bytes(SEED_BYTES), self.games, self.limits))
