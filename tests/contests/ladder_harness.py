"""Harness for tests of ladders: executes commands, keeps the events, and plays matches with given or random results."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import count

from referee.contests.contest_entrant import ContestEntrant
from referee.contests.ladder.commands import (
    AvailableEntrant,
    ChallengeEntrants,
    JoinLadder,
    LadderCommand,
    LeaveLadder,
    PairEntrants,
    RateMatch,
    RecordLadderVoid,
    StartLadderMatch,
)
from referee.contests.ladder.decide import decide
from referee.contests.ladder.events import LadderEvent, WinLossRecord
from referee.contests.ladder.matchmaking import select_matches_to_start
from referee.contests.ladder.state import Ladder, LadderPhase, LadderPlayTerms, evolve
from referee.contests.pairing import DueMatch
from referee.contests.strength.rating import FinishOrder, RatingRecord
from referee.match.setup import Player

START_MS = 1_700_000_000_000
"""When matches of other contests are rated."""
DUEL = LadderPlayTerms("main", b"seed")
TOC = LadderPlayTerms("toc", b"seed", table_size=4, sides=((0, 2), (1, 3)))
TOC_PARTNERS = LadderPlayTerms("toc", b"seed", table_size=2, bots_per_entrant=2)


def entrant(name: str, bots: int = 1, owners: tuple[str, ...] = ()) -> ContestEntrant:
    players = [Player(f"{name}{seat}") for seat in range(bots)] if bots > 1 else [Player(name)]
    return ContestEntrant(name, tuple(players), owners=owners)


def replay(terms: LadderPlayTerms, events: Iterable[LadderEvent]) -> Ladder:
    """Return the ladder after these events."""
    return reduce(evolve, events, Ladder(terms))


@dataclass
class LadderHarness:
    """A ladder with its log."""

    ladder: Ladder
    log: list[LadderEvent] = field(default_factory=list)
    slots: dict[str, int] = field(default_factory=dict)
    """How many matches each online entrant may play at once."""
    version: dict[str, str] = field(default_factory=dict)
    ids: "count[int]" = field(default_factory=count)

    def do(self, command: LadderCommand) -> list[LadderEvent]:
        events = decide(self.ladder, command)
        for event in events:
            self.ladder = evolve(self.ladder, event)
        self.log += events
        return events

    def join(self, *names: str, room: int = 1, owners: tuple[str, ...] = ()) -> "LadderHarness":
        for name in names:
            self.do(JoinLadder(entrant(name, self.ladder.terms.bots_per_entrant, owners)))
            self.slots[name] = room
        return self

    def leave(self, name: str) -> list[LadderEvent]:
        return self.do(LeaveLadder(name))

    def challenge(self, request: str, *names: str) -> list[LadderEvent]:
        return self.do(ChallengeEntrants(request, names))

    def rate(
        self, match_id: str, first: str, second: str, *ranks: int, at_ms: int = START_MS, version: str = ""
    ) -> list[LadderEvent]:
        """Rate a match of another contest; by default, the first one wins. `version` is that of the first one."""
        finish = FinishOrder(((Player(first, version),), (Player(second),)), ranks or (1, 2))
        return self.do(RateMatch(match_id, finish, at_ms=at_ms))

    def rating(self, name: str, version: str = "") -> RatingRecord:
        """Return a rating of the current season."""
        return self.ladder.current_season.rating(Player(name, version))

    def record(self, name: str) -> WinLossRecord:
        return self.ladder.current_season.record(Player(name))

    @property
    def playing(self) -> list[DueMatch]:
        return self.ladder.matches_in_play

    @property
    def available(self) -> tuple[AvailableEntrant, ...]:
        busy = [name for due in self.ladder.matches_in_play for name in due.pairing.entrants]
        available = [self.ladder.entrants[name] for name in self.slots if name in self.ladder.entrants]
        return tuple(
            AvailableEntrant(member.name, self.bots(member.name), self.slots[member.name] - busy.count(member.name))
            for member in available
        )

    def bots(self, name: str) -> tuple[Player, ...]:
        """Return the bots of an entrant with the versions that would play now."""
        return tuple(Player(bot.bot, self.version.get(bot.bot, "")) for bot in self.ladder.all_entrants[name].bots)

    def pair(self, allow_early_rematch: bool = False) -> list[tuple[str, ...]]:
        """Pair once, and return the entrants of each new pairing."""
        before = len(self.log)
        self.do(PairEntrants(self.available, allow_early_rematch))
        return [event.pairing.entrants for event in self.log[before:] if hasattr(event, "pairing")]  # type: ignore[union-attr]

    def start_matches(self) -> list[DueMatch]:
        """Start all matches that can start now."""
        started = select_matches_to_start(self.ladder, self.available)
        for due in started:
            self.do(StartLadderMatch(due.id, f"m{next(self.ids)}"))
        return started

    def pair_and_start(self, allow_early_rematch: bool = False) -> list[DueMatch]:
        """Pair and start for as long as there are free slots."""
        started = self.start_matches()
        while self.ladder.phase is LadderPhase.OPEN and self.do(PairEntrants(self.available, allow_early_rematch)):
            started += self.start_matches()
        return started

    def id_of(self, due: DueMatch) -> str:
        return self.ladder.pairings[due.pairing.id].match_ids[due.number, due.attempt]

    def finish(self, due: DueMatch, ranks: Sequence[int]) -> FinishOrder[Player]:
        """Return the finish of a match, given the ranks of its sides."""
        players = [self.ladder.all_entrants[name].rated_player(self.bots(name)) for name in due.seats]
        sides = due.pairing.sides or tuple((place,) for place in range(len(players)))
        return FinishOrder(tuple(tuple(players[place] for place in side) for side in sides), tuple(ranks))

    def result(self, due: DueMatch, *ranks: int, forfeited: Iterable[Player] = ()) -> list[LadderEvent]:
        return self.do(RateMatch(self.id_of(due), self.finish(due, ranks), tuple(forfeited), due.id))

    def void(self, due: DueMatch) -> list[LadderEvent]:
        return self.do(RecordLadderVoid(due.id, self.id_of(due)))


def new_ladder(terms: LadderPlayTerms = DUEL, *names: str, room: int = 1) -> LadderHarness:
    return LadderHarness(Ladder(terms)).join(*names, room=room)
