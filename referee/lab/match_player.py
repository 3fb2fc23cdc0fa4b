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
from referee.match.plain_run import LoggedItem, PlainMove, plain_run
from referee.match.setup import Setup
from referee.match.state import Match, create_match

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
    items: Sequence[LoggedItem]
    failures: Sequence[tuple[Seat, str]]
    """Seats whose bots have failed, and why."""
    fault: Exception | None = None
    """The exception of the engine that made the match void."""

    @property
    def events(self) -> Sequence[Event]:
        return [item.event if isinstance(item, PlainMove) else item for item in self.items]


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
        while self._match.result is None:
            self._ask()
        return PlayedMatch(self._match, self._log.items, self._failures, self._fault)

    def _ask(self) -> None:
        """Ask a bot that owes a move, and the next ones while answers are plain; then let another answer be judged."""
        answer: object
        match, log, now_ns, began_ns = self._match, self._log, self._now_ns, self._began_ns
        items, used_us = log.items, log.used_us
        run = plain_run(match)
        turn = run or match.owing[0]
        ply, position = match.ply, match.require_position()
        while True:
            seat = turn.seat
            refused = self._refused.get(seat) if self._refused else None
            asked_ns = now_ns()
            begun_us = (asked_ns - began_ns) // 1000
            given = LabTurn(seat, refused, ply, position, turn.attempt, turn.ply, log, len(items), asked_ns, begun_us)
            try:
                answer = self._bots[seat](given)
            except TimeOver:
                answer = NO_ANSWER
            except self._interruptions:
                raise
            except BaseException as failure:
                answer = self._fail(seat, failure)
            now_us = (now_ns() - began_ns) // 1000
            stall_us = begun_us - turn.asked_us - used_us[seat]
            if not run or type(answer) is not str or len(answer) > MAX_MOVE_CHARS or not answer.isascii():
                break
            played = run.step(answer, now_us, stall_us)
            if not played:
                break
            items.append(played)
            if used_us[seat] or self._refused:
                self._end_turn(seat)
            ply, position = run.ply, run.position
        if run:
            self._match = run.match()
            log.note_state(self._match)
        self._judge(given, answer, TurnMeasurement(now_us, 0, stall_us))
        after = self._match.turns[seat]
        if after is not None and after.ply == given.turn_ply:
            used_us[seat] += now_us - begun_us
            self._note_refusal(seat)
        else:
            self._end_turn(seat)

    def _end_turn(self, seat: Seat) -> None:
        self._log.used_us[seat] = 0
        self._refused.pop(seat, None)
        self._rejected = 0

    def _judge(self, given: LabTurn, answer: object, measured: TurnMeasurement) -> None:
        """Let any answer be judged, even one that is not allowed or that no bot may give."""
        try:
            command = _command(given, NO_ANSWER if answer is NO_ANSWER else checked(answer), measured)
        except Exception as failure:
            command = _command(given, self._fail(given.seat, failure), measured)
        try:
            self._take(decide(self._match, command, measured.arrived_us))
        except MatchError as error:
            self._reject(given.seat, error)

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
        last = self._log.items[-1]
        if isinstance(last, MoveRejected) and last.seat == seat:
            self._refused[seat] = Refusal(last.reason, last.sentence)

    def _reject(self, seat: Seat, error: DetailedError) -> None:
        """Let the bot answer again: an answer that is not allowed changes nothing."""
        self._refused[seat] = Refusal("", str(error))
        self._rejected += 1
        if self._rejected >= MAX_REJECTED:
            self._failures.append((seat, f"it gave {MAX_REJECTED} answers that are not allowed, the last: {error}"))
            self._take(decide(self._match, Resign(seat), (self._now_ns() - self._began_ns) // 1000))


def _command(given: LabTurn, answer: object, measured: TurnMeasurement) -> Command:
    match answer:
        case str():
            return SubmitMove(given.seat, given.token, _text(given, answer), measured)
        case Choice(move, offer_draw, score):
            text = _text(given, move)
            return SubmitMove(given.seat, given.token, text, measured, "", offer_draw, _plain_score(score))
        case SpecialAnswer.RESIGN:
            return Resign(given.seat)
        case SpecialAnswer.ACCEPT_DRAW:
            return AcceptDraw(given.seat)
        case SpecialAnswer.CLAIM_DRAW:
            return ClaimDraw(given.seat)
    return FallFlag(given.seat, measured)


def _text(given: LabTurn, move: str) -> str:
    """Return a move as it can be stored; the client library does the same before it sends one."""
    plain = "".join((move,))  # A subclass, such as numpy.str_, cannot be stored.
    if plain.isascii() and len(plain) <= MAX_MOVE_CHARS:
        return plain
    return sendable(cast(ClientTurn, given), plain)


def _plain_score(score: int | None) -> int | None:
    return None if score is None else sendable_score(int(score))
