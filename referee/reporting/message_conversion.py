"""Convert messages of the contract to values of a report, and to text: terms, pairings, log entries of contests."""

from collections.abc import Callable, Iterable, Mapping
from math import exp, hypot
from typing import Any

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from referee_api.v1 import (
    clock_pb2,
    contest_pb2,
    game_pb2,
    ladder_pb2,
    match_pb2,
    result_pb2,
    sprt_pb2,
    tournament_pb2,
)
from referee_client.matches import result_in

from engines.game_errors import GameError
from engines.registry import find
from referee.contests.strength.elo import ELO_SCALE, EloEstimate
from referee.reporting.arranged_results import ReviewedMatch
from referee.reporting.formatting import absent_text, counted, local_moment, plain, points_text, signed, sprt_text
from referee.reporting.report import End, Game, Sprt

PHASES = {
    contest_pb2.PAIRING_PHASE_PLANNED: "is planned",
    contest_pb2.PAIRING_PHASE_PLAYING: "is being played",
}

Entry = tournament_pb2.TournamentEntry | ladder_pb2.LadderEntry


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


def reviewed_match(match: match_pb2.Match, moves: tuple[str, ...] | None) -> ReviewedMatch:
    """Convert a rated match of two seats. The points that its ratings predict follow from its rating changes."""
    one, other = match.ratings
    deviation = hypot(one.before.deviation, other.before.deviation, ELO_SCALE)
    first, second = (side.rank for side in match.result.sides)
    resigned = match.result.played.ending == result_pb2.ENDING_RESIGNATION
    return ReviewedMatch(
        match.start_time.ToMilliseconds(),
        match.end_time.ToMilliseconds(),
        (one.bot, other.bot),
        0.5 if first == second else float(first < second),
        1 / (1 + exp((other.before.value - one.before.value) / deviation)),
        resigned or match.result.HasField("forfeited"),
        moves,
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
    except GameError:
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


def sprt_of(sprt: sprt_pb2.SprtState) -> Sprt:
    estimate = sprt.estimate
    return Sprt(
        enum_word(sprt_pb2.SprtVerdict.DESCRIPTOR, sprt.verdict),
        tuple(sprt.counts),
        EloEstimate(estimate.elo, estimate.low_elo, estimate.high_elo, estimate.superiority),
        sprt.llr if sprt.HasField("llr") else None,
        (sprt.llr_lower, sprt.llr_upper),
        sprt.matches,
        sprt.expected_matches_left,
        sprt.repeated_matches,
        sprt.first_seat_elo,
    )


def entry_line(entry: Entry) -> str:
    kind = entry.WhichOneof("event") or ""
    tell = ENTRY_TEXTS.get(kind)
    return tell(getattr(entry, kind)) if tell else "unknown event; this program is older than the referee"


def correction_text(correction: contest_pb2.MatchCorrection) -> str:
    """Return the correction of a match with its reason and who made it: `m17 corrected to 1 1: a bug (ann)`."""
    kind = enum_word(contest_pb2.CorrectionKind.DESCRIPTOR, correction.kind)
    ranks = f" to {' '.join(map(str, correction.ranks))}" if correction.ranks else ""
    return _by_staff(f"{correction.match_id} {kind}{ranks}", correction)


def pairing_text(pairing: contest_pb2.Pairing) -> str:
    names = list(pairing.entrants)
    if len(names) == 1:
        return f"{pairing.id}: {names[0]} has a bye"
    if pairing.phase == contest_pb2.PAIRING_PHASE_DONE:
        text = ", ".join(f"{name} {points_text(got)}" for name, got in zip(names, pairing.points, strict=False))
        return f"{pairing.id}: {text}{_absent(pairing)}"
    text = f"{pairing.id}: {' - '.join(names)} {PHASES.get(pairing.phase, '')}".rstrip() + _absent(pairing)
    if pairing.phase == contest_pb2.PAIRING_PHASE_PLANNED and pairing.HasField("not_before"):
        return f"{text}, not before {local_moment(pairing.not_before.ToMilliseconds())}"
    return text


def _absent(pairing: contest_pb2.Pairing) -> str:
    names = absent_names(pairing)
    return f" ({absent_text(names)})" if names else ""


def absent_names(pairing: contest_pb2.Pairing) -> tuple[str, ...]:
    """Return who lost a pairing by absence; of a team that lost only some boards, each of them."""
    boards = [
        f"{name} on board {lost.board}"
        for lost in pairing.absent_boards
        for name in lost.entrants
        if name not in pairing.absent_entrants
    ]
    return (*pairing.absent_entrants, *boards)


def _ratings_text(rated: ladder_pb2.MatchRated) -> str:
    return ", ".join(
        f"{change.bot} {change.after.value:.0f} ({signed(change.after.value - change.before.value)})"
        for change in rated.ratings
    )


def _entrant_name(entrant: contest_pb2.Entrant) -> str:
    return entrant.name or ", ".join(bot.bot for bot in entrant.bots)


def bots_text(entrant: contest_pb2.Entrant) -> str:
    """Return the bots of an entrant, each with its version if it has one."""
    return ", ".join(f"{bot.bot}/{bot.version}" if bot.version else bot.bot for bot in entrant.bots)


def _by_staff(text: str, act: Any) -> str:
    return f"{_with_message(text, act.message)} ({act.by})"


def _bye_text(requested: tournament_pb2.ByeRequested) -> str:
    bye = requested.bye
    if bye.kind == tournament_pb2.BYE_KIND_NONE:
        return f"{bye.entrant} plays in round {bye.round} after all ({requested.by})"
    points = "half a point" if bye.kind == tournament_pb2.BYE_KIND_HALF_POINT else "no points"
    return f"{bye.entrant} does not play in round {bye.round}, for {points} ({requested.by})"


def _end_text(ended: tournament_pb2.TournamentEnded) -> str:
    cancelled = ended.phase == tournament_pb2.TOURNAMENT_PHASE_CANCELLED
    return _with_message("cancelled" if cancelled else "finished", ended.message)


def _with_message(text: str, message: str) -> str:
    return f"{text}: {message}" if message else text


ENTRY_TEXTS: dict[str, Callable[[Any], str]] = {
    "created": lambda made: f"{made.title or made.name} was created",
    "entrant_joined": lambda joined: f"{_entrant_name(joined.entrant)} joined",
    "entrant_left": lambda left: _with_message(f"{left.entrant} left", left.message),
    "round_started": lambda began: f"round {began.round} started",
    "pairings_planned": lambda planned: f"{counted(len(planned.pairings), 'pairing')} planned",
    "pairing": pairing_text,
    "entrants_absent": lambda absent: _with_message(pairing_text(absent.pairing), absent.message),
    "pairings_replaced": lambda new: _by_staff(f"paired by hand: {'; '.join(map(pairing_text, new.pairings))}", new),
    "pairing_postponed": lambda it: _by_staff(
        f"{it.pairing.id} was postponed until {local_moment(it.pairing.not_before.ToMilliseconds())}", it
    ),
    "pairing_reopened": lambda it: _by_staff(f"{it.pairing.id} is played again", it),
    "bye_requested": _bye_text,
    "match_corrected": correction_text,
    "score_corrected": lambda it: f"{correction_text(it.correction)}; {pairing_text(it.pairing)}",
    "versions_frozen": lambda frozen: f"versions frozen: {', '.join(map(bots_text, frozen.entrants))}",
    "sprt": lambda sprt: sprt_text(sprt_of(sprt)),
    "ended": _end_text,
    "match_rated": lambda rated: f"{rated.match_id}: {_ratings_text(rated)}",
    "season_started": lambda began: f"season {began.season} started",
    "paused": lambda paused: _with_message("paused", paused.message),
    "resumed": lambda _: "resumed",
    "closing": lambda closing: _with_message("closing", closing.message),
    "closed": lambda closed: _with_message("closed", closed.message),
}
"""Formatters by event."""
