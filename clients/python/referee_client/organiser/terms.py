"""Terms of a match, as words and text."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from referee_values import (
    Adjudication,
    DisconnectPolicy,
    ForfeitEffect,
    IllegalMoveAction,
    IllegalMovePolicy,
    MatchTerms,
    Policies,
    Rules,
    TimeControl,
    TimeoutAction,
    Visibility,
    VisibilityKind,
)

from referee_client.organiser.clock_text import clock, ms

T = TypeVar("T")

ILLEGAL: dict[str, IllegalMoveAction] = {
    "refuse": "retry_then_forfeit",
    "forfeit": "forfeit",
    "random": "random_move",
}
LATE: dict[str, TimeoutAction] = {
    "forfeit": "forfeit",
    "random": "random_move",
    "default": "default_move",
}
FORFEIT: dict[str, ForfeitEffect] = {
    "ends": "ends_match",
    "random": "random_moves",
    "default": "default_moves",
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
    adjudication: Adjudication | None = None
    """When the match ends although its game is not over. None: never."""

    def match_terms(self) -> MatchTerms:
        """Return the terms with all details. Raises ValueError."""
        options = {name: _option(value) for name, value in self.options.items()}
        return MatchTerms(
            rules=Rules(game=self.game, preset=self.preset, options=options),
            time_control=TimeControl(rule=clock(self.clock)),
            policies=self._policies(),
            visibility=read_visibility(self.visibility),
            start_timeout_ms=_ms(self.start_within),
            random_seats=self.seats_by_lot,
            nonce_timeout_ms=_ms(self.nonce_within),
            without_nonces=bool(self.nonce_within) and not _ms(self.nonce_within),
            adjudication=self.adjudication,
        )

    def _policies(self) -> Policies:
        return Policies(
            illegal_move=IllegalMovePolicy(action=_known(ILLEGAL, "illegal", self.illegal), max_attempts=self.attempts),
            timeout=_known(LATE, "late", self.late),
            disconnect=DisconnectPolicy(
                action="forfeit_after_grace_period" if self.gone_after else "", grace_period_ms=_ms(self.gone_after)
            ),
            forfeit_effect=_known(FORFEIT, "forfeit", self.forfeit),
        )


def read_visibility(text: str) -> Visibility:
    """Parse `live`, `after_end` or, for four plies late, `delayed 4`. Raises ValueError."""
    kind, _, plies = text.partition(" ")
    if kind == "delayed" and plies.isdigit():
        return Visibility(kind="delayed", delay_plies=int(plies))
    known: dict[str, VisibilityKind] = {"live": "live", "after_end": "after_end"}
    if text not in known:
        raise ValueError(f"visibility cannot be {text!r}; it is live, after_end, or delayed and a number of plies")
    return Visibility(kind=known[text])


def _known(words: Mapping[str, T], name: str, text: str) -> T:
    if text not in words:
        raise ValueError(f"{name} cannot be {text!r}; it is one of {', '.join(words)}")
    return words[text]


def _option(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _ms(time: str) -> int:
    return ms(time) if time else 0
