"""Pagination: limits by number and by bytes."""

import asyncio
from typing import get_args

from referee_api.v1 import bot_pb2
from referee_api.v1.bot_service_pb2 import ListBotsRequest
from referee_api.v1.tournament_pb2 import TournamentTerms
from referee_api.v1.tournament_service_pb2 import (
    CreateTournamentRequest,
    GetCrossTableRequest,
    GetTournamentStandingsResponse,
)
from referee_values import TieBreak

from referee.contests.strength.elo import EloEstimate
from referee.contests.tables.standings import StandingsRow
from referee.hosting.tournament_tables import CrossTableCell, TournamentRow
from referee.transport.contract_options import max_count
from referee.transport.services.paging import (
    ITEMS_PER_YIELD,
    MAX_PAGE_BYTES,
    chunks_by_bytes,
    convert_page,
    parse_page_token,
)
from referee.transport.wire.tournaments import cross_table_row_of, standings_of

LONG = MAX_PAGE_BYTES // 4
BOTS = [bot_pb2.Bot(name=f"bot-{number}", description="x" * LONG) for number in range(8)]


def pages_of(bots: list[bot_pb2.Bot], size: int) -> list[list[str]]:
    """Return the names on each page, as a caller that follows the page tokens reads them."""
    request, pages = ListBotsRequest(), []
    while True:
        last = parse_page_token(request)
        found = [bot for bot in bots if bot.name > last][: size + 1]
        shown, request.page_token = asyncio.run(
            convert_page(request, found, size, lambda bot: bot.name, lambda bot: bot)
        )
        assert len(shown) == 1 or sum(bot.ByteSize() for bot in shown) <= MAX_PAGE_BYTES
        pages.append([bot.name for bot in shown])
        if not request.page_token:
            return pages


async def test_a_large_cross_table_has_few_rows_on_a_page() -> None:
    names = [f"entrant-{number:03}" for number in range(400)]
    rows = [(name, [CrossTableCell(other, 0.5, ("m" * 16,)) for other in names if other != name]) for name in names]
    shown, token = await convert_page(GetCrossTableRequest(), rows, 1_000, lambda row: row[0], cross_table_row_of)
    assert 1 < len(shown) < 20
    assert parse_page_token(GetCrossTableRequest(page_token=token)) == shown[-1].entrant


def test_pages_are_limited_by_bytes_and_omit_nothing() -> None:
    pages = pages_of(BOTS, 1_000)
    assert [len(names) for names in pages] == [3, 3, 2]
    assert [name for names in pages for name in names] == [bot.name for bot in BOTS]


def test_pages_are_limited_by_number() -> None:
    small = [bot_pb2.Bot(name=f"bot-{number}") for number in range(5)]
    assert [len(names) for names in pages_of(small, 2)] == [2, 2, 1]
    assert pages_of([], 2) == [[]]


def test_an_item_larger_than_the_limit_is_a_page() -> None:
    large = [bot_pb2.Bot(name=name, description="x" * 2 * MAX_PAGE_BYTES) for name in ("a", "b")]
    assert pages_of(large, 10) == [["a"], ["b"]]


def test_lines_are_split_by_number_and_by_bytes() -> None:
    lines = [b"a", b"b", b"c", b"d" * MAX_PAGE_BYTES, b"e", b"f" * 2 * MAX_PAGE_BYTES]
    assert [[line[:1] for line in some] for some in chunks_by_bytes(lines, 2)] == [
        [b"a", b"b"],
        [b"c"],
        [b"d"],
        [b"e"],
        [b"f"],
    ]
    assert list(chunks_by_bytes([], 2)) == []


async def test_converting_a_long_page_does_not_block_the_event_loop() -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    counting = asyncio.create_task(count())
    found = [bot_pb2.Bot(name=f"b{number}") for number in range(1000)]
    shown, _ = await convert_page(ListBotsRequest(), found, 1000, lambda bot: bot.name, lambda bot: bot)
    counting.cancel()
    assert len(shown) == 1000
    assert turns >= 1000 // ITEMS_PER_YIELD - 1


DEFAULT_MESSAGE_BYTES = 4 << 20
NAME_CHARS = 40
LARGE = 10**6
"""More than any count in a row."""


def test_the_standings_of_the_largest_possible_tournament_fit_into_one_message() -> None:
    tie_breaks = [get_args(TieBreak)[-1]] * max_count(TournamentTerms.DESCRIPTOR.fields_by_name["tie_breaks"])
    standing = StandingsRow(LARGE, "x" * NAME_CHARS, 1 / 3, (1 / 3,) * len(tie_breaks), LARGE, LARGE, LARGE, LARGE)
    row = TournamentRow(standing, LARGE, EloEstimate(1 / 3, 1 / 3, 1 / 3, 1 / 3))
    rows = [row] * max_count(CreateTournamentRequest.DESCRIPTOR.fields_by_name["entrants"])
    assert GetTournamentStandingsResponse(standings=standings_of(rows, tie_breaks)).ByteSize() <= DEFAULT_MESSAGE_BYTES
