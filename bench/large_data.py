"""The largest permitted data, written into the logs of a server before it starts."""

import asyncio
from collections.abc import Iterator, Sequence
from hashlib import sha256

from msgspec import structs
from msgspec.structs import replace
from referee_values import ClockRule, LadderTerms, RoundRobin, SuddenDeath, Swiss, TimeControl

from engines.registry import games
from referee.accounts.bots import Accounts, Bot, MaxNames
from referee.accounts.consent import Consent, ConsentScope
from referee.accounts.tokens import Role, Token
from referee.contests.contest_entrant import ContestEntrant, EntrantJoined
from referee.contests.ladder import events as ladder_events
from referee.contests.pairing import ContestMatchScored, ContestMatchStarted, MatchScore, Pairing
from referee.contests.strength.rating import FinishOrder, RatingRecord, compute_rating_updates
from referee.contests.tournament.events import PairingsPlanned, TournamentEnded, TournamentPlayStarted
from referee.contests.tournament.tournament_terms import TournamentFormat
from referee.hosting.contest_log import (
    LADDER,
    TOURNAMENT,
    ContestEvent,
    ContestLog,
    LadderCreated,
    TournamentCreated,
    contest_id,
)
from referee.hosting.contest_terms import HostedLadderTerms, HostedTournamentTerms, complete_ladder_terms
from referee.live.match_timing import LoopTime
from referee.live.ports import EventLog
from referee.match.events import Event, MatchCreated
from referee.match.match_terms import MatchTerms
from referee.match.setup import Player
from referee.server.settings import Settings
from referee.server.stores import open_stores
from tests.contests.tournament_harness import play_terms
from tests.records.matches import find_game, random_match

MATCHES = 1000
ENTRANTS = 400
ROUNDS = 9
RATED = 3000
LONGEST = "m-longest"
BATCH = 400

GAME = "alquerque"
MATCH_TERMS = MatchTerms(
    GAME, games()[GAME].settings({}), TimeControl(rule=ClockRule(sudden_death=SuddenDeath(main_ms=3_600_000)))
)
NAMES = tuple(f"bot{number}" for number in range(ENTRANTS))


def last_met() -> tuple[str, str, str, str]:
    """Return the entrants of the two pairings in the last round of `played` that are not played yet."""
    (first, second), (third, fourth) = (pairing.entrants for pairing in [*_round(ROUNDS)][:2])
    return first, second, third, fourth


async def write(settings: Settings) -> None:
    """Write a thousand finished matches and one long one, a ladder, and tournaments in all phases."""
    books = open_stores(settings, LoopTime(), lambda _: None)
    await asyncio.gather(
        *(_register(books.accounts, name) for name in NAMES),
        _write_matches(books.events),
        _write_contest(books.contests, contest_id(LADDER, "main"), _ladder()),
        _write_contest(books.contests, contest_id(TOURNAMENT, "over"), [*_played("over", ROUNDS), TournamentEnded()]),
        _write_contest(books.contests, contest_id(TOURNAMENT, "entry"), _entered("entry", Swiss(rounds=ROUNDS))),
        _write_contest(books.contests, contest_id(TOURNAMENT, "played"), _played("played", ROUNDS + 1)),
        _write_contest(
            books.contests, contest_id(TOURNAMENT, "everybody"), _entered("everybody", RoundRobin(cycles=1))
        ),
    )
    await books.close()


async def _register(accounts: Accounts, name: str) -> None:
    owner = "ada" if name in last_met() else "crew"
    token = Token(sha256(name.encode()).digest(), Role.BOT, owner, 1, name)
    bot = Bot(name, owner, 1, consent=Consent(ConsentScope.ANYONE, min_first_move_ms=0))
    await accounts.register(f"register {name}", bot, token, MaxNames(ENTRANTS, ENTRANTS))


async def _write_matches(log: EventLog) -> None:
    game = find_game(GAME)
    some = [random_match(game, seed, max_answers=20) for seed in range(10)]
    longest = max((random_match(game, seed, max_answers=3000) for seed in range(6)), key=len)
    named = [(f"m{number:04}", some[number % len(some)]) for number in range(MATCHES)]
    await asyncio.gather(*(log.append(name, 0, _of(name, events)) for name, events in [*named, (LONGEST, longest)]))


def _of(name: str, events: Sequence[Event]) -> list[Event]:
    """Return the same match under another id."""
    first = events[0]
    assert isinstance(first, MatchCreated)
    return [structs.replace(first, setup=replace(first.setup, match_id=name)), *events[1:]]


async def _write_contest(log: ContestLog, contest: str, events: Sequence[ContestEvent]) -> None:
    for at in range(0, len(events), BATCH):
        await log.append(contest, at, events[at : at + BATCH])


def _ladder() -> list[ContestEvent]:
    terms = HostedLadderTerms((MATCH_TERMS,), complete_ladder_terms(LadderTerms(), 2))
    entrants = [ContestEntrant(name, (Player(name),)) for name in NAMES]
    created = LadderCreated("main", "main", "ada", "r", bytes(32), terms)
    return [created, *map(EntrantJoined, entrants), *_rated()]


def _rated() -> Iterator[ContestEvent]:
    """Yield the matches that the ladder has rated; all entrants have a rating."""
    ratings: dict[Player, RatingRecord] = {}
    for number in range(RATED):
        first, second = NAMES[number % ENTRANTS], NAMES[(number * 7 + 1) % ENTRANTS]
        if first != second:
            finish = FinishOrder(((Player(first, "1"),), (Player(second, "1"),)), (1, 2))
            changes = compute_rating_updates(ratings, finish)
            ratings |= {change.player: change.after for change in changes}
            yield ladder_events.MatchRated(f"rated{number}", finish, (), changes)


def _entered(name: str, form: TournamentFormat) -> list[ContestEvent]:
    terms = HostedTournamentTerms((MATCH_TERMS,), play_terms(form, bytes(32)))
    entrants = [ContestEntrant(bot, bots=(Player(bot),)) for bot in NAMES]
    return [TournamentCreated(name, name, "ada", f"r {name}", terms, ENTRANTS), *map(EntrantJoined, entrants)]


def _played(name: str, rounds: int) -> list[ContestEvent]:
    """Return `ROUNDS` rounds of a Swiss tournament of `rounds` rounds; no two entrants meet twice.

    If the tournament continues, the first two matches of the last of these rounds are still to be played.
    """
    events: list[ContestEvent] = [*_entered(name, Swiss(rounds=rounds)), TournamentPlayStarted(NAMES)]
    for number in range(1, ROUNDS + 1):
        pairings = list(_round(number))
        events.append(PairingsPlanned(tuple(pairings)))
        for pairing in pairings[2 if number == ROUNDS < rounds else 0 :]:
            events.append(ContestMatchStarted(pairing.id, 1, 1, f"{name}-{pairing.id}"))
            first, second = (NAMES.index(entrant) for entrant in pairing.entrants)
            ranks = (1, 2) if (first * 7 + second * 3 + number) % 5 < 3 else (2, 1)
            events.append(ContestMatchScored(pairing.id, 1, MatchScore(ranks)))
    return events


def _round(number: int) -> Iterator[Pairing]:
    """Pair a round by the circle method: the first entrant stays in place, the others rotate."""
    circle = [NAMES[0], *(NAMES[1 + (place + number) % (ENTRANTS - 1)] for place in range(ENTRANTS - 1))]
    for board in range(ENTRANTS // 2):
        yield Pairing(f"{number}.{board + 1}", number, board + 1, (circle[board], circle[-1 - board]))
