"""A caller that means harm: it says how each call must be answered, and records what is answered differently."""

import threading
from collections import Counter
from dataclasses import dataclass
from typing import Any

import grpc

from tests.e2e.bot_connection import BotConnection
from tests.e2e.call_errors import parse_error
from tests.e2e.organiser import METHODS, call_method

ACCEPTED = ""
"""Expected answer of a call that succeeds."""
SHED = ("TOO_MANY_CALLS", "TOO_MANY_CALLS_IN_FLIGHT", "TOO_MANY_STREAMS")
"""Answers of a server that is called too often."""
MAX_SHOWN_CHARS = 200


@dataclass(frozen=True, slots=True)
class Victims:
    """What the hostile caller knows of others, all of which is public or guessed."""

    holder: str
    organiser: str
    bots: list[str]
    """Bots with the default consent, all in play."""
    open_bot: str
    """Bot that takes matches of anyone."""
    ladder: str
    tournament: str
    match_in_play: str
    sealed_match: str
    """Match that spectators see only after its end."""
    invitation: str
    used_code: str
    token_id: str


class HostileCaller:
    """One token, or none, on a connection of its own."""

    def __init__(self, address: str, secret: str, victims: Victims) -> None:
        self.address = address
        self.secret = secret
        self.victims = victims
        self.own_bots: list[str] = []
        self.answers: Counter[str] = Counter()
        """Number of answers by reason."""
        self.surprises: list[str] = []
        """Calls that were not answered as expected."""
        self._channel = grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])
        self._connections: list[BotConnection] = []

    def close(self) -> None:
        for connection in self._connections:
            connection.abort()
        self._channel.close()

    def connect(self, secret: str) -> None:
        """Connect a bot that answers nothing."""
        self._connections.append(BotConnection(self._channel, secret))

    def attempt(self, method: str, *expected: str, secret: str | None = None, **fields: Any) -> Any:
        """Make a call as often as is needed for it to be considered; return its answer or None."""
        while True:
            reason, answer, retry_after_ms = self._call(method, secret or self.secret, fields)
            if retry_after_ms is None:
                self._check(method, reason, expected, fields)
                return answer
            threading.Event().wait(retry_after_ms / 1000)

    def flood(self, times: int, method: str, *expected: str, **fields: Any) -> None:
        """Make a call many times without a pause."""
        for _ in range(times):
            reason, _, _ = self._call(method, self.secret, fields)
            self._check(method, reason, (*expected, *SHED), fields)

    def compare(self, method: str, real: dict[str, str], other: dict[str, str]) -> None:
        """Record a surprise unless both calls are answered by the same error, except for the names in the calls."""
        sentences = []
        for fields in (real, other):
            try:
                call_method(self._channel, method, self.secret or None, **fields)
                sentences.append(ACCEPTED)
            except grpc.RpcError as error:
                known = parse_error(error)
                self.answers[known.reason] += 1
                sentence = f"{known.reason}: {known.sentence}"
                for name in fields.values():
                    sentence = sentence.replace(name, "NAME")
                sentences.append(sentence)
        if sentences[0] != sentences[1] and "TOO_MANY_CALLS" not in "".join(sentences):
            self.surprises.append(f"{method} tells apart {real} and {other}: {sentences}")

    def _call(self, method: str, secret: str, fields: dict[str, Any]) -> tuple[str, Any, int | None]:
        """Return the reason of the error, the answer, and the time to wait if the caller calls too often."""
        try:
            answer = call_method(self._channel, method, secret or None, **fields)
            if METHODS[method].server_streaming:  # Its first message shows whether it is accepted.
                call, answer = answer, next(answer)
                call.cancel()
        except grpc.RpcError as error:
            known = parse_error(error)
            self.answers[known.reason] += 1
            waits = known.metadata.get("retry_after_ms") if known.reason == "TOO_MANY_CALLS" else None
            return known.reason, None, int(waits) if waits else None
        self.answers["accepted"] += 1
        return ACCEPTED, answer, None

    def _check(self, method: str, reason: str, expected: tuple[str, ...], fields: dict[str, Any]) -> None:
        if reason not in (expected or (ACCEPTED,)):
            shown = " ".join(str(fields).split())[:MAX_SHOWN_CHARS]
            self.surprises.append(
                f"{method} {shown}: {reason or 'accepted'}, not {' or '.join(expected) or 'accepted'}"
            )
