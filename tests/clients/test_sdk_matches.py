"""Bots of the Python SDK, run as programs on a real server."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from referee_client import Terms
from referee_client.results import reason

from tests.clients.sdk import connect_organiser, long_match, run_bot
from tests.e2e.server import run_server
from tests.e2e.test_tls import Certificate

pytestmark = pytest.mark.slow


def test_bots_play_each_game_to_its_end(tmp_path: Path) -> None:
    names = ["anna", "bert", "carl", "dora"]
    tables = [
        (long_match("alquerque"), names[:2]),
        (long_match("trox"), names[2:]),
        (long_match("troke"), names[:2]),
        (replace(long_match("toc"), options={"max_turns": 200}), names),
    ]
    with run_server(tmp_path, "--ephemeral") as server, connect_organiser(server) as organiser, ExitStack() as stack:
        for name in names:
            stack.enter_context(run_bot(server, organiser.register_bot(name), "random"))
        matches = [organiser.create_match(terms, seated) for terms, seated in tables]
        assert [tuple(seat.bot for seat in match.seats) for match in matches] == [tuple(seated) for _, seated in tables]
        assert all(organiser.result(match.id).played for match in matches)


def test_a_bot_trusts_only_the_given_root_certificates(tmp_path: Path) -> None:
    certificate, other_certificate = Certificate("server"), Certificate("other")
    flags = certificate.write_files(tmp_path)
    roots = {"BOT_CA": str(tmp_path / "cert.pem")}
    (tmp_path / "other.pem").write_bytes(other_certificate.cert)
    with run_server(tmp_path, "--ephemeral", *flags) as server:
        with run_bot(server, server.admin_token, "random", BOT_CA=str(tmp_path / "other.pem")) as bot:
            assert "CERTIFICATE_VERIFY_FAILED" in bot.wait_for("disconnected: ")
        with run_bot(server, server.admin_token, "random", **roots) as bot:
            assert bot.exit_status() == 4  # Authentication succeeds, but only the role of a bot may play.


def test_a_bot_without_engines_gets_legal_moves_and_view_from_the_server(tmp_path: Path) -> None:
    script = tmp_path / "poor.py"
    script.write_text(
        "import sys\n"
        "sys.modules['engines'] = None\n"
        "from referee_client import local, run\n"
        "assert not local.INSTALLED\n"
        "def choose(turn):\n"
        "    assert turn.view['owing'] and turn.legal_moves_count == len(turn.legal_moves)\n"
        "    return turn.legal_moves[turn.ply % len(turn.legal_moves)]\n"
        "run(choose, view=True)\n"
    )
    with ExitStack() as stack:
        server = stack.enter_context(run_server(tmp_path, "--ephemeral"))
        organiser = stack.enter_context(connect_organiser(server))
        bot = stack.enter_context(run_bot(server, organiser.register_bot("poor"), str(script)))
        match = organiser.create_match(Terms("toc", {"max_turns": 60}, start_within="10m"), ["poor"] * 4)
        assert reason(organiser.result(match.id)) == "max_turns", bot.output()
