"""The SDK's client for games, accounts of bots, and playing without a stream, on a real server."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from referee_client import Organiser as Client
from referee_client import Refused
from referee_client.results import reason

from tests.e2e.conftest import organiser, server
from tests.e2e.organiser import Organiser

pytestmark = pytest.mark.slow

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
