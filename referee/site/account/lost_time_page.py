"""Matches that a bot lost on time, and where the time of one match went."""

from collections.abc import Sequence
from contextlib import aclosing
from http import HTTPStatus

from referee_api.v1 import bot_service_pb2, entry_pb2, match_pb2, match_service_pb2, result_pb2

from referee.show.markup import Markup, joined, tag
from referee.show.table import Table
from referee.show.words import result_text, seat_text, time_control_text
from referee.site.account.account_action import page_address
from referee.site.account.account_session import Account
from referee.site.account.clock_charges import charge_table, charged_moves, explanation
from referee.site.layout import heading, match_title, moment, nothing, section
from referee.site.live_pages import Page
from referee.site.upstream import UpstreamError

SEARCHED_MATCHES = 300
"""Latest matches that are searched for losses on time."""
MAX_ENTRIES = 20_000


async def lost_matches(account: Account, bot: str) -> list[match_pb2.Match]:
    """Return the latest matches that a bot lost on time. Raises UpstreamError."""
    request = match_service_pb2.ListMatchesRequest(bot=bot, page_size=SEARCHED_MATCHES)
    answer = await account.upstream.call(request, match_service_pb2.ListMatchesResponse)
    return [match for match in answer.matches if _lost_on_time(match, bot)]


def _lost_on_time(match: match_pb2.Match, bot: str) -> bool:
    return any(
        forfeit.cause == result_pb2.FORFEIT_CAUSE_TIME and match.seats[forfeit.seat].bot == bot
        for forfeit in match.result.forfeited.forfeits
    )


def lost_table(bot: str, matches: Sequence[match_pb2.Match]) -> Markup:
    rows = [
        (
            tag("a", match_title(match), href=page_address("bots", bot, "matches", match.id)),
            match.terms.rules.game,
            time_control_text(match.terms.time_control),
            moment(match.end_time),
        )
        for match in matches
    ]
    return Table(("Match", "Game", "Time control", "Ended"), rows).to_html(empty="No match was lost on time lately.")


async def own_match_page(account: Account, bot: str, match_id: str) -> Page:
    """Return the page about the time that a bot used in a match. Raises UpstreamError."""
    await account.call(bot_service_pb2.ListBotLogEntriesRequest(bot=bot, page_size=1))
    match = await account.upstream.find_match(match_id)
    seats = [number for number, seat in enumerate(match.seats) if seat.bot == bot]
    if not seats:
        raise UpstreamError(HTTPStatus.NOT_FOUND, "NO_SUCH_MATCH", f"{bot} has no seat in this match")
    title = match_title(match)
    facts = (
        ("Game", match.terms.rules.game),
        ("Time control", time_control_text(match.terms.time_control)),
        ("Result", result_text(match, match.result)),
        ("Ended", moment(match.end_time)),
    )
    links = tag(
        "p",
        tag("a", "Back to the bot", href=page_address("bots", bot)),
        " · ",
        tag("a", "The match", href=f"/matches/{match.id}"),
        " · ",
        tag("a", "Log of the match", href=page_address("bots", bot, "log", match=match.id)),
    )
    if match.phase != match_pb2.MATCH_PHASE_OVER:
        parts = [nothing("The match is not over yet: this page shows then where the time went.")]
    else:
        entries = await _entries(account, match.id, seats[0])
        parts = [_seat(match, seat, entries) for seat in seats]
    return Page(f"Time of {bot} in {title}", joined(heading("Time used", title, facts), links, *parts))


def _seat(match: match_pb2.Match, seat: int, entries: Sequence[entry_pb2.Entry]) -> Markup:
    moves = charged_moves(entries, seat)
    if not moves:
        return section(seat_text(match, seat), nothing("This seat was not asked for a move."))
    sentences = [tag("p", sentence) for sentence in explanation(moves)]
    why = tag("div", *sentences, class_="why") if sentences else ""
    return section(seat_text(match, seat), why, charge_table(moves))


async def _entries(account: Account, match_id: str, seat: int) -> list[entry_pb2.Entry]:
    """Return the entries of a finished match; with the token of the bot, as its seat sees them."""
    request = match_service_pb2.WatchMatchRequest(match_id=match_id, after_number=0)
    if not account.session.owns_bots:
        request.seat = seat
    entries: list[entry_pb2.Entry] = []
    async with aclosing(account.upstream.stream(request, match_service_pb2.WatchMatchResponse)) as answers:
        async for answer in answers:
            entries += [item.entry for item in answer.items if item.HasField("entry")]
            if len(entries) >= MAX_ENTRIES:
                break
    return entries
