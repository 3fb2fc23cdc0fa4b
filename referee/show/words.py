"""The contract in words: entries of a match and results, clocks and time controls, formats and durations."""

from collections.abc import Callable, Sequence

from referee_api.v1 import clock_pb2, contest_pb2, entry_pb2, match_pb2, result_pb2, tournament_pb2
from referee_values import TimeControl

from engines.api import Seat
from referee.match.state import Match
from referee.show.formatting import absent_text, counted, plain, points_text
from referee.transport.wire.clocks import time_control_of

SOURCES = {
    entry_pb2.MOVE_SOURCE_RANDOM: "drawn at random, because the bot gave no move",
    entry_pb2.MOVE_SOURCE_DEFAULT: "the game's default, because the bot gave no move",
}
FORFEIT_CAUSES = {
    result_pb2.FORFEIT_CAUSE_TIME: "ran out of time",
    result_pb2.FORFEIT_CAUSE_ILLEGAL_MOVE: "tried too many illegal moves",
    result_pb2.FORFEIT_CAUSE_DISCONNECTED: "was absent for too long",
    result_pb2.FORFEIT_CAUSE_WITHDRAWN: "was withdrawn by its owner",
}
ENDINGS = {
    result_pb2.ENDING_RESIGNATION: "by resignation",
    result_pb2.ENDING_DRAW_AGREED: "draw by agreement",
    result_pb2.ENDING_DRAW_CLAIMED: "draw claimed",
    result_pb2.ENDING_ADJUDICATION: "decided by an administrator",
}
VOID_CAUSES = {
    result_pb2.VOID_CAUSE_NOT_STARTED: "not all bots came in time",
    result_pb2.VOID_CAUSE_ABORTED: "aborted by its creator",
    result_pb2.VOID_CAUSE_DECLARED: "voided by an administrator",
    result_pb2.VOID_CAUSE_ENGINE_FAULT: "a fault of the game's implementation",
    result_pb2.VOID_CAUSE_REFEREE_FAULT: "a fault of the referee",
}


def seat_text(match: match_pb2.Match, seat: int) -> str:
    """Name a seat, with its bot if it has one: `white (anna)`."""
    names = match.seat_layout.seat_names
    name = names[seat] if seat < len(names) else f"seat {seat}"
    bot = match.seats[seat].bot if seat < len(match.seats) else ""
    return f"{name} ({bot})" if bot else name


def entry_text(match: match_pb2.Match, entry: entry_pb2.Entry) -> str:
    """Describe an entry. Empty: there is nothing to say to a spectator, or it is hidden."""
    kind = entry.WhichOneof("event")
    if kind is None:
        return ""
    event = getattr(entry, kind)
    seat = seat_text(match, event.seat) if hasattr(event, "seat") else ""
    sentences: dict[str, Callable[[], str]] = {
        "seat_taken": lambda: f"{seat}: the seat was taken",
        "seat_vacated": lambda: f"{seat}: the seat is open again",
        "nonce_added": lambda: f"{seat} added a nonce to the seed",
        "play_started": lambda: "Play started",
        "move_played": lambda: f"{seat_text(match, event.played.seat)}: {event.played.move}",
        "choice_sealed": lambda: f"{seat} has chosen; the choice is still hidden",
        "move_rejected": lambda: f"{seat} tried {event.move}: {event.message}",
        "flag_fell": lambda: f"{seat} ran out of time",
        "draw_offered": lambda: f"{seat} offered a draw",
        "draw_declined": lambda: f"{seat} declined a draw",
        "seat_resigned": lambda: f"{seat} resigned",
        "seat_forfeited": lambda: f"{seat} {FORFEIT_CAUSES.get(event.cause, 'forfeited')}",
        "seat_disconnected": lambda: f"{seat} is offline",
        "seat_reconnected": lambda: f"{seat} is online again",
        "referee_recovered": lambda: (
            f"The referee was unavailable for {event.downtime_ms / 1000:.1f} s; clocks stopped"
        ),
        "play_ended": lambda: f"The match ended: {result_text(match, event.result)}",
    }
    return sentences[kind]() if kind in sentences else ""


def result_text(match: match_pb2.Match, result: result_pb2.Result) -> str:
    """Describe a result in a few words: `anna wins, no men`."""
    kind = result.WhichOneof("kind")
    if kind is None:
        return ""
    if kind == "voided":
        why = VOID_CAUSES.get(result.voided.cause, "void")
        return f"void: {why}" + (f" ({result.voided.message})" if result.voided.message else "")
    winners = winner_names(match, result)
    who = f"{' and '.join(winners)} {'wins' if len(winners) == 1 else 'win'}" if winners else "draw"
    if kind == "forfeited":
        forfeit = result.forfeited.forfeits[0]
        return f"{who}, {seat_text(match, forfeit.seat)} {FORFEIT_CAUSES.get(forfeit.cause, 'forfeited')}"
    why = plain(result.played.reason) or ENDINGS.get(result.played.ending, "")
    return f"{who}, {why}" if why and why != who else who


def winner_names(match: match_pb2.Match, result: result_pb2.Result) -> Sequence[str]:
    """Return the bots of the winning side, or its seats if a bot has several sides; empty: the best sides tied."""
    best = [number for number, side in enumerate(result.sides) if side.rank == 1]
    if len(best) != 1:
        return ()
    seats = match.seat_layout.sides[best[0]].seats
    bots = [seat.bot for seat in match.seats]
    if len(set(bots)) < len(match.seat_layout.sides):
        return tuple(seat_text(match, seat) for seat in seats)
    return tuple(dict.fromkeys(bots[seat] or match.seat_layout.seat_names[seat] for seat in seats))


def time_control_text(control: clock_pb2.TimeControl) -> str:
    """Describe a time control: `3 min + 2 s per move`."""
    kind = control.rule.WhichOneof("kind")
    if kind is None or kind == "untimed":
        return "untimed"
    rule = getattr(control.rule, kind)
    main = duration_text(getattr(rule, "main_ms", 0))
    words: dict[str, Callable[[], str]] = {
        "sudden_death": lambda: f"{main} for all moves",
        "fischer": lambda: f"{main} + {duration_text(rule.increment_ms)} per move",
        "bronstein": lambda: f"{main}, delay {duration_text(rule.delay_ms)} (Bronstein)",
        "us_delay": lambda: f"{main}, delay {duration_text(rule.delay_ms)}",
        "japanese_byo_yomi": lambda: f"{main} + {rule.periods} × {duration_text(rule.period_ms)} byo-yomi",
        "canadian_byo_yomi": lambda: f"{main}, then {rule.moves} moves in {duration_text(rule.period_ms)}",
        "moves_per_period": lambda: ", ".join(map(_period_text, rule.periods)),
        "per_move": lambda: f"{duration_text(rule.move_ms)} per move",
        "bank": lambda: f"{duration_text(rule.move_ms)} per move, bank of {duration_text(rule.bank_ms)}",
        "hourglass": lambda: f"hourglass of {main}",
        "correspondence": lambda: f"{duration_text(rule.move_ms)} per move, up to {duration_text(rule.max_ms)}",
    }
    text = words[kind]() if kind in words else plain(kind)
    return f"{text}, with odds" if control.odds else text


def seat_control_text(match: Match, seat: Seat) -> str:
    """Describe the time control of a seat."""
    time = match.terms.time_control
    rule = next((odds.rule for odds in time.odds if odds.seat == seat), time.rule)
    return time_control_text(time_control_of(TimeControl(rule=rule)))


PAIRING_PHASES = {
    contest_pb2.PAIRING_PHASE_PLANNED: "planned",
    contest_pb2.PAIRING_PHASE_PLAYING: "in play",
    contest_pb2.PAIRING_PHASE_DONE: "done",
}


def pairing_result(pairing: contest_pb2.Pairing) -> str:
    """Return `1 : 0`, `bye`, or the state of an unfinished pairing."""
    if len(pairing.entrants) == 1:
        return "bye"
    if not pairing.points:
        return PAIRING_PHASES.get(pairing.phase, "")
    text = " : ".join(map(points_text, pairing.points))
    return f"{text} ({absent_text(pairing.absent_entrants)})" if pairing.absent_entrants else text


def format_text(terms: tournament_pb2.TournamentTerms) -> str:
    """Describe the format of a tournament: `Swiss system, 7 rounds`."""
    kind = terms.WhichOneof("format") or ""
    words: dict[str, Callable[[], str]] = {
        "round_robin": lambda: (
            "round robin" + (f", {terms.round_robin.cycles} cycles" if terms.round_robin.cycles > 1 else "")
        ),
        "swiss": lambda: "Swiss system" + (f", {terms.swiss.rounds} rounds" if terms.swiss.rounds else ""),
        "elimination": lambda: f"{'double' if terms.elimination.double_elimination else 'single'} elimination",
        "gauntlet": lambda: f"gauntlet of {', '.join(terms.gauntlet.challengers)}",
        "pools": lambda: "pools",
        "sprt": lambda: f"sequential test (SPRT) of {terms.sprt.elo0:g} to {terms.sprt.elo1:g} Elo",
    }
    text = words[kind]() if kind in words else kind
    return f"{text}, teams of {terms.boards}" if terms.boards > 1 else text


def round_text(tournament: tournament_pb2.Tournament) -> str:
    """Name the current round: `round 2 of 7`, or `round 2` if the number of rounds is not known."""
    of = f" of {tournament.total_rounds}" if tournament.total_rounds else ""
    return f"round {tournament.current_round}{of}"


def _period_text(period: clock_pb2.Period) -> str:
    moves = f"{period.moves} moves" if period.moves else "the rest"
    increment = f" (+ {duration_text(period.increment_ms)} per move)" if period.increment_ms else ""
    return f"{duration_text(period.added_ms)} for {moves}{increment}"


def duration_text(ms: int) -> str:
    """Return a chosen duration exactly: `2 min`, `90 s`, `1 h 30 min`. Measured times are rounded, in `formatting`."""
    if ms % 1_000:
        return f"{ms} ms" if ms < 1_000 else f"{ms / 1_000:g} s"
    minutes, seconds = divmod(ms // 1_000, 60)
    if seconds or not minutes:
        return f"{60 * minutes + seconds} s"
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min")]
    return " ".join(f"{value} {unit}" for value, unit in parts if value)


def clock_text(left_us: int, moves: int = 0, periods: int = 0) -> str:
    """Format the time left of a clock, rounded down: `1:02:03`, `2:03`, or `9.3` in the last ten seconds.

    `moves` are those to make before the next period, and `periods` those left.
    """
    minutes, rest_us = divmod(max(0, left_us), 60_000_000)
    hours, minutes = divmod(minutes, 60)
    seconds = rest_us // 1_000_000
    text = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    if left_us < 10_000_000:
        text = f"{rest_us // 100_000 / 10:.1f}"
    for_moves = f" for {counted(moves, 'move')}" if moves else ""
    in_periods = f" and {counted(periods, 'period')}" if periods else ""
    return f"{text}{for_moves}{in_periods}"
