"""How a match ends when seats have dropped out of it, and when they have not."""

from engines.api import Outcome
from referee.core.match import Match
from referee.core.policy import Dropout
from referee.core.result import Cause, Kind, Result, by_rank, by_rules, ranked


def ended_by_rules(match: Match, outcome: Outcome) -> Result:
    """The rules ended the game: those who dropped out before are last, whatever the score says."""
    result = by_rules(outcome, match.table)
    if not match.out:
        return result
    side_ranks = ranked(outcome.side_scores, sides_out(match))
    return Result(
        Kind.FORFEITED if match.forfeits else Kind.PLAYED,
        Cause.FAULT if match.forfeits else Cause.RULES,
        outcome.reason,
        outcome.scores,
        tuple(side_ranks[match.side_of(seat)] for seat in range(len(match.table.seats))),
        outcome.side_scores,
        side_ranks,
        match.forfeits,
    )


def dropped_out(match: Match) -> Result | None:
    """The result, if the match ends because a seat has just dropped out; None: it goes on."""
    out = sides_out(match)
    still_in = len(match.table.sides) - len(out)
    if still_in > 1 and match.setup.policies.dropout is not Dropout.ENDS_MATCH:
        # It may have been the last that had not agreed to a draw.
        return drawn(match, Cause.DRAW_AGREED) if levelled(match) else None
    return _closed(match, Cause.RESIGNATION, match.at_play().standing)


def drawn(match: Match, cause: Cause, reason: str = "") -> Result:
    """A draw of all sides that are still in the game; those that dropped out are last."""
    return _closed(match, cause, (0.0,) * len(match.table.sides), reason)


def _closed(match: Match, cause: Cause, standing: tuple[float, ...], reason: str = "") -> Result:
    """An end before the rules brought one. A fault that went before outweighs the `cause`."""
    kind, cause = (Kind.FORFEITED, Cause.FAULT) if match.forfeits else (Kind.PLAYED, cause)
    return by_rank(match.table, kind, cause, ranked(standing, sides_out(match)), reason, match.forfeits)


def levelled(match: Match) -> bool:
    """Does a draw suit every side that is still in the game?"""
    offering = {match.side_of(seat) for seat in match.offers}
    return offering | sides_out(match) == set(range(len(match.table.sides)))


def sides_out(match: Match) -> frozenset[int]:
    return frozenset(match.side_of(seat) for seat in match.out)
