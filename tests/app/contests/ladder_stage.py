"""Ladders on a stage: how a test makes and climbs them in a few words, and checks what their logs say."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

from referee.app.asked import NotRunHere
from referee.app.contests.book import folded
from referee.app.contests.held_ladder import HeldLadder, LadderFold
from referee.app.contests.ladder_wish import LadderWish
from referee.app.contests.terms import LadderTerms, MatchTerms, Partners
from referee.app.sessions import Session
from referee.app.wish import LADDER
from referee.contest.ladder import recomputed
from referee.contest.ladder_events import Entrant, Event, Rated
from referee.contest.match_events import Began
from referee.core.clock import SECOND, SuddenDeath
from referee.core.events import Opened, PlayEnded
from referee.core.result import Kind
from referee.core.setup import Player
from tests.app.contests.stage import WITHIN_S, Stage, Store
from tests.app.hall import GAMES

CONTEST = "ladder/main"


def ladder_terms(*games: str, **more: Any) -> LadderTerms:
    """Small matches of ten seconds a seat."""
    chosen: dict[str, dict[str, Any]] = {"nim": {"heap": 6}, "stones": {"seats": 2}}
    return LadderTerms(
        tuple(
            MatchTerms(game, GAMES[game].settings(chosen.get(game, {})), (SuddenDeath(10 * SECOND),))
            for game in games or ("nim",)
        ),
        **more,
    )


def climber(bot: str, *partners: str, name: str = "") -> Entrant:
    return Entrant(name, tuple(map(Player, (bot, *partners))))


async def new_ladder(stage: Stage, terms: LadderTerms, *bots: str) -> HeldLadder:
    """With these bots on it, which are not there yet."""
    await stage.ladders.create(LadderWish("main", "org", "r1", terms))
    for bot in bots:
        await stage.ladders.join("main", climber(bot))
    return await stage.ladders.ladder("main")


async def opened(terms: LadderTerms, *bots: str, versions: tuple[str, ...] = ("1",)) -> Stage:
    store = Store()
    await store.register(*bots, versions=versions)
    stage = Stage(store)
    await stage.open()
    await new_ladder(stage, terms, *bots)
    return stage


async def until(stage: Stage, holds: Callable[[HeldLadder], bool]) -> HeldLadder:
    """The ladder as soon as that holds."""
    held, watching = await stage.ladders.watch("main", None)
    async with asyncio.timeout(WITHIN_S):
        while not holds(held):
            held = (await anext(watching))[-1].state
    return held


def rated(many: int) -> Callable[[HeldLadder], bool]:
    """That so many matches have been rated, each of two."""
    return lambda held: sum(it.matches for it in held.ladder.standing.ratings.values()) >= 2 * many


async def events(store: Store) -> list[Event]:
    """What has happened on the ladder since it was made."""
    return [entry.event for entry in await store.matches.contests.read(CONTEST, 1)]  # type: ignore[misc]


async def check_the_logs(store: Store) -> None:
    """The log of the ladder is whole, and at one with those of its matches; its ratings can be computed again."""
    entries = await store.matches.contests.read(CONTEST)
    assert [entry.number for entry in entries] == [*range(1, len(entries) + 1)]
    held = folded(LadderFold(GAMES), entries)[-1].state
    happened = await events(store)
    assert recomputed(happened) == held.ladder.standing.ratings
    began = [event.match_id for event in happened if isinstance(event, Began)]
    assert len(began) == len(set(began))
    told = {event.match_id: held.by_seat(event) for event in happened if isinstance(event, Rated)}
    assert told == await _ended_and_rated(store)
    assert max(Counter(event.match_id for event in happened if isinstance(event, Rated)).values(), default=1) == 1


async def _ended_and_rated(store: Store) -> dict[str, Any]:
    """What the matches say of ratings."""
    found = {}
    for match_id in await store.match_ids():
        entries = await store.matches.read(match_id)
        opening, end = entries[0], entries[-1].event
        assert isinstance(opening.event, Opened)
        labels = dict(opening.event.setup.labels)
        if LADDER in labels and isinstance(end, PlayEnded) and end.result.kind is not Kind.VOID:
            found[match_id] = end.ratings
    return found


def ladder_partners(**more: Any) -> LadderTerms:
    return ladder_terms("toc", partners=Partners.FIXED, **more)


def leaves(stage: Stage, session: Session) -> None:
    """The bot is gone, without a word."""
    stage.referee.sessions.close(session)
    session.outbox.close(NotRunHere(""))
