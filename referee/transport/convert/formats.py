"""Who meets whom in a tournament."""

from collections.abc import Callable
from typing import Any

from referee_api.v1 import tournament_pb2 as pb

from engines.api import Table
from referee.app.contests.seating import seating
from referee.app.contests.terms import Partners
from referee.app.refusals import BadField
from referee.contest.formats import Elimination, Format, Gauntlet, Pools, RoundRobin, Swiss, Trial
from referee.transport.convert.sprt import read_sprt, sprt_of

USUAL_EXTRA = Elimination().extra


def read_format(terms: pb.TournamentTerms, table: Table, partners: Partners) -> Format:
    """Raises BadField, or BadSprt. Numbers that cannot be are refused by what is made of the format."""
    kind = terms.WhichOneof("format")
    if kind is None:
        raise BadField("terms.format", f"which one? known: {', '.join(READ)}")
    return READ[kind](getattr(terms, kind), table, partners)


def _elimination(form: pb.Elimination, *_: Any) -> Format:
    extra = form.extra_matches_at_most or USUAL_EXTRA
    return Elimination(form.twice, form.matches_per_pairing or 1, extra, form.third_place)


def _pools(form: pb.Pools, table: Table, partners: Partners) -> Format:
    seats = seating(table, partners)
    return Pools(form.rounds, len(seats.places), seats.sides)


def _trial(form: Any, table: Table, partners: Partners) -> Format:
    seats = seating(table, partners)
    return Trial(*read_sprt(form), len(seats.places), seats.sides)


READ: dict[str, Callable[[Any, Table, Partners], Format]] = {
    "round_robin": lambda form, *_: RoundRobin(form.cycles or 1),
    "swiss": lambda form, *_: Swiss(form.rounds),
    "elimination": _elimination,
    "gauntlet": lambda form, *_: Gauntlet(tuple(form.challengers), form.cycles or 1),
    "pools": _pools,
    "sprt": _trial,
}
"""By the name of the field."""


def format_of(form: Format) -> dict[str, Any]:
    """The field of the terms that says it, with every default filled in."""
    match form:
        case RoundRobin():
            return {"round_robin": pb.RoundRobin(cycles=form.cycles)}
        case Swiss():
            return {"swiss": pb.Swiss(rounds=form.rounds)}
        case Elimination():
            told = pb.Elimination(
                twice=form.twice,
                matches_per_pairing=form.matches,
                extra_matches_at_most=form.extra,
                third_place=form.third_place,
            )
            return {"elimination": told}
        case Gauntlet():
            return {"gauntlet": pb.Gauntlet(challengers=form.challengers, cycles=form.cycles)}
        case Pools():
            return {"pools": pb.Pools(rounds=form.rounds)}
        case Trial():
            return {"sprt": sprt_of(form.test, form.model)}
