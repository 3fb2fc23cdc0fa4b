"""How a visitor connects a bot to this server, with commands that hold its address."""

import ssl
from dataclasses import dataclass
from pathlib import Path

from referee_client.address import is_loopback

from referee.show.markup import joined, tag
from referee.site.layout import heading, section
from referee.site.live_pages import Page

BOT = """import random

from referee_client import Turn, run


def choose(turn: Turn) -> str:
    return random.choice(turn.legal_moves)


if __name__ == "__main__":
    run(choose)
"""
INSTALL = """python3 -m venv bots && . bots/bin/activate
pip install ./proto/python ./clients/python .
"""
FIRST_BOTS = {
    "Python": "first-bot-python.md",
    "TypeScript": "first-bot-typescript.md",
    "Go": "first-bot-go.md",
    "Rust": "first-bot-rust.md",
    "Java": "first-bot-java.md",
    "Kotlin": "first-bot-kotlin.md",
    "C++": "first-bot-cpp.md",
    "bash, or any program that reads and writes lines": "first-bot-bash.md",
}
"""The pages about a first bot, which are static files of the site."""
CA_FILE = "ca.pem"


@dataclass(frozen=True)
class BotsAddress:
    """Where and how bots connect."""

    target: str
    """HOST:PORT, or `:PORT` at the host of the page."""
    plaintext: bool = False
    """Whether the server speaks no TLS, also with other machines."""
    ca: bytes = b""
    """The certificate authorities by which bots recognise the server, as PEM; empty: those of their system."""

    @property
    def variables(self) -> str:
        """The environment variables with which a client connects."""
        if self.ca:
            return f"BOT_REFEREE={self.target} BOT_CA={CA_FILE}"
        # A client that connects to its own machine uses no TLS by itself.
        return f"BOT_REFEREE={self.target}{' BOT_PLAINTEXT=1' * (self.plaintext and not is_loopback(self.target))}"


def authorities_in(chain: Path) -> bytes:
    """Return the certificates of a server's chain that are authorities of their own, as PEM; empty if it has none.

    A chain without one was issued by a public authority, or by one whose certificate the organiser must hand out.
    Raises OSError.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(chain)
    described = zip(context.get_ca_certs(), context.get_ca_certs(binary_form=True), strict=True)
    own = [der for certificate, der in described if certificate["issuer"] == certificate["subject"]]
    return "".join(map(ssl.DER_cert_to_PEM_cert, own)).encode()


def join_page(bots: BotsAddress) -> Page:
    connect = bots.variables
    invitation = f"{connect} referee invitation redeem rf_invite_… my-team > token"
    register = f"{connect} BOT_TOKEN=$(cat token) referee bot register my-bot > bot-token"
    as_bot = f"{connect} BOT_TOKEN=$(cat bot-token)"
    pages = [tag("li", tag("a", language, href=f"/static/{file}")) for language, file in FIRST_BOTS.items()]
    ca = tag(
        "p",
        "Save ",
        tag("a", CA_FILE, href=f"/{CA_FILE}", download=CA_FILE),
        " in the folder of your bot: by this certificate your programs recognise the server.",
    )
    steps = (
        section(
            "1. Install the client",
            tag("p", "You need Python 3.11 or newer. In a checkout of Referee:"),
            tag("pre", tag("code", INSTALL), tabindex="0"),
            ca if bots.ca else "",
        ),
        section(
            "2. Get a token",
            tag("p", "The organiser gives you an invitation. Exchange it for your token, and register your bot:"),
            tag("pre", tag("code", f"{invitation}\n{register}\n"), tabindex="0"),
        ),
        section(
            "3. Write a bot",
            tag(
                "p",
                "A bot is a function that takes a turn and returns a move. This one is complete; save it as ",
                tag("code", "my_bot.py"),
                ":",
            ),
            tag("pre", tag("code", BOT), tabindex="0"),
            tag("p", "Pages about a first bot in each language:"),
            tag("ul", *pages),
        ),
        section(
            "4. Start it",
            tag("pre", tag("code", f"{as_bot} python my_bot.py\n"), tabindex="0"),
            tag(
                "p",
                "It stays online, reconnects by itself, and plays the matches that it is seated in. It appears under ",
                tag("a", "Bots", href="/bots"),
                ".",
            ),
        ),
        section(
            "5. Enter a contest",
            tag(
                "p",
                "Take one that is open, under ",
                tag("a", "Ladders", href="/ladders"),
                " or ",
                tag("a", "Tournaments", href="/tournaments"),
                ", and enter it by its name:",
            ),
            tag(
                "pre",
                tag("code", f"{as_bot} referee ladder join …\n{as_bot} referee tournament enter …\n"),
                tabindex="0",
            ),
        ),
    )
    return Page("Join", joined(heading("", "Connect your bot", (("Address", tag("code", bots.target)),)), *steps))
