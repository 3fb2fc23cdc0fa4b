"""Corrections for tests, and a ladder that is corrected by replaying its own log."""

from itertools import count

from referee_values import CorrectionKind

from referee.contests.corrections import Correction
from referee.contests.ladder.commands import CorrectMatch
from referee.contests.ladder.events import LadderEvent, MatchRated, SeasonStarted
from referee.contests.ladder.rating_replay import RatingReplay, corrected_match, needs_replay, rate_again
from tests.contests.ladder_harness import LadderHarness

REQUESTS = count(1)


def correction(match_id: str, kind: CorrectionKind, *ranks: int, request: str = "", message: str = "why") -> Correction:
    return Correction(request or f"ann/r{next(REQUESTS)}", match_id, kind, ranks, message, "ann")


def strike(match_id: str, request: str = "") -> Correction:
    return correction(match_id, "struck", request=request)


def correct(match_id: str, *ranks: int, request: str = "") -> Correction:
    return correction(match_id, "corrected", *ranks, request=request)


def restore(match_id: str, request: str = "") -> Correction:
    return correction(match_id, "restored", request=request)


def played_match(play: LadderHarness, match_id: str) -> MatchRated:
    return next(event for event in play.log if isinstance(event, MatchRated) and event.match_id == match_id)


def replay_after(play: LadderHarness, new: Correction) -> RatingReplay:
    """Compute the season of the match and those that follow again, from the log alone."""
    season = play.ladder.rated_matches.season_of(new.match_id)
    assert season
    new_one = {new.match_id: corrected_match(new, played_match(play, new.match_id))}
    events = [event for event in play.log if isinstance(event, MatchRated | SeasonStarted)]
    replay, _ = rate_again(RatingReplay(season), events, {**play.ladder.rated_matches.corrections, **new_one})
    return replay


def apply_correction(play: LadderHarness, new: Correction) -> list[LadderEvent]:
    """Correct a match of a ladder as the host does. Raises what `needs_replay` raises."""
    if not needs_replay(play.ladder, new):
        return []
    return play.do(CorrectMatch(new, played_match(play, new.match_id), replay_after(play, new)))
