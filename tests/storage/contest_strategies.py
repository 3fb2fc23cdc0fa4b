"""Hypothesis strategies for all events of contests, built from field types unless the values validate themselves."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from referee.contests.strength.rating import FinishOrder
from referee.contests.tournament.tournament_terms import TournamentPlayTerms
from referee.hosting.contest_log import ContestEvent
from referee.match.clock import TimeControl
from referee.match.clock_charge import NetworkCredit
from referee.match.setup import Player, Policies
from referee.storage.codec import CONTEST_EVENTS
from tests.storage.contest_examples import EVERY_FORMAT, SWISS, tournament_terms
from tests.storage.examples import SETUP
from tests.storage.strategies import CONTROLS, PLAYER, SCORE, SOME_BYTES, TEXT, TIME, WHOLE

Known = Mapping[Any, st.SearchStrategy[Any]]

FINISH = st.lists(PLAYER, unique=True, min_size=2, max_size=6).flatmap(
    lambda players: st.builds(
        FinishOrder,
        st.just(tuple((player,) for player in players)),
        st.lists(WHOLE, min_size=len(players), max_size=len(players)).map(tuple),
    )
)

TERMS = st.sampled_from([SWISS.tournament, *(tournament_terms(form).tournament for form in EVERY_FORMAT)])

KNOWN: Known = {
    int: WHOLE,
    str: TEXT,
    bool: st.booleans(),
    float: SCORE,
    bytes: SOME_BYTES,
    TimeControl: CONTROLS,
    Policies: st.just(SETUP.policies),
    NetworkCredit: st.builds(NetworkCredit, TIME, TIME),
    FinishOrder[Player]: FINISH,
    TournamentPlayTerms: TERMS,
}


def any_of(hint: Any, known: Known = KNOWN) -> st.SearchStrategy[Any]:
    """Return a strategy for any value of this type."""
    if hint in known:
        return known[hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin is tuple and inner[-1] is Ellipsis:
        return st.lists(any_of(inner[0], known), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*(any_of(one, known) for one in inner))
    if is_dataclass(origin):
        parameters = zip(origin.__parameters__, inner, strict=True)  # type: ignore[union-attr]  # It is generic.
        return built(origin, {**known, **{name: any_of(one, known) for name, one in parameters}})
    if origin:
        return st.one_of(*(st.none() if one is NoneType else any_of(one, known) for one in inner))
    return st.sampled_from(hint) if issubclass(hint, Enum) else built(hint, known)


def built(cls: Any, known: Known) -> st.SearchStrategy[Any]:
    hints = get_type_hints(cls)
    return st.builds(cls, *(any_of(hints[field.name], known) for field in fields(cls)))


EVENTS: dict[type, st.SearchStrategy[ContestEvent]] = {cls: built(cls, KNOWN) for cls in CONTEST_EVENTS.values()}
