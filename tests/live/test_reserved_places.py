"""Matches that others make cannot take the places that a bot needs for its contests."""

import pytest

from referee.live.live_match import FreeCapacity
from referee.live.match_request import LADDER, MAKER, PAIRING, TOURNAMENT
from referee.live.reserved_places import JoinedContests, NoContests
from referee.live.sessions import Hello
from referee.match.setup import Player
from referee.match.state import MatchPhase
from tests.live.fake_time import settle
from tests.live.referee_harness import BOTS, Recorder, RefereeHarness
from tests.live.runner_harness import in_loop

ANNA, BERT = BOTS[:2]


class Joined(NoContests):
    """Contests in which bots take part; `foreign` is one that has invited them."""

    def __init__(self, *bots: str) -> None:
        self.bots = set(bots)

    def in_contest(self, bot: str) -> bool:
        return bot in self.bots

    def has_joined(self, bot: str, kind: str, name: str) -> bool:
        return name != "foreign"


async def open_process(max_matches: int, joined: JoinedContests | None = None) -> RefereeHarness:
    """Return a process in which the first bot has that many places, and is in a contest; the second has enough."""
    harness = RefereeHarness(joined=joined or Joined(ANNA.bot))
    harness.referee.sessions.open(ANNA, Hello(max_matches=max_matches), "owner")
    harness.referee.sessions.open(BERT, Hello(max_matches=1_000), "somebody")
    return harness


async def started(harness: RefereeHarness, count: int, **labels: str) -> int:
    """Create matches with these labels; return how many of them have started."""
    ids = [await harness.create(labels=labels) for _ in range(count)]
    return sum([(await harness.match(match_id)).phase is MatchPhase.PLAYING for match_id in ids])


@pytest.mark.parametrize(("places", "expected"), [(1, 0), (2, 1), (3, 1), (8, 4)])
@in_loop
async def test_matches_of_others_take_at_most_half_of_the_places_of_a_bot_in_a_contest(
    places: int, expected: int
) -> None:
    harness = await open_process(places)
    assert await started(harness, 10, **{MAKER: "eve"}) == expected
    assert await started(harness, 10, **{MAKER: "ladder/main", PAIRING: "1", LADDER: "main"}) == places - expected
    await harness.referee.close()


@in_loop
async def test_matches_of_the_owner_and_of_contests_take_all_places() -> None:
    harness = await open_process(4)
    assert await started(harness, 2, **{MAKER: "owner"}) == 2
    assert await started(harness, 1, **{MAKER: "eve", LADDER: "main"}) == 1
    assert await started(harness, 2, **{MAKER: "tournament/cup", TOURNAMENT: "cup"}) == 1
    await harness.referee.close()


@in_loop
async def test_a_bot_in_no_contest_plays_as_many_matches_of_others_as_it_has_places_for() -> None:
    harness = await open_process(3, NoContests())
    assert await started(harness, 4, **{MAKER: "eve"}) == 3
    await harness.referee.close()


@in_loop
async def test_a_match_that_had_no_place_starts_when_one_becomes_free() -> None:
    harness = await open_process(2)
    first, second = [await harness.create(labels={MAKER: "eve"}) for _ in range(2)]
    assert (await harness.match(second)).phase is MatchPhase.WAITING
    await harness.referee.abort(first)
    await settle()
    assert (await harness.match(second)).phase is MatchPhase.PLAYING
    assert (await harness.match(second)).players == (Player("bot0", "1"), Player("bot1", "1"))
    await harness.referee.close()


@in_loop
async def test_matches_of_a_contest_that_has_invited_the_bot_are_matches_of_others() -> None:
    harness = await open_process(4)
    foreign = {MAKER: "tournament/foreign", TOURNAMENT: "foreign", LADDER: "main"}
    assert await started(harness, 1, **{MAKER: "eve"}) == 1
    assert harness.referee.free_capacity(ANNA, "nim", foreign) == FreeCapacity(ANNA, 1)
    assert await started(harness, 2, **foreign) == 1
    assert harness.referee.free_capacity(ANNA, "nim", foreign) == FreeCapacity(ANNA, 0)
    assert harness.referee.free_capacity(ANNA, "nim") == FreeCapacity(ANNA, 2)
    assert await started(harness, 3, **{MAKER: "ladder/main", LADDER: "main"}) == 2
    await harness.referee.close()


class PresenceObserver(Recorder):
    """Observer that also records the bots whose presence or room has changed."""

    def __init__(self) -> None:
        super().__init__()
        self.changed: list[str] = []

    def on_presence_changed(self, bot: str) -> None:
        self.changed.append(bot)


@in_loop
async def test_waiting_matches_start_when_a_bot_is_in_no_contest_any_more() -> None:
    joined = Joined(ANNA.bot)
    harness = await open_process(2, joined)
    ids = [await harness.create(labels={MAKER: "eve"}) for _ in range(3)]
    observer = PresenceObserver()
    harness.referee.subscribe(observer)
    places = harness.referee.reserved_places
    joined.bots.clear()
    places.on_freed({ANNA.bot})
    await settle()
    phases = [(await harness.match(match_id)).phase for match_id in ids]
    assert phases == [MatchPhase.PLAYING, MatchPhase.PLAYING, MatchPhase.WAITING]
    assert observer.changed == [ANNA.bot]
    await harness.referee.close()
    places.on_freed({ANNA.bot})
    assert observer.changed == [ANNA.bot], "nothing starts any more"
