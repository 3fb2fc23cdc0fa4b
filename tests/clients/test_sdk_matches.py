"""Bots of the Python SDK, run as programs on a real server."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from referee_client import Organiser as Client
from referee_client import Refused, Terms
from referee_client.results import reason

from tests.clients.sdk import connect_organiser, long_match, run_bot
from tests.e2e.conftest import organiser, server
from tests.e2e.organiser import Organiser
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


__all__ = ["organiser", "server"]
"""Fixtures of this module."""


@pytest.fixture
def bots(organiser: Organiser) -> Iterator[list[Client]]:
    """Return a client with the token of each bot."""
    with ExitStack() as clients:
        yield [clients.enter_context(Client(organiser.server.address, secret)) for secret in organiser.secrets]


def test_a_game_and_a_position_are_read(bots: list[Client]) -> None:
    assert bots[0].game("alquerque").name == "alquerque"
    (turn,) = bots[0].read_position("alquerque", max_legal_moves=1).seats_to_move
    assert (turn.seat, len(turn.legal_moves)) == (0, 1)


def test_a_bot_checks_and_plays_a_move_and_resigns_without_its_stream(organiser: Organiser, bots: list[Client]) -> None:
    match_id = organiser.start_match()
    organiser.next_turn()
    (turn,) = bots[0].play.turns(match_id, max_legal_moves=1)
    bots[0].play.submit(turn, turn.legal_moves[0], validate_only=True)
    assert len(bots[0].play.turns(match_id)) == 1
    bots[0].play.submit(turn, turn.legal_moves[0], offer_draw=True)
    assert not bots[0].play.turns(match_id)
    assert bots[1].play.answer_draw(match_id, accept=False) is None
    with pytest.raises(Refused) as refused:
        bots[1].play.claim_draw(match_id)
    assert refused.value.reason == "DRAW_NOT_CLAIMABLE"
    bots[1].play.offer_draw(match_id)
    result = bots[1].play.resign(match_id)
    assert result
    assert reason(result) == "resignation"


def test_a_draw_is_agreed_without_a_stream(organiser: Organiser, bots: list[Client]) -> None:
    match_id = organiser.start_match()
    bots[0].play.offer_draw(match_id)
    result = bots[1].play.answer_draw(match_id, accept=True)
    assert result
    assert reason(result) == "draw_agreed"


def test_a_bot_takes_an_open_seat(organiser: Organiser, bots: list[Client]) -> None:
    request = organiser.match_request()
    match_id = organiser.call("MatchService/CreateMatch", **{**request, "seats": []}).match.id
    taken = bots[0].play.join(match_id, seat=1)
    assert tuple(seat.bot for seat in taken.seats) == ("", organiser.bots[0])


def test_an_owner_reinstates_only_a_paused_bot(organiser: Organiser, bots: list[Client]) -> None:
    assert bots[0].accounts.register_version(organiser.bots[0], "1.0").version == "1.0"
    with pytest.raises(Refused) as refused:
        bots[0].accounts.reinstate(organiser.bots[0])
    assert refused.value.reason == "BOT_NOT_PAUSED"
