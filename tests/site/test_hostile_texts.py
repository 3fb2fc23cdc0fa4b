"""Texts that strangers choose are shown as they are, and do nothing, on every page."""

import json
import re
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from google.protobuf.message import Message
from referee_api.v1 import (
    bot_service_pb2,
    contest_pb2,
    entry_pb2,
    game_pb2,
    ladder_service_pb2,
    match_pb2,
    match_service_pb2,
    rating_pb2,
    result_pb2,
    tournament_pb2,
    tournament_service_pb2,
)

from engines.registry import games, own_games
from referee.show.frames import BEFORE_PLAY, BoardPainter
from referee.show.table import Table
from referee.show.time_chart import time_chart
from referee.site.bot_page import bot_page, bots_page, rating_chart
from referee.site.finished_match import FinishedMatch
from referee.site.home_page import home_page
from referee.site.join_page import BotsAddress, join_page
from referee.site.ladder_page import interval, ladder_page, ladders_page
from referee.site.layout import document, match_rows
from referee.site.live_match_page import match_page
from referee.site.live_pages import Page
from referee.site.match_feed import MatchFeed, MatchFeeds
from referee.site.tournament_page import cross_table_page, round_page, tournament_page, tournaments_page
from referee.site.upstream import Upstream
from tests.show.parsed_page import check_inert
from tests.site.fake_upstream import FakeMatch, FakeUpstream
from tests.site.fast_time import in_fast_loop, in_fast_time
from tests.site.samples import HOSTILE, MATCH_ID, Story, match, won


def poisoned(kind: type[Message], depth: int = 6) -> Any:
    """Return a message of which every text is hostile, and every list has two items."""
    message = kind()
    if kind.DESCRIPTOR.full_name == "google.protobuf.Timestamp":
        return kind(seconds=1_800_000_000)
    for field in kind.DESCRIPTOR.fields:
        if field.name == "next_page_token":
            continue
        is_map = field.message_type and field.message_type.GetOptions().map_entry
        if depth == 0 or is_map or (field.containing_oneof and message.WhichOneof(field.containing_oneof.name)):
            continue
        value = _poisoned_value(field, depth)
        if value is None:
            continue
        if field.is_repeated:
            getattr(message, field.name).extend([value, value])
        elif field.message_type:
            getattr(message, field.name).CopyFrom(value)
        else:
            setattr(message, field.name, value)
    return message


def _poisoned_value(field: Any, depth: int) -> Any:
    if field.message_type:
        return poisoned(field.message_type._concrete_class, depth - 1)
    if field.enum_type:
        return field.enum_type.values[-1].number
    if field.type == field.TYPE_STRING:
        return HOSTILE
    return 1 if field.type not in (field.TYPE_BYTES, field.TYPE_BOOL) else None


ANSWERS = (
    bot_service_pb2.GetBotResponse,
    bot_service_pb2.ListBotsResponse,
    bot_service_pb2.ListVersionsResponse,
    ladder_service_pb2.GetLadderResponse,
    ladder_service_pb2.ListLaddersResponse,
    ladder_service_pb2.ListLadderStandingsResponse,
    ladder_service_pb2.ListRatingHistoryResponse,
    match_service_pb2.ListMatchesResponse,
    tournament_service_pb2.GetTournamentResponse,
    tournament_service_pb2.GetTournamentStandingsResponse,
    tournament_service_pb2.GetCrossTableResponse,
    tournament_service_pb2.ListPairingsResponse,
    tournament_service_pb2.ListTournamentsResponse,
)
PAGES: dict[str, Callable[[Upstream], Coroutine[Any, Any, Page]]] = {
    "bots": lambda upstream: bots_page(upstream, ""),
    "bot": lambda upstream: bot_page(upstream, HOSTILE),
    "ladders": lambda upstream: ladders_page(upstream, ""),
    "ladder": lambda upstream: ladder_page(upstream, HOSTILE),
    "tournaments": lambda upstream: tournaments_page(upstream, ""),
    "tournament": lambda upstream: tournament_page(upstream, HOSTILE),
    "round": lambda upstream: round_page(upstream, HOSTILE, 1),
    "cross table": lambda upstream: cross_table_page(upstream, HOSTILE),
}


@pytest.fixture(scope="module")
def answers() -> list[Message]:
    return [poisoned(kind) for kind in ANSWERS]


@pytest.mark.parametrize("name", PAGES)
def test_no_page_runs_what_a_name_says(name: str, answers: list[Message]) -> None:
    page = in_fast_time(PAGES[name](FakeUpstream(*answers)))
    parsed = check_inert(document(page, f"/{HOSTILE}", HOSTILE, HOSTILE))
    assert HOSTILE in parsed.texts


@pytest.mark.parametrize(
    "kind", [field.name for field in tournament_pb2.TournamentTerms.DESCRIPTOR.oneofs_by_name["format"].fields]
)
def test_no_format_of_a_tournament_runs_what_a_name_says(kind: str, answers: list[Message]) -> None:
    upstream = FakeUpstream(*answers)
    answer = poisoned(tournament_service_pb2.GetTournamentResponse)
    field = tournament_pb2.TournamentTerms.DESCRIPTOR.fields_by_name[kind]
    getattr(answer.tournament.terms, kind).CopyFrom(_poisoned_value(field, 3))
    for phase in tournament_pb2.TournamentPhase.values():
        answer.tournament.phase = phase
        upstream.answers["GetTournamentResponse"] = answer
        page = in_fast_time(tournament_page(upstream, HOSTILE))
        check_inert(document(page, "/"))


# Matches


def hostile_match() -> FakeMatch:
    story = Story(HOSTILE, HOSTILE)
    story.add(match_created=match())
    story.add(seat_taken=entry_pb2.SeatTaken(seat=0, bot=match_pb2.BotRef(bot=HOSTILE, version=HOSTILE)))
    story.start()
    story.add(move_rejected=entry_pb2.MoveRejected(seat=0, move=HOSTILE, message=HOSTILE))
    moved = story.move().move_played
    moved.played.move = HOSTILE
    moved.revealed.append(game_pb2.SeatMove(seat=1, move=HOSTILE))
    story.move()
    story.end(won((), voided=result_pb2.VoidResult(cause=result_pb2.VOID_CAUSE_DECLARED, message=HOSTILE)))
    shown = match(HOSTILE, HOSTILE, title=HOSTILE)
    shown.ladder = shown.tournament = HOSTILE
    shown.id = HOSTILE
    shown.ratings.append(rating_pb2.RatingChange(bot=HOSTILE))
    return FakeMatch(shown, *story.entries)


@pytest.mark.parametrize("ply", [None, 0, 1, 2])
@in_fast_loop
async def test_no_match_runs_what_a_bot_sends(ply: int | None) -> None:
    feed = MatchFeed(hostile_match(), HOSTILE, games())
    await feed.ready()
    finished = FinishedMatch(False, HOSTILE, {})
    correction = contest_pb2.MatchCorrection(kind=contest_pb2.CORRECTION_KIND_STRUCK, message=HOSTILE)
    parsed = check_inert(document(match_page(feed, finished, ply, [correction]), "/"))
    assert f"struck: {HOSTILE}" in parsed.texts
    assert HOSTILE in parsed.texts
    assert f"white ({HOSTILE}) tried {HOSTILE}: {HOSTILE}" in parsed.texts


@in_fast_loop
async def test_the_events_of_a_match_have_texts_as_data_and_markup_in_boards_only() -> None:
    feed = MatchFeed(hostile_match(), MATCH_ID, games())
    await feed.ready()
    (event,) = [event async for event in feed.events(0)]
    assert event.count(b"\n\n") == 1
    data = json.loads(event.decode().split("\ndata: ")[1])
    check_inert(data["board"])
    assert HOSTILE in [frame["text"] for frame in data["frames"]]


@in_fast_loop
async def test_the_home_page_runs_no_title(answers: list[Message]) -> None:
    hostile = hostile_match()
    upstream = FakeMatch(hostile.match, *hostile.entries[:-1])
    upstream.answers = {type(answer).__name__: answer for answer in answers}
    feeds = MatchFeeds(upstream, games())
    parsed = check_inert(document(await home_page(upstream, feeds), "/"))
    assert HOSTILE in parsed.texts


# Parts


def test_a_board_runs_nothing_that_a_view_or_a_move_says() -> None:
    for name in [*own_games(), HOSTILE]:
        painter = BoardPainter(game_pb2.Rules(game=name), games())
        view = json.dumps({HOSTILE: [HOSTILE, {HOSTILE: HOSTILE}]})
        frame = replace(BEFORE_PLAY, view=view, kind="move_played", text=HOSTILE)
        check_inert(painter.svg(frame))


def test_charts_run_nothing() -> None:
    frame = replace(BEFORE_PLAY, text=HOSTILE, seat=0, charged_ms=3.0)
    chart = time_chart([frame, frame], [HOSTILE])
    assert chart
    assert f"{HOSTILE}, {HOSTILE}: 3 ms" in check_inert(chart).texts
    points = [rating_pb2.RatingPoint(match_id=HOSTILE, version=HOSTILE) for _ in range(3)]
    line = rating_chart(points)
    assert line
    check_inert(line)
    check_inert(interval(1, 1, 0, 3))


def test_tables_run_nothing() -> None:
    check_inert(Table((HOSTILE,), [(HOSTILE,)]).to_html(HOSTILE))
    check_inert(match_rows([match(HOSTILE, "", title="")]))


def test_the_page_for_authors_runs_no_address() -> None:
    check_inert(document(join_page(BotsAddress(HOSTILE)), "/join"))


def test_nothing_turns_the_direction_of_what_stands_beside_it() -> None:
    rules = css_rules("unicode-bidi: isolate")
    for element in ("a", "td", "dd", "strong", "span", "small"):
        assert element in rules, element


def css_rules(declaration: str) -> list[str]:
    """Return the selectors of all rules of the style that have this declaration."""
    style = re.sub(r"/\*.*?\*/", "", files("referee.site").joinpath("static", "site.css").read_text())
    return [
        selector.strip()
        for rule in style.split("}")
        if declaration in rule
        for selector in rule.split("{")[0].split(",")
    ]


def test_every_text_of_the_contract_is_poisoned(answers: list[Message]) -> None:
    for answer in answers:
        assert HOSTILE in list(texts_of(answer)), type(answer).__name__


def texts_of(message: Message) -> Iterator[str]:
    for field, value in message.ListFields():
        for part in value if field.is_repeated else [value]:
            if isinstance(part, str):
                yield part
            elif isinstance(part, Message):
                yield from texts_of(part)
