"""Contests with random results, decided by the real core and exported as the server exports them."""

from collections.abc import Sequence
from random import Random
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace
from referee_values import Swiss

from referee.contests.contest_entrant import ContestEntrant
from referee.contests.ladder import commands
from referee.contests.ladder.decide import decide
from referee.contests.ladder.matchmaking import select_matches_to_start
from referee.contests.ladder.rating_rules import DAY_MS
from referee.contests.pairing import DueMatch, MatchScore
from referee.contests.strength.rating import FinishOrder
from referee.contests.tournament.commands import (
    EnterTournament,
    RecordTournamentScore,
    StartTournament,
    StartTournamentMatch,
    TournamentCommand,
)
from referee.contests.tournament.decide import decide as decide_tournament
from referee.hosting.contest_log import ContestEntry, ContestEvent, LadderCreated, TournamentCreated
from referee.hosting.ladder_state import LadderFold, LadderState
from referee.hosting.tournament_state import fold_tournament
from referee.match.setup import Player
from referee.records.contest_record import ContestRecordWriter
from tests.hosting.harness import cup_terms
from tests.hosting.ladder_harness import ladder_terms
from tests.live.referee_harness import GAMES

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
START_MS = 1_790_000_000_000


def record_of(entries: Sequence[ContestEntry], last: Any) -> bytes:
    writer = ContestRecordWriter(entries[0].contest, KEY, "0.1.0")
    return b"".join([writer.header, *writer.entries(entries), *writer.end(last)])


class SimulatedLadder:
    """A ladder of bots that come and go, with new versions, owners, void matches, challenges and seasons."""

    def __init__(self, bots: int, seed: int) -> None:
        self.rng = Random(seed)
        self.strengths = {f"bot{number:02}": self.rng.gauss(1500, 250) for number in range(bots)}
        self.versions = dict.fromkeys(self.strengths, 1)
        self.now_ms = START_MS
        self.online: list[str] = []
        terms = ladder_terms(rematch_after=2, provisional_matches=8, max_concurrent_matches=bots // 3)
        created = LadderCreated("main", "main", "ann", "r1", self.rng.randbytes(32), terms)
        self.entries: list[ContestEntry] = []
        self.fold = LadderFold(GAMES)
        self.state: Any = None
        self._append(created)
        for number, name in enumerate(self.strengths):
            self.join(name, (f"owner{number // 2}",) if number < 6 else ())

    def _append(self, event: ContestEvent) -> None:
        entry = ContestEntry("ladder/main", len(self.entries) + 1, self.now_ms, event)
        self.entries.append(entry)
        self.state = self.fold(self.state, entry)

    def do(self, command: commands.LadderCommand) -> None:
        assert isinstance(self.state, LadderState)
        for event in decide(self.state.ladder, command):
            self._append(event)

    def join(self, name: str, owners: tuple[str, ...]) -> None:
        self.do(commands.JoinLadder(ContestEntrant(name, (Player(name),), owners=owners)))

    @property
    def ladder(self) -> Any:
        return self.state.ladder

    def player(self, name: str) -> Player:
        return Player(name, str(self.versions[name]))

    def available(self) -> tuple[commands.AvailableEntrant, ...]:
        busy = [name for due in self.ladder.matches_in_play for name in due.pairing.entrants]
        return tuple(
            commands.AvailableEntrant(name, (self.player(name),), 2 - busy.count(name))
            for name in self.ladder.entrants
            if self.rng.random() < 0.8 and name in self.online
        )

    def play(self, matches: int) -> "SimulatedLadder":
        """Play until that many matches are rated, then close the ladder."""
        rated = 0
        while rated < matches:
            few = 2 * matches // 5 < rated < 3 * matches // 5
            self.online = list(self.strengths)[-3:] if few else list(self.strengths)
            self.now_ms += self.rng.choice([1_000, 3_600_000, DAY_MS // 2, 3 * DAY_MS])
            self._something_happens()
            available = self.available()
            for due in select_matches_to_start(self.ladder, available):
                self._start(due)
            deferred = frozenset(due.id for due in self.ladder.due_matches if self.rng.random() < 0.5)
            self.do(commands.PairEntrants(available, self.rng.random() < 0.3, deferred, self.rng.choice([None, 1, 3])))
            for due in self.ladder.matches_in_play:
                if self.rng.random() < 0.7:
                    rated += self._end(due)
        self.do(commands.CloseLadder("done"))
        for due in self.ladder.matches_in_play:
            self._end(due)
        self.do(commands.FinishClosure())
        return self

    def _something_happens(self) -> None:
        name = self.rng.choice(list(self.strengths))
        chance = self.rng.random()
        if chance < 0.04:
            self.versions[name] += 1
        elif chance < 0.06 and name in self.ladder.entrants:
            if not any(name in due.pairing.entrants for due in self.ladder.matches_in_play):
                self.do(commands.LeaveLadder(name, "away"))
        elif chance < 0.12 and name not in self.ladder.entrants:
            self.join(name, self.ladder.all_entrants[name].owners)
        elif chance < 0.15 and self.ladder.season < 4:
            self.do(commands.StartSeason(f"ann/{len(self.entries)}"))
        elif chance < 0.2:
            self._challenge(name)

    def _challenge(self, name: str) -> None:
        entrants = self.ladder.entrants
        others = [peer for peer in entrants if peer != name and not {*entrants[peer].owners} & {*self._owners(name)}]
        if name in entrants and others:
            names = (name, self.rng.choice(others))
            self.do(commands.ChallengeEntrants(f"ann/{len(self.entries)}", names))

    def _owners(self, name: str) -> tuple[str, ...]:
        return self.ladder.all_entrants[name].owners  # type: ignore[no-any-return]

    def _start(self, due: DueMatch) -> None:
        self.do(commands.StartLadderMatch(due.id, f"m{len(self.entries)}"))

    def _end(self, due: DueMatch) -> int:
        """End a match; return how many were rated."""
        match_id = self.state.match_id(due)
        if self.rng.random() < 0.05:
            self.do(commands.RecordLadderVoid(due.id, match_id))
            return 0
        lead = self.strengths[due.seats[0]] - self.strengths[due.seats[1]]
        chance = self.rng.random()
        ranks = (1, 1) if chance < 0.2 else (1, 2) if self.rng.random() < 1 / (1 + 10 ** (-lead / 400)) else (2, 1)
        players = [self.player(name) for name in due.seats]
        forfeited = tuple(players[ranks.index(2) :][:1]) if 2 in ranks and chance > 0.95 else ()
        finish = FinishOrder(tuple((player,) for player in players), ranks)
        self.do(commands.RateMatch(match_id, finish, forfeited, due.id, at_ms=self.now_ms))
        return 1

    def record(self) -> bytes:
        return record_of(self.entries, self.state)


def simulated_swiss(entrants: int, rounds: int, seed: int) -> bytes:
    """Return the record of a Swiss tournament with random results, seeded by lot."""
    rng = Random(seed)
    names = [f"bot{number:02}" for number in range(entrants)]
    terms = cup_terms(Swiss(rounds=rounds), seeding="random")
    play_terms = replace(terms.tournament, seed=rng.randbytes(32))
    created = TournamentCreated("cup", "cup", "ann", "r1", replace(terms, tournament=play_terms))
    entries = [ContestEntry("tournament/cup", 1, START_MS, created)]
    state = fold_tournament(None, entries[0])
    strengths = {name: rng.gauss(0, 200) for name in names}

    def do(command: TournamentCommand) -> None:
        nonlocal state
        for event in decide_tournament(state.tournament, command):
            entries.append(ContestEntry("tournament/cup", len(entries) + 1, START_MS, event))
            state = fold_tournament(state, entries[-1])

    for name in names:
        do(EnterTournament(ContestEntrant(name, bots=(Player(name),))))
    do(StartTournament())
    while not state.over:
        due = rng.choice(state.waiting)
        do(StartTournamentMatch(due.pairing.id, due.number, due.attempt, f"m{len(entries)}"))
        lead = strengths[due.seats[0]] - strengths[due.seats[1]]
        wins = rng.random() < 1 / (1 + 10 ** (-lead / 400))
        ranks = (1, 1) if rng.random() < 0.3 else (1, 2) if wins else (2, 1)
        do(RecordTournamentScore(due.pairing.id, due.number, due.attempt, MatchScore(ranks)))
    return record_of(entries, state)
