"""The turns of one bot by its own record: when each was received, what was sent, and what was answered."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
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

TOLERANCE_US = 1_000_000
"""Time by which a charge may exceed the bot's own record: the way to the bot and back on a busy machine. A fault must
last longer than this to be noticed in a charge."""
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

    @property
    def was_answered_in_time(self) -> bool:
        """Whether the bot took less than the time it had, by more than the tolerance."""
        return self.left_us is None or self.thought_us + TOLERANCE_US + self.lag_us < self.left_us

    @property
    def rejections(self) -> list[VerdictReceived]:
        return [verdict for verdict in self.verdicts if verdict.outcome == "rejected"]

    def __str__(self) -> str:
        parts = [f"took {self.thought_us} us of {self.left_us} us, with own lag of {self.lag_us} us"]
        parts += [f"received at {given.turn.at_us} us, answered at {given.ended_us} us" for given in self.deliveries]
        parts += [f"sent {sent.move!r} at {sent.at_us} us" for sent in self.sent]
        parts += [f"{reply.outcome} {reply.reason or reply.number} at {reply.at_us} us" for reply in self.verdicts]
        return "; ".join(parts)


def turns_of(history: History) -> dict[TurnKey, BotTurn]:
    """Return the turns of a bot by match and token."""
    turns: dict[TurnKey, BotTurn] = defaultdict(BotTurn)
    unanswered: dict[TurnKey, Delivery] = {}
    delivered: set[TurnKey] = set()
    """Turns that the current session has delivered."""

    def end(keys: Iterable[TurnKey], at_us: int) -> None:
        _end_deliveries(turns, [(key, unanswered.pop(key)) for key in list(keys) if key in unanswered], at_us)

    for line in history.lines:
        match line:
            case TurnReceived(match_id=match_id, token=token):
                key, delivery = TurnKey(match_id, token), Delivery(line)
                turns[key].deliveries.append(delivery)
                if key not in delivered:
                    delivered.add(key)
                    unanswered[key] = delivery
            case MoveSent(match_id=match_id, token=token):
                turns[TurnKey(match_id, token)].sent.append(line)
                end([TurnKey(match_id, token)], line.at_us)
            case VerdictReceived(match_id=match_id, token=token):
                turns[TurnKey(match_id, token)].verdicts.append(line)
            case MatchEndReceived(match_id=match_id):
                end([key for key in unanswered if key.match_id == match_id], line.at_us)
            case SessionOpened() | StreamEnded():
                end(unanswered, line.at_us)
                delivered.clear()
    if history.lines:
        end(unanswered, history.lines[-1].at_us)
    _add_lags(turns.values(), history.of_kind(OwnLag))
    return dict(turns)


def _end_deliveries(turns: Mapping[TurnKey, BotTurn], ended: Iterable[tuple[TurnKey, Delivery]], at_us: int) -> None:
    for key, delivery in ended:
        delivery.ended_us = at_us
        turns[key].thought_us += at_us - delivery.turn.at_us


def _add_lags(turns: Iterable[BotTurn], lags: Sequence[OwnLag]) -> None:
    for turn in turns:
        times = [delivery.turn.at_us for delivery in turn.deliveries] + [sent.at_us for sent in turn.sent]
        if times:
            low, high = min(times) - LAG_MARGIN_US, max(times) + LAG_MARGIN_US
            turn.lag_us = sum(lag.lag_us for lag in lags if low <= lag.at_us and lag.at_us - lag.lag_us <= high)
