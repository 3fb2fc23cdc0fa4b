"""Setups from flat fields: tests name a field of the terms as they name one of the setup."""

from collections.abc import Sequence
from typing import Any

import referee_values
from msgspec import Struct
from msgspec.structs import asdict, fields, replace
from referee_values import ClockRule, DisconnectPolicy, NetworkCredit, Period, SeatOdds, TimeControl

from referee.match import clock
from referee.match.match_terms import DEFAULT_POLICIES, NO_CREDIT, SHOWN_LIVE, MatchTerms, filled
from referee.match.setup import Setup

OF_TERMS = frozenset({"controls", "credit", *(field.name for field in fields(MatchTerms))})


def split(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields of the terms, and the others."""
    terms = {name: field for name, field in given.items() if name in OF_TERMS}
    return terms, {name: field for name, field in given.items() if name not in OF_TERMS}


def complete(terms: dict[str, Any]) -> dict[str, Any]:
    """Return the fields with the default of each policy that is not set, and `controls` and `credit` as in terms."""
    given = dict(terms)
    if {"controls", "credit"} & given.keys():
        given["time_control"] = time_control(given.pop("controls", ()), given.pop("credit", NetworkCredit()))
    usual = {"policies": DEFAULT_POLICIES, "visibility": SHOWN_LIVE}
    return given | {name: filled(given[name], usual[name]) for name in given.keys() & usual.keys()}


def time_control(controls: Sequence[clock.TimeControl], credit: NetworkCredit = NO_CREDIT) -> TimeControl:
    """Return the time control of a match with these controls: one for each seat, or one for all seats."""
    first, *others = map(rule_of, controls or (clock.Untimed(),))
    odds = tuple(SeatOdds(seat=seat, rule=rule) for seat, rule in enumerate(others, 1) if rule != first)
    return TimeControl(rule=first, odds=odds, network_credit=credit)


def rule_of(control: clock.TimeControl) -> ClockRule:
    """Return the rule of a control; the inverse of `control_of`."""
    cls, given = type(control), in_ms(control)
    if isinstance(control, clock.MovesPerPeriod):
        given["periods"] = tuple(Period(**in_ms(period)) for period in control.periods)
    return ClockRule(**{str(cls.__struct_config__.tag): getattr(referee_values, cls.__name__)(**given)})


def in_ms(times: Struct) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name, number in asdict(times).items():
        if name.endswith("_us"):
            assert number % clock.MS == 0, "terms have times in milliseconds"
            given[f"{name[:-3]}_ms"] = number // clock.MS
        else:
            given[name] = number
    return given


def forfeits_after(grace_period_ms: int) -> DisconnectPolicy:
    return DisconnectPolicy(action="forfeit_after_grace_period", grace_period_ms=grace_period_ms)


def make_setup(**given: Any) -> Setup:
    terms, others = split(given)
    return Setup(terms=MatchTerms(**complete(terms)), **others)


def change_setup(setup: Setup, **given: Any) -> Setup:
    terms, others = split(given)
    return replace(setup, terms=replace(setup.terms, **complete(terms)), **others)
