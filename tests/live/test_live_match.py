"""Starts at creation, the free capacity of a bot, and what is left of a finished match."""

import asyncio
import gc
import weakref
from collections.abc import Iterator

import pytest

from referee.live.live_match import FreeCapacity
from referee.live.match_request import LADDER, MAKER, PAIRING, REQUEST_ID, TOURNAMENT
from referee.live.outbox import MatchStarted, TurnNotice
from referee.live.ports import StoreUnavailable
from referee.live.reserved_places import JoinedContests, NoContests
from referee.live.sessions import Hello
from referee.match.clock import SECOND
from referee.match.setup import Player
from referee.match.state import MatchPhase
from tests.live.fake_time import settle
from tests.live.referee_harness import (
    BOTS,
    MANY_MATCHES,
    Recorder,
    RefereeHarness,
    drain_outbox,
    match_request,
)


@pytest.fixture
def _without_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


async def test_a_bot_that_is_offline_or_does_not_accept_the_game_has_no_capacity(harness: RefereeHarness) -> None:
    harness.connect(BOTS[0], hello=Hello(frozenset({"toc"}), 2))
    assert harness.referee.free_capacity(BOTS[0], "toc") == FreeCapacity(BOTS[0], 2)
    assert harness.referee.free_capacity(Player("bot0"), "toc") == FreeCapacity(BOTS[0], 2)
    assert harness.referee.free_capacity(BOTS[0], "nim") is None
    assert harness.referee.free_capacity(Player("bot0", "2"), "toc") is None
    assert harness.referee.free_capacity(BOTS[1], "toc") is None


async def test_matches_in_play_and_matches_waiting_for_nonces_use_capacity(harness: RefereeHarness) -> None:
    harness.connect(*BOTS[:2], hello=Hello(max_matches=3))
    await harness.create()
    assert harness.referee.free_capacity(BOTS[0], "nim") == FreeCapacity(BOTS[0], 2)
    await harness.create(nonce_timeout_us=10 * SECOND)
    assert harness.referee.free_capacity(BOTS[0], "nim") == FreeCapacity(BOTS[0], 1)
    await harness.create(players=(BOTS[0], BOTS[2]))  # It is unknown whether bot2 will connect.
    assert harness.referee.free_capacity(BOTS[0], "nim") == FreeCapacity(BOTS[0], 1)
    await harness.time.advance(10 * SECOND)
    assert harness.referee.free_capacity(BOTS[0], "nim") == FreeCapacity(BOTS[0], 1)


async def test_a_match_whose_bots_are_ready_is_created_and_begun_by_one_write(harness: RefereeHarness) -> None:
    first, second = harness.connect(*BOTS[:2])
    created = await harness.referee.create(match_request())
    match_id = created.status.match.setup.match_id
    assert await harness.event_kinds(match_id) == ["MatchCreated", "PlayStarted"]
    assert len(harness.log.attempt_times_us) == 1
    assert created.status.match.phase is MatchPhase.PLAYING
    assert drain_outbox(first) == [MatchStarted(match_id, 0), TurnNotice(match_id, 0)]
    assert drain_outbox(second) == [MatchStarted(match_id, 1)]
    assert [type(entry.event).__name__ for entry in harness.recorder.received] == ["MatchCreated", "PlayStarted"]
    await harness.submit_move(match_id, 0, "1")


async def test_the_versions_of_bots_are_found_out_by_the_same_write(harness: RefereeHarness) -> None:
    first, second = harness.connect(*BOTS[:2])
    created = await harness.referee.create(match_request(players=(Player("bot0"), BOTS[1])))
    match_id = created.status.match.setup.match_id
    assert await harness.event_kinds(match_id) == ["MatchCreated", "SeatTaken", "PlayStarted"]
    assert len(harness.log.attempt_times_us) == 1
    assert created.status.match.players == BOTS[:2]
    assert drain_outbox(first) == [MatchStarted(match_id, 0), TurnNotice(match_id, 0)]
    assert drain_outbox(second) == [MatchStarted(match_id, 1)]
    assert harness.referee.free_capacity(BOTS[0], "nim") == FreeCapacity(BOTS[0], MANY_MATCHES.max_matches - 1)
    await harness.referee.resign(match_id, 0)
    assert harness.referee.free_capacity(BOTS[0], "nim") == FreeCapacity(BOTS[0], MANY_MATCHES.max_matches)


async def test_the_time_of_the_first_turn_runs_from_the_moment_at_which_its_start_is_stored(
    harness: RefereeHarness,
) -> None:
    harness.connect(*BOTS[:2])
    harness.log.after.clear()
    creating = asyncio.create_task(harness.referee.create(match_request()))
    await settle()
    await harness.time.advance(3 * SECOND)
    harness.log.after.set()
    match_id = (await creating).status.match.setup.match_id
    assert harness.turn_due(match_id, 0).left_us == 10 * SECOND
    await harness.time.advance(SECOND)
    assert harness.turn_due(match_id, 0).left_us == 9 * SECOND


async def test_places_are_kept_while_the_start_of_a_match_is_being_written(harness: RefereeHarness) -> None:
    harness.connect(*BOTS[:2], hello=Hello(max_matches=1))
    harness.log.before.clear()
    creating = [asyncio.create_task(harness.referee.create(match_request())) for _ in range(2)]
    await settle()
    harness.log.before.set()
    phases = {(await created).status.match.phase for created in creating}
    assert phases == {MatchPhase.PLAYING, MatchPhase.WAITING}
    await settle()
    assert [match.phase for match in harness.referee.live_matches].count(MatchPhase.PLAYING) == 1


async def test_a_match_that_could_not_be_created_keeps_no_places(harness: RefereeHarness) -> None:
    harness.connect(*BOTS[:2], hello=Hello(max_matches=1))
    harness.log.make_unavailable()
    with pytest.raises(StoreUnavailable):
        await harness.referee.create(match_request())
    harness.log.make_available()
    assert harness.referee.free_capacity(BOTS[0], "nim") == FreeCapacity(BOTS[0], 1)


async def test_repeated_requests_do_not_change_the_places_of_the_match_that_the_first_one_created(
    harness: RefereeHarness,
) -> None:
    harness.connect(BOTS[0], hello=Hello(max_matches=2))
    request = match_request(labels={MAKER: "ada", REQUEST_ID: "1"})
    waiting = await harness.referee.create(request)
    harness.connect(BOTS[1], hello=Hello(max_matches=2))
    await settle()
    again = [await harness.referee.create(request) for _ in range(2)]
    assert [answer.repeated for answer in again] == [True, True]
    assert (await harness.match(waiting.status.match.setup.match_id)).phase is MatchPhase.PLAYING
    assert harness.referee.free_capacity(BOTS[0], "nim") == FreeCapacity(BOTS[0], 1)
    other = match_request(labels={MAKER: "ada", REQUEST_ID: "2"})
    both = await asyncio.gather(harness.referee.create(other), harness.referee.create(other))
    assert sorted(answer.repeated for answer in both) == [False, True]
    assert harness.referee.free_capacity(BOTS[0], "nim") == FreeCapacity(BOTS[0], 0)


async def test_a_repeated_request_does_not_begin_a_match_whose_bot_was_withdrawn(harness: RefereeHarness) -> None:
    request = match_request(labels={MAKER: "ada", REQUEST_ID: "1"})
    match_id = (await harness.referee.create(request)).status.match.setup.match_id
    await harness.referee.withdraw(match_id, "bot0", "ada", "w")
    harness.connect(*BOTS[:2])
    assert (await harness.referee.create(request)).repeated
    await harness.referee.join(match_id, 0, BOTS[0])
    await settle()
    assert (await harness.match(match_id)).phase is MatchPhase.PLAYING


async def test_a_repeated_request_for_a_match_that_is_over_keeps_no_places(harness: RefereeHarness) -> None:
    harness.connect(*BOTS[:2], hello=Hello(max_matches=1))
    request = match_request(labels={MAKER: "ada", REQUEST_ID: "1"})
    created = await harness.referee.create(request)
    await harness.referee.resign(created.status.match.setup.match_id, 0)
    assert (await harness.referee.create(request)).repeated
    assert harness.referee.free_capacity(BOTS[0], "nim") == FreeCapacity(BOTS[0], 1)


async def test_a_match_that_ends_as_soon_as_it_begins_is_created_first(harness: RefereeHarness) -> None:
    harness.connect(*BOTS[:2])
    match_id = await harness.create("brittle", chosen={"breaks": "over_at_once"})
    assert await harness.event_kinds(match_id) == ["MatchCreated", "PlayStarted", "PlayEnded"]
    assert len(harness.log.attempt_times_us) == 2
    assert harness.referee.free_capacity(BOTS[0], "brittle") == FreeCapacity(BOTS[0], MANY_MATCHES.max_matches)


@pytest.mark.usefixtures("_without_collector")
async def test_a_finished_match_is_freed_without_the_garbage_collector(harness: RefereeHarness) -> None:
    """A server freezes what survives a collection, so a reference cycle in each match would be a leak."""
    match_id, _ = await harness.start_match()
    runner = weakref.ref(await harness.referee._live.runner(match_id))
    live_match = weakref.ref(harness.live.index.all()[0])
    await harness.submit_move(match_id, 0, "1")
    assert runner()
    assert live_match()
    await harness.referee.resign(match_id, 0)
    await harness.time.advance(3600 * SECOND)  # The harness keeps cancelled timers until they are due.
    assert (runner(), live_match()) == (None, None)


async def test_the_result_of_a_finished_match_can_be_read_while_the_log_is_unavailable(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match(chosen={"heap": 1})
    await harness.submit_move(match_id, 0, "1")
    harness.log.make_unavailable()
    assert (await harness.match(match_id)).phase is MatchPhase.OVER
    harness.log.make_available()


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
async def test_matches_of_others_take_at_most_half_of_the_places_of_a_bot_in_a_contest(
    places: int, expected: int
) -> None:
    harness = await open_process(places)
    assert await started(harness, 10, **{MAKER: "eve"}) == expected
    assert await started(harness, 10, **{MAKER: "ladder/main", PAIRING: "1", LADDER: "main"}) == places - expected


async def test_matches_of_the_owner_and_of_contests_take_all_places() -> None:
    harness = await open_process(4)
    assert await started(harness, 2, **{MAKER: "owner"}) == 2
    assert await started(harness, 1, **{MAKER: "eve", LADDER: "main"}) == 1
    assert await started(harness, 2, **{MAKER: "tournament/cup", TOURNAMENT: "cup"}) == 1


async def test_a_bot_in_no_contest_plays_as_many_matches_of_others_as_it_has_places_for() -> None:
    harness = await open_process(3, NoContests())
    assert await started(harness, 4, **{MAKER: "eve"}) == 3


async def test_a_match_that_had_no_place_starts_when_one_becomes_free() -> None:
    harness = await open_process(2)
    first, second = [await harness.create(labels={MAKER: "eve"}) for _ in range(2)]
    assert (await harness.match(second)).phase is MatchPhase.WAITING
    await harness.referee.abort(first)
    await settle()
    assert (await harness.match(second)).phase is MatchPhase.PLAYING
    assert (await harness.match(second)).players == (Player("bot0", "1"), Player("bot1", "1"))


async def test_matches_of_a_contest_that_has_invited_the_bot_are_matches_of_others() -> None:
    harness = await open_process(4)
    foreign = {MAKER: "tournament/foreign", TOURNAMENT: "foreign", LADDER: "main"}
    assert await started(harness, 1, **{MAKER: "eve"}) == 1
    assert harness.referee.free_capacity(ANNA, "nim", foreign) == FreeCapacity(ANNA, 1)
    assert await started(harness, 2, **foreign) == 1
    assert harness.referee.free_capacity(ANNA, "nim", foreign) == FreeCapacity(ANNA, 0)
    assert harness.referee.free_capacity(ANNA, "nim") == FreeCapacity(ANNA, 2)
    assert await started(harness, 3, **{MAKER: "ladder/main", LADDER: "main"}) == 2


class PresenceObserver(Recorder):
    """Observer that also records the bots whose presence or room has changed."""

    def __init__(self) -> None:
        super().__init__()
        self.changed: list[str] = []

    def on_presence_changed(self, bot: str) -> None:
        self.changed.append(bot)


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
