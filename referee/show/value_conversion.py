"""Convert values of the client to values of a report, and to text: terms, pairings, log entries of contests."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from math import exp, hypot
from typing import Any

import referee_values as values
from referee_client.results import outcome, reason
from referee_values import (
    Entrant,
    LadderEntry,
    Match,
    MatchCorrection,
    MatchRated,
    Pairing,
    PairingPhase,
    Rules,
    TournamentEntry,
)

from engines.game_errors import GameError
from engines.registry import find
from referee.contests.strength.elo import ELO_SCALE
from referee.show.arranged_results import ReviewedMatch
from referee.show.formatting import absent_names, absent_text, counted, local_moment, points_text, signed, sprt_text
from referee.show.report import End, Game

PHASES: Mapping[PairingPhase, str] = {"planned": "is planned", "playing": "is being played"}
EPOCH = datetime.fromtimestamp(0, UTC)


def unix_ms(time: datetime | None) -> int:
    """Return a time in Unix milliseconds; 0 if there is none."""
    return (time - EPOCH) // timedelta(milliseconds=1) if time else 0


class EntrantIndex:
    """Maps bots to the entrants that they play for."""

    def __init__(self, entrants: Iterable[Entrant]) -> None:
        self._of: dict[tuple[str, str], str] = {}
        for entrant in entrants:
            for bot in entrant.bots:
                self._of[bot.bot, bot.version] = entrant.name or bot.bot

    def find(self, bot: str, version: str) -> str | None:
        """Return the entrant of a bot version, or of the bot without a version; None if there is none."""
        return self._of.get((bot, version)) or self._of.get((bot, ""))


def finished_games(matches: Iterable[Match], entrants: EntrantIndex) -> tuple[Game, ...]:
    """Return the finished matches between entrants, in the order of their ends."""
    games = [game for match in matches if match.result and (game := _game(match, match.result, entrants))]
    return tuple(sorted(games, key=lambda game: (game.at_ms, game.id)))


def _game(match: Match, result: values.Result, entrants: EntrantIndex) -> Game | None:
    names = [entrants.find(seat.bot, seat.version) for seat in match.seats]
    if not all(names):
        return None
    seated = [name or "" for name in names]
    forfeits = result.forfeited.forfeits if result.forfeited else ()
    return Game(
        match.id,
        unix_ms(match.end_time),
        tuple(tuple(dict.fromkeys(seated[seat] for seat in side.seats)) for side in match.seat_layout.sides),
        tuple(side.rank for side in result.sides),
        End(outcome(result), reason(result)),
        tuple(seated[forfeit.seat] for forfeit in forfeits),
    )


def reviewed_match(match: Match, moves: tuple[str, ...] | None) -> ReviewedMatch:
    """Convert a rated match of two seats. The points that its ratings predict follow from its rating changes."""
    change, other = match.ratings
    deviation = hypot(change.before.deviation, other.before.deviation, ELO_SCALE)
    result = match.result or values.Result()
    first, second = (side.rank for side in result.sides)
    resigned = result.played is not None and result.played.ending == "resignation"
    return ReviewedMatch(
        unix_ms(match.start_time),
        unix_ms(match.end_time),
        (change.bot, other.bot),
        0.5 if first == second else float(first < second),
        1 / (1 + exp((other.before.value - change.before.value) / deviation)),
        resigned or result.forfeited is not None,
        moves,
    )


def rules_text(rules: Rules) -> str:
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


def entry_line(entry: TournamentEntry | LadderEntry) -> str:
    tell = ENTRY_TEXTS.get(type(entry.event))
    return tell(entry.event) if tell else "unknown event; this program is older than the referee"


def correction_text(correction: MatchCorrection) -> str:
    """Return the correction of a match with its reason and who made it: `m17 corrected to 1 1: a bug (ann)`."""
    ranks = f" to {' '.join(map(str, correction.ranks))}" if correction.ranks else ""
    return _by_staff(f"{correction.match_id} {correction.kind}{ranks}", correction)


def pairing_text(pairing: Pairing) -> str:
    names = list(pairing.entrants)
    if len(names) == 1:
        return f"{pairing.id}: {names[0]} has a bye"
    if pairing.phase == "done":
        text = ", ".join(f"{name} {points_text(got)}" for name, got in zip(names, pairing.points, strict=False))
        return f"{pairing.id}: {text}{_absent(pairing)}"
    text = f"{pairing.id}: {' - '.join(names)} {PHASES.get(pairing.phase, '')}".rstrip() + _absent(pairing)
    if pairing.phase == "planned" and pairing.not_before:
        return f"{text}, not before {local_moment(unix_ms(pairing.not_before))}"
    return text


def _absent(pairing: Pairing) -> str:
    names = absent_names(pairing)
    return f" ({absent_text(names)})" if names else ""


def _ratings_text(rated: MatchRated) -> str:
    return ", ".join(
        f"{change.bot} {change.after.value:.0f} ({signed(change.after.value - change.before.value)})"
        for change in rated.ratings
    )


def _entrant_name(entrant: Entrant) -> str:
    return entrant.name or ", ".join(bot.bot for bot in entrant.bots)


def bots_text(entrant: Entrant) -> str:
    """Return the bots of an entrant, each with its version if it has one."""
    return ", ".join(f"{bot.bot}/{bot.version}" if bot.version else bot.bot for bot in entrant.bots)


def _by_staff(text: str, act: Any) -> str:
    return f"{_with_message(text, act.message)} ({act.by})"


def _bye_text(requested: values.ByeRequested) -> str:
    bye = requested.bye
    if bye.kind == "none":
        return f"{bye.entrant} plays in round {bye.round} after all ({requested.by})"
    points = "half a point" if bye.kind == "half_point" else "no points"
    return f"{bye.entrant} does not play in round {bye.round}, for {points} ({requested.by})"


def _with_message(text: str, message: str) -> str:
    return f"{text}: {message}" if message else text


ENTRY_TEXTS: dict[type, Callable[[Any], str]] = {
    values.Tournament: lambda made: f"{made.title or made.name} was created",
    values.Ladder: lambda made: f"{made.title or made.name} was created",
    values.EntrantJoined: lambda joined: f"{_entrant_name(joined.entrant)} joined",
    values.EntrantLeft: lambda left: _with_message(f"{left.entrant} left", left.message),
    values.RoundStarted: lambda began: f"round {began.round} started",
    values.PairingsPlanned: lambda planned: f"{counted(len(planned.pairings), 'pairing')} planned",
    values.Pairing: pairing_text,
    values.EntrantsAbsent: lambda absent: _with_message(pairing_text(absent.pairing), absent.message),
    values.PairingsReplaced: lambda new: _by_staff(
        f"paired by hand: {'; '.join(map(pairing_text, new.pairings))}", new
    ),
    values.PairingPostponed: lambda event: _by_staff(
        f"{event.pairing.id} was postponed until {local_moment(unix_ms(event.pairing.not_before))}", event
    ),
    values.PairingReopened: lambda event: _by_staff(f"{event.pairing.id} is played again", event),
    values.ByeRequested: _bye_text,
    values.MatchCorrection: correction_text,
    values.ScoreCorrected: lambda event: f"{correction_text(event.correction)}; {pairing_text(event.pairing)}",
    values.VersionsFrozen: lambda frozen: f"versions frozen: {', '.join(map(bots_text, frozen.entrants))}",
    values.SprtState: sprt_text,
    values.TournamentEnded: lambda ended: _with_message(
        "cancelled" if ended.phase == "cancelled" else "finished", ended.message
    ),
    values.MatchRated: lambda rated: f"{rated.match_id}: {_ratings_text(rated)}",
    values.SeasonStarted: lambda began: f"season {began.season} started",
    values.LadderPaused: lambda paused: _with_message("paused", paused.message),
    values.LadderResumed: lambda _: "resumed",
    values.LadderClosing: lambda closing: _with_message("closing", closing.message),
    values.LadderClosed: lambda closed: _with_message("closed", closed.message),
}
"""Formatters by event."""
