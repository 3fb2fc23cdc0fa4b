"""Decides from the histories of bots and watchers, and from the final logs, whether a cluster has kept its promises.

It is an independent judge: it uses nothing of the code that decides, stores or announces moves.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import isclose
from typing import NamedTuple

from tests.cluster.final_logs import FinalMatch, FinalState, LoggedEntry
from tests.cluster.history import (
    EntryReceived,
    History,
    MatchEndReceived,
    MoveSent,
    OwnLag,
    SessionOpened,
    StreamEnded,
    TurnReceived,
    VerdictReceived,
    WatchOpened,
)

TOLERANCE_US = 1_000_000
"""Time by which a charge may exceed the bot's own record: the way to the bot and back on a busy machine. A fault must
last longer than this to be noticed in a charge."""
LAG_MARGIN_US = 2_000_000
"""Lag of the bot's own process counts if it was noticed within this time before a turn was received or after it was
answered: a message may have waited for the process then."""


class TurnKey(NamedTuple):
    match_id: str
    token: str


@dataclass(slots=True)
class Delivery:
    """One time that a turn was received. A session counts only the first time that it delivered the turn."""

    turn: TurnReceived
    ended_us: int | None = None
    """When the bot answered, or could no longer answer because its session or the match had ended."""


@dataclass(slots=True)
class BotTurn:
    """One turn token, in all sessions of the bot."""

    deliveries: list[Delivery] = field(default_factory=list)
    sent: list[MoveSent] = field(default_factory=list)
    verdicts: list[VerdictReceived] = field(default_factory=list)
    thought_us: int = 0
    """Time from receipt to answer by the bot's own clock. Time without a session is not thinking time."""
    lag_us: int = 0
    """Time in which the bot's own process did not run, shortly before, while or after it had the turn."""

    @property
    def left_us(self) -> int | None:
        """Time that the bot was told it had left, when it was first asked; None: untimed, or never asked."""
        return self.deliveries[0].turn.left_us if self.deliveries else None

    @property
    def was_answered_in_time(self) -> bool:
        """Whether the bot took less than the time it had, by more than the tolerance."""
        return self.left_us is None or self.thought_us + TOLERANCE_US + self.lag_us < self.left_us

    @property
    def rejections(self) -> list[VerdictReceived]:
        return [verdict for verdict in self.verdicts if verdict.outcome == "rejected"]

    def __str__(self) -> str:
        parts = [f"took {self.thought_us} us of {self.left_us} us, with own lag of {self.lag_us} us"]
        parts += [f"received at {given.turn.at_us} us, answered at {given.ended_us} us" for given in self.deliveries]
        parts += [f"sent {sent.move!r} at {sent.at_us} us" for sent in self.sent]
        parts += [f"{reply.outcome} {reply.reason or reply.number} at {reply.at_us} us" for reply in self.verdicts]
        return "; ".join(parts)


def turns_of(history: History) -> dict[TurnKey, BotTurn]:
    """Return the turns of a bot by match and token."""
    turns: dict[TurnKey, BotTurn] = defaultdict(BotTurn)
    unanswered: dict[TurnKey, Delivery] = {}
    delivered: set[TurnKey] = set()
    """Turns that the current session has delivered."""

    def end(keys: Iterable[TurnKey], at_us: int) -> None:
        _end_deliveries(turns, [(key, unanswered.pop(key)) for key in list(keys) if key in unanswered], at_us)

    for line in history.lines:
        match line:
            case TurnReceived(match_id=match_id, token=token):
                key, delivery = TurnKey(match_id, token), Delivery(line)
                turns[key].deliveries.append(delivery)
                if key not in delivered:
                    delivered.add(key)
                    unanswered[key] = delivery
            case MoveSent(match_id=match_id, token=token):
                turns[TurnKey(match_id, token)].sent.append(line)
                end([TurnKey(match_id, token)], line.at_us)
            case VerdictReceived(match_id=match_id, token=token):
                turns[TurnKey(match_id, token)].verdicts.append(line)
            case MatchEndReceived(match_id=match_id):
                end([key for key in unanswered if key.match_id == match_id], line.at_us)
            case SessionOpened() | StreamEnded():
                end(unanswered, line.at_us)
                delivered.clear()
    if history.lines:
        end(unanswered, history.lines[-1].at_us)
    _add_lags(turns.values(), history.of_kind(OwnLag))
    return dict(turns)


def _end_deliveries(turns: Mapping[TurnKey, BotTurn], ended: Iterable[tuple[TurnKey, Delivery]], at_us: int) -> None:
    for key, delivery in ended:
        delivery.ended_us = at_us
        turns[key].thought_us += at_us - delivery.turn.at_us


def _add_lags(turns: Iterable[BotTurn], lags: Sequence[OwnLag]) -> None:
    for turn in turns:
        times = [delivery.turn.at_us for delivery in turn.deliveries] + [sent.at_us for sent in turn.sent]
        if times:
            low, high = min(times) - LAG_MARGIN_US, max(times) + LAG_MARGIN_US
            turn.lag_us = sum(lag.lag_us for lag in lags if low <= lag.at_us and lag.at_us - lag.lag_us <= high)


TEMPORARY = {"STORE_UNAVAILABLE", "MATCH_MOVING", "CLOCK_EXPIRED", "MATCH_OVER", "DRAINING"}
"""Reasons for which a legal move may be rejected: the bot sends it again, or it is checked elsewhere (flags)."""
VOID_CAUSES = {"not_started", "aborted", "declared", "referee_fault"}
"""Causes that state why a match is void. A fault of the engine is none that a test of the cluster may cause."""
SEALED = "choice_sealed"
"""Kind of a move whose content is hidden until later; the log has it as a move."""
MAX_SHOWN = 10

BotTurns = Mapping[str, Mapping[TurnKey, BotTurn]]
"""Turns by bot."""


class Broken(StrEnum):
    """A promise that was broken."""

    MOVE_LOST = "an acknowledged move is not in the log"
    MOVE_RENUMBERED = "an acknowledged move has another number in the log"
    MOVE_CHANGED = "the log has another move than the one that was sent"
    MOVE_TWICE = "a move is in the log twice"
    MOVE_INVENTED = "the log has a move that its bot never sent"
    REFUSED_MOVE_LOGGED = "a move is in the log although each time that it was sent it was rejected"
    HONEST_MOVE_REFUSED = "a legal move that was sent in time was rejected for good"
    TURN_CHANGED = "one turn was sent with two contents"
    TWO_HISTORIES = "two contents were told for one entry"
    ENTRY_NOT_LOGGED = "an entry was told that the log does not have in this form"
    NUMBER_SKIPPED = "a watcher missed entries"
    NUMBER_REPEATED = "a watcher received an entry again"
    WATCH_INCOMPLETE = "a watcher did not receive the end of a log"
    TIME_OVERCHARGED = "a bot was charged more time than it took"
    CHARGE_CHANGED = "a bot was told another clock charge than the log has"
    FALSE_FLAG = "a flag fell although the bot had answered in time"
    UNFINISHED = "a match is not over"
    VOID_WITHOUT_REASON = "a match is void without a stated reason"
    RESULT_CHANGED = "a bot was told another result than the log has"
    END_NOT_TOLD = "a bot was not told that its match is over"
    FORFEIT_WITHOUT_FAULT = "a bot that did nothing wrong lost by forfeit"
    RATING_CHANGED = "a bot was told another rating than the log of the ladder has"
    RATED_TWICE = "a ladder has rated a match twice"
    NOT_RATED = "a ladder has not rated a match that counts"
    RATED_RESULT_CHANGED = "a ladder has rated another result than the match has"
    RATINGS_DIFFER = "the ratings do not follow from the log"


@dataclass(frozen=True, slots=True)
class Violation:
    broken: Broken
    log: str
    """Id of the match, or `ladder/NAME`."""
    evidence: tuple[str, ...] = ()
    """What was told and what is in the log, one sentence each."""

    def __str__(self) -> str:
        return "\n    ".join((f"{self.log}: {self.broken}", *self.evidence))


def report(violations: Sequence[Violation]) -> str:
    """Return how often each promise was broken, and the first cases with their evidence."""
    counts = [f"{count} x {broken}" for broken, count in Counter(breach.broken for breach in violations).most_common()]
    return "\n".join([*counts, *map(str, violations[:MAX_SHOWN])])


def check(bots: Sequence[History], watchers: Sequence[History], final: FinalState) -> list[Violation]:
    """Return every broken promise."""
    turns = {bot.name: turns_of(bot) for bot in bots}
    return [
        *_check_moves(turns, final),
        *_check_turns(bots),
        *_check_times(turns, final),
        *_check_watchers(watchers, final),
        *_check_ends(final),
        *_check_results_told(bots, final),
        *_check_forfeits(turns, final),
        *_check_rated(final),
    ]


# Every acknowledged move is in the log once and under its number, and no other move is.


def _check_moves(bots: BotTurns, final: FinalState) -> Iterator[Violation]:
    for name, turns in bots.items():
        for key, turn in turns.items():
            told = f"{name} {key.token}: {turn}"
            for verdict in turn.rejections:
                if verdict.reason not in TEMPORARY:
                    yield Violation(Broken.HONEST_MOVE_REFUSED, key.match_id, (told,))
            match = final.matches.get(key.match_id)
            if match is None or match.entries:
                yield from _check_verdicts(told, key.token, turn, match or FinalMatch(key.match_id))
    for match in final.matches.values():
        yield from _check_logged_moves(match, bots)


def _check_verdicts(told: str, token: str, turn: BotTurn, match: FinalMatch) -> Iterator[Violation]:
    """Check the verdicts on one turn against the log of its match."""
    logged = [entry for entry in match.entries if entry.is_bot_move and entry.token == token]
    evidence = (told, *(f"the log has {entry}" for entry in logged))
    accepted = [verdict for verdict in turn.verdicts if verdict.outcome == "accepted"]
    if accepted and not logged:
        yield Violation(Broken.MOVE_LOST, match.match_id, evidence)
    elif any(not _has_number(match, logged[0], verdict) for verdict in accepted):
        yield Violation(Broken.MOVE_RENUMBERED, match.match_id, evidence)
    if any(verdict.charge and logged and verdict.charge != logged[0].charge for verdict in accepted):
        yield Violation(Broken.CHARGE_CHANGED, match.match_id, evidence)
    if not logged and _was_forgotten(match, token, turn):
        yield Violation(Broken.HONEST_MOVE_REFUSED, match.match_id, evidence)
    if logged and turn.rejections and len(turn.rejections) >= len(turn.sent):
        yield Violation(Broken.REFUSED_MOVE_LOGGED, match.match_id, evidence)


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
    for token, (first, *others) in by_token.items():
        if others:
            yield Violation(Broken.MOVE_TWICE, match.match_id, tuple(map(str, (first, *others))))
        player = match.player_of(first)
        if player in bots:
            turn = bots[player].get(TurnKey(match.match_id, token), BotTurn())
            evidence = (f"the log has {first}", f"{player}: {turn}")
            if not turn.sent:
                yield Violation(Broken.MOVE_INVENTED, match.match_id, evidence)
            elif first.move not in {sent.move for sent in turn.sent}:
                yield Violation(Broken.MOVE_CHANGED, match.match_id, evidence)


def _check_turns(bots: Sequence[History]) -> Iterator[Violation]:
    """Check that a turn is the same whenever and wherever it is sent."""
    first: dict[tuple[str, int, int], tuple[str, TurnReceived]] = {}
    for bot in bots:
        for line in bot.of_kind(TurnReceived):
            name, before = first.setdefault((line.match_id, line.seat, line.ply), (bot.name, line))
            if (before.token, before.position) != (line.token, line.position):
                evidence = (f"{name} received {before}", f"{bot.name} received {line}")
                yield Violation(Broken.TURN_CHANGED, line.match_id, evidence)


# No bot was charged, and no flag fell, for time that the bot did not take by its own clock.


def _check_times(bots: BotTurns, final: FinalState) -> Iterator[Violation]:
    for match in final.matches.values():
        for entry in match.entries:
            if entry.charge is None or (player := match.player_of(entry)) not in bots:
                continue
            turn = bots[player].get(TurnKey(match.match_id, entry.token), BotTurn())
            evidence = (
                f"entry {entry.number} charges {player} {entry.charge.charged_us} us, "
                f"after {entry.charge.stall_us} us of referee delay and {entry.charge.credit_us} us of network credit",
                f"{player} {entry.token}: {turn}",
            )
            if entry.charge.charged_us > turn.thought_us + turn.lag_us + TOLERANCE_US:
                yield Violation(Broken.TIME_OVERCHARGED, match.match_id, evidence)
            if entry.kind == "flag_fell" and turn.was_answered_in_time:
                yield Violation(Broken.FALSE_FLAG, match.match_id, evidence)


# Everybody was told the same entries, these are in the final log, and no watcher missed any.


def _check_watchers(watchers: Sequence[History], final: FinalState) -> Iterator[Violation]:
    for watcher in watchers:
        yield from _check_numbers(watcher, final)
        for line in watcher.of_kind(EntryReceived):
            match = final.matches.get(line.log)
            if match and match.entries:
                yield from _check_logged(watcher.name, line, match)
    yield from _check_agreement(watchers)


def _check_numbers(watcher: History, final: FinalState) -> Iterator[Violation]:
    last: dict[str, int] = {}
    address: dict[str, str] = {}
    for line in watcher.lines:
        if isinstance(line, WatchOpened):
            address[line.log] = line.address
            if line.reset or line.log not in last:
                last[line.log] = line.after
        elif isinstance(line, EntryReceived):
            expected = last[line.log] + 1
            if line.number != expected:
                broken = Broken.NUMBER_SKIPPED if line.number > expected else Broken.NUMBER_REPEATED
                told = f"{watcher.name} received {line.number} instead of {expected}, from {address[line.log]}"
                yield Violation(broken, line.log, (told,))
            last[line.log] = line.number
    for log, match in final.matches.items():
        if (number := last.get(log, 0)) < len(match.entries):
            evidence = f"{watcher.name} received {number} of {len(match.entries)} entries"
            yield Violation(Broken.WATCH_INCOMPLETE, log, (evidence,))


def _check_logged(name: str, told: EntryReceived, match: FinalMatch) -> Iterator[Violation]:
    logged = match.entries[told.number - 1] if told.number <= len(match.entries) else None
    if logged is None or (told.kind and _told(told) != _logged(logged, told)):
        yield Violation(Broken.ENTRY_NOT_LOGGED, told.log, (f"{name} was told {told}", f"the log has {logged}"))


def _told(entry: EntryReceived) -> tuple[object, ...]:
    return (entry.kind, entry.written_ms, entry.seat, entry.move, entry.charge, entry.result)


def _logged(entry: LoggedEntry, told: EntryReceived) -> tuple[object, ...]:
    """Return what should have been told of an entry."""
    if told.kind == SEALED and entry.kind == "move_played":
        entry = replace(entry, kind=SEALED)
    move = entry.move if entry.kind == "move_played" else ""
    return (entry.kind, entry.written_ms, entry.seat, move, entry.charge, entry.result)


def _check_agreement(watchers: Sequence[History]) -> Iterator[Violation]:
    """Check that no two were told different entries for one number."""
    first: dict[tuple[str, int, bool], tuple[str, EntryReceived]] = {}
    reported: set[tuple[str, int]] = set()
    for watcher in watchers:
        for line in watcher.of_kind(EntryReceived):
            if not line.kind:
                continue
            key = (line.log, line.number, line.kind == SEALED)
            name, before = first.setdefault(key, (watcher.name, line))
            if (*_told(before), before.digest) != (*_told(line), line.digest) and key[:2] not in reported:
                reported.add(key[:2])
                evidence = (f"{name} was told {before}", f"{watcher.name} was told {line}")
                yield Violation(Broken.TWO_HISTORIES, line.log, evidence)


# Every match ended, everybody was told how, and a fault of the cluster cost nobody a match.


def _check_ends(final: FinalState) -> Iterator[Violation]:
    for match in final.matches.values():
        result = match.result
        if result is None:
            yield Violation(Broken.UNFINISHED, match.match_id, (f"its phase is {match.phase}",))
        elif result.kind == "void" and result.cause not in VOID_CAUSES:
            yield Violation(Broken.VOID_WITHOUT_REASON, match.match_id, (str(result),))


def _check_results_told(bots: Sequence[History], final: FinalState) -> Iterator[Violation]:
    ratings = {rated.match_id: rated.ratings for rated in final.rated}
    for bot in bots:
        told = bot.of_kind(MatchEndReceived)
        for line in told:
            logged = final.matches.get(line.match_id, FinalMatch(line.match_id)).result
            if logged != line.result:
                evidence = (f"{bot.name} was told {line}", f"the log has {logged}")
                yield Violation(Broken.RESULT_CHANGED, line.match_id, evidence)
            yield from _check_ratings(bot.name, line, ratings.get(line.match_id, {}))
        known = {line.match_id for line in told}
        for match in final.matches.values():
            was_played = any(entry.kind == "play_started" for entry in match.entries)
            if bot.name in match.players and was_played and match.match_id not in known:
                missing = f"{bot.name} was not told of {match.result}"
                yield Violation(Broken.END_NOT_TOLD, match.match_id, (missing,))


def _check_ratings(name: str, line: MatchEndReceived, rated: Mapping[str, float]) -> Iterator[Violation]:
    told = dict(line.ratings)
    same = told.keys() == rated.keys() and all(isclose(told[bot], rated[bot], rel_tol=1e-9) for bot in told)
    if not same:
        evidence = (f"{name} was told {told}", f"the log of the ladder has {rated or 'no rating of this match'}")
        yield Violation(Broken.RATING_CHANGED, line.match_id, evidence)


def _check_forfeits(bots: BotTurns, final: FinalState) -> Iterator[Violation]:
    """Check forfeits of recording bots: they send legal moves only, in time, and always come back."""
    for match in final.matches.values():
        for seat, fault in match.result.forfeits if match.result else ():
            player = match.players[seat]
            if player in bots and not (fault == "time" and _was_late(match, seat, bots[player])):
                evidence = (f"{player} in seat {seat} lost by {fault}",)
                yield Violation(Broken.FORFEIT_WITHOUT_FAULT, match.match_id, evidence)


def _was_late(match: FinalMatch, seat: int, turns: Mapping[TurnKey, BotTurn]) -> bool:
    """Return whether the bot of the seat was late by its own clock in every turn in which its flag fell."""
    tokens = [entry.token for entry in match.entries if entry.kind == "flag_fell" and entry.seat == seat]
    fallen = [turns.get(TurnKey(match.match_id, token), BotTurn()) for token in tokens]
    return bool(fallen) and not any(turn.was_answered_in_time for turn in fallen)


def _check_rated(final: FinalState) -> Iterator[Violation]:
    """Check that the ladder has rated every match that counts once, with its result."""
    for match_id, times in Counter(rated.match_id for rated in final.rated).items():
        if times > 1:
            yield Violation(Broken.RATED_TWICE, match_id, (f"it was rated {times} times",))
    ranks = {rated.match_id: rated.ranks for rated in final.rated}
    for match in final.matches.values():
        if match.result is None or not final.rated:
            continue
        if (match.result.kind != "void") != (match.match_id in ranks):
            yield Violation(Broken.NOT_RATED, match.match_id, (f"its result is {match.result}",))
        elif match.match_id in ranks and ranks[match.match_id] != match.result.ranks:
            evidence = (f"the ladder has ranks {ranks[match.match_id]}", f"the match has {match.result}")
            yield Violation(Broken.RATED_RESULT_CHANGED, match.match_id, evidence)
