"""Checks that every match ended, that everybody was told how, and that a fault of the cluster cost nobody a match."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isclose

from tests.cluster.bot_turns import BotTurn, TurnKey
from tests.cluster.final_logs import FinalMatch, FinalState
from tests.cluster.history import History, MatchEndReceived
from tests.cluster.move_checks import BotTurns
from tests.cluster.violations import Broken, Violation

VOID_CAUSES = {"not_started", "aborted", "declared", "referee_fault"}
"""Causes that state why a match is void. A fault of the engine is none that a test of the cluster may cause."""


def check_ends(final: FinalState) -> Iterator[Violation]:
    for match in final.matches.values():
        result = match.result
        if result is None:
            yield Violation(Broken.UNFINISHED, match.match_id, (f"its phase is {match.phase}",))
        elif result.kind == "void" and result.cause not in VOID_CAUSES:
            yield Violation(Broken.VOID_WITHOUT_REASON, match.match_id, (str(result),))


def check_results_told(bots: Sequence[History], final: FinalState) -> Iterator[Violation]:
    ratings = {rated.match_id: rated.ratings for rated in final.rated}
    for bot in bots:
        for line in bot.lines:
            if isinstance(line, MatchEndReceived):
                yield from _check_result(bot.name, line, final)
                yield from _check_ratings(bot.name, line, ratings.get(line.match_id, {}))
        told = {line.match_id for line in bot.lines if isinstance(line, MatchEndReceived)}
        for match in final.matches.values():
            if bot.name in match.players and _was_played(match) and match.match_id not in told:
                evidence = f"{bot.name} was not told of {match.result}"
                yield Violation(Broken.END_NOT_TOLD, match.match_id, (evidence,))


def _was_played(match: FinalMatch) -> bool:
    return any(entry.kind == "play_started" for entry in match.entries)


def _check_result(name: str, line: MatchEndReceived, final: FinalState) -> Iterator[Violation]:
    match = final.matches.get(line.match_id)
    logged = match and match.result
    if logged != line.result:
        yield Violation(Broken.RESULT_CHANGED, line.match_id, (f"{name} was told {line}", f"the log has {logged}"))


def _check_ratings(name: str, line: MatchEndReceived, rated: Mapping[str, float]) -> Iterator[Violation]:
    told = dict(line.ratings)
    same = told.keys() == rated.keys() and all(isclose(told[bot], rated[bot], rel_tol=1e-9) for bot in told)
    if not same:
        evidence = (f"{name} was told {told}", f"the log of the ladder has {rated or 'no rating of this match'}")
        yield Violation(Broken.RATING_CHANGED, line.match_id, evidence)


def check_forfeits(bots: BotTurns, final: FinalState, tolerance_us: int) -> Iterator[Violation]:
    """Check forfeits of recording bots: they send legal moves only, in time, and always come back."""
    for match in final.matches.values():
        for seat, fault in match.result.forfeits if match.result else ():
            player = match.players[seat]
            if player in bots and not (fault == "time" and _was_late(match, seat, bots, tolerance_us)):
                evidence = f"{player} in seat {seat} lost by {fault}"
                yield Violation(Broken.FORFEIT_WITHOUT_FAULT, match.match_id, (evidence,))


def _was_late(match: FinalMatch, seat: int, bots: BotTurns, tolerance_us: int) -> bool:
    """Return whether the bot of the seat was late by its own clock in every turn in which its flag fell."""
    tokens = [entry.token for entry in match.entries if entry.kind == "flag_fell" and entry.seat == seat]
    turns = bots[match.players[seat]]
    late = [
        not turns.get(TurnKey(match.match_id, token), BotTurn()).was_answered_within(tolerance_us) for token in tokens
    ]
    return bool(late) and all(late)


def check_rated(final: FinalState) -> Iterator[Violation]:
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
