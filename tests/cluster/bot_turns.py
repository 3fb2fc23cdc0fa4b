"""The turns of one bot by its own record: when each was received, what was sent, and what was answered."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.cluster.history import (
    History,
    MatchEndReceived,
    MoveSent,
    OwnLag,
    SessionOpened,
    StreamEnded,
    TurnReceived,
    VerdictReceived,
)

LAG_MARGIN_US = 2_000_000
"""Lag of the bot's own process counts if it was noticed within this time before a turn was received or after it was
answered: a message may have waited for the process then."""


class TurnKey(NamedTuple):
    match_id: str
    token: str


@dataclass(slots=True)
class Delivery:
    """One time that a turn was received. A session counts only the first time that it delivered the turn."""

    turn: TurnReceived
    ended_us: int | None = None
    """When the bot answered, or could no longer answer because its session or the match had ended."""


@dataclass(slots=True)
class BotTurn:
    """One turn token, in all sessions of the bot."""

    deliveries: list[Delivery] = field(default_factory=list)
    sent: list[MoveSent] = field(default_factory=list)
    verdicts: list[VerdictReceived] = field(default_factory=list)
    thought_us: int = 0
    """Time from receipt to answer by the bot's own clock. Time without a session is not thinking time."""
    lag_us: int = 0
    """Time in which the bot's own process did not run, shortly before, while or after it had the turn."""

    @property
    def left_us(self) -> int | None:
        """Time that the bot was told it had left, when it was first asked; None: untimed, or never asked."""
        return self.deliveries[0].turn.left_us if self.deliveries else None

    def was_answered_within(self, tolerance_us: int) -> bool:
        """Return whether the bot took less than the time it had, by more than the tolerance."""
        return self.left_us is None or self.thought_us + tolerance_us + self.lag_us < self.left_us

    def __str__(self) -> str:
        parts = [f"took {self.thought_us} us of {self.left_us} us, with own lag of {self.lag_us} us"]
        parts += [f"received at {given.turn.at_us} us, answered at {given.ended_us} us" for given in self.deliveries]
        parts += [f"sent {sent.move!r} at {sent.at_us} us" for sent in self.sent]
        parts += [f"{reply.outcome} {reply.reason or reply.number} at {reply.at_us} us" for reply in self.verdicts]
        return "; ".join(parts)


class _Reader:
    """Reads the lines of a bot in order."""

    def __init__(self) -> None:
        self.turns: dict[TurnKey, BotTurn] = {}
        self._open: dict[TurnKey, Delivery] = {}
        self._delivered: set[TurnKey] = set()
        """Turns that the current session has delivered."""

    def turn(self, match_id: str, token: str) -> BotTurn:
        return self.turns.setdefault(TurnKey(match_id, token), BotTurn())

    def on_turn(self, line: TurnReceived) -> None:
        key = TurnKey(line.match_id, line.token)
        delivery = Delivery(line)
        self.turn(*key).deliveries.append(delivery)
        if key not in self._delivered:
            self._delivered.add(key)
            self._open[key] = delivery

    def on_sent(self, line: MoveSent) -> None:
        key = TurnKey(line.match_id, line.token)
        self.turn(*key).sent.append(line)
        self._end(key, line.at_us)

    def on_match_end(self, line: MatchEndReceived) -> None:
        for key in [key for key in self._open if key.match_id == line.match_id]:
            self._end(key, line.at_us)

    def on_stream_end(self, at_us: int) -> None:
        for key in list(self._open):
            self._end(key, at_us)
        self._delivered.clear()

    def _end(self, key: TurnKey, at_us: int) -> None:
        if delivery := self._open.pop(key, None):
            delivery.ended_us = at_us
            self.turns[key].thought_us += at_us - delivery.turn.at_us


def turns_of(history: History) -> dict[TurnKey, BotTurn]:
    """Return the turns of a bot by match and token."""
    reader = _Reader()
    for line in history.lines:
        match line:
            case TurnReceived():
                reader.on_turn(line)
            case MoveSent():
                reader.on_sent(line)
            case VerdictReceived():
                reader.turn(line.match_id, line.token).verdicts.append(line)
            case MatchEndReceived():
                reader.on_match_end(line)
            case SessionOpened() | StreamEnded():
                reader.on_stream_end(line.at_us)
            case _:
                pass
    if history.lines:
        reader.on_stream_end(history.lines[-1].at_us)
    _add_lags(reader.turns.values(), [line for line in history.lines if isinstance(line, OwnLag)])
    return reader.turns


def _add_lags(turns: Iterable[BotTurn], lags: Sequence[OwnLag]) -> None:
    if not lags:
        return
    for turn in turns:
        times = [delivery.turn.at_us for delivery in turn.deliveries] + [sent.at_us for sent in turn.sent]
        if times:
            low, high = min(times) - LAG_MARGIN_US, max(times) + LAG_MARGIN_US
            turn.lag_us = sum(lag.lag_us for lag in lags if low <= lag.at_us and lag.at_us - lag.lag_us <= high)
