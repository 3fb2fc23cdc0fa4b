"""The history of a log that is folded at once is the same as that of its steps, one after another."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engines.api import Game
from engines.options import Value
from engines.registry import find
from referee.live.log_history import replay
from referee.live.match_history import MatchFold, MatchHistory
from referee.live.ports import Entry, Request
from referee.live.stored_matches import UnplayableLog, replay_log
from referee.match.clock import SECOND, Fischer
from referee.match.commands import OfferDraw, StartPlay
from referee.match.events import Event, MovePlayed, PlayEnded
from referee.match.result import EndCause, void_result
from tests.match.games import STONES
from tests.match.match_fixture import GAMES, MatchFixture, match_setup
from tests.third_party_games.third_party_games import FINGERS, NIM

TABLES: tuple[tuple[Game, dict[str, Value]], ...] = (
    (NIM, {"heap": 40}),
    (FINGERS, {}),
    (STONES, {"heap": 60, "seats": 3}),
    (find("toc"), {}),
)


def entries_of(events: list[Event]) -> list[Entry]:
    """Return the entries of a log in which some answer requests."""
    return [
        Entry("m1", number, 1000 + number, event, None if number % 7 else Request("somebody", f"r{number}", ""))
        for number, event in enumerate(events, 1)
    ]


def folded(entries: list[Entry]) -> MatchHistory:
    return asyncio.run(replay_log(entries, GAMES.__getitem__))


def step_by_step(entries: list[Entry], unplayable_from: int | None = None) -> MatchHistory:
    first, *steps = replay(MatchFold(GAMES.__getitem__, unplayable_from), entries)
    history = MatchHistory(first)
    history.unplayable_from = unplayable_from
    for step in steps:
        history.extend([step])
    return history


def content(history: MatchHistory) -> dict[str, object]:
    return {name: value for name, value in vars(history).items() if not name.startswith("_")}


@st.composite
def logs(draw: st.DrawFn) -> list[Event]:
    """Draw the events of a match, with rejected moves, offers of draws, and more than one chunk of moves."""
    game, chosen = draw(st.sampled_from(TABLES))
    fixture = MatchFixture(match_setup(game, Fischer(60 * SECOND, SECOND), chosen))
    fixture.do(StartPlay())
    for ply in range(draw(st.integers(1, 30))):
        if fixture.match.result:
            break
        seat = fixture.owing[0]
        fixture.now_us += 5
        if game is STONES and draw(st.integers(0, 9)) == 0 and not fixture.match.offers:
            fixture.do(OfferDraw(seat))
        moves = fixture.match.require_position().moves(seat)
        move = draw(st.sampled_from([*moves] * 4 + ["?"]))
        fixture.move(seat, move, request_id=draw(st.sampled_from(["", f"a{ply}"])))
    return fixture.log


@given(logs())
def test_a_folded_log_has_the_history_of_its_steps(events: list[Event]) -> None:
    entries = entries_of(events)
    assert content(folded(entries)) == content(step_by_step(entries))


@given(logs(), st.data())
def test_a_move_that_cannot_be_played_has_no_effect_and_nothing_after_it_until_the_end(
    events: list[Event], data: st.DataObject
) -> None:
    moves = [place for place, event in enumerate(events) if isinstance(event, MovePlayed)]
    if not moves or isinstance(events[-1], PlayEnded):
        return
    place = data.draw(st.sampled_from(moves))
    broken = events[place]
    assert isinstance(broken, MovePlayed)
    events = [*events[:place], replace(broken, move="!"), *events[place + 1 :]]
    with pytest.raises(UnplayableLog):
        folded(entries_of(events))
    entries = entries_of([*events, PlayEnded(events[-1].at_us, void_result(EndCause.ENGINE_FAULT), bytes(32))])
    history = folded(entries)
    assert history.unplayable_from == place + 1
    assert content(history) == content(step_by_step(entries, place + 1))
