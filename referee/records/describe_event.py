"""Describes events, and differences between a recorded and a replayed event, in words."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from msgspec import UNSET

from engines.api import Seat
from engines.game_errors import quoted
from referee.match.clock import Clock
from referee.match.clock_charge import ClockCharge
from referee.match.events import (
    DrawDeclined,
    DrawOffered,
    Event,
    FlagFell,
    MatchCreated,
    MovePlayed,
    MoveRejected,
    MoveSource,
    NonceAdded,
    PlayEnded,
    PlayStarted,
    RefereeRecovered,
    SeatDisconnected,
    SeatForfeited,
    SeatReconnected,
    SeatResigned,
    SeatTaken,
    SeatVacated,
)
from referee.match.setup import Player, seed_matters
from referee.match.state import Match

DESCRIPTIONS: dict[type, Callable[[Any], str]] = {
    MatchCreated: lambda event: f"match {event.setup.match_id} was opened",
    SeatTaken: lambda event: f"{_player(event.player)} took seat {event.seat}",
    SeatVacated: lambda event: f"the bot of seat {event.seat} was withdrawn",
    NonceAdded: lambda event: f"seat {event.seat} gave the nonce {event.nonce.hex() or 'of no bytes'}",
    PlayStarted: lambda event: f"play began between {_players(event.seated)}",
    MovePlayed: lambda event: f"{MOVERS[event.source].format(event.seat)} {quoted(event.move)}{_scored(event)}",
    MoveRejected: lambda event: f"seat {event.seat}'s attempt {quoted(event.move)} was refused ({event.sentence})",
    FlagFell: lambda event: f"the flag of seat {event.seat} fell",
    DrawOffered: lambda event: f"seat {event.seat} offered a draw",
    DrawDeclined: lambda event: f"seat {event.seat} declined a draw",
    SeatResigned: lambda event: f"seat {event.seat} resigned",
    SeatForfeited: lambda event: f"seat {event.seat} forfeited ({event.cause})",
    SeatDisconnected: lambda event: f"the bot of seat {event.seat} was offline",
    SeatReconnected: lambda event: f"the bot of seat {event.seat} was back",
    RefereeRecovered: lambda event: f"the referee was back, after {event.downtime_ms} ms",
    PlayEnded: lambda event: f"the match ended: {event.result}",
}

MOVERS: Mapping[MoveSource, str] = {
    MoveSource.BOT: "seat {} played",
    MoveSource.RANDOM: "the lot played for seat {}",
    MoveSource.DEFAULT: "the game's default played for seat {}",
}

CHARGE_DIFFERENCES: Mapping[str, str] = {
    "asked_us": "its turn was asked at {}, by the entries before it was at {}",
    "arrived_us": "its answer arrived at {}, by the entries around it was at {}",
    "network_us": "its network took {}, by the entries around it took {}",
    "stall_us": "the referee's stall was {}, by the entries around it was {}",
    "network_credit_us": "it was given {} of network credit, by its own row and the caps it is {}",
    "charged_us": "it was charged {}, by its own row it is {}",
    "before": "it had {} before its move, by the entries before it is {}",
    "after": "it was left {}, by its own row it is {}",
    "late": "its answer was {}, by its own row it was {}",
}


def describe(event: Event) -> str:
    """Return a clause that describes the event."""
    return escape_unprintable(DESCRIPTIONS[type(event)](event))


def score_text(score: int) -> str:
    """Return a score in points of the game, such as `+0.35`."""
    return f"{score / 100:+.2f}"


def _scored(event: MovePlayed) -> str:
    return "" if event.score is UNSET else f" and expected {score_text(event.score)}"


def describe_seed(match: Match) -> str:
    """Return a clause that says who chose the seed of the match. Empty if nothing was drawn from it."""
    if match.chance is None or not seed_matters(match.terms, match.game, match.setup.opening):
        return ""
    seats = [str(seat) for seat, nonce in enumerate(match.nonces) if nonce]
    if seats:
        return f"{'seat' if len(seats) == 1 else 'seats'} {', '.join(seats)} of {len(match.nonces)} added to its seed"
    chooser = "the creator of the match" if match.setup.seed_given else "the referee"
    return f"{chooser} alone chose its seed"


def escape_unprintable(text: str) -> str:
    """Return the text on one line, with control characters escaped."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def describe_difference(recorded: Event, again: Event) -> str:
    """Return one sentence on how the recorded event differs from the replayed one."""
    if type(recorded) is not type(again):
        return f"the record says that {describe(recorded)}; by the rules {describe(again)}"
    name, was, is_ = _first_other(recorded, again)
    if isinstance(was, ClockCharge) and isinstance(is_, ClockCharge):
        return _row_difference(recorded, was, is_)
    if isinstance(recorded, PlayEnded) and name == "result":
        name, was, is_ = _first_other(recorded.result, again.result)  # type: ignore[union-attr]  # same type, see above
        name = f"{name} of the result"
    name = name.replace("_", " ")
    return f"where {describe(recorded)}, {name}: {_value(was)} by the record, {_value(is_)} by the rules"


def _row_difference(recorded: Any, was: ClockCharge, is_: ClockCharge) -> str:
    name, of_was, of_is = _first_other(was, is_)
    return f"seat {recorded.seat}: " + CHARGE_DIFFERENCES[name].format(_time(of_was), _time(of_is))


def _first_other(value: Any, other: Any) -> tuple[str, Any, Any]:
    """Return the name and both values of the first field in which two values of one type differ."""
    return next(
        (name, mine, its)
        for name in value.__struct_fields__
        if (mine := getattr(value, name)) != (its := getattr(other, name))
    )


def _time(value: object) -> str:
    if isinstance(value, Clock):
        counted = f", period {value.periods}, {value.moves} moves to go" if value.periods or value.moves else ""
        return f"{value.left_us} µs{counted}"
    if isinstance(value, bool):
        return "late" if value else "in time"
    return f"{value} µs"


def _value(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex() or "of no bytes"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, tuple):
        return _players(value) if value and isinstance(value[0], Player) else f"({', '.join(map(_value, value))})"
    return quoted(value) if isinstance(value, str) else str(value)


def player_text(match: Match, seat: Seat) -> str:
    """Return the bot of a seat and its version."""
    return _player(match.players[seat]) or "nobody"


def _players(players: tuple[Player, ...]) -> str:
    return ", ".join(map(_player, players))


def _player(player: Player) -> str:
    return f"{player.bot} {player.version}".strip()
