"""Messages of watched entries are encoded once and cached for each viewer."""

from referee_api.v1.entry_pb2 import Entry
from referee_api.v1.match_service_pb2 import WatchMatchResponse

from engines.api import SPECTATOR, Viewer
from referee.live.match_history import WatchedEntry
from referee.transport.wire.entries import WATCH_CACHE_SIZE, EncodedEntries, ViewerContext, WatchCache
from referee.transport.wire.matches import MatchContext
from tests.live.referee_harness import RefereeHarness

MATCH_CONTEXT = MatchContext(lambda _: True)


async def watched_entries(harness: RefereeHarness, match_id: str, viewer: Viewer) -> list[WatchedEntry]:
    """Return the entries of a match after its second one, as the viewer sees them now."""
    _, watching = await harness.referee.watch(match_id, 2, viewer)
    return await anext(watching)


def decode_entry(response: EncodedEntries) -> Entry:
    (item,) = WatchMatchResponse.FromString(response.encoded).items
    return item.entry


async def test_watchers_of_the_same_view_share_one_message() -> None:
    harness, watch_cache, context = RefereeHarness(), WatchCache(), ViewerContext(SPECTATOR, MATCH_CONTEXT)
    match_id, _ = await harness.start_match()
    await harness.submit_move(match_id, 0, "1")
    first, second = [await watched_entries(harness, match_id, SPECTATOR) for _ in range(2)]
    response = watch_cache.encode(first, context)
    assert watch_cache.encode(second, context) is response
    entry = decode_entry(response)
    assert (entry.number, entry.move_played.played.move) == (3, "1")


async def test_each_viewer_receives_its_own_view() -> None:
    harness, watch_cache = RefereeHarness(), WatchCache()
    match_id, _ = await harness.start_match("fingers")
    await harness.submit_move(match_id, 0, "3")
    watched = {viewer: await watched_entries(harness, match_id, viewer) for viewer in (SPECTATOR, 0)}
    received = {
        viewer: decode_entry(watch_cache.encode(watched[viewer], ViewerContext(viewer, MATCH_CONTEXT)))
        for viewer in (SPECTATOR, 0, SPECTATOR)
    }
    assert received[SPECTATOR].choice_sealed.state.position != received[0].choice_sealed.state.position
    with_view = decode_entry(watch_cache.encode(watched[0], ViewerContext(0, MATCH_CONTEXT, with_view=True)))
    assert with_view.choice_sealed.state.view_json
    assert not received[0].choice_sealed.state.view_json


async def test_later_entries_are_converted_again() -> None:
    harness, watch_cache, context = RefereeHarness(), WatchCache(), ViewerContext(0, MATCH_CONTEXT)
    match_id, _ = await harness.start_match()
    received = []
    for ply in range(3):
        await harness.submit_move(match_id, ply % 2, "1")
        entries = await watched_entries(harness, match_id, 0)
        response = WatchMatchResponse.FromString(watch_cache.encode(entries, context).encoded)
        received.append([item.entry.number for item in response.items])
    assert received == [[3], [3, 4], [3, 4, 5]]


async def test_the_cache_has_a_size_limit() -> None:
    harness, watch_cache, context = RefereeHarness(), WatchCache(), ViewerContext(SPECTATOR, MATCH_CONTEXT)
    match_id, _ = await harness.start_match()
    await harness.submit_move(match_id, 0, "1")
    watched = await watched_entries(harness, match_id, SPECTATOR)
    first = watch_cache.encode(watched, context)
    for seat in range(WATCH_CACHE_SIZE):
        watch_cache.encode(watched, ViewerContext(seat, MATCH_CONTEXT))
    assert watch_cache.encode(watched, context) is not first
