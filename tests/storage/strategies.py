"""Hypothesis strategies for all events of matches and contests, built from field types unless the values validate
themselves.
"""

from collections.abc import Mapping
from enum import EnumType
from inspect import signature
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from msgspec import UNSET, Struct, UnsetType
from referee_values import (
    Adjudication,
    DisconnectAction,
    DisconnectPolicy,
    ForfeitEffect,
    IllegalMoveAction,
    IllegalMovePolicy,
    LadderTerms,
    NetworkCredit,
    Policies,
    TimeoutAction,
    Visibility,
    VisibilityKind,
)

from engines.options import Settings
from referee.contests.strength.rating import FinishOrder
from referee.contests.tournament.tournament_terms import TournamentPlayTerms
from referee.hosting.contest_log import ContestEvent
from referee.match import clock
from referee.match.adjudication import MAX_MOVES, MAX_PLIES, MAX_SCORE
from referee.match.events import Event, MatchCreated, RefereeRecovered
from referee.match.match_terms import MatchTerms
from referee.match.setup import Player, Setup
from referee.storage.codec import CONTEST_CODEC, MATCH_CODEC
from tests.match.setups import time_control
from tests.storage.contest_examples import (
    EVERY_FORMAT,
    LADDER_TERMS,
    NEWEST,
    SWISS,
    TIMED,
    ladder_terms,
    tournament_terms,
)

Strategies = Mapping[Any, st.SearchStrategy[Any]]

WHOLE = st.integers(-(1 << 63), (1 << 63) - 1)
TEXT = st.text(max_size=20)
SOME_BYTES = st.binary(max_size=40)
SCORE = st.floats(allow_nan=False, allow_infinity=False)

MS = st.integers(0, clock.MAX_TIME_US // clock.MS)
TIME = MS.map(lambda ms: ms * clock.MS)
SOME_TIME = TIME.filter(bool)
CREDIT = st.builds(NetworkCredit, per_move_ms=MS, per_match_ms=MS)
TIMES = st.integers(1, 1000)

PERIODS = st.lists(st.builds(clock.Period, TIMES, SOME_TIME, TIME), min_size=1, max_size=4)

CONTROLS = st.one_of(
    st.builds(clock.Untimed),
    st.builds(clock.SuddenDeath, SOME_TIME),
    st.builds(clock.Hourglass, SOME_TIME),
    st.builds(clock.Fischer, SOME_TIME, TIME),
    st.builds(clock.Bronstein, SOME_TIME, TIME),
    st.builds(clock.UsDelay, TIME, SOME_TIME),
    st.builds(clock.PerMove, SOME_TIME),
    st.builds(clock.Bank, SOME_TIME, TIME),
    st.builds(lambda few, more: clock.Correspondence(min(few, more), max(few, more)), SOME_TIME, SOME_TIME),
    st.builds(clock.JapaneseByoYomi, TIME, SOME_TIME, TIMES),
    st.builds(clock.CanadianByoYomi, TIME, SOME_TIME, TIMES),
    st.builds(lambda periods: clock.MovesPerPeriod(tuple(periods)), PERIODS),
)

PLAYER = st.builds(Player, TEXT, TEXT)


def word(words: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(get_args(words)[1:])


ADJUDICATION = st.builds(
    Adjudication,
    max_plies=st.integers(0, MAX_PLIES),
    resign_score=st.integers(1, MAX_SCORE),
    resign_moves=st.integers(1, MAX_MOVES),
    draw_score=st.integers(0, MAX_SCORE),
    draw_moves=st.integers(1, MAX_MOVES),
    draw_after_ply=st.integers(0, MAX_PLIES),
)

POLICIES = st.builds(
    Policies,
    illegal_move=st.builds(IllegalMovePolicy, action=word(IllegalMoveAction), max_attempts=TIMES),
    timeout=word(TimeoutAction),
    disconnect=st.builds(DisconnectPolicy, action=word(DisconnectAction), grace_period_ms=TIMES),
    forfeit_effect=word(ForfeitEffect),
)

MATCH_TERMS = st.builds(
    MatchTerms,
    game=TEXT,
    settings=st.builds(Settings, st.lists(st.tuples(TEXT, st.one_of(TEXT, WHOLE, st.booleans()))).map(tuple)),
    time_control=st.builds(time_control, st.lists(CONTROLS, max_size=4), CREDIT),
    policies=POLICIES,
    visibility=st.builds(Visibility, kind=word(VisibilityKind), delay_plies=TIMES),
    random_seats=st.booleans(),
    nonce_timeout_us=TIME,
    start_timeout_us=TIME,
    adjudication=st.none() | ADJUDICATION,
)

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
    if hint in strategies:
        return strategies[hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal or isinstance(hint, EnumType):
        return st.sampled_from(inner or list(hint))
    if origin is tuple:
        parts = [strategy_for(part, strategies) for part in inner if part is not Ellipsis]
        return st.lists(parts[0], max_size=3).map(tuple) if inner[-1] is Ellipsis else st.tuples(*parts)
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


MATCH_EVENTS: dict[type, st.SearchStrategy[Event]] = {
    cls: build_strategy(cls, STRATEGIES) for cls in MATCH_CODEC.classes.values()
} | {
    MatchCreated: st.builds(MatchCreated, st.just(0), strategy_for(Setup)),
    RefereeRecovered: st.builds(RefereeRecovered, WHOLE, st.integers(0, (1 << 63) - 1)),
}
CONTEST_EVENTS: dict[type, st.SearchStrategy[ContestEvent]] = {
    cls: build_strategy(cls, STRATEGIES) for cls in CONTEST_CODEC.classes.values()
}
