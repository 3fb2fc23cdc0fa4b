"""The organiser API of the Python SDK, on a real server."""

import asyncio
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
from referee_client import AsyncOrganiser, Gone, NotAllowed, NotServed, Organiser, Refused, Terms
from referee_client.organiser import calls
from referee_client.organiser.clock_text import BadClock, clock

from tests.clients.losing import losing
from tests.clients.relay import relaying
from tests.clients.sdk import long, organising, program
from tests.e2e.server import TIMEOUT_S, ServerProcess, create_organiser_token, run_server

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class House:
    server: ServerProcess
    token: str
    """Token of an organiser."""
    ours: Organiser


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    flags = ("--ephemeral", "--watch-entries-waiting-at-most", "4")
    with run_server(tmp_path_factory.mktemp("server"), *flags) as server, server.channel() as channel:
        token = create_organiser_token(channel, server.admin_token)
        with Organiser(server.address, token) as ours:
            yield House(server, token, ours)


CLOCKS = {
    "none": "untimed { }",
    "60": "sudden_death { main_ms: 60000 }",
    "60+1": "fischer { main_ms: 60000 increment_ms: 1000 }",
    "5m+0.5s": "fischer { main_ms: 300000 increment_ms: 500 }",
    "60 delay 2": "us_delay { main_ms: 60000 delay_ms: 2000 }",
    "60 bronstein 2": "bronstein { main_ms: 60000 delay_ms: 2000 }",
    "60 byoyomi 3x10": "japanese_byo_yomi { main_ms: 60000 period_ms: 10000 periods: 3 }",
    "60 byoyomi 5/10": "canadian_byo_yomi { main_ms: 60000 period_ms: 10000 moves: 5 }",
    "40/300, 60+5": "moves_per_period { periods { moves: 40 added_ms: 300000 } "
    "periods { added_ms: 60000 increment_ms: 5000 } }",
    "5/move": "per_move { move_ms: 5000 }",
    "2 bank 30": "bank { move_ms: 2000 bank_ms: 30000 }",
    "hourglass 60": "hourglass { main_ms: 60000 }",
    "correspondence 3d": "correspondence { move_ms: 259200000 }",
}


@pytest.mark.parametrize("text", CLOCKS)
def test_a_clock_in_words_is_the_clock_that_is_meant_and_the_referee_takes_it(house: House, text: str) -> None:
    assert " ".join(str(clock(text)).split()) == CLOCKS[text]
    assert house.ours.create_match(Terms("alquerque", clock=text)).game == "alquerque"


@pytest.mark.parametrize("text", ["", "soon", "60+", "60 byoyomi", "-5", "40/300,"])
def test_what_is_no_clock_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadClock, match="60\\+1"):
        clock(text)


@pytest.mark.parametrize(
    "terms", [Terms("trox", illegal="shout"), Terms("trox", late="never"), Terms("trox", visibility="delayed")]
)
def test_a_word_that_is_unknown_is_refused_with_those_that_are_known(terms: Terms) -> None:
    with pytest.raises(ValueError, match="it is"):
        terms.message()


def test_terms_in_plain_words_arrive(house: House) -> None:
    terms = Terms(
        "troke", {"seats": 4, "teams": True}, "troke_english", "60+1", gone_after="30s", visibility="delayed 4"
    )
    match = house.ours.create_match(terms, title="a match of four")
    assert (match.game, match.title, len(match.bots)) == ("troke", "a match of four", 4)
    assert (match.options["teams"], match.options["carry_home"]) == ("true", "forbidden")
    assert match.sides == ((0, 2), (1, 3))


def test_a_match_whose_making_was_not_heard_of_is_made_once(house: House) -> None:
    lost = "lost on the way"
    with losing(house.server.address, lost.encode()) as address, Organiser(address, house.token) as far:
        match = far.create_match("trox", title=lost)
    assert [listed.id for listed in house.ours.matches(game="trox") if listed.title == lost] == [match.id]


def test_a_bot_whose_token_was_lost_on_the_way_gets_another_one(house: House) -> None:
    with losing(house.server.address, b"unheard") as address, Organiser(address, house.token) as far:
        secret = far.register_bot("unheard")
    with program(house.server, secret, "random") as bot:
        bot.wait_for("unheard")


def test_bots_and_matches_are_listed(house: House) -> None:
    ours = house.ours
    anna = ours.register_bot("anna", "Plays anything.")
    with program(house.server, anna, "random") as bot:
        bot.wait_for("connected to")
        match = ours.create_match(long("alquerque"), ["anna", "anna/1"], seed=bytes(32))
        result = ours.result(match.id)
        assert [there.name for there in ours.bots(online_only=True)] == ["anna"]
    standing = ours.standing(match.id)
    assert (standing.phase, standing.result, standing.owing) == ("over", result, ())
    assert [listed.id for listed in ours.matches(bot="anna", phase="over")] == [match.id]
    assert {game.name for game in ours.games()} == {"alquerque", "toc", "trox", "troke"}
    assert len({anna, ours.create_token("anna")}) == 2


def test_a_match_that_is_called_off_is_void(house: House) -> None:
    match = house.ours.create_match("trox")
    assert house.ours.abort(match.id, "not today").kind == "void"
    with pytest.raises(Refused) as refused:
        house.ours.abort(match.id)
    assert (refused.value.reason, refused.value.metadata["match_id"]) == ("MATCH_OVER", match.id)


def test_a_record_in_a_file_proves_itself(house: House, tmp_path: Path) -> None:
    with program(house.server, house.ours.register_bot("recorded"), "random"):
        match = house.ours.create_match(long("alquerque"), ["recorded", "recorded"])
        with pytest.raises(Refused, match="MATCH_NOT_OVER"):
            house.ours.record(house.ours.create_match("trox").id, tmp_path / "none.jsonl")
        house.ours.result(match.id)
    file = house.ours.record(match.id, tmp_path / "match.jsonl")
    subprocess.run([sys.executable, "-m", "referee", "verify", file], check=True, stdout=subprocess.DEVNULL)
    assert list(tmp_path.iterdir()) == [file]


def test_who_watches_too_slowly_goes_on_where_it_was(house: House) -> None:
    ours = house.ours
    with program(house.server, ours.register_bot("quick"), "random"):
        match = ours.create_match(long("toc"), ["quick"] * 4)
        slow = ours.watch(match.id)
        numbers = [next(slow).number]
        ours.result(match.id)
        numbers += [entry.number for entry in slow]
    assert numbers == list(range(1, len(numbers) + 1))
    with urllib.request.urlopen(f"http://{house.server.http}/metrics") as page:
        assert 'referee_refusals_total{reason="SLOW_CONSUMER"}' in page.read().decode()


def test_who_may_not_is_told_so_by_type(house: House) -> None:
    bot = house.ours.register_bot("nosy")
    with Organiser(house.server.address, bot) as nosy, pytest.raises(NotAllowed) as refused:
        nosy.create_match("trox")
    assert refused.value.reason == "NOT_YOURS"


def test_a_referee_that_stays_away_is_gone() -> None:
    with Organiser("127.0.0.1:1", "rf_any", patience_s=0) as nowhere, pytest.raises(Gone):
        nowhere.games()


def test_what_a_referee_does_not_serve_is_said_by_type() -> None:
    with ThreadPoolExecutor() as pool:
        server = grpc.server(pool)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        with Organiser(f"127.0.0.1:{port}", "rf_any") as ours, pytest.raises(NotServed):
            ours.ladders.standings("main")
        server.stop(None).wait()


def test_on_a_loop_the_organiser_is_awaited(house: House) -> None:
    async def story() -> None:
        ours = AsyncOrganiser(house.server.address, house.token)
        with program(house.server, await ours.register_bot("looped"), "random"):
            match = await ours.create_match(long("alquerque"), ["looped", "looped"])
            numbers = [entry.number async for entry in ours.watch(match.id)]
            assert numbers == list(range(1, len(numbers) + 1))
            assert (await ours.result(match.id)).kind == "played"
        await ours.close()

    asyncio.run(story())


def test_on_a_loop_watching_can_be_left_before_anything_happens(house: House) -> None:
    async def story() -> None:
        ours = AsyncOrganiser(house.server.address, house.token)
        match = await ours.create_match("trox")
        watching = ours.watch(match.id)
        assert (await anext(watching)).number == 1
        waiting = asyncio.ensure_future(anext(watching))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await ours.close()

    asyncio.run(story())


def test_a_watch_on_a_connection_that_carries_nothing_any_more_goes_on_on_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for option in ("grpc.keepalive_time_ms", "grpc.keepalive_timeout_ms", "grpc.http2.ping_timeout_ms"):
        monkeypatch.setitem(calls.KEEPALIVE, option, 1_000)
    with ExitStack() as stack:
        server = stack.enter_context(run_server(tmp_path, "--ephemeral", "--client-pings-apart-ms", "100"))
        ours = stack.enter_context(organising(server))
        relay = stack.enter_context(relaying(server.address))
        far = stack.enter_context(Organiser(relay.address, server.admin_token, patience_s=TIMEOUT_S))
        match = ours.create_match("trox")
        entries = far.watch(match.id)
        numbers = [next(entries).number]
        before = relay.connections
        relay.stall()
        ours.abort(match.id)
        numbers += [entry.number for entry in entries]
        assert numbers == list(range(1, len(numbers) + 1))
        assert relay.connections > before
