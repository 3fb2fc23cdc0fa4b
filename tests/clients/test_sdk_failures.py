"""Bots of the Python SDK when the server stops, crashes, becomes unreachable or rejects them."""

import signal
from contextlib import ExitStack
from pathlib import Path

import pytest
from referee_client.results import outcome, reason
from referee_values import MovePlayed

from tests.clients.relay import run_relay
from tests.clients.sdk import SHORT_HEARTBEAT, connect_organiser, long_match, run_bot
from tests.e2e.server import create_organiser_token, run_server

pytestmark = pytest.mark.slow


def test_a_match_continues_after_the_server_was_killed(tmp_path: Path) -> None:
    names = ["anna", "bert"]
    with ExitStack() as stack:
        with run_server(tmp_path) as server, server.channel() as channel:
            token = create_organiser_token(channel, server.admin_token)
            organiser = stack.enter_context(connect_organiser(server, token))
            bots = [stack.enter_context(run_bot(server, organiser.register_bot(name), "random")) for name in names]
            match = organiser.create_match(long_match("troke"), names)
            entries = organiser.watch(match.id)
            numbers = [next(entries).number for _ in range(12)]
            server.kill()
        with run_server(tmp_path, "--listen", server.address):
            for bot in bots:
                bot.wait_for("disconnected: ")
                bot.wait_for("connected to")
            numbers += [entry.number for entry in entries]
            assert numbers == list(range(1, len(numbers) + 1))
            result = organiser.result(match.id)
            assert (outcome(result), reason(result)) == ("played", "four_castles")


def test_bots_reconnect_after_draining_and_the_match_continues(tmp_path: Path) -> None:
    names = ["anna", "bert"]
    flags = ("--drain-grace-s", "0", "--reconnect-delay-ms", "300")
    with ExitStack() as stack:
        with run_server(tmp_path, *flags) as server, server.channel() as channel:
            token = create_organiser_token(channel, server.admin_token)
            organiser = stack.enter_context(connect_organiser(server, token))
            bots = [stack.enter_context(run_bot(server, organiser.register_bot(name), "random")) for name in names]
            match = organiser.create_match(long_match("troke"), names)
            entries = organiser.watch(match.id)
            for _ in range(6):
                next(entries)
            assert server.stop() == 0
        with run_server(tmp_path, "--listen", server.address):
            for bot in bots:
                bot.wait_for("connected to")
                bot.wait_for("connected to")
            assert organiser.result(match.id).played


def test_a_token_that_is_invalid_or_has_another_role_ends_the_program_with_status_4(tmp_path: Path) -> None:
    with run_server(tmp_path, "--ephemeral") as server:
        with run_bot(server, "rf_wrong", "random") as bot:
            assert bot.exit_status() == 4
            assert "BAD_TOKEN" in bot.output()
        with run_bot(server, server.admin_token, "random") as bot:
            assert bot.exit_status() == 4
            assert "NOT_YOURS" in bot.output()


def test_a_program_without_settings_names_what_is_missing(tmp_path: Path) -> None:
    with run_server(tmp_path, "--ephemeral") as server, run_bot(server, "", "random") as bot:
        assert bot.exit_status() == 2
        assert "BOT_TOKEN" in bot.output()


@pytest.mark.parametrize("sent_signal", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("workers", ["0", "1"])
def test_a_bot_stopped_while_it_thinks_exits_with_status_0(
    tmp_path: Path, sent_signal: signal.Signals, workers: str
) -> None:
    (tmp_path / "thinker.py").write_text(
        "import sys, time\ndef choose(turn):\n    print('thinks', file=sys.stderr, flush=True)\n    time.sleep(3600)\n"
    )
    with run_server(tmp_path, "--ephemeral") as server, connect_organiser(server) as organiser:
        arguments = (f"{tmp_path / 'thinker.py'}:choose", "--workers", workers)
        with run_bot(server, organiser.register_bot("anna"), *arguments) as bot:
            organiser.create_match(long_match("alquerque"), ["anna", "anna"])
            bot.wait_for("thinks")
            assert bot.stop(sent_signal) == 0
            assert "Traceback" not in bot.output()


def test_a_stalled_connection_is_replaced_by_a_new_one(tmp_path: Path) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(run_server(tmp_path, "--ephemeral", *SHORT_HEARTBEAT))
        organiser = stack.enter_context(connect_organiser(server))
        relay = stack.enter_context(run_relay(server.address))
        bot = stack.enter_context(run_bot(server, organiser.register_bot("anna"), "random", BOT_REFEREE=relay.address))
        match = organiser.create_match(long_match("troke"), ["anna", "anna"])
        entries = organiser.watch(match.id)
        assert any(isinstance(entry.event, MovePlayed) for entry in entries)
        before = relay.connections
        relay.stall()
        bot.wait_for("nothing was received for 6 s")
        assert f"connected to {relay.address} as anna, version 1" in bot.wait_for("connected to")
        assert organiser.result(match.id).played
        assert relay.connections > before
