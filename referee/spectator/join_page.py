"""How a visitor connects a bot to this server, with commands that hold its address."""

from referee.reporting.markup import joined, tag
from referee.spectator.layout import heading, section
from referee.spectator.live_pages import Page

BOT = """import random

from referee_client import Turn, run


def choose(turn: Turn) -> str:
    return random.choice(turn.legal_moves)


if __name__ == "__main__":
    run(choose)
"""
LANGUAGES = "Python, TypeScript and JavaScript, Go, Java and Kotlin, Rust, and C++"


def join_page(address: str, *, ca: bool) -> Page:
    """`address`: where bots connect. `ca`: whether they need a certificate that the organiser gives them."""
    root = " BOT_CA=ca.pem" if ca else ""
    invitation = f"BOT_REFEREE={address}{root} referee invitation redeem rf_invite_… my-team > token"
    register = f"BOT_REFEREE={address}{root} BOT_TOKEN=$(cat token) referee bot register my-bot > bot-token"
    start = f"BOT_REFEREE={address}{root} BOT_TOKEN=$(cat bot-token) python my_bot.py"
    steps = (
        section(
            "1. Get a token",
            tag("p", "The organiser gives you an invitation. Exchange it for your token, and register your bot:"),
            tag("pre", tag("code", f"{invitation}\n{register}\n"), tabindex="0"),
        ),
        section(
            "2. Write a bot",
            tag(
                "p",
                "A bot is a function that takes a turn and returns a move. This one is complete; save it as ",
                tag("code", "my_bot.py"),
                ":",
            ),
            tag("pre", tag("code", BOT), tabindex="0"),
            tag(
                "p",
                f"There are libraries for {LANGUAGES}. For other languages there is a bridge that speaks JSON.",
            ),
        ),
        section(
            "3. Start it",
            tag("pre", tag("code", f"{start}\n"), tabindex="0"),
            tag(
                "p",
                "It stays online, reconnects by itself, and plays the matches that it is seated in. It appears under ",
                tag("a", "Bots", href="/bots"),
                ".",
            ),
        ),
    )
    return Page("Join", joined(heading("", "Connect your bot", (("Address", tag("code", address)),)), *steps))
