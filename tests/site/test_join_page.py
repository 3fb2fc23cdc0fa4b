"""The page about connecting a bot."""

import asyncio
from pathlib import Path

import grpc
import pytest

from referee.site.join_page import FIRST_BOTS, BotsAddress, authorities_in, join_page
from referee.site.site import Site
from referee.site.upstream import Upstream
from referee.site.visitors import SiteAccess, Visitors
from tests.clients.certificates import create_certificates
from tests.show.parsed_page import ParsedPage
from tests.site.test_visitors import Exchange

AUTHORITY = b"-----BEGIN CERTIFICATE-----"


def text_of(bots: BotsAddress) -> str:
    return str(join_page(bots).top)


def requested(bots: BotsAddress, *paths: str) -> list[tuple[int, bytes]]:
    """Return the status and body of the answers of a site whose server is not needed for them."""

    async def scenario() -> list[Exchange]:
        exchanges = [Exchange(path=path, host="games.example") for path in paths]
        async with grpc.aio.insecure_channel("127.0.0.1:1") as channel:
            site = Site(Upstream(channel, ""), {}, bots)
            for exchange in exchanges:
                await exchange.run(site.app(Visitors(), SiteAccess(frozenset({"games.example"}))))
        return exchanges

    return [(exchange.status, exchange.body) for exchange in asyncio.run(scenario())]


@pytest.mark.parametrize(
    ("bots", "variables"),
    [
        (BotsAddress("127.0.0.1:7700"), "BOT_REFEREE=127.0.0.1:7700"),
        (BotsAddress("127.0.0.1:7700", plaintext=True), "BOT_REFEREE=127.0.0.1:7700"),
        (BotsAddress("games.example:7700", plaintext=True), "BOT_REFEREE=games.example:7700 BOT_PLAINTEXT=1"),
        (BotsAddress("games.example:7700"), "BOT_REFEREE=games.example:7700"),
        (BotsAddress("games.example:7700", ca=AUTHORITY), "BOT_REFEREE=games.example:7700 BOT_CA=ca.pem"),
        (BotsAddress("127.0.0.1:7700", ca=AUTHORITY), "BOT_REFEREE=127.0.0.1:7700 BOT_CA=ca.pem"),
    ],
)
def test_each_command_connects_as_the_server_requires(bots: BotsAddress, variables: str) -> None:
    commands = [line for line in text_of(bots).splitlines() if "BOT_REFEREE=" in line]
    assert len(commands) == 5
    assert all(f"{variables} " in command for command in commands)
    assert all(name in variables or name not in command for command in commands for name in ("BOT_CA", "BOT_PLAINTEXT"))


def test_it_begins_with_the_installation_and_links_the_pages_about_a_first_bot() -> None:
    page = text_of(BotsAddress("127.0.0.1:7700"))
    assert page.index("pip install ./proto/python ./clients/python .") < page.index("invitation redeem")
    links = [attributes.get("href") for name, attributes in ParsedPage(page).tags if name == "a"]
    assert {f"/static/{file}" for file in FIRST_BOTS.values()} <= set(links)
    assert "/ca.pem" not in links


def test_it_ends_with_how_a_bot_enters_a_contest() -> None:
    page = text_of(BotsAddress("127.0.0.1:7700"))
    last = page[page.index("python my_bot.py") :]
    assert all(command in last for command in ("referee ladder join", "referee tournament enter"))


def test_it_has_the_certificate_of_an_authority_that_is_not_public() -> None:
    page = text_of(BotsAddress("games.example:7700", ca=AUTHORITY))
    assert "/ca.pem" in [attributes.get("href") for _, attributes in ParsedPage(page).tags]


def test_the_site_serves_the_authority_and_the_pages_about_a_first_bot() -> None:
    paths = ["/ca.pem", "/join", *(f"/static/{file}" for file in FIRST_BOTS.values())]
    (_, ca), (_, page), *first_bots = requested(BotsAddress(":7700", ca=AUTHORITY), *paths)
    assert ca == AUTHORITY
    assert b"BOT_REFEREE=games.example:7700 BOT_CA=ca.pem" in page
    assert all(status == 200 and text.startswith(b"# Your first bot") for status, text in first_bots)
    assert requested(BotsAddress(":7700"), "/ca.pem")[0][0] == 404


def test_the_authority_of_a_chain_is_the_certificate_that_signed_itself(tmp_path: Path) -> None:
    roots, flags = create_certificates(tmp_path)
    chain = tmp_path / "chain.pem"
    certificate = Path(flags[1]).read_bytes()
    chain.write_bytes(certificate + roots.read_bytes())
    assert authorities_in(chain).split() == roots.read_bytes().split()
    assert authorities_in(Path(flags[1])) == b""
