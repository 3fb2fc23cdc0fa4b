"""Ratings computed again from the log: corrected matches have their new results, and struck ones are left out.

Everything else stays: the other matches are rated in the order of the log, at their times and with the weights that
they had, and seasons begin where they did.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from referee.contests.contest_errors import MatchNotCounted
from referee.contests.corrections import Correction, changes_nothing, check_ranks, is_known
from referee.contests.ladder.events import CorrectedSeason, MatchCorrected, MatchRated, SeasonStarted
from referee.contests.ladder.rating_rules import RatingHistory
from referee.contests.ladder.season import Season
from referee.contests.ladder.state import Ladder
from referee.contests.strength.rating import FinishOrder
from referee.match.setup import Player


class RatingReplay(Struct, frozen=True, gc=False):
    """A ladder that is rated again from its beginning."""

    first: int
    """The first season of the result."""
    season: int = 1
    current: Season = field(default_factory=Season)
    history: RatingHistory = field(default_factory=RatingHistory)
    complete: tuple[CorrectedSeason, ...] = ()
    """The complete seasons of the result."""

    @property
    def seasons(self) -> tuple[CorrectedSeason, ...]:
        """The seasons of the result, as they are now."""
        if self.season < self.first:
            return self.complete
        return (*self.complete, self.current.as_corrected(self.season, self.history.rated_ms))

    @property
    def versions(self) -> tuple[Player, ...]:
        """The version of each bot that was rated last."""
        return tuple(self.history.versions.values())


def rate_again(
    replay: RatingReplay, events: Sequence[MatchRated | SeasonStarted], corrections: Mapping[str, MatchCorrected]
) -> tuple[RatingReplay, list[MatchRated]]:
    """Return the replay after further events of the log, and the matches that count, with their rating changes.

    `corrections` has those that count, by match.
    """
    rated: list[MatchRated] = []
    for event in events:
        if isinstance(event, SeasonStarted):
            replay = replace(replay, season=event.season, current=replay.current.next_season(), complete=replay.seasons)
        elif counted := counted_match(event, corrections.get(event.match_id)):
            history, current = replay.history, replay.current
            changes = history.updates(current.ratings, counted.finish, counted.weight, counted.at_ms)
            counted = replace(counted, changes=changes)
            rated.append(counted)
            history = history.with_players(counted.finish, counted.at_ms)
            replay = replace(replay, current=current.after_match(counted), history=history)
    return replay, rated


def counted_match(rated: MatchRated, corrected: MatchCorrected | None) -> MatchRated | None:
    """Return the match with the result that counts. None: it is struck."""
    if corrected is None:
        return rated
    if corrected.finish is None:
        return None
    return replace(rated, finish=corrected.finish, forfeited=corrected.forfeited)


def needs_replay(ladder: Ladder, correction: Correction) -> bool:
    """Return whether a correction changes anything. Raises MatchNotCounted, BadRanks or RequestIdReused."""
    matches = ladder.rated_matches
    if is_known(matches.requests, correction):
        return False
    if matches.season_of(correction.match_id) is None:
        raise MatchNotCounted(correction.match_id)
    check_ranks(correction, len(ladder.terms.sides) or ladder.terms.table_size)
    last = matches.corrections.get(correction.match_id)
    return not changes_nothing(correction, last.correction if last else None)


def corrected_match(correction: Correction, played: MatchRated, replay: RatingReplay | None = None) -> MatchCorrected:
    """Return the event of a correction of a match, which is in the log as `played`, with what follows from it."""
    seasons, versions = (replay.seasons, replay.versions) if replay else ((), ())
    if correction.kind == "struck":
        return MatchCorrected(correction, None, (), seasons, versions)
    if correction.kind == "restored":
        return MatchCorrected(correction, played.finish, played.forfeited, seasons, versions)
    return MatchCorrected(correction, FinishOrder(played.finish.sides, correction.ranks), (), seasons, versions)
