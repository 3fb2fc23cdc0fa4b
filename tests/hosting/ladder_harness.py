"""Helpers for tests of ladders: create one, join bots, wait for a state, and check its logs."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

from referee_values import LadderTerms

from referee.contests.contest_entrant import ContestEntrant
from referee.contests.ladder.events import LadderEvent, MatchRated
from referee.contests.pairing import ContestMatchStarted
from referee.hosting.contest_terms import HostedLadderTerms, complete_ladder_terms
from referee.hosting.ladder_host import LadderRequest
from referee.hosting.ladder_state import LadderFold, LadderState
from referee.live.log_history import replay
from referee.live.match_request import LADDER
from referee.live.queued_command import MatchMoving
from referee.live.sessions import Hello, Session
from referee.match.clock import SECOND, SuddenDeath
from referee.match.events import MatchCreated, PlayEnded
from referee.match.match_terms import MatchTerms
from referee.match.result import EndKind
from referee.match.setup import Player
from tests.contests.recomputed_ratings import recompute_ratings
from tests.hosting.harness import TIMEOUT_S, HostingHarness, Store, open_process
from tests.live.referee_harness import GAMES
from tests.match.setups import time_control

CONTEST = "ladder/main"


def ladder_terms(*games: str, **more: Any) -> HostedLadderTerms:
    """Return terms with small matches of ten seconds for each seat."""
    options: dict[str, dict[str, Any]] = {"nim": {"heap": 6}, "stones": {"seats": 2}}
    return HostedLadderTerms(
        tuple(
            MatchTerms(game, GAMES[game].settings(options.get(game, {})), time_control((SuddenDeath(10 * SECOND),)))
            for game in games or ("nim",)
        ),
        complete_ladder_terms(LadderTerms(**{"max_matches_per_hour": 0, **more}), 2),
    )


def ladder_entrant(bot: str, *partners: str, name: str = "") -> ContestEntrant:
    return ContestEntrant(name, tuple(map(Player, (bot, *partners))))


async def new_ladder(harness: HostingHarness, terms: HostedLadderTerms, *bots: str) -> LadderState:
    """Create a ladder with these bots, which are offline."""
    await harness.ladders.create(LadderRequest("main", "org", "r1", terms))
    for bot in bots:
        await harness.ladders.join("main", ladder_entrant(bot))
    return await harness.ladders.get("main")


async def open_with_ladder(
    terms: HostedLadderTerms, *bots: str, online: Hello | None = None, **process: Any
) -> HostingHarness:
    """Open a process with a ladder of these bots. `online`: they are connected."""
    harness = await open_process(*bots, **process)
    await new_ladder(harness, terms, *bots)
    if online:
        harness.connect(*bots, hello=online)
    return harness


async def until(harness: HostingHarness, condition: Callable[[LadderState], bool]) -> LadderState:
    """Return the ladder as soon as the condition holds."""
    state, watch = await harness.ladders.watch("main", None)
    async with asyncio.timeout(TIMEOUT_S):
        while not condition(state):
            state = (await anext(watch))[-1].state
    return state


def rated(count: int) -> Callable[[LadderState], bool]:
    """Return a condition: that many matches of two bots are rated."""
    return lambda state: sum(record.matches for record in state.ladder.current_season.ratings.values()) >= 2 * count


async def events(store: Store) -> list[LadderEvent]:
    """Return the events of the ladder after its creation."""
    return [entry.event for entry in await store.matches.contests.read(CONTEST, 1)]  # type: ignore[misc]


async def check_the_logs(store: Store) -> None:
    """Check that the ladder's log has no gaps, agrees with those of its matches, and yields the same ratings again."""
    entries = await store.matches.contests.read(CONTEST)
    assert [entry.number for entry in entries] == [*range(1, len(entries) + 1)]
    state = list(replay(LadderFold(GAMES), entries))[-1].state
    recorded = await events(store)
    assert recompute_ratings(recorded) == state.ladder.current_season.ratings
    began = [event.match_id for event in recorded if isinstance(event, ContestMatchStarted)]
    assert len(began) == len(set(began))
    logged = {event.match_id: state.by_seat(event) for event in recorded if isinstance(event, MatchRated)}
    assert logged == await _ended_and_rated(store)
    assert max(Counter(event.match_id for event in recorded if isinstance(event, MatchRated)).values(), default=1) == 1


async def close_and_check(harness: HostingHarness) -> None:
    """Close a process, and check its logs."""
    await harness.close()
    await check_the_logs(harness.store)


async def _ended_and_rated(store: Store) -> dict[str, Any]:
    """Return the rating changes of finished matches, by match."""
    found = {}
    for match_id in await store.match_ids():
        entries = await store.matches.read(match_id)
        opening, end = entries[0], entries[-1].event
        assert isinstance(opening.event, MatchCreated)
        labels = dict(opening.event.setup.labels)
        if LADDER in labels and isinstance(end, PlayEnded) and end.result.kind is not EndKind.VOID:
            found[match_id] = end.ratings
    return found


def ladder_partners(**more: Any) -> HostedLadderTerms:
    return ladder_terms("toc", partner_rule="fixed", **more)


def disconnect(harness: HostingHarness, session: Session) -> None:
    """Disconnect a bot."""
    harness.referee.sessions.close(session)
    session.outbox.close(MatchMoving(""))
