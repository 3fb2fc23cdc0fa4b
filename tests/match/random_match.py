"""Random whole matches, decided by the pure core, with everything that bots, networks and people do to them."""

import random
from typing import get_args

from referee_values import (
    Adjudication,
    DisconnectAction,
    DisconnectPolicy,
    ForfeitEffect,
    IllegalMoveAction,
    IllegalMovePolicy,
    NetworkCredit,
    Policies,
    TimeoutAction,
)

from engines.api import Game
from engines.game_errors import BadOption, DetailedError
from engines.options import Settings
from engines.testing.random_games import any_choice
from referee.match import clock, commands
from referee.match.clock import SECOND
from referee.match.clock_charge import TurnMeasurement
from referee.match.decide import decide
from referee.match.events import Event, MatchCreated
from referee.match.match_terms import MatchTerms
from referee.match.result import VOID_CAUSES
from referee.match.setup import Player, Setup
from referee.match.state import Match, MatchPhase, Turn, create_match
from tests.match.games import BRITTLE
from tests.match.setups import time_control

CONTROLS: tuple[clock.TimeControl, ...] = (
    clock.Untimed(),
    clock.SuddenDeath(20 * SECOND),
    clock.Fischer(5 * SECOND, SECOND),
    clock.Bronstein(5 * SECOND, SECOND),
    clock.UsDelay(5 * SECOND, SECOND),
    clock.PerMove(2 * SECOND),
    clock.Bank(5 * SECOND, SECOND),
    clock.Correspondence(3 * SECOND, 6 * SECOND),
    clock.JapaneseByoYomi(3 * SECOND, SECOND, 3),
    clock.CanadianByoYomi(3 * SECOND, 4 * SECOND, 3),
    clock.MovesPerPeriod((clock.Period(3, 6 * SECOND), clock.Period(2, 4 * SECOND, SECOND))),
)
TRIES = ("", "pass", "1", "2", "3", "9", "a1-b2", "nonsense" * 20, "é\n")


class RandomMatch:
    """One match, played by random commands."""

    def __init__(self, game: Game, setup: Setup, rng: random.Random) -> None:
        self.rng = rng
        self.now_us = 0
        setup.check(game)
        first = MatchCreated(0, setup)
        self.events: list[Event] = [first]
        self.match: Match = create_match(first, game)
        self.disturbed = rng.random() < 0.7
        """Whether anything except moves happens."""

    def play(self, max_answers: int) -> list[Event]:
        self.seat_bots()
        answers = 0
        while self.match.phase is MatchPhase.PLAYING:
            answers += 1
            self.execute(self.next_command() if answers < max_answers else self._final_command())
        if self.match.phase is MatchPhase.WAITING:
            self.execute(commands.VoidMatch(self.rng.choice(VOID_CAUSES), "no player came"))
        return self.events

    def execute(self, command: commands.Command) -> None:
        try:
            decided = decide(self.match, command, self.now_us)
        except DetailedError:
            return
        self.events.extend(decided.events)
        self.match = decided.match

    def seat_bots(self) -> None:
        for seat in range(len(self.match.players)):
            if self.rng.random() < 0.97:
                self.execute(commands.TakeSeat(seat, Player(f"late{seat}", "0.1")))
            if self.rng.random() < 0.8:
                self.execute(commands.AddNonce(seat, self.rng.randbytes(self.rng.choice([0, 1, 16, 64]))))
        self.now_us += self.rng.randrange(5)
        self.execute(commands.StartPlay())

    def next_command(self) -> commands.Command:
        turn = self.rng.choice(self.match.owing)
        self.now_us += self.rng.choice([0, 1_000, SECOND // 2, SECOND, 3 * SECOND // 2])
        if self.match.require_position().claimable and self.rng.random() < 0.3:
            return commands.ClaimDraw(turn.seat)
        if not self.disturbed or self.rng.random() < 0.75:
            return self.answer(turn, self.legal(turn))
        return self._disturbance(turn)

    def _disturbance(self, turn: Turn) -> commands.Command:
        seat = self.rng.randrange(len(self.match.players))
        late_us = self.now_us + self.rng.choice([0, SECOND, 30 * SECOND])
        kind = self.rng.randrange(20)
        if kind < 4:
            return self.answer(turn, self.rng.choice(TRIES))
        if kind < 6:
            self.now_us = late_us
            late: list[commands.Command] = [
                commands.FallFlag(seat, self.measured(seat)),
                self.answer(turn, self.legal(turn)),
            ]
            return self.rng.choice(late)
        if kind < 8:
            self.now_us = late_us
            return commands.EndGracePeriod(seat)
        common: list[commands.Command] = [
            commands.OfferDraw(seat),
            commands.DeclineDraw(seat),
            commands.DisconnectSeat(seat),
            commands.ReconnectSeat(seat),
            commands.ClaimDraw(seat),
        ]
        rare: list[commands.Command] = [commands.Resign(seat), commands.ResumeMatch(1234)]
        return self.rng.choice(common if kind < 19 else rare)

    def answer(self, turn: Turn, move: str) -> commands.SubmitMove:
        request_id = self.rng.choice(["", f"r{len(self.events)}"])
        offers_draw, score = self.rng.random() < 0.1, self._score(turn.seat)
        measured = self.measured(turn.seat)
        return commands.SubmitMove(turn.seat, turn.token, move, measured, request_id, offers_draw, score)

    def _score(self, seat: int) -> int | None:
        """Return what a bot may expect: often, seat 0 says that it wins, and the others agree."""
        return self.rng.choice([None, 0, 900 if seat == 0 else -900, 900 if seat == 0 else -900])

    def measured(self, seat: int) -> TurnMeasurement:
        arrived_us = max(0, self.now_us - self.rng.choice([0, 0, 7, 300]))
        return TurnMeasurement(arrived_us, self.rng.choice([0, 450, 90_000]), self.rng.choice([0, 0, 1_111, SECOND]))

    def legal(self, turn: Turn) -> str:
        return self.rng.choice(self.match.require_position().moves(turn.seat))

    def _final_command(self) -> commands.Command:
        sides = len(self.match.table.sides)
        ends: list[commands.Command] = [
            commands.AdjudicateMatch(tuple(self.rng.choices(range(1, 4), k=sides)), "it is late"),
            commands.VoidMatch(self.rng.choice(VOID_CAUSES), "it is late"),
            commands.AbortMatch(),
            commands.Resign(0),
        ]
        return self.rng.choice(ends)


def any_setup(game: Game, rng: random.Random, chosen: Settings | None = None) -> Setup:
    """Return random terms and players, under these options or random ones."""
    settings = chosen or _any_settings(game, rng)
    seats = len(game.table(settings).seats)
    hourglass = rng.random() < 0.1
    opening = ""
    if rng.random() < 0.2 and game is not BRITTLE:
        position = game.start(settings, rng.randbytes(32))
        for _ in range(3):
            if position.owing:
                seat = rng.choice(position.owing)
                position = position.play(seat, rng.choice(position.moves(seat)))
        opening = "" if position.outcome else str(position)
    return Setup(
        f"{game.name}-{rng.randrange(1000)}",
        game.version,
        MatchTerms(
            game.name,
            settings,
            time_control(
                [clock.Hourglass(9 * SECOND) if hourglass else rng.choice(CONTROLS) for _ in range(seats)],
                NetworkCredit(per_move_ms=rng.choice([0, 1, 100]), per_match_ms=rng.choice([0, 1, 1_000])),
            ),
            _any_policies(rng),
            random_seats=rng.random() < 0.3,
            nonce_timeout_us=rng.choice((0, 1_000_000)),
            adjudication=_any_adjudication(game, settings, rng),
        ),
        tuple(Player() if rng.random() < 0.2 else Player(f"bot{seat}", "1.0") for seat in range(seats)),
        rng.randbytes(32),
        opening=opening,
        labels=(("title", 'Größe, "quoted" \\ and a line\n'),),
    )


def _any_adjudication(game: Game, settings: Settings, rng: random.Random) -> Adjudication | None:
    if rng.random() < 0.5:
        return None
    if len(game.table(settings).sides) != 2 or rng.random() < 0.5:
        return Adjudication(max_plies=rng.randrange(1, 30))
    return Adjudication(resign_score=500, resign_moves=2, draw_score=10, draw_moves=2, draw_after_ply=4)


def _any_settings(game: Game, rng: random.Random) -> Settings:
    """Return the defaults, or any valid combination of options."""
    while rng.random() < 0.5:
        try:
            return game.settings(any_choice(game, rng))
        except BadOption:
            continue
    return game.settings()


def _any_policies(rng: random.Random) -> Policies:
    return Policies(
        illegal_move=IllegalMovePolicy(
            action=rng.choice(get_args(IllegalMoveAction)[1:]), max_attempts=rng.choice([1, 2, 3])
        ),
        timeout=rng.choice(get_args(TimeoutAction)[1:]),
        disconnect=DisconnectPolicy(
            action=rng.choice(get_args(DisconnectAction)[1:]), grace_period_ms=rng.choice([1, 2_000])
        ),
        forfeit_effect=rng.choice(get_args(ForfeitEffect)[1:]),
    )
