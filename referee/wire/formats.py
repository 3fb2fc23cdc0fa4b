"""Converts tournament formats: round robin, Swiss, elimination, gauntlet, pools, SPRT."""

from collections.abc import Callable
from typing import Any

from referee_api.v1 import tournament_pb2 as pb

from engines.api import Table
from referee.accounts.account_errors import BadField
from referee.contests.tournament.tournament_formats import (
    Elimination,
    Gauntlet,
    Pools,
    RoundRobin,
    SprtTrial,
    Swiss,
    TournamentFormat,
)
from referee.hosting.contest_terms import Partners, seating
from referee.wire.sprt import read_sprt, sprt_of

DEFAULT_EXTRA = Elimination().extra


def read_format(terms: pb.TournamentTerms, table: Table, partners: Partners) -> TournamentFormat:
    """Raises BadField or BadSprt. The ranges of numbers are checked when the tournament is created."""
    kind = terms.WhichOneof("format")
    if kind is None:
        raise BadField("terms.format", f"it is required; known: {', '.join(READ)}")
    return READ[kind](getattr(terms, kind), table, partners)


def _elimination(form: pb.Elimination, *_: Any) -> TournamentFormat:
    extra = form.max_extra_matches or DEFAULT_EXTRA
    return Elimination(form.double_elimination, form.matches_per_pairing or 1, extra, form.third_place_match)


def _pools(form: pb.Pools, table: Table, partners: Partners) -> TournamentFormat:
    seats = seating(table, partners)
    return Pools(form.rounds, len(seats.places), seats.sides)


def _trial(form: Any, table: Table, partners: Partners) -> TournamentFormat:
    seats = seating(table, partners)
    return SprtTrial(*read_sprt(form), len(seats.places), seats.sides)


READ: dict[str, Callable[[Any, Table, Partners], TournamentFormat]] = {
    "round_robin": lambda form, *_: RoundRobin(form.cycles or 1),
    "swiss": lambda form, *_: Swiss(form.rounds),
    "elimination": _elimination,
    "gauntlet": lambda form, *_: Gauntlet(tuple(form.challengers), form.cycles or 1),
    "pools": _pools,
    "sprt": _trial,
}
"""Reader of each field of the oneof `format`."""


def format_of(form: TournamentFormat) -> dict[str, Any]:
    """Return the field of `TournamentTerms` and its message, with every default filled in."""
    match form:
        case RoundRobin():
            return {"round_robin": pb.RoundRobin(cycles=form.cycles)}
        case Swiss():
            return {"swiss": pb.Swiss(rounds=form.rounds)}
        case Elimination():
            elimination = pb.Elimination(
                double_elimination=form.twice,
                matches_per_pairing=form.matches,
                max_extra_matches=form.extra,
                third_place_match=form.third_place,
            )
            return {"elimination": elimination}
        case Gauntlet():
            return {"gauntlet": pb.Gauntlet(challengers=form.challengers, cycles=form.cycles)}
        case Pools():
            return {"pools": pb.Pools(rounds=form.rounds)}
        case SprtTrial():
            return {"sprt": sprt_of(form.test, form.model)}
