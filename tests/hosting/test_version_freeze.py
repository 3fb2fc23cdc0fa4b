"""Tournaments whose bots play with the versions of the start."""

from referee_api.v1 import play_pb2
from referee_values import RoundRobin, Swiss

from referee.accounts.bots import Version
from referee.hosting.contest_terms import HostedTournamentTerms
from referee.match.setup import Player
from referee.transport.wire.accounts import bot_log_entry_of
from tests.hosting.harness import HostingHarness, cup_terms, entrant, open_process, start_tournament
from tests.live.fake_time import settle


def frozen_terms(**more: object) -> HostedTournamentTerms:
    return cup_terms(RoundRobin(), freeze_versions=True, **more)  # type: ignore[arg-type]


async def bots_of(harness: HostingHarness) -> dict[str, tuple[Player, ...]]:
    return (await harness.tournaments.get("cup")).bots()


async def versions_played(harness: HostingHarness) -> set[Player]:
    matches = [(await harness.referee.status(match_id)).match for match_id in await harness.store.match_ids()]
    return {player for match in matches for player in match.players}


async def notices(harness: HostingHarness, bot: str) -> list[tuple[int, str]]:
    """Return the kinds and messages of the notices in the log of a bot, as its owner reads them."""
    entries = map(bot_log_entry_of, await harness.bot_log.read(bot))
    return [(entry.notice.kind, entry.notice.message) for entry in entries if entry.HasField("notice")]


async def test_the_version_that_is_online_at_the_start_is_frozen_else_the_latest_one() -> None:
    harness = await open_process("ada", "bob", versions=("1", "2"))
    harness.connect("ada", version="1")
    await start_tournament(harness, frozen_terms(), "ada", "bob")
    assert await bots_of(harness) == {"ada": (Player("ada", "1"),), "bob": (Player("bob", "2"),)}
    harness.connect("bob", version="2")
    await harness.until_over("cup")
    assert await versions_played(harness) == {Player("ada", "1"), Player("bob", "2")}


async def test_a_bot_that_comes_with_another_version_waits_for_the_frozen_one() -> None:
    harness = await open_process("ada", "bob", versions=("1", "2"))
    harness.connect("bob", version="1")
    await start_tournament(harness, frozen_terms(), "ada", "bob")
    harness.connect("ada", version="1")
    await settle()
    await settle()
    state = await harness.tournaments.get("cup")
    assert state.tournament.phase == "playing"
    assert not any(progress.match_ids for progress in state.tournament.open_pairings)
    wanted = "ada plays in cup with version 2, which is frozen; 1 gets no match there"
    assert await notices(harness, "ada") == [(play_pb2.NOTICE_KIND_VERSION_FROZEN, wanted)]
    harness.connect("ada", version="2")
    await harness.until_over("cup")
    assert await notices(harness, "ada") == [(play_pb2.NOTICE_KIND_VERSION_FROZEN, wanted)]


async def test_without_a_freeze_any_version_plays() -> None:
    harness = await open_process("ada", "bob", versions=("1", "2"))
    harness.connect("ada", "bob", version="1")
    await start_tournament(harness, cup_terms(RoundRobin()), "ada", "bob")
    await harness.until_over("cup")
    assert await bots_of(harness) == {"ada": (Player("ada"),), "bob": (Player("bob"),)}


async def test_late_entrants_and_bots_that_were_never_connected_are_frozen_when_they_come() -> None:
    harness = await open_process("ada", "bob", "cyd")
    await harness.store.register("dan", versions=())
    terms = cup_terms(Swiss(rounds=2), last_entry_round=1, freeze_versions=True)
    await start_tournament(harness, terms, "ada", "bob", "dan")
    await harness.tournaments.enter("cup", entrant("cyd"))
    await settle()
    bots = await bots_of(harness)
    assert (bots["cyd"], bots["dan"]) == ((Player("cyd", "1"),), (Player("dan"),))
    await harness.store.accounts.add_version(Version("dan", "7", 1), 100)
    harness.connect("dan", version="7")
    await settle()
    assert (await bots_of(harness))["dan"] == (Player("dan", "7"),)
    await harness.tournaments.cancel("cup")
