"""The terms of contests, as values that the first entry of a log holds, their checks, and the seating that follows.

Defaults that a later release of a game could change are filled in, so that a contest read again has the same terms.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace
from referee_values import DuplicatePlay, LadderTerms, Opening, PartnerRule, TournamentTerms, normal

from engines.api import REFEREE, Game, Seat, Table
from referee.accounts.account_errors import BadField, BadSeats
from referee.contests.pairing import DueMatch, MatchScore, Sides
from referee.contests.tournament.tournament_terms import Pools, SprtTrial, TournamentPlayTerms
from referee.live.match_request import DEFAULT_OPENING, LiveLimits, MatchRequest, find_game
from referee.match.match_terms import MatchTerms, filled
from referee.match.result import Result
from referee.match.setup import SEED_BYTES, Player

HOUR_MS = 3_600_000

USUAL_LADDER = LadderTerms(
    partner_rule="individual",
    rematch_after=1,
    provisional_matches=20,
    pause_after_faults=3,
    max_matches_per_hour=120,  # Without a limit, fast bots would play without a pause until the disk is full.
)
MAX_MATCHES_PER_HOUR = 3_600

HIDDEN_HANDS = (
    "duplicate play, and a test that counts sets, need a game without hidden hands: a bot that plays a start from both "
    "sides sees all hands; leave it out, or let a test count single matches (trinomial)"
)
FITTING_FORMATS = (
    "pools and a test with the same number of entrants at a table and the same sides fit; any other format needs two "
    "entrants in a match, such as fixed partners"
)


class HostedLadderTerms(Struct, frozen=True, gc=False):
    match_terms: tuple[MatchTerms, ...]
    """Used in turn; all have the same seats and sides. Players, seed and opening come from the pairing."""
    value: LadderTerms
    """All other terms, with every default filled in."""

    @property
    def openings(self) -> tuple[Opening, ...]:
        """Openings of duplicate play. Empty: each match starts as its game does."""
        return self.value.duplicate_play.openings if self.value.duplicate_play else ()

    @property
    def gap_ms(self) -> int:
        """Return the minimum time between the starts of two matches."""
        return -(-HOUR_MS // self.value.max_matches_per_hour) if self.value.max_matches_per_hour else 0


def complete_ladder_terms(given: LadderTerms, sides: int) -> LadderTerms:
    """Return the terms with every default filled in, for games with that many sides."""
    duplicate = DuplicatePlay(arrangements=sides) if given.duplicate_play else None
    return normal(filled(given, replace(USUAL_LADDER, duplicate_play=duplicate)))


class HostedTournamentTerms(Struct, frozen=True, gc=False):
    match_terms: tuple[MatchTerms, ...]
    """Used in turn; all have the same seats and sides."""
    tournament: TournamentPlayTerms
    """All other terms, and the seed of all random choices, secret until the end."""

    @property
    def value(self) -> TournamentTerms:
        return self.tournament.value

    @property
    def openings(self) -> tuple[Opening, ...]:
        """Openings of duplicate play, used in turn. Empty: matches start as the game does, each set differently."""
        return self.value.duplicate_play.openings if self.value.duplicate_play else ()


class Seating(Struct, frozen=True, gc=False):
    """Maps the places of a pairing to the seats of a match, and the result of the match back to its entrants.

    With fixed partners a place is a whole side, for which an entrant brings a bot for each seat; else it is one seat.
    """

    places: tuple[tuple[Seat, ...], ...]
    """Seats of each place."""
    sides: Sides
    """Places that play on one side. Empty: each place plays alone."""

    @property
    def bots(self) -> int:
        """Number of bots that an entrant brings."""
        return len(self.places[0])

    def players(self, due: DueMatch, bots: Mapping[str, Sequence[Player]]) -> tuple[Player, ...]:
        """Return the players in the order of seats, given the bots of each entrant in the order in which they sit."""
        sits = {
            seat: player
            for entrant, seats in zip(due.seats, self.places, strict=True)
            for seat, player in zip(seats, bots[entrant], strict=True)
        }
        return tuple(sits[seat] for seat in sorted(sits))

    def score(self, due: DueMatch, result: Result, moves: str = "") -> MatchScore:
        """Return the score of the entrants for a result that is not void. `moves` is the digest of the moves."""
        seats_of = dict(zip(_places(due), self.places, strict=True))
        seats = [seats_of[place] for place in range(len(seats_of))]
        at_fault = {forfeit.seat for forfeit in result.forfeits}
        forfeited = [name for name, mine in zip(due.pairing.entrants, seats, strict=True) if at_fault & {*mine}]
        return MatchScore(self.ranks(due, result.ranks), tuple(dict.fromkeys(forfeited)), moves)

    def ranks(self, due: DueMatch, seat_ranks: Sequence[int]) -> tuple[int, ...]:
        """Return the ranks of the entrants of a pairing, given the rank of each seat of a match."""
        first_seats = dict(zip(_places(due), (seats[0] for seats in self.places), strict=True))
        return tuple(seat_ranks[first_seats[place]] for place in range(len(first_seats)))


def seating(table: Table, partners: PartnerRule) -> Seating:
    """Return the seating of a game."""
    if partners == "fixed":
        return Seating(table.sides, ())
    alone = all(len(side) == 1 for side in table.sides)
    return Seating(tuple((seat,) for seat in range(len(table.seats))), () if alone else table.sides)


def _places(due: DueMatch) -> tuple[int, ...]:
    """Return the places in the order of seats of that match, in which they rotate like the entrants."""
    turn = (due.number - 1) % len(due.pairing.entrants)
    places = tuple(range(len(due.pairing.entrants)))
    return places[turn:] + places[:turn]


def check_ladder_terms(terms: HostedLadderTerms, games: Mapping[str, Game], limits: LiveLimits) -> None:
    """Raises BadField, BadSeats, or what `MatchRequest.setup` raises for the terms and openings of its matches."""
    if not terms.match_terms:
        raise BadField("match_terms", "at least one is needed")
    for match_terms in terms.match_terms:
        _check_match_terms(match_terms, terms.openings, games, limits, in_sets=terms.value.duplicate_play is not None)
    tables = [find_game(games, match_terms.game).table(match_terms.settings) for match_terms in terms.match_terms]
    for table in tables[1:]:
        if len(table.seats) != len(tables[0].seats):
            raise BadSeats("seats in all games of a ladder", len(table.seats), len(tables[0].seats))
        if table.sides != tables[0].sides:
            raise BadSeats("sides in all games of a ladder", len(table.sides), len(tables[0].sides))
    _check_partners(seating(tables[0], terms.value.partner_rule))


def check_tournament_terms(terms: HostedTournamentTerms, games: Mapping[str, Game], limits: LiveLimits) -> None:
    """Raises BadField, or what `MatchRequest.setup` raises for the terms and openings of its matches."""
    for match_terms in terms.match_terms:
        _check_match_terms(match_terms, terms.openings, games, limits, in_sets=terms.value.duplicate_play is not None)
    _check_format(terms, tournament_seating(terms, games))
    most = terms.tournament.max_entrants
    if (stage := terms.value.qualification) and not 2 <= stage.best <= most:
        raise BadField("qualification.best", f"it must be from 2 to {most}, the entrants that this tournament takes")
    if terms.value.seeding == "rating" and not terms.value.ladder:
        raise BadField("seeding", "seeding by rating needs a ladder, which has the ratings")


def tournament_seating(terms: HostedTournamentTerms, games: Mapping[str, Game]) -> Seating:
    """Return the seating of the tournament's game. Raises UnknownGame."""
    first = terms.match_terms[0]
    return seating(find_game(games, first.game).table(first.settings), terms.value.partner_rule)


def bots_per_entrant(terms: HostedTournamentTerms, games: Mapping[str, Game]) -> int:
    """Return the number of bots that an entrant brings. Raises UnknownGame."""
    return terms.value.boards or tournament_seating(terms, games).bots


def _check_match_terms(
    terms: MatchTerms, openings: Sequence[Opening], games: Mapping[str, Game], limits: LiveLimits, *, in_sets: bool
) -> None:
    for opening in openings or (DEFAULT_OPENING,):
        MatchRequest(terms, opening=opening).setup("", bytes(SEED_BYTES), games, limits)
    if terms.random_seats:
        raise BadField("match_terms.random_seats", "it must be false: the pairing decides who has which seat")
    if in_sets:
        _check_shared_seed(terms, find_game(games, terms.game))


def _check_shared_seed(terms: MatchTerms, game: Game) -> None:
    """Raises BadField if the matches of a set cannot share a seed."""
    if terms.nonce_timeout_us:
        raise BadField("match_terms.nonce_timeout_ms", "it must be 0 in duplicate play: a set has one seed")
    start = game.start(terms.settings, bytes(SEED_BYTES))
    if any(start.text(seat) != start.text(REFEREE) for seat in range(len(game.table(terms.settings).seats))):
        raise BadField("duplicate_play", HIDDEN_HANDS)


def _check_partners(seats: Seating) -> None:
    if len({len(place) for place in seats.places}) > 1:
        raise BadField("partner_rule", "they cannot be fixed in a game whose sides have different numbers of seats")


def _check_format(terms: HostedTournamentTerms, seats: Seating) -> None:
    """Raises BadField if the format does not fit the number of entrants that meet in the game."""
    form = terms.tournament.format
    _check_partners(seats)
    meet = (form.at_a_table, form.sides) if isinstance(form, Pools | SprtTrial) else (2, ())
    if terms.value.boards and (seats.bots, len(seats.places), seats.sides) != (1, 2, ()):
        raise BadField("boards", "teams need a game of two sides with one seat each")
    if meet != (len(seats.places), seats.sides):
        why = f"it does not fit a game in which {len(seats.places)} entrants meet"
        raise BadField("format", why if len(seats.places) == 2 else f"{why}; {FITTING_FORMATS}")
