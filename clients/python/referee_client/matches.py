"""Matches in the players' words: what one is about, and how it ended."""

from collections.abc import Mapping
from dataclasses import dataclass

from referee_api.v1 import match_pb2, play_pb2, result_pb2


@dataclass(frozen=True)
class Match:
    """What is known of a match when it begins."""

    id: str
    game: str
    options: Mapping[str, str]
    """Every option of the game, with its value as text."""
    seats: tuple[str, ...]
    """The names of the seats, such as `white`; the first is seat 0."""
    sides: tuple[tuple[int, ...], ...]
    """Which seats stand together."""
    bots: tuple[str, ...]
    """Who sits where."""
    title: str = ""


@dataclass(frozen=True)
class Result:
    """How a match ended."""

    kind: str
    """`played`, `forfeited` or `void`."""
    reason: str
    """Played: the game's own word, or `resignation`, `draw_agreed`, `draw_claimed`, `adjudication`. Forfeited: the
    first fault: `time`, `illegal_move` or `gone`. Void: whose doing, such as `aborted`."""
    scores: tuple[float, ...] = ()
    """One a seat, in the game's own points. Empty if void."""
    ranks: tuple[int, ...] = ()
    """One a seat; 1 is best, and seats of one side share theirs. Empty if void."""


@dataclass(frozen=True)
class End:
    """The end of a match, as one of its seats is told."""

    match_id: str
    seat: int
    result: Result

    @property
    def score(self) -> float | None:
        """This seat's. None if the match is void."""
        return self.result.scores[self.seat] if self.result.scores else None

    @property
    def rank(self) -> int | None:
        """This seat's; 1 is best. None if the match is void."""
        return self.result.ranks[self.seat] if self.result.ranks else None


def match_in(message: match_pb2.Match) -> Match:
    return Match(
        message.id,
        message.terms.rules.game,
        dict(message.terms.rules.options),
        tuple(message.table.seat_names),
        tuple(tuple(side.seats) for side in message.table.sides),
        tuple(seat.bot for seat in message.seats),
        message.title,
    )


def end_in(message: play_pb2.MatchEnded) -> End:
    return End(message.match_id, message.seat, result_in(message.result))


def result_in(message: result_pb2.Result) -> Result:
    kind = message.WhichOneof("kind")
    if kind == "voided":
        return Result("void", _word(result_pb2.VoidCause, message.voided.cause))
    scores = tuple(seat.score for seat in message.seats)
    ranks = tuple(seat.rank for seat in message.seats)
    return Result(kind or "", _reason(message), scores, ranks)


def _reason(message: result_pb2.Result) -> str:
    if message.WhichOneof("kind") == "forfeited":
        forfeits = message.forfeited.forfeits
        return _word(result_pb2.ForfeitCause, forfeits[0].cause) if forfeits else ""
    return message.played.reason or _word(result_pb2.Ending, message.played.ending)


def _word(
    enum: type[result_pb2.VoidCause] | type[result_pb2.ForfeitCause] | type[result_pb2.Ending], number: int
) -> str:
    """`FORFEIT_CAUSE_TIME` is `time`; a number that is newer than this library stays a number."""
    if number not in enum.values():
        return str(number)
    prefix = "".join(f"_{letter}" if letter.isupper() else letter for letter in enum.DESCRIPTOR.name)[1:].upper()
    return enum.Name(number).removeprefix(f"{prefix}_").lower()  # type: ignore[arg-type]  # It is one of its values.
