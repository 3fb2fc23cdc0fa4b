"""What all pages have in common, and parts that several pages use."""

from collections.abc import Iterable
from datetime import UTC, datetime

from google.protobuf.timestamp_pb2 import Timestamp
from referee_api.v1 import contest_pb2, match_pb2

from referee.show.frames import milliseconds
from referee.show.markup import Markup, joined, tag
from referee.show.table import Table
from referee.show.words import result_text
from referee.site.live_pages import Page

SECTIONS = (("/", "Home"), ("/matches", "Matches"), ("/ladders", "Ladders"), ("/tournaments", "Tournaments"))
LAST_SECTIONS = (("/bots", "Bots"), ("/join", "Join"), ("/account", "Account"))


def document(page: Page, path: str, version: str = "", events: str = "") -> str:
    """Return a page as HTML. `events`: address of its changes, if it changes while it is read."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="description", content=page.description or page.title),
        tag("title", f"{page.title} · Referee"),
        _void("link", rel="stylesheet", href="/static/site.css"),
        _void("link", rel="icon", href="/static/icon.svg", type="image/svg+xml"),
        tag("script", src="/static/site.js", type="module"),
    )
    links = [
        tag("a", name, href=address, aria_current="page" if address == path else None)
        for address, name in (*SECTIONS, *LAST_SECTIONS)
    ]
    regions = [tag("div", region, id=name, data_region="") for name, region in page.regions.items()]
    body = tag(
        "body",
        tag("a", "Skip to the content", href="#content", class_="skip"),
        tag("header", tag("nav", *links, aria_label="Sections"), class_="site"),
        tag("main", page.top, *regions, id="content", data_events=events or None, data_version=version or None),
        tag("p", "", id="connection", role="status"),
        tag("footer", "Times are in your time zone. ", tag("a", "JSON", href="/api/v1/"), class_="site"),
    )
    return f"<!doctype html>{tag('html', head, body, lang='en')}\n"


def _void(element: str, /, **attributes: object) -> Markup:
    """Build an element that has no content and no end tag."""
    return Markup(tag(element, **attributes).removesuffix(f"</{element}>"))


def heading(kind: str, title: str, facts: Iterable[tuple[str, object]] = ()) -> Markup:
    listed = [tag("div", tag("dt", word), tag("dd", text)) for word, text in facts if text]
    return tag(
        "div",
        tag("p", kind, class_="kind-of"),
        tag("h1", title),
        tag("dl", *listed, class_="facts") if listed else "",
        class_="heading",
    )


def section(title: str, *inside: object) -> Markup:
    return tag("section", tag("h2", title), *inside)


def nothing(sentence: str) -> Markup:
    return tag("p", sentence, class_="note")


def moment(time: Timestamp | int) -> Markup:
    """Return a time, which the script of the page shows in the reader's zone."""
    at_ms = milliseconds(time) if isinstance(time, Timestamp) else time
    if not at_ms:
        return Markup("")
    at = datetime.fromtimestamp(at_ms / 1_000, UTC)
    return tag("time", f"{at:%Y-%m-%d %H:%M} UTC", datetime=f"{at:%Y-%m-%dT%H:%M:%S}Z")


def bot_link(name: str, version: str = "", shown: str = "") -> Markup:
    """`shown`: the text, if it is not the name."""
    if not name:
        return tag("span", "open seat", class_="soft")
    link = tag("a", shown or name, href=f"/bots/{name}", class_="bot")
    return joined(link, " ", tag("small", version)) if version else link


def entrant_link(entrant: contest_pb2.Entrant, version: str = "") -> Markup:
    """Return the name of an entrant: a link to its bot, or plain text for several bots, which have no common page."""
    if len(entrant.bots) == 1:
        return bot_link(entrant.bots[0].bot, version, entrant.name)
    return tag("span", entrant.name, class_="bot")


def entrant_with_bots(entrant: contest_pb2.Entrant, version: str = "") -> Markup:
    """Return the name of an entrant, and links to its bots if there are several."""
    name = entrant_link(entrant, version)
    if len(entrant.bots) == 1:
        return name
    bots = [part for ref in entrant.bots for part in (", ", tag("a", ref.bot, href=f"/bots/{ref.bot}"))]
    return joined(name, " ", tag("small", *bots[1:], class_="team"))


def match_title(match: match_pb2.Match) -> str:
    bots = [seat.bot or "open seat" for seat in match.seats]
    return match.title or " – ".join(bots)


def match_rows(matches: Iterable[match_pb2.Match], empty: str = "No match yet.") -> Markup:
    """Return a table of matches with links; without matches, the sentence `empty`."""
    rows = [
        (
            tag("a", match_title(match), href=f"/matches/{match.id}"),
            match.terms.rules.game,
            result_text(match, match.result) if match.HasField("result") else PHASES.get(match.phase, ""),
            moment(match.start_time if match.HasField("start_time") else match.create_time),
        )
        for match in matches
    ]
    return Table(("Match", "Game", "Result", "Began"), rows).to_html("matches", empty=empty)


PHASES = {
    match_pb2.MATCH_PHASE_WAITING: "waiting for its bots",
    match_pb2.MATCH_PHASE_PLAYING: "in play",
    match_pb2.MATCH_PHASE_OVER: "over",
}


def pages_links(address: str, next_token: str) -> Markup:
    """Return a link to the next page of a list, if there is one."""
    return (
        tag("p", tag("a", "More", href=f"{address}{'&' if '?' in address else '?'}page_token={next_token}"))
        if next_token
        else Markup("")
    )
