"""The site of a real server with a ladder, a tournament and a finished match, and requests of its JSON API."""

import asyncio
import http.client
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from referee_client.address import Address

from referee.site import json_api, site_server
from referee.site.join_page import BotsAddress
from referee.site.json_calls import BASE, JsonCall
from referee.site.visitors import SiteAccess, Visitors
from tests.e2e.contests import create_ladder, decide_match, join_ladder, start_tournament
from tests.e2e.organiser import Organiser, server_with_organiser
from tests.e2e.server import TIMEOUT_S

UNLIMITED = 1_000_000


class HttpAnswer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class ApiSite:
    port: int
    organiser: Organiser
    """Holder of two bots, and of a ladder and a tournament, which have the name of the holder."""
    match_id: str
    """A rated match of the ladder that is over."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def names(self, call: JsonCall) -> dict[str, str]:
        """Return what the path of a call consists of, by field of its request."""
        organiser = self.organiser
        of_name = {"bots": organiser.bots[0], "games": "alquerque"}.get(call.path.split("/")[1], organiser.name)
        names = {
            "name": of_name,
            "match_id": self.match_id,
            "bot": organiser.bots[0],
            "ladder": organiser.name,
            "tournament": organiser.name,
        }
        return {name: text for name, text in names.items() if f"{{{name}}}" in call.path}

    def get(self, path: str, token: str = "", method: str = "GET", **headers: str) -> HttpAnswer:
        """Request a path below the root of the API."""
        if token:
            headers["Authorization"] = f"Bearer {token}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        try:
            connection.request(method, f"{BASE}{path}", headers=headers)
            answer = connection.getresponse()
            return HttpAnswer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()


@contextmanager
def run_api_site(folder: Path, *, limited: bool = False) -> Iterator[ApiSite]:
    """Run the site; without the limits of its visitors unless `limited`."""
    with server_with_organiser(folder, "--ephemeral") as organiser, pytest.MonkeyPatch.context() as patch:
        if not limited:
            patch.setattr(site_server, "Visitors", partial(Visitors, UNLIMITED, UNLIMITED))
            patch.setattr(json_api, "CALLS_PER_MINUTE", UNLIMITED)
            patch.setattr(json_api, "CALLS_PER_MINUTE_OF_ALL", UNLIMITED)
        match_id = play_contests(organiser)
        with serving(Address(organiser.server.address, organiser.create_token("spectator", "site"))) as port:
            yield ApiSite(port, organiser, match_id)


def play_contests(organiser: Organiser) -> str:
    """Play a match of a ladder, then start a tournament. Return the id of the match."""
    create_ladder(organiser)
    join_ladder(organiser, 0, 1)
    # The ladder starts no matches of its own then.
    organiser.call("LadderService/PauseLadder", ladder=organiser.name)
    for seat in (0, 1):
        organiser.connection(seat)
    request = organiser.match_request() | {"ladder": organiser.name}
    match_id: str = organiser.call("MatchService/CreateMatch", **request).match.id
    for seat in (0, 1, 0):
        turn = organiser.next_turn(seat)
        organiser.submit_move(turn, turn.legal_moves[0])
    decide_match(organiser, match_id)
    start_tournament(organiser)
    return match_id


@contextmanager
def serving(referee: Address) -> Iterator[int]:
    """Serve the site of a referee in a thread, and yield its port."""
    opened = socket.create_server(("127.0.0.1", 0))
    port: int = opened.getsockname()[1]
    ready = threading.Event()

    async def serve() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        stoppers.append(lambda: loop.call_soon_threadsafe(stop.set))
        await site_server.serve_site(referee, opened, BotsAddress(referee.target), stop, ready.set, SiteAccess())

    stoppers: list[Any] = []
    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(TIMEOUT_S)
    try:
        yield port
    finally:
        stoppers[0]()
        thread.join(TIMEOUT_S)
