"""Hypothesis strategies for all events."""

from typing import Any, get_args

from hypothesis import strategies as st
from msgspec import UNSET
from referee_values import (
    Adjudication,
    DisconnectAction,
    DisconnectPolicy,
    ForfeitEffect,
    IllegalMoveAction,
    IllegalMovePolicy,
    NetworkCredit,
    Policies,
    TimeoutAction,
    Visibility,
    VisibilityKind,
)

from engines.options import Settings
from referee.match import clock, events
from referee.match.adjudication import MAX_MOVES, MAX_PLIES, MAX_SCORE
from referee.match.clock_charge import ClockCharge
from referee.match.events import Event
from referee.match.match_terms import MatchTerms
from referee.match.result import FORFEIT_CAUSES, EndCause, EndKind, Forfeit, PlayerRating, RatingChange, Result
from referee.match.setup import Player, Setup
from tests.match.setups import time_control

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

CLOCK = st.builds(clock.Clock, WHOLE, WHOLE, WHOLE)
ROW = st.builds(ClockCharge, WHOLE, WHOLE, WHOLE, WHOLE, WHOLE, WHOLE, CLOCK, CLOCK, st.booleans())

PLAYER = st.builds(Player, TEXT, TEXT)
PLAYERS = st.lists(PLAYER, max_size=4).map(tuple)


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

SETUP = st.builds(
    Setup,
    match_id=TEXT,
    game_version=WHOLE,
    terms=MATCH_TERMS,
    players=PLAYERS,
    seed=SOME_BYTES,
    seed_given=st.booleans(),
    opening=TEXT,
    labels=st.lists(st.tuples(TEXT, TEXT), max_size=3).map(tuple),
)

RESULT = st.builds(
    Result,
    kind=st.sampled_from(EndKind),
    cause=st.sampled_from(EndCause),
    reason=TEXT,
    scores=st.lists(SCORE, max_size=4).map(tuple),
    ranks=st.lists(WHOLE, max_size=4).map(tuple),
    side_scores=st.lists(SCORE, max_size=4).map(tuple),
    side_ranks=st.lists(WHOLE, max_size=4).map(tuple),
    forfeits=st.lists(st.builds(Forfeit, WHOLE, st.sampled_from(FORFEIT_CAUSES), WHOLE), max_size=3).map(tuple),
)

PLAYER_RATING = st.builds(PlayerRating, SCORE, SCORE, WHOLE, st.booleans())
RATINGS = st.lists(st.builds(RatingChange, WHOLE, TEXT, TEXT, PLAYER_RATING, PLAYER_RATING), max_size=3).map(tuple)

MOVE_PLAYED = st.builds(
    events.MovePlayed,
    WHOLE,
    WHOLE,
    TEXT,
    TEXT,
    st.sampled_from(events.MoveSource),
    st.none() | ROW,
    TEXT,
    st.just(UNSET) | WHOLE,
)

EVENTS: dict[type, st.SearchStrategy[Event]] = {
    events.MatchCreated: st.builds(events.MatchCreated, st.just(0), SETUP),
    events.SeatTaken: st.builds(events.SeatTaken, WHOLE, WHOLE, PLAYER),
    events.SeatVacated: st.builds(events.SeatVacated, WHOLE, WHOLE),
    events.NonceAdded: st.builds(events.NonceAdded, WHOLE, WHOLE, SOME_BYTES),
    events.PlayStarted: st.builds(events.PlayStarted, WHOLE, PLAYERS),
    events.MovePlayed: MOVE_PLAYED,
    events.MoveRejected: st.builds(events.MoveRejected, WHOLE, WHOLE, TEXT, TEXT, TEXT, TEXT, TEXT, WHOLE, TEXT),
    events.FlagFell: st.builds(events.FlagFell, WHOLE, WHOLE, TEXT, ROW, TEXT, TEXT),
    events.DrawOffered: st.builds(events.DrawOffered, WHOLE, WHOLE),
    events.DrawDeclined: st.builds(events.DrawDeclined, WHOLE, WHOLE),
    events.SeatResigned: st.builds(events.SeatResigned, WHOLE, WHOLE),
    events.SeatForfeited: st.builds(events.SeatForfeited, WHOLE, WHOLE, st.sampled_from(FORFEIT_CAUSES)),
    events.SeatDisconnected: st.builds(events.SeatDisconnected, WHOLE, WHOLE),
    events.SeatReconnected: st.builds(events.SeatReconnected, WHOLE, WHOLE),
    events.RefereeRecovered: st.builds(events.RefereeRecovered, WHOLE, st.integers(0, (1 << 63) - 1)),
    events.PlayEnded: st.builds(events.PlayEnded, WHOLE, RESULT, SOME_BYTES, RATINGS),
}

ANY_EVENT = st.one_of(*EVENTS.values())
