"""Ladders climbed for tests: commands in, events kept, results as said or by known strengths."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from engines.chance import Chance
from referee.contest.climbing import decide
from referee.contest.elo import expected
from referee.contest.finish import Finish
from referee.contest.ladder import Ladder, Phase, evolve
from referee.contest.ladder_commands import Begin, Command, Here, Join, Pair, Rate, RecordVoid
from referee.contest.ladder_events import Entrant, Event
from referee.contest.ladder_pairing import to_begin
from referee.contest.ladder_terms import Terms
from referee.contest.pairing import Due
from referee.core.setup import Player

DUEL = Terms("main", b"seed")
TOC = Terms("toc", b"seed", at_a_table=4, sides=((0, 2), (1, 3)))
TOC_PARTNERS = Terms("toc", b"seed", at_a_table=2, bots=2)


def entrant(name: str, bots: int = 1) -> Entrant:
    return Entrant(name, tuple(Player(f"{name}{seat}") for seat in range(bots)) if bots > 1 else (Player(name),))


@dataclass
class Climb:
    """A ladder, and everything that has happened on it."""

    ladder: Ladder
    log: list[Event] = field(default_factory=list)
    room: dict[str, int] = field(default_factory=dict)
    """Of who is there, in how many matches it may be at once."""
    version: dict[str, str] = field(default_factory=dict)
    ids: "count[int]" = field(default_factory=count)

    def do(self, command: Command) -> list[Event]:
        events = decide(self.ladder, command)
        for event in events:
            self.ladder = evolve(self.ladder, event)
        self.log += events
        return events

    def joins(self, *names: str, room: int = 1) -> "Climb":
        for name in names:
            self.do(Join(entrant(name, self.ladder.terms.bots)))
            self.room[name] = room
        return self

    @property
    def here(self) -> tuple[Here, ...]:
        busy = [name for due in self.ladder.playing for name in due.pairing.entrants]
        there = [self.ladder.entrants[name] for name in self.room if name in self.ladder.entrants]
        return tuple(Here(it.name, self.bots(it.name), self.room[it.name] - busy.count(it.name)) for it in there)

    def bots(self, name: str) -> tuple[Player, ...]:
        """As they would play now."""
        return tuple(Player(it.bot, self.version.get(it.bot, "")) for it in self.ladder.known[name].bots)

    def pair(self, hurry: bool = False) -> list[tuple[str, ...]]:
        """Who is paired now, once each."""
        before = len(self.log)
        self.do(Pair(self.here, hurry))
        return [event.pairing.entrants for event in self.log[before:] if hasattr(event, "pairing")]  # type: ignore[union-attr]

    def begin(self) -> list[Due]:
        """Let all matches begin that can."""
        begun = to_begin(self.ladder, self.here)
        for due in begun:
            self.do(Begin(due.id, f"m{next(self.ids)}"))
        return begun

    def fill(self, hurry: bool = False) -> list[Due]:
        """Pair and begin for as long as there is room."""
        begun = self.begin()
        while self.ladder.phase is Phase.OPEN and self.do(Pair(self.here, hurry)):
            begun += self.begin()
        return begun

    def id_of(self, due: Due) -> str:
        return self.ladder.courses[due.pairing.id].match_ids[due.number, due.attempt]

    def finish(self, due: Due, ranks: Sequence[int]) -> Finish[Player]:
        """Ranks are those of sides."""
        players = [self.ladder.known[name].player(self.bots(name)) for name in due.seats]
        sides = due.pairing.sides or tuple((place,) for place in range(len(players)))
        return Finish(tuple(tuple(players[place] for place in side) for side in sides), tuple(ranks))

    def result(self, due: Due, *ranks: int, forfeited: Iterable[Player] = ()) -> list[Event]:
        return self.do(Rate(self.id_of(due), self.finish(due, ranks), tuple(forfeited), due.id))

    def void(self, due: Due) -> list[Event]:
        return self.do(RecordVoid(due.id, self.id_of(due)))


def climb(terms: Terms = DUEL, *names: str, room: int = 1) -> Climb:
    return Climb(Ladder(terms)).joins(*names, room=room)


Ranks = Callable[[Climb, Due], Sequence[int]]


@dataclass
class ByStrength:
    """Sides finish by lot, as their known strengths let one expect."""

    strengths: Mapping[str, float]
    chance: Chance

    def __call__(self, it: Climb, due: Due) -> Sequence[int]:
        finish = it.finish(due, range(1, 1 + len(due.pairing.sides or due.seats)))
        one, other = (sum(self.strengths[player.bot] for player in side) for side in finish.sides)
        lot, self.chance = self.chance.below(1 << 20)
        return (1, 2) if lot / (1 << 20) < expected(one - other) else (2, 1)
