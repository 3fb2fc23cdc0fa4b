"""The page of one match: its board, clocks and moves, live or after any of its moves."""

from collections.abc import Iterator, Sequence

from referee_api.v1 import contest_pb2, match_pb2

from referee.show.frames import Frame, ShownClock
from referee.show.markup import Markup, joined, tag
from referee.show.match_page import move_item
from referee.show.time_chart import seat_class, time_chart
from referee.show.words import result_text, time_control_text
from referee.site.correction_marks import correction_text
from referee.site.finished_match import FinishedMatch
from referee.site.layout import PHASES, bot_link, heading, match_title, moment, nothing, section
from referee.site.live_pages import Page
from referee.site.match_feed import MatchFeed
from referee.site.visitors import ACCOUNT

STEPS = (
    ("first", "|◀", "First move"),
    ("previous", "◀", "Previous move"),
    ("next", "▶", "Next move"),
    ("last", "▶|", "Last move"),
)


def match_page(
    feed: MatchFeed,
    finished: FinishedMatch | None,
    ply: int | None,
    corrections: Sequence[contest_pb2.MatchCorrection] = (),
) -> Page:
    """Return the page with the board after `ply` moves; None: as it is now. `corrections`: those of its result."""
    match = feed.match
    content = match_content(feed, ply, f"/matches/{match.id}")
    return Page(
        match_title(match),
        joined(
            match_heading(feed, corrections), content, *match_times(feed), *_record(feed, finished), *_seat_link(feed)
        ),
        description=f"{match.terms.rules.game}: {match_title(match)}",
    )


def match_content(feed: MatchFeed, ply: int | None, address: str) -> Markup:
    """Return the board after `ply` moves with clocks and moves; `address`: the path of the page."""
    match, frame = feed.match, feed.frame_at(ply)
    return tag(
        "div",
        tag(
            "div",
            tag("figure", Markup(feed.painter().svg(frame)) or nothing(_no_board(feed)), id="board"),
            _steps(feed, frame, address),
            tag("p", frame.caption(match), id="caption", aria_live="polite"),
            class_="board-column",
        ),
        tag(
            "div",
            _seats(match, frame, running=ply is None and not feed.is_over),
            section("Moves", tag("ol", *_moves(feed, frame, address), id="moves", tabindex="0")),
            class_="moves-column",
        ),
        class_="match",
        id="match",
        data_address=address,
        data_number=feed.last.number,
        data_ply=frame.ply,
        data_live=None if feed.is_over else "true",
        data_fixed="true" if ply is not None else None,
    )


def match_heading(feed: MatchFeed, corrections: Sequence[contest_pb2.MatchCorrection] = ()) -> Markup:
    match = feed.match
    state = result_text(match, match.result) if feed.is_over else PHASES.get(match.phase, "")
    ratings = [f"{change.bot} {change.before.value:.0f} → {change.after.value:.0f}" for change in match.ratings]
    contests = [
        tag("a", name, href=f"/{kind}/{name}")
        for kind, name in (("ladders", match.ladder), ("tournaments", match.tournament))
        if name
    ]
    return heading(
        match.terms.rules.game,
        match_title(match),
        (
            ("State", tag("strong", state, id="state")),
            ("Time", time_control_text(match.terms.time_control)),
            ("Began", moment(match.start_time)),
            ("Ended", moment(match.end_time)),
            ("Contest", joined(*contests) if contests else ""),
            ("Ratings", ", ".join(ratings)),
            ("By staff", "; ".join(map(correction_text, corrections))),
        ),
    )


def _no_board(feed: MatchFeed) -> str:
    if feed.is_over:
        return "The match ended before the first move."
    if feed.match.phase == match_pb2.MATCH_PHASE_PLAYING:
        return "The match is in play, and its organiser shows it later."
    return "The match has not started: it is waiting for its bots."


def _steps(feed: MatchFeed, frame: Frame, address: str) -> Markup:
    last = feed.last_board.ply
    targets = {"first": 0, "previous": max(0, frame.ply - 1), "next": min(last, frame.ply + 1), "last": last}
    links = [
        tag("a", sign, href=f"{address}?ply={targets[name]}", data_step=name, aria_label=label, class_="step")
        for name, sign, label in STEPS
    ]
    play = tag("button", "Play", type="button", id="play", hidden="")
    now = tag("a", "Live", href=address, id="to-live", class_="step") if not feed.is_over else ""
    hidden = "" if feed.is_over and not frame.view else None
    return tag("nav", *links, play, now, class_="steps", aria_label="Moves", hidden=hidden)


def _seats(match: match_pb2.Match, frame: Frame, *, running: bool) -> Markup:
    clocks = {clock.seat: clock for clock in frame.clocks}
    ranks = {seat.seat: seat.rank for seat in match.result.seats}
    rows = [
        tag(
            "li",
            tag("i", "", class_=f"key {seat_class(match.seat_layout.seat_names, number)}"),
            tag("span", match.seat_layout.seat_names[number], class_="seat-name"),
            bot_link(seat.bot, seat.version),
            tag("span", f"rank {ranks[number]}", class_="soft") if number in ranks else "",
            _clock(clocks.get(number), number, running=running),
            data_seat=number,
            class_="to-move" if number in frame.to_move else None,
        )
        for number, seat in enumerate(match.seats)
    ]
    return tag("ul", *rows, id="seats")


def _clock(clock: ShownClock | None, seat: int, *, running: bool) -> Markup:
    left = clock.left_ms if clock else None
    return tag(
        "span",
        clock.text if clock else "",
        class_="clock",
        data_clock=seat,
        data_left=left,
        data_running="true" if running and clock and clock.running else None,
    )


def _moves(feed: MatchFeed, shown: Frame, address: str) -> Iterator[Markup]:
    for frame in feed.frames:
        if frame.text:
            yield move_item(feed.match, frame, f"{address}?ply={frame.ply}", is_current=frame is shown)


def match_times(feed: MatchFeed) -> list[Markup]:
    chart = time_chart(feed.frames, feed.match.seat_layout.seat_names)
    return [section("Time per move", chart)] if chart else []


def _record(feed: MatchFeed, finished: FinishedMatch | None) -> list[Markup]:
    if not feed.is_over:
        return []
    if finished is None:
        return [section("Record", nothing("The record is not published yet, or cannot be read here."))]
    word = tag(
        "strong", "Verified" if finished.is_valid else "Not valid", class_="valid" if finished.is_valid else "invalid"
    )
    link = tag(
        "a", "Download the signed record", href=f"/matches/{feed.match_id}/record", download=f"{feed.match_id}.jsonl"
    )
    return [section("Record", tag("p", word, f": {finished.verification}."), tag("p", link))]


def _seat_link(feed: MatchFeed) -> list[Markup]:
    """Return the link to what seats see. Who is signed in is not known here: this page does not get the cookie."""
    if feed.is_over:
        return []
    link = tag("a", "See it as your bot does", href=f"{ACCOUNT}/matches/{feed.match_id}")
    sentence = ", with its hand if the game has hidden cards; for those who have its token."
    return [tag("p", link, sentence, class_="note")]
