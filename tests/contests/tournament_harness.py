"""Harness for tests of tournaments: executes commands, keeps the events, and plays matches with given results."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import Any

import referee_values as values

from referee.contests.contest_entrant import ContestEntrant
from referee.contests.pairing import DueMatch, DuplicateSets, MatchScore
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
from referee.contests.tournament.tournament_terms import (
    Pools,
    SprtTrial,
    TournamentFormat,
    TournamentPlayTerms,
    complete_terms,
)

Referee = Callable[[DueMatch], MatchScore]


def better_name_wins(due: DueMatch) -> MatchScore:
    """Rank entrants by name."""
    order = sorted(due.pairing.entrants)
    return MatchScore(tuple(order.index(name) + 1 for name in due.pairing.entrants))


def level(due: DueMatch) -> MatchScore:
    return MatchScore((1,) * len(due.pairing.entrants))


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
KINDS: dict[type, str] = {
    values.RoundRobin: "round_robin",
    values.Swiss: "swiss",
    values.Elimination: "elimination",
    values.Gauntlet: "gauntlet",
}


def play_terms(
    form: TournamentFormat,
    seed: bytes = b"seed",
    *,
    duplicate: DuplicateSets | None = None,
    forbidden_pairs: Iterable[tuple[str, str]] = (),
    **fields: Any,
) -> TournamentPlayTerms:
    """Return terms with every default filled in; pairings wait for ever unless `fields` say otherwise."""
    at_a_table, sides = (form.at_a_table, form.sides) if isinstance(form, Pools | SprtTrial) else (2, ())
    if isinstance(form, Pools):
        chosen: dict[str, Any] = {"pools": values.Pools(rounds=form.rounds)}
    elif isinstance(form, SprtTrial):
        chosen = {"sprt": sprt_value(form)}
    else:
        chosen = {KINDS[type(form)]: form}
    if duplicate:
        openings = (values.Opening(),) * duplicate.openings
        fields["duplicate_play"] = values.DuplicatePlay(arrangements=duplicate.arrangements, openings=openings)
    for name in ("starts_at", "entries_close_at"):
        if f"{name}_ms" in fields:
            fields[name] = EPOCH + timedelta(milliseconds=fields.pop(f"{name}_ms"))
    pairs = tuple(values.ForbiddenPair(first=first, second=second) for first, second in forbidden_pairs)
    terms = values.TournamentTerms(**{"no_show_ms": 0, "forbidden_pairs": pairs, **chosen, **fields})
    return TournamentPlayTerms(complete_terms(terms, len(sides) or at_a_table), seed, at_a_table, sides)


def sprt_value(form: SprtTrial) -> values.Sprt:
    test = form.test
    return values.Sprt(
        elo0=test.elo0,
        elo1=test.elo1,
        alpha=test.alpha,
        beta=test.beta,
        model=form.model,
        max_matches=test.max_matches or 0,
    )


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
    terms = form if isinstance(form, TournamentPlayTerms) else play_terms(form)
    play = TournamentHarness(Tournament(terms))
    for name in names:
        play.do(EnterTournament(ContestEntrant(name)))
    return play


def started(form: TournamentFormat | TournamentPlayTerms, names: Iterable[str]) -> TournamentHarness:
    play = entered(form, names)
    play.do(StartTournament())
    return play
