"""What pages say of the entries of a match, and of its result, in words."""

from collections.abc import Callable, Sequence

from referee_api.v1 import entry_pb2, match_pb2, result_pb2

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


def event_text(match: match_pb2.Match, entry: entry_pb2.Entry) -> str:
    """Describe an entry that is no move. Empty: there is nothing to say to a spectator."""
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
    why = result.played.reason.replace("_", " ") or ENDINGS.get(result.played.ending, "")
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
