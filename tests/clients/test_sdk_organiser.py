"""The organiser API of the Python SDK, on a real server."""

import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import grpc
import pytest
from msgspec import structs
from referee_client import NotAllowed, NotServed, Organiser, Refused, Terms, address
from referee_client.organiser.clock_text import BadClock, clock
from referee_client.organiser.invitations import redeem
from referee_values import (
    Bank,
    Bronstein,
    CanadianByoYomi,
    ClockRule,
    Correspondence,
    Fischer,
    Hourglass,
    JapaneseByoYomi,
    MovesPerPeriod,
    Period,
    PerMove,
    SuddenDeath,
    Untimed,
    UsDelay,
)

from engines.registry import games
from tests.clients.losing_proxy import run_losing_proxy
from tests.clients.sdk import long_match, run_bot
from tests.e2e.server import ServerProcess, create_organiser_token, run_server

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Context:
    server: ServerProcess
    token: str
    """Token of an organiser."""
    organiser: Organiser


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Context]:
    flags = ("--ephemeral", "--max-queued-watch-entries", "4")
    with run_server(tmp_path_factory.mktemp("server"), *flags) as server, server.channel() as channel:
        token = create_organiser_token(channel, server.admin_token)
        with Organiser(server.address, token) as organiser:
            yield Context(server, token, organiser)


CLOCKS: dict[str, ClockRule] = {
    "none": ClockRule(untimed=Untimed()),
    "60": ClockRule(sudden_death=SuddenDeath(main_ms=60_000)),
    "60+1": ClockRule(fischer=Fischer(main_ms=60_000, increment_ms=1_000)),
    "5m+0.5s": ClockRule(fischer=Fischer(main_ms=300_000, increment_ms=500)),
    "60 delay 2": ClockRule(us_delay=UsDelay(main_ms=60_000, delay_ms=2_000)),
    "60 bronstein 2": ClockRule(bronstein=Bronstein(main_ms=60_000, delay_ms=2_000)),
    "60 byoyomi 3x10": ClockRule(japanese_byo_yomi=JapaneseByoYomi(main_ms=60_000, period_ms=10_000, periods=3)),
    "60 byoyomi 5/10": ClockRule(canadian_byo_yomi=CanadianByoYomi(main_ms=60_000, period_ms=10_000, moves=5)),
    "40/300, 60+5": ClockRule(
        moves_per_period=MovesPerPeriod(
            periods=(Period(moves=40, added_ms=300_000), Period(added_ms=60_000, increment_ms=5_000))
        )
    ),
    "5/move": ClockRule(per_move=PerMove(move_ms=5_000)),
    "2 bank 30": ClockRule(bank=Bank(move_ms=2_000, bank_ms=30_000)),
    "hourglass 60": ClockRule(hourglass=Hourglass(main_ms=60_000)),
    "correspondence 3d": ClockRule(correspondence=Correspondence(move_ms=259_200_000)),
}


@pytest.mark.parametrize("text", CLOCKS)
def test_a_clock_in_text_form_is_parsed_and_accepted_by_the_server(context: Context, text: str) -> None:
    assert clock(text) == CLOCKS[text]
    assert context.organiser.create_match(Terms("alquerque", clock=text)).terms.rules.game == "alquerque"


@pytest.mark.parametrize("text", ["", "soon", "60+", "60 byoyomi", "-5", "40/300,"])
def test_an_invalid_clock_is_rejected_with_an_example(text: str) -> None:
    with pytest.raises(BadClock, match="60\\+1"):
        clock(text)


@pytest.mark.parametrize(
    "terms", [Terms("trox", illegal="shout"), Terms("trox", late="never"), Terms("trox", visibility="delayed")]
)
def test_an_unknown_value_is_rejected_and_the_known_ones_are_named(terms: Terms) -> None:
    with pytest.raises(ValueError, match="it is"):
        terms.match_terms()


def test_terms_in_text_form_reach_the_server(context: Context) -> None:
    terms = Terms(
        "troke", {"seats": 4, "teams": True}, "troke_english", "60+1", gone_after="30s", visibility="delayed 4"
    )
    match = context.organiser.create_match(terms, title="a match of four")
    assert (match.terms.rules.game, match.title, len(tuple(seat.bot for seat in match.seats))) == (
        "troke",
        "a match of four",
        4,
    )
    assert (match.terms.rules.options["teams"], match.terms.rules.options["carry_home"]) == ("true", "forbidden")
    assert [side.seats for side in match.seat_layout.sides] == [(0, 2), (1, 3)]


def test_a_match_is_created_once_even_if_the_response_is_lost(context: Context) -> None:
    title = "lost on the way"
    with (
        run_losing_proxy(context.server.address, title.encode()) as address,
        Organiser(address, context.token) as remote,
    ):
        match = remote.create_match("trox", title=title)
    assert [listed.id for listed in context.organiser.matches(game="trox") if listed.title == title] == [match.id]


def test_a_lost_registration_response_is_replaced_by_a_new_token(context: Context) -> None:
    with run_losing_proxy(context.server.address, b"unheard") as address, Organiser(address, context.token) as remote:
        secret = remote.register_bot("unheard")
    with run_bot(context.server, secret, "random") as bot:
        bot.wait_for("unheard")


def test_bots_and_matches_are_listed(context: Context) -> None:
    organiser = context.organiser
    anna = organiser.register_bot("anna", "Plays anything.")
    with run_bot(context.server, anna, "random") as bot:
        bot.wait_for("connected to")
        match = organiser.create_match(long_match("alquerque"), ["anna", "anna/1"], seed=bytes(32))
        result = organiser.result(match.id)
        assert [there.name for there in organiser.bots(online_only=True)] == ["anna"]
    standing = organiser.standing(match.id)
    assert (standing.match.phase, standing.match.result, standing.state.seats_to_move) == ("over", result, ())
    assert [listed.id for listed in organiser.matches(bot="anna", phase="over")] == [match.id]
    assert {game.name for game in organiser.games()} == games().keys()
    assert len({anna, organiser.create_token("anna")}) == 2


def test_an_organiser_reads_its_own_token(context: Context) -> None:
    with Organiser(context.server.address, context.server.admin_token) as admin:
        made = admin.administration.make_token("spectator", "sam", expires_at=datetime.now(UTC) + timedelta(days=1))
    with Organiser(context.server.address, made.secret) as spectator:
        assert structs.replace(spectator.own_token(), last_use_time=None) == made.token
    assert context.organiser.own_token().role == "organiser"


def test_a_lost_answer_to_a_redemption_makes_one_author_without_a_token(context: Context) -> None:
    made = context.organiser.invitations.make(datetime.now(UTC) + timedelta(days=1), 2)
    with run_losing_proxy(context.server.address, b"lost-author") as address:
        assert redeem(made.code, "lost-author", address) == ""
    assert [use.holder for use in context.organiser.invitations.redemptions(made.invitation.id)] == ["lost-author"]


def test_an_aborted_match_is_void(context: Context) -> None:
    match = context.organiser.create_match("trox")
    assert context.organiser.abort(match.id, "not today").voided
    with pytest.raises(Refused) as refused:
        context.organiser.abort(match.id)
    assert (refused.value.reason, refused.value.metadata["match_id"]) == ("MATCH_OVER", match.id)


def test_a_downloaded_record_passes_verification(context: Context, tmp_path: Path) -> None:
    with run_bot(context.server, context.organiser.register_bot("recorded"), "random"):
        match = context.organiser.create_match(long_match("alquerque"), ["recorded", "recorded"])
        with pytest.raises(Refused, match="MATCH_NOT_OVER"):
            context.organiser.record(context.organiser.create_match("trox").id, tmp_path / "none.jsonl")
        context.organiser.result(match.id)
    file = context.organiser.record(match.id, tmp_path / "match.jsonl")
    subprocess.run([sys.executable, "-m", "referee", "verify", file], check=True, stdout=subprocess.DEVNULL)
    assert list(tmp_path.iterdir()) == [file]


def test_a_slow_watcher_resumes_without_a_gap(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    # Otherwise gRPC lets the window of flow control grow, and buffers the whole match for the watcher.
    monkeypatch.setattr(address, "OPTIONS", (*address.OPTIONS, ("grpc.http2.bdp_probe", 0)))
    terms = replace(long_match("toc"), options={"max_turns": "800"})
    with (
        Organiser(context.server.address, context.token) as organiser,
        run_bot(context.server, organiser.register_bot("quick"), "random"),
    ):
        match = organiser.create_match(terms, ["quick"] * 4)
        slow = organiser.watch(match.id)
        numbers = [next(slow).number]
        organiser.result(match.id)
        numbers += [entry.number for entry in slow]
    assert numbers == list(range(1, len(numbers) + 1))
    with urllib.request.urlopen(f"http://{context.server.http}/metrics") as page:
        assert 'referee_refusals_total{reason="SLOW_CONSUMER"}' in page.read().decode()


def test_a_call_without_permission_raises_not_allowed(context: Context) -> None:
    bot = context.organiser.register_bot("nosy")
    with Organiser(context.server.address, bot) as nosy, pytest.raises(NotAllowed) as refused:
        nosy.create_match("trox")
    assert refused.value.reason == "NOT_YOURS"


def test_an_unimplemented_method_raises_not_served() -> None:
    with ThreadPoolExecutor() as pool:
        server = grpc.server(pool)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        with Organiser(f"127.0.0.1:{port}", "rf_any") as organiser, pytest.raises(NotServed):
            organiser.ladders.standings("main")
        server.stop(None).wait()
