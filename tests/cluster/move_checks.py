"""Checks that every acknowledged move is in the log once and under its number, and that no other move is."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from tests.cluster.bot_turns import BotTurn, TurnKey
from tests.cluster.final_logs import FinalMatch, FinalState, LoggedEntry
from tests.cluster.history import History, TurnReceived, VerdictReceived
from tests.cluster.violations import Broken, Violation

TEMPORARY = {"STORE_UNAVAILABLE", "MATCH_MOVING", "CLOCK_EXPIRED", "MATCH_OVER", "DRAINING"}
"""Reasons for which a legal move may be rejected: the bot sends it again, or it is checked elsewhere (flags)."""

BotTurns = Mapping[str, Mapping[TurnKey, BotTurn]]
"""Turns by bot."""


def check_moves(bots: BotTurns, final: FinalState) -> Iterator[Violation]:
    for name, turns in bots.items():
        for key, turn in turns.items():
            yield from _check_refusals(name, key, turn)
            match = final.matches.get(key.match_id)
            if match is None or match.entries:
                yield from _check_verdicts(name, key, turn, match or FinalMatch(key.match_id))
    for match in final.matches.values():
        yield from _check_logged_moves(match, bots)


def _check_refusals(name: str, key: TurnKey, turn: BotTurn) -> Iterator[Violation]:
    for verdict in turn.verdicts:
        if verdict.outcome == "rejected" and verdict.reason not in TEMPORARY:
            yield Violation(Broken.HONEST_MOVE_REFUSED, key.match_id, (f"{name} {key.token}: {turn}",))


def _check_verdicts(name: str, key: TurnKey, turn: BotTurn, match: FinalMatch) -> Iterator[Violation]:
    """Check the verdicts on one turn against the log of its match."""
    logged = [entry for entry in match.entries if entry.is_bot_move and entry.token == key.token]
    told = (f"{name} {key.token}: {turn}", *(f"the log has {entry}" for entry in logged))
    accepted = [verdict for verdict in turn.verdicts if verdict.outcome == "accepted"]
    if accepted and not logged:
        yield Violation(Broken.MOVE_LOST, match.match_id, told)
    elif any(not _has_number(match, logged[0], verdict) for verdict in accepted):
        yield Violation(Broken.MOVE_RENUMBERED, match.match_id, told)
    if any(verdict.charge and logged and verdict.charge != logged[0].charge for verdict in accepted):
        yield Violation(Broken.CHARGE_CHANGED, match.match_id, told)
    if not logged and _was_forgotten(match, key.token, turn):
        yield Violation(Broken.HONEST_MOVE_REFUSED, match.match_id, told)
    rejected = [verdict for verdict in turn.verdicts if verdict.outcome == "rejected"]
    if logged and rejected and len(rejected) >= len(turn.sent):
        yield Violation(Broken.REFUSED_MOVE_LOGGED, match.match_id, told)


def _has_number(match: FinalMatch, move: LoggedEntry, verdict: VerdictReceived) -> bool:
    """Return whether the number told is that of the last entry which the move led to, in the same moment."""
    if verdict.number < move.number or verdict.number > len(match.entries):
        return False
    led_to = match.entries[move.number : verdict.number]
    return all(entry.at_us == move.at_us and not entry.is_bot_move for entry in led_to)


def _was_forgotten(match: FinalMatch, token: str, turn: BotTurn) -> bool:
    """Return whether an answer was called stale although neither a flag nor the end of a void match explains it."""
    stale = any(verdict.outcome == "stale" for verdict in turn.verdicts)
    answered = any(entry.token == token for entry in match.entries)
    return stale and not answered and match.result is not None and match.result.kind != "void"


def _check_logged_moves(match: FinalMatch, bots: BotTurns) -> Iterator[Violation]:
    """Check that each move in the log is there once, and was sent by the bot of its seat."""
    by_token: dict[str, list[LoggedEntry]] = defaultdict(list)
    for entry in match.entries:
        if entry.is_bot_move:
            by_token[entry.token].append(entry)
    for token, entries in by_token.items():
        first = entries[0]
        if len(entries) > 1:
            yield Violation(Broken.MOVE_TWICE, match.match_id, tuple(map(str, entries)))
        player = match.players[first.seat or 0]
        if player in bots:
            yield from _check_sent(match, first, player, bots[player].get(TurnKey(match.match_id, token)))


def _check_sent(match: FinalMatch, entry: LoggedEntry, player: str, turn: BotTurn | None) -> Iterator[Violation]:
    evidence = (f"the log has {entry}", f"{player}: {turn or 'no such turn'}")
    if turn is None or not turn.sent:
        yield Violation(Broken.MOVE_INVENTED, match.match_id, evidence)
    elif entry.move not in {sent.move for sent in turn.sent}:
        yield Violation(Broken.MOVE_CHANGED, match.match_id, evidence)


def check_turns(histories: Sequence[History]) -> Iterator[Violation]:
    """Check that a turn is the same whenever and wherever it is sent."""
    first: dict[tuple[str, int, int], tuple[str, TurnReceived]] = {}
    for history in histories:
        for line in history.lines:
            if isinstance(line, TurnReceived):
                name, before = first.setdefault((line.match_id, line.seat, line.ply), (history.name, line))
                if (before.token, before.position) != (line.token, line.position):
                    evidence = (f"{name} received {before}", f"{history.name} received {line}")
                    yield Violation(Broken.TURN_CHANGED, line.match_id, evidence)
