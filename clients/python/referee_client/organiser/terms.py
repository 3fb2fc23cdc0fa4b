"""Terms of a match, as words and text."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from referee_api.v1 import clock_pb2, game_pb2, match_pb2, policy_pb2

from referee_client.organiser.clock_text import clock, ms

T = TypeVar("T")

ILLEGAL = {
    "refuse": policy_pb2.ILLEGAL_MOVE_ACTION_RETRY_THEN_FORFEIT,
    "forfeit": policy_pb2.ILLEGAL_MOVE_ACTION_FORFEIT,
    "random": policy_pb2.ILLEGAL_MOVE_ACTION_RANDOM_MOVE,
}
LATE = {
    "forfeit": policy_pb2.TIMEOUT_ACTION_FORFEIT,
    "random": policy_pb2.TIMEOUT_ACTION_RANDOM_MOVE,
    "default": policy_pb2.TIMEOUT_ACTION_DEFAULT_MOVE,
}
FORFEIT = {
    "ends": policy_pb2.FORFEIT_EFFECT_ENDS_MATCH,
    "random": policy_pb2.FORFEIT_EFFECT_RANDOM_MOVES,
    "default": policy_pb2.FORFEIT_EFFECT_DEFAULT_MOVES,
}


@dataclass(frozen=True)
class Terms:
    """The terms of a match. An unknown word raises ValueError, which names the known ones."""

    game: str
    options: Mapping[str, object] = field(default_factory=dict)
    """Options that differ from the preset, or from the defaults."""
    preset: str = ""
    clock: str = "none"
    """The clock as in `clock_text`, such as `60+1`."""
    illegal: str = "refuse"
    """After an illegal move: `refuse`, `forfeit` or `random`."""
    attempts: int = 0
    """How many illegal moves in one turn lose the match, with `refuse`. 0: the referee's default."""
    late: str = "forfeit"
    """After the flag has fallen: `forfeit`, `random` or `default`."""
    gone_after: str = ""
    """How long a bot may be absent while it is to move, such as `30s`. Empty: only its clock limits it."""
    forfeit: str = "ends"
    """Effect of a forfeit with more than two sides: `ends`, or the seat continues with `random` or `default` moves."""
    visibility: str = "live"
    """What spectators see: `live`, `after_end`, or `delayed 4` for four plies late."""
    start_within: str = ""
    """How long the match waits for its bots. Empty: the referee's default."""
    seats_by_lot: bool = False
    nonce_within: str = ""
    """How long the seats may contribute nonces to the seed, such as `2s`; `0s`: they are not asked.

    Empty: a contest asks them, for a second, if its matches depend on chance; a single match does not ask.
    """

    def message(self) -> match_pb2.MatchTerms:
        """Return the terms as a message of the contract. Raises ValueError."""
        options = {name: _option(value) for name, value in self.options.items()}
        return match_pb2.MatchTerms(
            rules=game_pb2.Rules(game=self.game, preset=self.preset, options=options),
            time_control=clock_pb2.TimeControl(rule=clock(self.clock)),
            policies=self._policies(),
            visibility=read_visibility(self.visibility),
            start_timeout_ms=_ms(self.start_within),
            random_seats=self.seats_by_lot,
            nonce_timeout_ms=_ms(self.nonce_within),
            without_nonces=bool(self.nonce_within) and not _ms(self.nonce_within),
        )

    def _policies(self) -> policy_pb2.Policies:
        action = (
            policy_pb2.DISCONNECT_ACTION_FORFEIT_AFTER_GRACE_PERIOD
            if self.gone_after
            else policy_pb2.DISCONNECT_ACTION_UNSPECIFIED
        )
        return policy_pb2.Policies(
            illegal_move=policy_pb2.IllegalMovePolicy(
                action=_known(ILLEGAL, "illegal", self.illegal), max_attempts=self.attempts
            ),
            timeout=_known(LATE, "late", self.late),
            disconnect=policy_pb2.DisconnectPolicy(action=action, grace_period_ms=_ms(self.gone_after)),
            forfeit_effect=_known(FORFEIT, "forfeit", self.forfeit),
        )


def read_visibility(text: str) -> policy_pb2.Visibility:
    """Parse `live`, `after_end` or, for four plies late, `delayed 4`. Raises ValueError."""
    kind, _, plies = text.partition(" ")
    if kind == "delayed" and plies.isdigit():
        return policy_pb2.Visibility(kind=policy_pb2.VISIBILITY_KIND_DELAYED, delay_plies=int(plies))
    known = {"live": policy_pb2.VISIBILITY_KIND_LIVE, "after_end": policy_pb2.VISIBILITY_KIND_AFTER_END}
    if text not in known:
        raise ValueError(f"visibility cannot be {text!r}; it is live, after_end, or delayed and a number of plies")
    return policy_pb2.Visibility(kind=known[text])


def _known(words: Mapping[str, T], name: str, text: str) -> T:
    if text not in words:
        raise ValueError(f"{name} cannot be {text!r}; it is one of {', '.join(words)}")
    return words[text]


def _option(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _ms(time: str) -> int:
    return ms(time) if time else 0
