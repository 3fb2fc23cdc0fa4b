"""Contests of the lab: arenas, and tournaments of all formats, decided by the same pure code as those of a server.

Within a contest, a match follows from its name and the seed of the run: from which worker its result comes, and when,
changes nothing. A sequential test counts its sets in the order of planning.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from msgspec import structs
from msgspec.structs import replace

from engines.game_errors import DetailedError
from engines.registry import games
from referee.contests.pairing import DueMatch
from referee.contests.tournament.commands import (
    RecordTournamentScore,
    RecordTournamentVoid,
    StartTournament,
    TournamentCommand,
)
from referee.contests.tournament.decide import decide
from referee.contests.tournament.sprt_trial import TrialState
from referee.contests.tournament.state import Tournament, evolve
from referee.hosting.contest_log import TournamentCreated
from referee.hosting.contest_terms import check_tournament_terms, tournament_seating
from referee.hosting.match_factory import match_request_for
from referee.hosting.tournament_state import TournamentState
from referee.lab.lab_match import LabMatch, LabResult
from referee.lab.same_table import seed_of, without_nonces
from referee.live.match_request import LiveLimits
from referee.local.contest_file import TournamentPlan, entries_of, hosted_terms
from referee.local.terms_reader import LOCAL_CREDIT

LAB_LIMITS = LiveLimits()
READY_MATCHES = 1000
"""Matches that a tournament keeps ready, if its format allows: enough for a batch of each worker."""
MAX_ATTEMPTS = 3
"""A match that is void this often would be void again: the rules of its game are broken."""


class AlwaysVoid(DetailedError):
    """A match of a tournament that cannot be played."""

    def __init__(self, match: str, why: str) -> None:
        super().__init__(f"match {match} is void again and again: {why}", match=match, why=why)


class LabTournament:
    """A tournament of any format."""

    def __init__(self, plan: TournamentPlan, seed: str) -> None:
        """Raises a DetailedError if it cannot start."""
        self._games = games()
        self._seed = seed
        wanted = hosted_terms(plan.terms, LOCAL_CREDIT)
        value = replace(
            wanted.value,
            max_concurrent_matches=READY_MATCHES,
            no_show_ms=0,
            starts_at=None,
            entries_close_at=None,
            round_break_ms=0,
        )
        play_terms = replace(wanted.tournament, value=value, seed=seed_of(seed, "tournament"))
        match_terms = tuple(without_nonces(terms) for terms in wanted.match_terms)
        terms = replace(wanted, match_terms=match_terms, tournament=play_terms)
        check_tournament_terms(terms, self._games, LAB_LIMITS)
        self._seating = tournament_seating(terms, self._games)
        created = TournamentCreated(plan.name, plan.title, "", "", terms)
        self._state = TournamentState(Tournament(play_terms), created=created, created_ms=0)
        self._running: dict[str, DueMatch] = {}
        """Matches that were taken and have no result, by their names."""
        self._taken = 0
        for entry in entries_of(plan.entrants):
            self._execute(entry)
        self._execute(StartTournament())

    @property
    def planned(self) -> int:
        """Estimated number of matches, which grows while rounds are planned."""
        trial = self.trial
        if trial:
            return trial.matches + trial.matches_to_go
        return sum(progress.pairing.matches for progress in self._state.tournament.pairings.values())

    @property
    def trial(self) -> TrialState | None:
        """State of the test; None if the format is another one."""
        return self._state.tournament.trial_state

    def take(self, count: int) -> Sequence[LabMatch]:
        due = self._state.tournament.due_matches({match.id for match in self._running.values()})
        return [self._match(match) for match in due[:count]]

    def record(self, result: LabResult) -> None:
        """Raises AlwaysVoid."""
        due = self._running.pop(result.name)
        if not result.void:
            score = self._seating.score(due, result.result, result.digest)
            self._execute(RecordTournamentScore(due.pairing.id, due.number, due.attempt, score))
        elif due.attempt < MAX_ATTEMPTS:
            self._execute(RecordTournamentVoid(due.pairing.id, due.number, due.attempt))
        else:
            raise AlwaysVoid(result.name, result.result.reason)

    def _match(self, due: DueMatch) -> LabMatch:
        state = self._state
        bots = {name: state.players_of(due, name) for name in due.seats}
        request = match_request_for(state, due, self._seating.players(due, bots))
        setup = request.setup(request.match_id, request.seed or seed_of(self._seed, due.id), self._games, LAB_LIMITS)
        name = f"{due.pairing.id}.{due.number}" + (f"-{due.attempt}" if due.attempt > 1 else "")
        self._running[name] = due
        self._taken += 1
        return LabMatch(self._taken, name, setup.terms.game, tuple(player.bot for player in setup.players), setup)

    def _execute(self, command: TournamentCommand) -> None:
        tournament = self._state.tournament
        for event in decide(tournament, command):
            tournament = evolve(tournament, event)
        self._state = replace(self._state, tournament=tournament)


class LabArena:
    """The tournaments of an arena, one for each game. Matches, and their records, are named `GAME/MATCH`."""

    def __init__(self, plans: Iterable[TournamentPlan], seed: str) -> None:
        """Raises a DetailedError if one of them cannot start."""
        self._games = {plan.name: LabTournament(plan, f"{seed}\0{plan.name}") for plan in plans}
        self._taken = 0

    @property
    def planned(self) -> int:
        """Number of matches, which grows while rounds are planned."""
        return sum(game.planned for game in self._games.values())

    @property
    def trial(self) -> TrialState | None:
        return None

    def take(self, count: int) -> Sequence[LabMatch]:
        taken: list[LabMatch] = []
        for label, game in self._games.items():
            for match in game.take(count - len(taken)):
                self._taken += 1
                taken.append(structs.replace(match, number=self._taken, name=f"{label}/{match.name}", label=label))
        return taken

    def record(self, result: LabResult) -> None:
        """Raises AlwaysVoid."""
        label, _, name = result.name.partition("/")
        self._games[label].record(structs.replace(result, name=name))


LabContest = LabTournament | LabArena


def trial_course(source: LabContest, results: Iterable[LabResult]) -> list[TrialState]:
    """Return the states of the test of a new source, as it counts these results."""
    by_name = {result.name: result for result in results}
    states: list[TrialState] = []
    with suppress(AlwaysVoid):
        while known := [match for match in source.take(READY_MATCHES) if match.name in by_name]:
            for match in known:
                source.record(by_name[match.name])
                if source.trial:
                    states.append(source.trial)
    return states


class Resumed:
    """Matches of a contest that goes on: those that have a result already are recorded and not played."""

    def __init__(self, source: LabContest, before: Mapping[str, LabResult]) -> None:
        """`before` has the results of earlier runs by the names of their matches."""
        self._source = source
        self._before = before

    def take(self, count: int) -> Sequence[LabMatch]:
        new: list[LabMatch] = []
        while not new and (taken := self._source.take(count)):
            new = list(self._recorded(taken))
        return new

    def record(self, result: LabResult) -> None:
        """Raises AlwaysVoid."""
        self._source.record(result)

    def _recorded(self, taken: Sequence[LabMatch]) -> Iterator[LabMatch]:
        """Record the matches that have a result, and yield the others."""
        for match in taken:
            if result := self._before.get(match.name):
                self.record(result)
            else:
                yield match
