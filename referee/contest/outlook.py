"""How much of a tournament there will be, as far as that is known beforehand."""

from dataclasses import dataclass

from referee.contest import bracket
from referee.contest.formats import Elimination, Pools, Swiss
from referee.contest.schedule import Scheduled, pairings_in_all, rounds_in_all
from referee.contest.tournament import Phase, Tournament


@dataclass(frozen=True, slots=True)
class Outlook:
    """0: not known beforehand."""

    rounds: int = 0
    pairings: int = 0


def outlook(tournament: Tournament) -> Outlook:
    """All of it, once it is over; before that, what follows from the format and the entrants alone."""
    form = tournament.terms.format
    begun = tournament.phase is not Phase.ENTRY
    over = tournament.phase in {Phase.FINISHED, Phase.CANCELLED}
    if over:
        return Outlook(tournament.round, len(tournament.courses))
    if begun and isinstance(form, Scheduled):
        many = len(tournament.entrants)
        return Outlook(rounds_in_all(form, many), pairings_in_all(form, many))
    if isinstance(form, Swiss | Pools):
        return Outlook(form.rounds)
    if begun and isinstance(form, Elimination) and not form.twice:
        return _knockout(form, len(tournament.entrants))
    return Outlook()


def _knockout(form: Elimination, many: int) -> Outlook:
    """Everybody but the winner loses once; who loses before the final may play for the third place."""
    duels = bracket.single(many, third_place=form.third_place)
    third = any(duel.stage is bracket.Stage.THIRD for duel in duels)
    return Outlook(max(duel.round for duel in duels), many - 1 + third)
