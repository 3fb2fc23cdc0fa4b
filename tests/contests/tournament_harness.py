"""Harness for tests of tournaments: executes commands, keeps the events, and plays matches with given results."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import reduce

from referee.contests.contest_entrant import ContestEntrant
from referee.contests.pairing import DueMatch, MatchScore
from referee.contests.tournament.commands import (
    EnterTournament,
    RecordTournamentScore,
    RecordTournamentVoid,
    StartTournament,
    TournamentCommand,
)
from referee.contests.tournament.decide import decide
from referee.contests.tournament.events import TournamentEvent
from referee.contests.tournament.state import Tournament, evolve
from referee.contests.tournament.tournament_terms import TournamentFormat, TournamentPlayTerms

Referee = Callable[[DueMatch], MatchScore]


def better_name_wins(due: DueMatch) -> MatchScore:
    """Rank entrants by name."""
    order = sorted(due.pairing.entrants)
    return MatchScore(tuple(order.index(name) + 1 for name in due.pairing.entrants))


def level(due: DueMatch) -> MatchScore:
    return MatchScore((1,) * len(due.pairing.entrants))


def replay(terms: TournamentPlayTerms, events: Iterable[TournamentEvent]) -> Tournament:
    """Return the tournament after these events."""
    return reduce(evolve, events, Tournament(terms))


@dataclass
class TournamentHarness:
    """A tournament with its log."""

    tournament: Tournament
    log: list[TournamentEvent] = field(default_factory=list)

    def do(self, command: TournamentCommand) -> list[TournamentEvent]:
        events = decide(self.tournament, command)
        for event in events:
            self.tournament = evolve(self.tournament, event)
        self.log += events
        return events

    def result(self, due: DueMatch, score: MatchScore) -> list[TournamentEvent]:
        return self.do(RecordTournamentScore(due.pairing.id, due.number, due.attempt, score))

    def void(self, due: DueMatch) -> list[TournamentEvent]:
        return self.do(RecordTournamentVoid(due.pairing.id, due.number, due.attempt))

    def play_out_one(self, referee: Referee = better_name_wins) -> None:
        self.result(due := self.tournament.due_matches()[0], referee(due))

    def play_out(self, referee: Referee = better_name_wins) -> "TournamentHarness":
        while self.tournament.phase == "playing":
            self.result(due := self.tournament.due_matches()[0], referee(due))
        return self

    @property
    def table(self) -> list[tuple[int, str, float]]:
        return [(row.rank, row.entrant, row.points) for row in self.tournament.standings()]


def entered(form: TournamentFormat | TournamentPlayTerms, names: Iterable[str]) -> TournamentHarness:
    terms = form if isinstance(form, TournamentPlayTerms) else TournamentPlayTerms(form, b"seed")
    play = TournamentHarness(Tournament(terms))
    for name in names:
        play.do(EnterTournament(ContestEntrant(name)))
    return play


def started(form: TournamentFormat | TournamentPlayTerms, names: Iterable[str]) -> TournamentHarness:
    play = entered(form, names)
    play.do(StartTournament())
    return play
