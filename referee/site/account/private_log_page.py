"""The private log of a bot: what it did wrong, as the referee saw it, the newest first."""

from collections.abc import Callable

from referee_api.v1 import bot_pb2, bot_service_pb2, error_pb2
from starlette.exceptions import HTTPException

from referee.show.formatting import time_text
from referee.show.markup import Markup, joined, tag
from referee.show.table import Table
from referee.show.words import FORFEIT_CAUSES
from referee.site.account.account_action import page_address
from referee.site.account.account_session import Account
from referee.site.layout import heading, moment
from referee.site.live_pages import Page

READ_ENTRIES = 1_000
MAX_READ = 5
"""Calls that read the log; by default it has no more entries than the first one returns."""
SHOWN_ENTRIES = 50
PREFIX = "ERROR_REASON_"


async def private_log_page(account: Account, bot: str, match_id: str, before: int | None) -> Page:
    """Return the newest entries; `before`: only those with smaller numbers."""
    entries = await log_entries(account, bot, match_id)
    wanted = [entry for entry in reversed(entries) if before is None or entry.number < before]
    shown = wanted[:SHOWN_ENTRIES]
    rows = [(moment(entry.create_time), entry.version, _place(bot, entry), _text(entry)) for entry in shown]
    listed = Table(("Time", "Version", "Match", "What happened"), rows).to_html("log", empty=_nothing(bot))
    query = {"match": match_id} if match_id else {}
    older = page_address("bots", bot, "log", **query, before=str(shown[-1].number)) if len(wanted) > len(shown) else ""
    return Page(
        f"Log of {bot}",
        joined(
            heading("Private log", bot, (("Match", match_id),)),
            tag("p", tag("a", "Back to the bot", href=page_address("bots", bot))),
            listed,
            tag("p", tag("a", "Older entries", href=older)) if older else "",
        ),
    )


async def log_entries(account: Account, bot: str, match_id: str = "") -> list[bot_pb2.BotLogEntry]:
    """Return the entries of a bot's log, oldest first. Raises UpstreamError."""
    entries: list[bot_pb2.BotLogEntry] = []
    for _ in range(MAX_READ):
        request = bot_service_pb2.ListBotLogEntriesRequest(
            bot=bot, match_id=match_id, after_number=entries[-1].number if entries else 0, page_size=READ_ENTRIES
        )
        answer = await account.upstream.call(request, bot_service_pb2.ListBotLogEntriesResponse)
        entries += answer.entries
        if not answer.has_more:
            break
    return entries


def read_number(text: str | None) -> int | None:
    """Return the number of an entry. Raises HTTPException."""
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise HTTPException(400, "`before` is the number of an entry.")
    return int(text)


def _nothing(bot: str) -> str:
    return f"The log of {bot} is empty: nothing that it sent was rejected, and no session was lost."


def _place(bot: str, entry: bot_pb2.BotLogEntry) -> Markup:
    if not entry.match_id:
        return Markup("")
    place = f"move {entry.ply + 1}" if entry.HasField("ply") else "match"
    return tag("a", place, href=page_address("bots", bot, "matches", entry.match_id))


def _text(entry: bot_pb2.BotLogEntry) -> Markup:
    kind = entry.WhichOneof("event")
    texts: dict[str, Callable[[], Markup]] = {
        "item_rejected": lambda: _rejected(entry.item_rejected),
        "clock_expired": lambda: joined(
            f"Its time ran out: {time_text(entry.clock_expired.charged_us)} were charged, "
            f"{time_text(entry.clock_expired.before.time_left_us)} were left"
        ),
        "forfeited": lambda: joined(f"It {FORFEIT_CAUSES.get(entry.forfeited.cause, 'forfeited')}"),
        "session_lost": lambda: joined(
            f"A session was lost: {_reason(entry.session_lost.reason)} ", tag("small", entry.session_lost.session_id)
        ),
        "notice": lambda: joined(entry.notice.message),
    }
    return texts[kind]() if kind else Markup("")


def _rejected(item: bot_pb2.RejectedItem) -> Markup:
    move = joined(tag("code", item.move), " ") if item.move else ""
    return joined(move, f"was rejected: {item.error.message} ", tag("small", _reason(item.error.reason)))


def _reason(number: int) -> str:
    known = number in error_pb2.ErrorReason.values()
    return error_pb2.ErrorReason.Name(error_pb2.ErrorReason.ValueType(number)).removeprefix(PREFIX) if known else ""
