"""What is agreed before a match, in plain words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from referee_api.v1 import clock_pb2, game_pb2, match_pb2, policy_pb2

from referee_client.organiser.clock_text import clock, ms

T = TypeVar("T")

ILLEGAL = {
    "refuse": policy_pb2.ILLEGAL_ACTION_REFUSE_THEN_FORFEIT,
    "forfeit": policy_pb2.ILLEGAL_ACTION_FORFEIT,
    "random": policy_pb2.ILLEGAL_ACTION_RANDOM_MOVE,
}
LATE = {
    "forfeit": policy_pb2.LATE_ACTION_FORFEIT,
    "random": policy_pb2.LATE_ACTION_RANDOM_MOVE,
    "default": policy_pb2.LATE_ACTION_DEFAULT_MOVE,
}
FORFEIT = {
    "ends": policy_pb2.FORFEIT_EFFECT_ENDS_MATCH,
    "random": policy_pb2.FORFEIT_EFFECT_RANDOM_MOVES,
    "default": policy_pb2.FORFEIT_EFFECT_DEFAULT_MOVES,
}


@dataclass(frozen=True)
class Terms:
    """What a match is played by. A word that is unknown is a ValueError that names the known."""

    game: str
    options: Mapping[str, object] = field(default_factory=dict)
    """Those that differ from the preset, or from the defaults."""
    preset: str = ""
    clock: str = "none"
    """As in `clock_text`: `60+1`."""
    illegal: str = "refuse"
    """After a move that cannot be played: `refuse`, `forfeit` or `random`."""
    attempts: int = 0
    """With `refuse`: how many such moves in one turn cost the game. 0: the referee's default."""
    late: str = "forfeit"
    """After the flag fell: `forfeit`, `random` or `default`."""
    gone_after: str = ""
    """How long a bot may stay away while it owes a move, such as `30s`. Empty: its clock decides."""
    forfeit: str = "ends"
    """What a forfeit does among more than two sides: `ends`, or the seat goes on by `random` or `default` moves."""
    visibility: str = "live"
    """What those without a seat see: `live`, `after_end`, or `delayed 4` for four plies behind."""
    start_within: str = ""
    """How long the match waits for its bots. Empty: as the referee is set."""
    seats_by_lot: bool = False
    nonce_within: str = ""
    """How long the seats may add to the seed. Empty: they are not asked."""

    def message(self) -> match_pb2.MatchTerms:
        """Raises ValueError."""
        options = {name: _option(value) for name, value in self.options.items()}
        return match_pb2.MatchTerms(
            rules=game_pb2.Rules(game=self.game, preset=self.preset, options=options),
            time_control=clock_pb2.TimeControl(rule=clock(self.clock)),
            policies=self._policies(),
            visibility=_visibility(self.visibility),
            start_within_ms=_ms(self.start_within),
            seats_by_lot=self.seats_by_lot,
            nonce_within_ms=_ms(self.nonce_within),
        )

    def _policies(self) -> policy_pb2.Policies:
        action = policy_pb2.GONE_ACTION_FORFEIT_AFTER_GRACE if self.gone_after else policy_pb2.GONE_ACTION_UNSPECIFIED
        return policy_pb2.Policies(
            illegal=policy_pb2.IllegalPolicy(action=_known(ILLEGAL, "illegal", self.illegal), attempts=self.attempts),
            late=_known(LATE, "late", self.late),
            gone=policy_pb2.GonePolicy(action=action, grace_ms=_ms(self.gone_after)),
            forfeit=_known(FORFEIT, "forfeit", self.forfeit),
        )


def _visibility(text: str) -> policy_pb2.Visibility:
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
