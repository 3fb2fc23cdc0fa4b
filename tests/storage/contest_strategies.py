"""Hypothesis strategies for all events of contests, built from field types unless the values validate themselves."""

from collections.abc import Mapping
from inspect import signature
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from msgspec import UNSET, Struct, UnsetType
from referee_values import LadderTerms

from referee.contests.strength.rating import FinishOrder
from referee.contests.tournament.tournament_terms import TournamentPlayTerms
from referee.hosting.contest_log import ContestEvent
from referee.match.match_terms import MatchTerms
from referee.match.setup import Player
from referee.storage.codec import CONTEST_CODEC
from tests.storage.contest_examples import (
    EVERY_FORMAT,
    LADDER_TERMS,
    NEWEST,
    SWISS,
    TIMED,
    ladder_terms,
    tournament_terms,
)
from tests.storage.strategies import MATCH_TERMS, PLAYER, SCORE, SOME_BYTES, TEXT, WHOLE

Strategies = Mapping[Any, st.SearchStrategy[Any]]

FINISH = st.lists(PLAYER, unique=True, min_size=2, max_size=6).flatmap(
    lambda players: st.builds(
        FinishOrder,
        st.just(tuple((player,) for player in players)),
        st.lists(WHOLE, min_size=len(players), max_size=len(players)).map(tuple),
    )
)

TERMS = st.sampled_from(
    [terms.tournament for terms in (SWISS, TIMED, NEWEST, *(tournament_terms(form) for form in EVERY_FORMAT))]
)

STRATEGIES: Strategies = {
    int: WHOLE,
    str: TEXT,
    bool: st.booleans(),
    float: SCORE,
    bytes: SOME_BYTES,
    MatchTerms: MATCH_TERMS,
    FinishOrder[Player]: FINISH,
    UnsetType: st.just(UNSET),
    TournamentPlayTerms: TERMS,
    LadderTerms: st.sampled_from([LADDER_TERMS.value, ladder_terms(max_matches_per_hour=12).value]),
}


def strategy_for(hint: Any, strategies: Strategies = STRATEGIES) -> st.SearchStrategy[Any]:
    """Return a strategy for any value of this type."""
    if hint in strategies or get_origin(hint) is Literal:
        return strategies[hint] if hint in strategies else st.sampled_from(get_args(hint))
    origin, inner = get_origin(hint), get_args(hint)
    if origin is tuple and inner[-1] is Ellipsis:
        return st.lists(strategy_for(inner[0], strategies), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*(strategy_for(part, strategies) for part in inner))
    if isinstance(origin, type) and issubclass(origin, Struct):
        parameters = zip(origin.__parameters__, inner, strict=True)  # type: ignore[attr-defined]  # It is generic.
        return build_strategy(
            origin, {**strategies, **{name: strategy_for(part, strategies) for name, part in parameters}}
        )
    if origin:
        return st.one_of(*(st.none() if part is NoneType else strategy_for(part, strategies) for part in inner))
    return build_strategy(hint, strategies)


def build_strategy(cls: Any, strategies: Strategies) -> st.SearchStrategy[Any]:
    hints = get_type_hints(cls)
    return st.builds(cls, *(strategy_for(hints[name], strategies) for name in signature(cls).parameters))


EVENTS: dict[type, st.SearchStrategy[ContestEvent]] = {
    cls: build_strategy(cls, STRATEGIES) for cls in CONTEST_CODEC.classes.values()
}
