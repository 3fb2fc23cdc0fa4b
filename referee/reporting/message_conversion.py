"""Convert messages of the contract to values of a report and to text."""

from collections.abc import Iterable, Mapping

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from referee_api.v1 import clock_pb2, contest_pb2, game_pb2, match_pb2
from referee_client.matches import result_in

from engines.refusals import Refusal
from engines.registry import find
from referee.reporting.formatting import plain
from referee.reporting.report import End, Game


class EntrantIndex:
    """Maps bots to the entrants that they play for."""

    def __init__(self, entrants: Iterable[contest_pb2.Entrant]) -> None:
        self._of: dict[tuple[str, str], str] = {}
        for entrant in entrants:
            for bot in entrant.bots:
                self._of[bot.bot, bot.version] = entrant.name or bot.bot

    def find(self, bot: str, version: str) -> str | None:
        """Return the entrant of a bot version, or of the bot without a version; None if there is none."""
        return self._of.get((bot, version)) or self._of.get((bot, ""))


def finished_games(matches: Iterable[match_pb2.Match], entrants: EntrantIndex) -> tuple[Game, ...]:
    """Return the finished matches between entrants, in the order of their ends."""
    games = [game for match in matches if match.HasField("result") and (game := _game(match, entrants))]
    return tuple(sorted(games, key=lambda game: (game.at_ms, game.id)))


def _game(match: match_pb2.Match, entrants: EntrantIndex) -> Game | None:
    names = [entrants.find(seat.bot, seat.version) for seat in match.seats]
    if not all(names):
        return None
    seated = [name or "" for name in names]
    result = result_in(match.result)
    return Game(
        match.id,
        match.end_time.ToMilliseconds(),
        tuple(tuple(dict.fromkeys(seated[seat] for seat in side.seats)) for side in match.seat_layout.sides),
        tuple(side.rank for side in match.result.sides),
        End(result.kind, result.reason),
        tuple(seated[forfeit.seat] for forfeit in match.result.forfeited.forfeits),
    )


def rules_text(rules: game_pb2.Rules) -> str:
    """Format a game and its options that differ from the defaults."""
    usual = _defaults(rules.game)
    unusual = [f"{name}={value}" for name, value in sorted(rules.options.items()) if usual.get(name) != value]
    return ", ".join([rules.game, *unusual])


def _defaults(game: str) -> Mapping[str, str]:
    """Return the default options; empty for unknown games."""
    try:
        return find(game).settings({}).texts()
    except Refusal:
        return {}


def clock_text(control: clock_pb2.TimeControl) -> str:
    return chosen_text(control.rule) or "no clock"


def chosen_text(message: Message) -> str:
    """Format the chosen field of a message's only oneof, with its values."""
    kind = message.WhichOneof(message.DESCRIPTOR.oneofs[0].name)
    if kind in (None, "untimed"):
        return ""
    return ", ".join([plain(str(kind)), *_said(getattr(message, str(kind)))])


def _said(message: Message) -> list[str]:
    return [" ".join(filter(None, (_word(field.name), _value(field, value)))) for field, value in message.ListFields()]


def _word(name: str) -> str:
    return plain(name.removesuffix("_ms"))


def _value(field: FieldDescriptor, value: object) -> str:
    if value is True:
        return ""
    if field.enum_type:
        return enum_word(field.enum_type, value)
    if isinstance(value, int | float):
        return _seconds(value) if field.name.endswith("_ms") else f"{value:g}"
    if isinstance(value, str):
        return value
    assert isinstance(value, Iterable), "fields are numbers, strings, enums, messages or lists"
    return "; ".join(", ".join(_said(one)) if isinstance(one, Message) else str(one) for one in value)


def _seconds(ms: float) -> str:
    return f"{ms / 1_000:g} s"


def enum_word(enum: EnumDescriptor, number: object) -> str:
    """Return an enum value without prefix in lower case: `SPRT_MODEL_TRINOMIAL` is `trinomial`."""
    name = str(enum.values_by_number[int(str(number))].name)
    prefix = "".join(f"_{letter}" if letter.isupper() else letter for letter in enum.name)[1:].upper()
    return plain(name.removeprefix(f"{prefix}_").lower())
