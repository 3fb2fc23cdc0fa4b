"""Plays one match to its end in this process: asks the bots in turn, and lets `decide` judge their answers.

It is what a runner of the server does, without a log, a network or an event loop. Events and states are those of the
server: only `decide` makes them. Since the bots of one match share a process, they think one after the other, also
where they choose at the same time; the time in which another bot thinks counts as the referee's delay.
"""

import time
from collections.abc import Callable, Sequence
from typing import Protocol, cast

from msgspec import Struct
from referee_client.answers import Answer, Choice, SpecialAnswer, sendable
from referee_client.errors import Refusal
from referee_client.turn import Turn as ClientTurn

from engines.api import Game, Seat
from engines.game_errors import DetailedError
from referee.lab.lab_turn import LabTurn, MadeMove
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import (
    MAX_MOVE_CHARS,
    AcceptDraw,
    ClaimDraw,
    Command,
    FallFlag,
    Resign,
    StartPlay,
    SubmitMove,
)
from referee.match.decide import decide
from referee.match.decision import Decision
from referee.match.events import Event, MatchCreated, MovePlayed, MoveRefused
from referee.match.match_errors import MatchError
from referee.match.setup import Setup
from referee.match.state import Match, MatchPhase, Turn, create_match

MAX_REJECTED = 100
"""A bot that gives this many answers that are not moves, and not allowed, in one turn, resigns: without a clock nothing
else would end the match."""


class BotFailure(Exception):
    """A bot has failed and cannot answer; `str()` says why. It resigns, as by the client library on a server."""


class TimeOver(Exception):
    """The bot has not answered, and its time is over."""


class SeatedBot(Protocol):
    """A bot that holds a seat."""

    def choose(self, turn: LabTurn) -> Answer:
        """Raises BotFailure or TimeOver."""


class PlayedMatch(Struct, frozen=True):
    """A match that was played to its end."""

    match: Match
    events: Sequence[Event]
    failures: Sequence[tuple[Seat, str]]
    """Seats whose bots have failed, and why."""
    fault: Exception | None = None
    """The exception of the engine that made the match void."""


def play_match(
    setup: Setup, game: Game, bots: Sequence[SeatedBot], now_ns: Callable[[], int] = time.monotonic_ns
) -> PlayedMatch:
    """Play a match by a checked setup, whose seats are all taken; `bots` has one for each seat."""
    return _MatchPlayer(setup, game, bots, now_ns).play()


class _MatchPlayer:
    def __init__(self, setup: Setup, game: Game, bots: Sequence[SeatedBot], now_ns: Callable[[], int]) -> None:
        created = MatchCreated(0, setup)
        self._match = create_match(created, game)
        self._events: list[Event] = [created]
        self._bots = bots
        self._now_ns = now_ns
        self._began_ns = now_ns()
        self._made: list[MadeMove] = []
        self._used_us = [0] * len(bots)
        """How long each seat has thought in its present turn."""
        self._refused: dict[Seat, Refusal] = {}
        """Why the last answer of a seat in its present turn was rejected."""
        self._rejected = 0
        """Answers in succession from which no event followed."""
        self._failures: list[tuple[Seat, str]] = []
        self._fault: Exception | None = None

    def play(self) -> PlayedMatch:
        self._take(decide(self._match, StartPlay(), 0))
        while self._match.phase is MatchPhase.PLAYING:
            self._ask(next(filter(None, self._match.turns)))
        return PlayedMatch(self._match, self._events, self._failures, self._fault)

    def _ask(self, turn: Turn) -> None:
        seat, used_us = turn.seat, self._used_us
        asked_ns = self._now_ns()
        begun_us = (asked_ns - self._began_ns) // 1000
        refused = self._refused.get(seat) if self._refused else None
        given = LabTurn(self._match, turn, self._made, asked_ns, begun_us, used_us, refused)
        answer = self._answer(given)
        now_us = (self._now_ns() - self._began_ns) // 1000
        measured = TurnMeasurement(now_us, 0, begun_us - turn.asked_us - used_us[seat])
        try:
            self._take(decide(self._match, _command(given, turn, answer, measured), now_us))
        except MatchError as error:
            self._reject(seat, error)
        after = self._match.turns[seat]
        if after is not None and after.ply == turn.ply:
            used_us[seat] += now_us - begun_us
        else:
            used_us[seat] = 0
            self._refused.pop(seat, None)

    def _answer(self, turn: LabTurn) -> Answer | None:
        """Return the answer; None: there is none, and the time is over."""
        try:
            return self._bots[turn.seat].choose(turn)
        except TimeOver:
            return None
        except BotFailure as failure:
            self._failures.append((turn.seat, str(failure)))
            return SpecialAnswer.RESIGN

    def _take(self, decided: Decision) -> None:
        before = self._match
        for event, state in zip(decided.events, decided.states, strict=True):
            if type(event) is MovePlayed:
                self._made.append(MadeMove(before, event, state))
            elif type(event) is MoveRefused:
                self._refused[event.seat] = Refusal(event.reason, event.sentence)
            before = state
        self._events += decided.events
        self._match = decided.match
        self._fault = decided.fault or self._fault
        self._rejected = 0

    def _reject(self, seat: Seat, error: DetailedError) -> None:
        """Let the bot answer again: an answer that is not allowed changes nothing."""
        self._refused[seat] = Refusal("", str(error))
        self._rejected += 1
        if self._rejected >= MAX_REJECTED:
            self._failures.append((seat, f"it gave {MAX_REJECTED} answers that are not allowed, the last: {error}"))
            self._take(decide(self._match, Resign(seat), (self._now_ns() - self._began_ns) // 1000))


def _command(given: LabTurn, turn: Turn, answer: Answer | None, measured: TurnMeasurement) -> Command:
    match answer:
        case str():
            return SubmitMove(turn.seat, turn.token, _text(given, answer), measured)
        case Choice(move, offer_draw):
            return SubmitMove(turn.seat, turn.token, _text(given, move), measured, "", offer_draw)
        case SpecialAnswer.RESIGN:
            return Resign(turn.seat)
        case SpecialAnswer.ACCEPT_DRAW:
            return AcceptDraw(turn.seat)
        case SpecialAnswer.CLAIM_DRAW:
            return ClaimDraw(turn.seat)
        case None:
            return FallFlag(turn.seat, measured)


def _text(given: LabTurn, move: str) -> str:
    """Return a move as it can be stored; the client library does the same before it sends one."""
    if move.isascii() and len(move) <= MAX_MOVE_CHARS:
        return move
    return sendable(cast(ClientTurn, given), move)
