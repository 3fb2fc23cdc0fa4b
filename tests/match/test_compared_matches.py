"""Whole random matches of every game, compared with the reference implementation.

Valid and invalid commands are sent; the reference predicts each result; the log must yield the match at every moment,
and each viewer may see no more of it than visibility allows.
"""

from collections import deque
from collections.abc import Callable
from itertools import islice
from random import Random

import pytest

from engines.api import SPECTATOR, Game
from engines.game_errors import DetailedError
from engines.options import Settings, Value
from engines.testing.random_games import game_path
from referee.match import commands
from referee.match.clock_charge import TurnMeasurement
from referee.match.decide import decide
from referee.match.decision import Decision
from referee.match.events import Event, MovePlayed, MoveRejected, PlayEnded, PlayStarted, redact
from referee.match.result import EndCause
from referee.match.setup import Player, Setup
from referee.match.state import Match, MatchPhase, Turn, evolve
from tests.match.match_fixture import GAMES, replay
from tests.match.random_match import RandomMatch, any_setup
from tests.match.reference_match import ReferenceMatch
from tests.match.setups import change_setup

COMPARED: dict[str, tuple[str, dict[str, Value], int]] = {
    "nim": ("nim", {}, 100),
    "fingers": ("fingers", {}, 100),
    "stones for four": ("stones", {"seats": 4, "heap": 40}, 300),
    "stones for teams": ("stones", {"seats": 4, "teams": True, "heap": 40}, 300),
    "alquerque": ("alquerque", {}, 25),
    "trox": ("trox", {}, 10),
    "troke": ("troke", {}, 12),
    "toc": ("toc", {}, 20),
}
"""Games and options, and how many matches: those of the small games cost little."""
BOTS = ("", "anna", "bert", "late0")
NONSENSE = ("", " ", "9", "pass", "a1-a1", "\x00", "x" * 200, "1\n", "٣")
TOKENS = ("", "0.0.1", "1.1.1", "0.0.2", "nonsense")


def decision_or_error(match: Match, command: commands.Command, now_us: int) -> Decision | DetailedError:
    try:
        return decide(match, command, now_us)
    except DetailedError as error:
        return error


class ComparedMatch(RandomMatch):
    """A match to which more is sent than one can do in a session, and whose decisions the reference predicts."""

    def __init__(self, game: Game, setup: Setup, rng: Random) -> None:
        super().__init__(game, setup, rng)
        self.reference = ReferenceMatch(self.match)
        self.sent: list[commands.SubmitMove] = []
        self.stages: list[tuple[int, Match]] = []

    def play(self, max_answers: int) -> list[Event]:
        self._send_anything()
        super().play(max_answers)
        self._send_anything()
        for number, stage in [*self.stages, (len(self.events), self.match)]:
            assert replay(self.events[:number], GAMES.__getitem__) == stage
        return self.events

    def _send_anything(self) -> None:
        for _ in range(self.rng.randrange(16)):
            self.execute(self._anything())

    def execute(self, command: commands.Command) -> None:
        """Send a command to both implementations, and compare the results."""
        expected = self.reference.predict(command, self.now_us)
        before, text = self.match, str(self.match.position)
        decided = decision_or_error(before, command, self.now_us)
        if isinstance(decided, DetailedError):
            assert type(decided).__name__ == expected
            assert str(before.position) == text
            return
        assert decided.fault is None
        for event in decided.events:
            assert type(event).__name__ == expected
            if isinstance(event, PlayStarted):
                expected = self.reference.begin(evolve(before, event).require_position(), event.seated)
            else:
                expected = self.reference.read(event)
        assert expected == ""
        check_redaction(before, decided.events)
        self.events.extend(decided.events)
        self.match = decided.match
        self._check_state()

    def _check_state(self) -> None:
        self.reference.agrees_with(self.match)
        assert self.match.number == len(self.events)
        ends = [isinstance(event, PlayEnded) for event in self.events]
        assert sum(ends) == ends[-1] == (self.match.result is not None)

    def next_command(self) -> commands.Command:
        chance = self.rng.random()
        if chance < 0.05:
            return self._negotiate()
        return self._anything() if chance < (0.5 if self.match.dropped_seats else 0.2) else super().next_command()

    def _negotiate(self) -> commands.Command:
        """Let some seats offer a draw, and return what another one answers."""
        seats = self.rng.choices(range(len(self.match.players)), k=3)
        for seat in seats[: self.rng.randrange(1, 3)]:
            self.execute(commands.OfferDraw(seat))
        return self.rng.choice((commands.DeclineDraw, commands.AcceptDraw, commands.OfferDraw))(seats[2])

    def answer(self, turn: Turn, move: str) -> commands.SubmitMove:
        self.sent.append(super().answer(turn, move))
        return self.sent[-1]

    def measured(self, seat: int) -> TurnMeasurement:
        """Draw a measurement, often at the very microsecond at which the flag falls."""
        drawn = super().measured(seat)
        limit = self.reference.time.limit(seat) if seat in self.reference.turns else None
        if limit is None or self.rng.random() < 0.8:
            return drawn
        credit = min(drawn.network_us, self.match.credit_a_move_us, self.reference.time.credit[seat])
        falls_us = self.reference.turns[seat]["started"] + limit + drawn.stall_us + credit
        self.now_us = max(self.now_us, falls_us + self.rng.randrange(2))
        return TurnMeasurement(self.now_us, drawn.network_us, drawn.stall_us)

    def _anything(self) -> commands.Command:
        """Return any command for any seat, rarely one that does not exist; those that end a match are rare."""
        seats = range(len(self.match.players))
        seat = self.rng.choice([*seats] * 4 + [*self.match.dropped_seats] * 8 + [-1, len(seats)])
        if self.rng.random() < 0.1:
            return self._end(seat)
        self.now_us += self.rng.choice((0, 0, 1, 50_000))
        before_play: list[Callable[[], commands.Command]] = [
            lambda: commands.TakeSeat(seat, Player(self.rng.choice(BOTS[1:3]), self.rng.choice(("", "1")))),
            lambda: commands.AddNonce(seat, self.rng.choice((b"", b"salt", bytes(64), bytes(65)))),
            lambda: commands.WithdrawBot(self.rng.choice((*BOTS, *[player.bot for player in self.match.players]))),
        ]
        if self.match.phase is MatchPhase.WAITING and self.rng.random() < 0.8:
            return self.rng.choice(before_play)()
        kinds: list[Callable[[], commands.Command]] = [
            *before_play[:2],
            commands.StartPlay,
            lambda: self._other_answer(seat),
            self._repeated_answer,
            lambda: commands.FallFlag(seat, self.measured(seat)),
            lambda: commands.DisconnectSeat(seat),
            lambda: commands.ReconnectSeat(seat),
            lambda: commands.EndGracePeriod(seat),
            lambda: commands.OfferDraw(seat),
            lambda: commands.AcceptDraw(seat),
            lambda: commands.DeclineDraw(seat),
            lambda: commands.ClaimDraw(seat),
            self._restart,
        ]
        if len(self.match.table.sides) > 2:
            kinds += [lambda: commands.Resign(seat), before_play[2], lambda: commands.AbortMatch(seat)]
        return self.rng.choice(kinds)()

    def _other_answer(self, seat: int) -> commands.SubmitMove:
        token = self.rng.choice((*TOKENS, *[self.reference.token(seat)] * 5))
        return commands.SubmitMove(
            seat, token, self.rng.choice(NONSENSE), self.measured(seat), self.rng.choice(("", "r", "s"))
        )

    def _repeated_answer(self) -> commands.Command:
        if not self.sent:
            return commands.StartPlay()
        last = self.rng.choice(self.sent[-3:])
        move = self.rng.choice((last.move, last.move, "1"))
        return commands.SubmitMove(last.seat, last.token, move, last.measured, last.request_id)

    def _restart(self) -> commands.Command:
        """Continue with the state that the log yields, as after a crash."""
        replayed = replay(self.events, GAMES.__getitem__)
        assert replayed == self.match
        self.match = replayed
        self.stages.append((len(self.events), replayed))
        return commands.ResumeMatch(self.rng.randrange(10**9))

    def _end(self, seat: int) -> commands.Command:
        many = len(self.match.table.sides) + self.rng.choice((0, 0, 0, 1))
        ends: list[commands.Command] = [
            commands.Resign(seat),
            commands.WithdrawBot(self.rng.choice(BOTS)),
            commands.AbortMatch(seat),
            commands.AbortMatch(self.rng.choice((None, seat, seat))),
            commands.VoidMatch(self.rng.choice(list(EndCause)), "so it is"),
            commands.AdjudicateMatch(tuple(self.rng.choices(range(1, 4), k=many))),
        ]
        return self.rng.choice(ends)


def check_redaction(match: Match, events: tuple[Event, ...]) -> None:
    """Check what each viewer sees of events that follow this state."""
    seats = range(len(match.table.seats))
    for event in events:
        for viewer in (*seats, SPECTATOR):
            visible = redact(event, match.position, viewer)
            assert isinstance(event, PlayEnded) == (repr(match.setup.seed) in repr(visible))
            if isinstance(event, MoveRejected):
                assert (visible == event) if viewer == event.seat else (visible is None)
            if isinstance(event, MovePlayed) and viewer != event.seat and len(match.owing) > 1:
                # Where several seats have a turn at once, their choices are sealed.
                assert isinstance(visible, MovePlayed)
                assert visible.move != event.move
                assert f"move={event.move!r}" not in repr(visible)
        match = evolve(match, event)


def near_the_end(game: Game, settings: Settings, rng: Random) -> str:
    """Return one of the last positions of a random game before it was over, as the text of an opening."""
    return str(rng.choice([at for at in deque(islice(game_path(game, settings, rng), 400), 13) if at.owing]))


def compare_match(game: Game, chosen: dict[str, Value], rng: Random) -> None:
    """Play a match under these options, or random ones if there are none."""
    setup = any_setup(game, rng, game.settings(chosen) if chosen else None)
    known = (Player("anna", "1"), Player("bert", "2"), Player())
    players = tuple(rng.choice(known) for _ in setup.players)
    opening = near_the_end(game, setup.terms.settings, rng) if rng.random() < 0.3 else ""
    ComparedMatch(game, change_setup(setup, adjudication=None, players=players, opening=opening), rng).play(60)


@pytest.mark.parametrize("times", [1, pytest.param(10, marks=pytest.mark.soak)])
@pytest.mark.parametrize(("name", "chosen", "matches"), COMPARED.values(), ids=COMPARED)
def test_matches_agree_with_the_reference(
    name: str, chosen: dict[str, Value], matches: int, times: int, rng: Random
) -> None:
    for _ in range(times * matches):
        compare_match(GAMES[name], chosen, rng)
