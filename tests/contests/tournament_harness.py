"""Harness for tests of tournaments: executes commands, keeps the events, and plays matches with given results."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import Any

import referee_values as values
from msgspec.structs import replace

from referee.contests.contest_entrant import ContestEntrant
from referee.contests.pairing import DueMatch, DuplicateSets, MatchScore, Pairing
from referee.contests.tournament.commands import (
    DeclareAbsent,
    EnterTournament,
    RecordTournamentScore,
    RecordTournamentVoid,
    StartTournament,
    StartTournamentMatch,
    TournamentCommand,
    WithdrawEntrant,
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
        test = form.test
        sprt = values.Sprt(elo0=test.elo0, elo1=test.elo1, alpha=test.alpha, beta=test.beta)
        chosen = {"sprt": replace(sprt, model=form.model, max_matches=test.max_matches or 0)}
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

    def enter(self, *names: str, **fields: Any) -> list[TournamentEvent]:
        return [event for name in names for event in self.do(EnterTournament(ContestEntrant(name, **fields)))]

    def withdraw(self, *names: str) -> list[TournamentEvent]:
        return [event for name in names for event in self.do(WithdrawEntrant(name))]

    def start(self, due: DueMatch | None = None, match_id: str = "") -> DueMatch:
        """Create a match: the next one that is due, and under the id `m-` and that of the due match, unless given."""
        due = due or self.tournament.due_matches()[0]
        self.do(StartTournamentMatch(due.pairing.id, due.number, due.attempt, match_id or f"m-{due.id}"))
        return due

    def result(self, due: DueMatch, score: MatchScore) -> list[TournamentEvent]:
        return self.do(RecordTournamentScore(due.pairing.id, due.number, due.attempt, score))

    def void(self, due: DueMatch) -> list[TournamentEvent]:
        return self.do(RecordTournamentVoid(due.pairing.id, due.number, due.attempt))

    def declare_absent(self, pairing: str, *names: str, by: str = "", board: int = 0) -> list[TournamentEvent]:
        return self.do(DeclareAbsent(pairing, names, "away", by, board))

    def play_out_one(self, referee: Referee = better_name_wins) -> None:
        self.result(due := self.tournament.due_matches()[0], referee(due))

    def play_due(self, referee: Referee = better_name_wins) -> None:
        """Play the matches that are due now."""
        for due in self.tournament.due_matches():
            self.result(due, referee(due))

    def play_out(self, referee: Referee = better_name_wins) -> "TournamentHarness":
        while self.tournament.phase == "playing":
            self.play_out_one(referee)
        return self

    @property
    def table(self) -> list[tuple[int, str, float]]:
        return [(row.rank, row.entrant, row.points) for row in self.tournament.standings()]

    @property
    def points(self) -> dict[str, float]:
        return {name: points for _, name, points in self.table}

    @property
    def planned(self) -> list[Pairing]:
        """All pairings, in the order of planning."""
        return [progress.pairing for progress in self.tournament.pairings.values()]

    def open_pairing_of(self, *names: str) -> Pairing:
        """Return the only pairing of these entrants that is not done."""
        open_pairings = [progress.pairing for progress in self.tournament.open_pairings]
        (found,) = [pairing for pairing in open_pairings if {*names} <= {*pairing.entrants}]
        return found


def entered(form: TournamentFormat | TournamentPlayTerms, names: Iterable[str], **fields: Any) -> TournamentHarness:
    """Return a tournament that has not started; `fields` are those of `play_terms`."""
    terms = form if isinstance(form, TournamentPlayTerms) else play_terms(form, **fields)
    play = TournamentHarness(Tournament(terms))
    play.enter(*names)
    return play


def started(form: TournamentFormat | TournamentPlayTerms, names: Iterable[str], **fields: Any) -> TournamentHarness:
    play = entered(form, names, **fields)
    play.do(StartTournament())
    return play
