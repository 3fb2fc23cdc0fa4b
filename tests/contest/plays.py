"""Tournaments played through for tests: commands in, events kept, results by strength or as said."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from referee.contest.directing import Command, Enter, Record, RecordVoid, Start, decide
from referee.contest.formats import Format
from referee.contest.pairing import Due, Score
from referee.contest.terms import Terms
from referee.contest.tournament import Phase, Tournament, evolve
from referee.contest.tournament_events import Entrant, Event

Referee = Callable[[Due], Score]


def better_name_wins(due: Due) -> Score:
    """Of a table, everybody by name."""
    order = sorted(due.pairing.entrants)
    return Score(tuple(order.index(name) + 1 for name in due.pairing.entrants))


def level(due: Due) -> Score:
    return Score((1,) * len(due.pairing.entrants))


@dataclass
class Play:
    """A tournament, and everything that has happened in it."""

    tournament: Tournament
    log: list[Event] = field(default_factory=list)

    def do(self, command: Command) -> list[Event]:
        events = decide(self.tournament, command)
        for event in events:
            self.tournament = evolve(self.tournament, event)
        self.log += events
        return events

    def result(self, due: Due, score: Score) -> list[Event]:
        return self.do(Record(due.pairing.id, due.number, due.attempt, score))

    def void(self, due: Due) -> list[Event]:
        return self.do(RecordVoid(due.pairing.id, due.number, due.attempt))

    def play_out(self, referee: Referee = better_name_wins) -> "Play":
        while self.tournament.phase is Phase.PLAYING:
            self.result(due := self.tournament.due()[0], referee(due))
        return self

    @property
    def table(self) -> list[tuple[int, str, float]]:
        return [(row.rank, row.entrant, row.points) for row in self.tournament.standings()]


def entered(form: Format | Terms, names: Iterable[str]) -> Play:
    terms = form if isinstance(form, Terms) else Terms(form, b"seed")
    play = Play(Tournament(terms))
    for name in names:
        play.do(Enter(Entrant(name)))
    return play


def started(form: Format | Terms, names: Iterable[str]) -> Play:
    play = entered(form, names)
    play.do(Start())
    return play
