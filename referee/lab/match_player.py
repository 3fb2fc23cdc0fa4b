"""Plays one match to its end in this process: asks the bots in turn, and lets `decide` judge their answers.

It is what a runner of the server does, without a log, a network or an event loop. Events and states are those of the
server: `decide` makes them, and `PlainRun` those of plain moves. Since the bots of one match share a process, they
think one after the other, also where they choose at the same time; the time in which another bot thinks counts as the
referee's delay.
"""

import time
import traceback
from collections.abc import Callable, Sequence
from typing import cast

from msgspec import Struct
from referee_client.answers import Answer, Choice, SpecialAnswer, checked, sendable, sendable_score
from referee_client.errors import Refusal
from referee_client.turn import Turn as ClientTurn

from engines.api import Game, Seat
from engines.game_errors import DetailedError
from referee.lab.lab_turn import LabTurn, MatchLog
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
from referee.match.events import Event, MatchCreated, MoveRejected
from referee.match.match_errors import MatchError
from referee.match.plain_run import PlainRun, plain_run
from referee.match.setup import Setup
from referee.match.state import Match, Turn, create_match

MAX_REJECTED = 100
"""A bot that gives this many answers in a turn that are neither moves nor allowed resigns: without a clock nothing
else would end the match."""

EXTRA_WAIT_S = 0.001
"""Waited for a program beyond the time of its seat, so that the flag has fallen for certain."""

NO_ANSWER = object()
"""In place of an answer: none has come, and the time of the seat is over."""


class BotFailure(Exception):
    """A bot has failed and cannot answer; `str()` says why. It resigns, as by the client library on a server."""


class TimeOver(Exception):
    """The bot has not answered, and its time is over."""


SeatedBot = Callable[[LabTurn], Answer]
"""Chooses the answer of a bot that holds a seat. Raises TimeOver; any other exception is a failure of the bot."""

Interruptions = tuple[type[BaseException], ...]
"""Exceptions that end the run, because handlers of signals raise them. A bot that raises any other has failed."""


class PlayedMatch(Struct, frozen=True):
    """A match that was played to its end."""

    match: Match
    events: Sequence[Event]
    failures: Sequence[tuple[Seat, str]]
    """Seats whose bots have failed, and why."""
    fault: Exception | None = None
    """The exception of the engine that made the match void."""


def play_match(
    setup: Setup,
    game: Game,
    bots: Sequence[SeatedBot],
    now_ns: Callable[[], int] = time.monotonic_ns,
    interruptions: Interruptions = (KeyboardInterrupt,),
) -> PlayedMatch:
    """Play a match by a checked setup, whose seats are all taken; `bots` has one for each seat."""
    return _MatchPlayer(setup, game, bots, now_ns, interruptions).play()


def failure_text(failure: BaseException) -> str:
    """Return why a bot has failed, with the traceback of its exception."""
    return str(failure) if isinstance(failure, BotFailure) else "".join(traceback.format_exception(failure))


class _MatchPlayer:
    def __init__(
        self,
        setup: Setup,
        game: Game,
        bots: Sequence[SeatedBot],
        now_ns: Callable[[], int],
        interruptions: Interruptions,
    ) -> None:
        created = MatchCreated(0, setup)
        self._match = create_match(created, game)
        """The state before the plain moves of `_run`."""
        self._run: PlainRun | None = None
        self._log = MatchLog(created, self._match)
        self._bots = bots
        self._now_ns = now_ns
        self._interruptions = interruptions
        self._began_ns = now_ns()
        self._refused: dict[Seat, Refusal] = {}
        """Why the last answer of a seat in its present turn was rejected."""
        self._rejected = 0
        """Answers in succession, within a turn, that were not allowed."""
        self._failures: list[tuple[Seat, str]] = []
        self._fault: Exception | None = None

    def play(self) -> PlayedMatch:
        self._take(decide(self._match, StartPlay(), 0))
        self._run = plain_run(self._match)
        while self._match.result is None:
            self._ask()
        return PlayedMatch(self._match, self._log.events, self._failures, self._fault)

    def _ask(self) -> None:
        """Ask a bot that owes a move, and let its answer be judged."""
        answer: object
        log, run, now_ns = self._log, self._run, self._now_ns
        turn = run.turn if run else self._match.owing[0]
        seat = turn.seat
        ply, position = (turn.ply, run.position) if run else (self._match.ply, self._match.require_position())
        refused = self._refused.get(seat) if self._refused else None
        asked_ns = now_ns()
        begun_us = (asked_ns - self._began_ns) // 1000
        given = LabTurn(seat, refused, ply, position, turn, log, len(log.events), asked_ns, begun_us)
        try:
            answer = self._bots[seat](given)
        except TimeOver:
            answer = NO_ANSWER
        except self._interruptions:
            raise
        except BaseException as failure:
            answer = self._fail(seat, failure)
        now_us = (now_ns() - self._began_ns) // 1000
        measured = TurnMeasurement(now_us, 0, begun_us - turn.asked_us - log.used_us[seat])
        if type(answer) is str and len(answer) <= MAX_MOVE_CHARS and answer.isascii():
            if run and (played := run.play(answer, measured)):
                log.add_plain(played, run.position)
                self._end_turn(seat)
                return
            self._end_run()
            self._take(decide(self._match, SubmitMove(seat, turn.token, answer, measured), now_us))
        else:
            self._end_run()
            self._take_answer(given, turn, answer, measured)
        after = self._match.turns[seat]
        if after is not None and after.ply == turn.ply:
            log.used_us[seat] += now_us - begun_us
            self._note_refusal(seat)
        else:
            self._end_turn(seat)
        self._run = plain_run(self._match)

    def _end_turn(self, seat: Seat) -> None:
        self._log.used_us[seat] = 0
        if self._refused:
            self._refused.pop(seat, None)
            self._rejected = 0

    def _end_run(self) -> None:
        """Compute the state after the plain moves so far."""
        if self._run:
            self._match = self._run.match()
            self._log.note_state(self._match)

    def _take_answer(self, given: LabTurn, turn: Turn, answer: object, measured: TurnMeasurement) -> None:
        """Let any answer be judged, even one that is not allowed or that no bot may give."""
        try:
            command = _command(given, turn, NO_ANSWER if answer is NO_ANSWER else checked(answer), measured)
        except Exception as failure:
            command = _command(given, turn, self._fail(turn.seat, failure), measured)
        try:
            self._take(decide(self._match, command, measured.arrived_us))
        except MatchError as error:
            self._reject(turn.seat, error)

    def _take(self, decided: Decision) -> None:
        self._log.add(decided)
        self._match = decided.match
        if decided.fault:
            self._fault = decided.fault

    def _fail(self, seat: Seat, failure: BaseException) -> Answer:
        """Resign for a bot that has failed, as the client library does."""
        self._failures.append((seat, failure_text(failure)))
        return SpecialAnswer.RESIGN

    def _note_refusal(self, seat: Seat) -> None:
        """Keep why a move was refused, so that the bot is told with its next attempt."""
        last = self._log.events[-1]
        if isinstance(last, MoveRejected) and last.seat == seat:
            self._refused[seat] = Refusal(last.reason, last.sentence)

    def _reject(self, seat: Seat, error: DetailedError) -> None:
        """Let the bot answer again: an answer that is not allowed changes nothing."""
        self._refused[seat] = Refusal("", str(error))
        self._rejected += 1
        if self._rejected >= MAX_REJECTED:
            self._failures.append((seat, f"it gave {MAX_REJECTED} answers that are not allowed, the last: {error}"))
            self._take(decide(self._match, Resign(seat), (self._now_ns() - self._began_ns) // 1000))


def _command(given: LabTurn, turn: Turn, answer: object, measured: TurnMeasurement) -> Command:
    match answer:
        case str():
            return SubmitMove(turn.seat, turn.token, _text(given, answer), measured)
        case Choice(move, offer_draw, score):
            text = _text(given, move)
            return SubmitMove(turn.seat, turn.token, text, measured, "", offer_draw, _plain_score(score))
        case SpecialAnswer.RESIGN:
            return Resign(turn.seat)
        case SpecialAnswer.ACCEPT_DRAW:
            return AcceptDraw(turn.seat)
        case SpecialAnswer.CLAIM_DRAW:
            return ClaimDraw(turn.seat)
    return FallFlag(turn.seat, measured)


def _text(given: LabTurn, move: str) -> str:
    """Return a move as it can be stored; the client library does the same before it sends one."""
    plain = "".join((move,))  # A subclass, such as numpy.str_, cannot be stored.
    if plain.isascii() and len(plain) <= MAX_MOVE_CHARS:
        return plain
    return sendable(cast(ClientTurn, given), plain)


def _plain_score(score: int | None) -> int | None:
    return None if score is None else sendable_score(int(score))
