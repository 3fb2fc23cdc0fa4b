"""What a bot sees of its match on the web site, and that nobody else receives it: a real server and a real site."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection, HTTPResponse
from itertools import count
from typing import Any

import pytest
from referee_api.v1 import game_pb2

from engines.toc.card_drawing import SUITS
from engines.toc.cards import NAMES
from referee.site.event_stream import PING
from referee.site.json_calls import BASE
from tests.e2e.organiser import Organiser, call_method, new_organiser
from tests.e2e.server import TIMEOUT_S, ServerProcess
from tests.site.account_site import Visitor, signed_in

pytestmark = pytest.mark.slow

NUMBERS = count(1)
TOC = game_pb2.Rules(game="toc")
SEATS = 4
MAX_PINGS = 12
"""Pings without the awaited event, after which a test fails."""


@pytest.fixture
def organiser(server: ServerProcess) -> Iterator[Organiser]:
    name = f"toc-{next(NUMBERS)}"
    with server.channel() as channel, new_organiser(server, channel, name, SEATS) as organiser:
        yield organiser


def hand(organiser: Organiser, match_id: str, seat: int, secret: str = "") -> set[str]:
    """Return the cards that a seat holds, as the referee tells its bot."""
    fields = {"match_id": match_id, "seat": seat, "include_view": True}
    secret = secret or organiser.secrets[seat]
    watched = call_method(organiser.channel, "MatchService/WatchMatch", secret, **fields)
    view = json.loads(next(watched).items[0].snapshot.state.view_json)
    watched.cancel()
    return set(view["hands"][seat])


def give_cards(organiser: Organiser) -> None:
    """Let each seat give a card to its partner, which others do not see."""
    for seat in range(SEATS):
        turn = organiser.next_turn(seat)
        organiser.submit_move(turn, turn.legal_moves[0])


def shows(card: str, text: str) -> bool:
    """Return whether a card is in a text, by its drawing (in HTML or in JSON) or by its name."""
    rank = "10" if card[0] == "T" else card[0]
    drawing = f'>{rank}</text><path d="{SUITS[card[1]]}"'
    return drawing in text or drawing in text.replace('\\"', '"') or f'"{card}"' in text.replace('\\"', '"')


def shown(text: str) -> set[str]:
    return {card for card in NAMES if shows(card, text)}


@contextmanager
def open_events(site: str, path: str, cookies: dict[str, str]) -> Iterator[HTTPResponse]:
    connection = HTTPConnection(site, timeout=TIMEOUT_S)
    connection.request("GET", path, headers={"cookie": "; ".join(f"{name}={text}" for name, text in cookies.items())})
    try:
        yield connection.getresponse()
    finally:
        connection.close()


def read_until(stream: HTTPResponse, ply: int) -> str:
    """Read events until one with the board after so many moves, and return all that was received."""
    received = ""
    while True:
        line = stream.readline().decode()
        assert line, received
        assert received.count(PING.decode()) < MAX_PINGS, received
        received += line
        if line.startswith("data: ") and json.loads(line[6:])["frames"][-1]["ply"] >= ply:
            return received


def test_a_bot_sees_its_own_hand_and_nobody_else_receives_it(site: str, organiser: Organiser) -> None:
    match_id = organiser.start_match(rules=TOC)
    own, public = f"/account/matches/{match_id}/seats/0", f"/matches/{match_id}"
    player = signed_in(site, organiser.secrets[0])
    page = player.get(f"/account/matches/{match_id}")
    held = hand(organiser, match_id, 0)
    assert shown(page.body) == held
    assert page.headers["cache-control"] == "no-store"
    others = {
        "nobody": Visitor(site, "rf_none"),
        "another seat": signed_in(site, organiser.secrets[1]),
        "the owner": signed_in(site, organiser.token),
        "an administrator": signed_in(site, organiser.server.admin_token),
    }
    traffic: dict[str, str] = dict.fromkeys(others, "")

    def look_around() -> None:
        for who, other in others.items():
            for path in (
                *("/", public, f"{public}?ply=1", f"{public}/frames?ply=0&count=40", f"{public}/record"),
                *(f"{BASE}/matches/{match_id}", f"{BASE}/matches", f"/bots/{organiser.bots[0]}"),
                *(own, f"{own}?ply=1", f"{own}/frames?ply=0&count=40"),
                *(f"/account/matches/{match_id}", f"/account/bots/{organiser.bots[0]}"),
            ):
                traffic[who] += str((answer := other.get(path)).headers) + answer.body
            with open_events(site, f"{own}/events?after=0", other.cookies) as refused:
                assert refused.status in {401, 403}

    look_around()
    with ExitStack() as stack:
        streams = [
            stack.enter_context(open_events(site, path, cookies))
            for path, cookies in (
                (f"{own}/events?after=0", player.cookies),
                (f"{public}/events?after=0", {}),
                (f"{public}/events?after=0", player.cookies),
            )
        ]
        give_cards(organiser)
        secret, *open_to_all = (read_until(stream, SEATS) for stream in streams)
        assert streams[0].getheader("cache-control") == "no-store, no-store"
    held |= hand(organiser, match_id, 0)
    assert shown(secret) == held, "what the bot gave and what it got"
    look_around()

    frames = player.get(f"{own}/frames", ply="0", count="40")
    assert shown(frames.body) == held
    assert frames.headers["cache-control"] == "no-store"
    theirs = hand(organiser, match_id, 1)
    assert shown(traffic.pop("another seat")) >= theirs, "this would find a hand"
    assert not shown("".join([*traffic.values(), *open_to_all]))
    assert not held & shown(others["another seat"].get(f"/account/matches/{match_id}").body)


def test_only_a_bot_in_the_match_reaches_a_seat_and_only_its_own(site: str, organiser: Organiser) -> None:
    match_id = organiser.start_match(rules=TOC)
    pages = [f"/account/matches/{match_id}/seats/1{more}" for more in ("", "/frames", "/events?after=0")]
    stranger = signed_in(site, organiser.secrets[0])
    assert [stranger.get(page).status for page in pages] == [403, 403, 403]
    # The cookie claims to be the bot of the seat: the referee looks at the token.
    stranger.cookies["referee_account"] = f"bot:{organiser.bots[1]}:{organiser.secrets[0]}"
    assert [stranger.get(page).status for page in pages[:2]] == [403, 403]
    assert "data:" not in stranger.get(pages[2]).body
    with new_organiser(organiser.server, organiser.channel, f"eve-{next(NUMBERS)}") as other:
        assert signed_in(site, other.secrets[0]).get(f"/account/matches/{match_id}").status == 403
    nobody = Visitor(site, "rf_none")
    assert [nobody.get(page).status for page in pages] == [401, 401, 401]
    assert signed_in(site, organiser.secrets[0]).get("/account/matches/none").status == 404
    far = f"/account/matches/{match_id}/seats/{10**30}"
    assert signed_in(site, organiser.secrets[0]).get(far).status == 403


def test_an_owner_reads_how_to_see_a_hand(site: str, organiser: Organiser) -> None:
    match_id = organiser.start_match(rules=TOC)
    owner = signed_in(site, organiser.token)
    page = owner.get(f"/account/matches/{match_id}").body
    assert "sign in with a token of it" in page
    assert all(f'href="/account/bots/{bot}"' in page for bot in organiser.bots)
    assert f'href="/account/matches/{match_id}"' in owner.get(f"/account/bots/{organiser.bots[0]}").body
    assert f'href="/account/matches/{match_id}"' in owner.get(f"/matches/{match_id}").body


def test_a_bot_with_two_seats_chooses_between_them(site: str, organiser: Organiser) -> None:
    match_id = organiser.create_match(rules=TOC, seating=(0, 1, 0, 1))
    for connection in [organiser.connection(bot) for bot in (0, 1)]:
        connection.receive("match_started")
    player = signed_in(site, organiser.secrets[0])
    first = player.get(f"/account/matches/{match_id}").body
    assert f'href="/account/matches/{match_id}/seats/2"' in first
    second = player.get(f"/account/matches/{match_id}/seats/2").body
    assert shown(first) == hand(organiser, match_id, 0)
    assert shown(second) == hand(organiser, match_id, 2, organiser.secrets[0])
    assert player.get(f"/account/matches/{match_id}/seats/1").status == 403


def test_the_page_of_a_seat_steps_through_the_match(site: str, organiser: Organiser) -> None:
    match_id = organiser.start_match(rules=TOC)
    before = hand(organiser, match_id, 0)
    give_cards(organiser)
    player: Any = signed_in(site, organiser.secrets[0])
    page = player.get(f"/account/matches/{match_id}").body
    assert f'data-address="/account/matches/{match_id}/seats/0"' in page
    assert f'href="/account/matches/{match_id}/seats/0?ply=0"' in page
    assert shown(player.get(f"/account/matches/{match_id}/seats/0", ply="0").body) == before
