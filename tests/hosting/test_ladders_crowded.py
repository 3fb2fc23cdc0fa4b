"""Ladders that many bots join at once: they are paired in batches, so that the event loop is not blocked."""

from referee.contests.ladder.events import MatchRated, PairingPlanned
from referee.contests.strength.rating import FinishOrder, compute_rating_updates
from referee.live.sessions import Hello
from referee.match.setup import Player
from tests.hosting.harness import HostingHarness, SimulatedCrash, Store, kill_process
from tests.hosting.ladder_harness import CONTEST, events, ladder_terms, open_with_ladder, until

BOT_COUNT = 40
NEW = [f"new-{number}" for number in range(BOT_COUNT)]
KNOWN = [f"known-{number}" for number in range(BOT_COUNT)]
TWO = Hello(max_matches=2)


async def large_ladder() -> Store:
    """Create a ladder with many entrants, half of them provisional and all offline."""
    harness = await open_with_ladder(ladder_terms(provisional_matches=1), *NEW, *KNOWN)
    await harness.close()
    written = len(await events(harness.store)) + 1
    await harness.store.matches.contests.append(CONTEST, written, [rated_match(*pair) for pair in pairs(KNOWN)])
    return harness.store


def pairs(names: list[str]) -> list[tuple[str, str]]:
    return list(zip(names[::2], names[1::2], strict=True))


def rated_match(winner: str, loser: str) -> MatchRated:
    finish = FinishOrder(((Player(winner, "1"),), (Player(loser, "1"),)), (1, 2))
    return MatchRated(f"{winner}-{loser}", finish, (), compute_rating_updates({}, finish))


async def paired(store: Store) -> list[str]:
    """Return all entrants that were paired, in the order of pairing."""
    return [
        name for event in await events(store) if isinstance(event, PairingPlanned) for name in event.pairing.entrants
    ]


async def test_every_entrant_gets_one_opponent_before_any_gets_a_second_one() -> None:
    store = await large_ladder()
    harness = HostingHarness(store)
    harness.choose = lambda *_: ""
    await harness.open()
    harness.connect(*NEW, *KNOWN, hello=TWO)
    await until(harness, lambda state: state.ladder.planned_count > BOT_COUNT)
    first = (await paired(store))[: 2 * BOT_COUNT]
    assert sorted(first) == sorted([*NEW, *KNOWN])


async def test_waiting_entrants_are_paired_in_batches() -> None:
    store = await large_ladder()
    harness = HostingHarness(store, SimulatedCrash(1))
    await harness.open()
    harness.connect(*NEW, *KNOWN, hello=TWO)
    await harness.crash.happened.wait()
    assert 0 < len(await paired(store)) <= BOT_COUNT / 2
    await kill_process()
