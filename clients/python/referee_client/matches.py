"""Matches as bots see them: what a match is about, and how it ended."""

from collections.abc import Mapping
from dataclasses import dataclass

from referee_api.v1 import match_pb2, play_pb2, result_pb2


@dataclass(frozen=True)
class Match:
    """What is known about a match when it starts."""

    id: str
    game: str
    options: Mapping[str, str]
    """Every option of the game, with its value as text."""
    seats: tuple[str, ...]
    """The names of the seats, such as `white`; the first is seat 0."""
    sides: tuple[tuple[int, ...], ...]
    """The seats of each side."""
    bots: tuple[str, ...]
    """The bot of each seat."""
    title: str = ""


@dataclass(frozen=True)
class Result:
    """How a match ended."""

    kind: str
    """`played`, `forfeited` or `void`."""
    reason: str
    """Played: a reason of the game, or `resignation`, `draw_agreed`, `draw_claimed`, `adjudication`.

    Forfeited: the first fault: `time`, `illegal_move` or `gone`. Void: the cause, such as `aborted`.
    """
    scores: tuple[float, ...] = ()
    """Score of each seat, in the game's own points. Empty if void."""
    ranks: tuple[int, ...] = ()
    """Rank of each seat; 1 is best, and the seats of a side share their rank. Empty if void."""


@dataclass(frozen=True)
class End:
    """The end of a match, as it is reported to one of its seats."""

    match_id: str
    seat: int
    result: Result

    @property
    def score(self) -> float | None:
        """Score of this seat. None if the match is void."""
        return self.result.scores[self.seat] if self.result.scores else None

    @property
    def rank(self) -> int | None:
        """Rank of this seat; 1 is best. None if the match is void."""
        return self.result.ranks[self.seat] if self.result.ranks else None


def match_in(message: match_pb2.Match) -> Match:
    return Match(
        message.id,
        message.terms.rules.game,
        dict(message.terms.rules.options),
        tuple(message.seat_layout.seat_names),
        tuple(tuple(side.seats) for side in message.seat_layout.sides),
        tuple(seat.bot for seat in message.seats),
        message.title,
    )


def end_in(message: play_pb2.MatchEnded) -> End:
    return End(message.match_id, message.seat, result_in(message.result))


def result_in(message: result_pb2.Result) -> Result:
    kind = message.WhichOneof("kind")
    if kind == "voided":
        return Result("void", _enum_word(result_pb2.VoidCause, message.voided.cause))
    scores = tuple(seat.score for seat in message.seats)
    ranks = tuple(seat.rank for seat in message.seats)
    return Result(kind or "", _reason(message), scores, ranks)


def _reason(message: result_pb2.Result) -> str:
    if message.WhichOneof("kind") == "forfeited":
        forfeits = message.forfeited.forfeits
        return _enum_word(result_pb2.ForfeitCause, forfeits[0].cause) if forfeits else ""
    return message.played.reason or _enum_word(result_pb2.Ending, message.played.ending)


def _enum_word(
    enum: type[result_pb2.VoidCause] | type[result_pb2.ForfeitCause] | type[result_pb2.Ending], number: int
) -> str:
    """Return the word for a value: `FORFEIT_CAUSE_TIME` is `time`. Values unknown to this library stay numbers."""
    if number not in enum.values():
        return str(number)
    prefix = "".join(f"_{letter}" if letter.isupper() else letter for letter in enum.DESCRIPTOR.name)[1:].upper()
    return enum.Name(number).removeprefix(f"{prefix}_").lower()  # type: ignore[arg-type]  # It is one of its values.
