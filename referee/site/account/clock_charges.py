"""Where the time of each move of a seat went, with pictures of it, and the matches that a bot lost on time.

charged = arrived - asked - network credit - stall. The picture shows what was charged first, so that it can be compared
with the time that was left.
"""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from http import HTTPStatus

from referee_api.v1 import bot_service_pb2, clock_pb2, entry_pb2, match_pb2, match_service_pb2, result_pb2

from referee.show.formatting import time_text
from referee.show.markup import Markup, joined, tag
from referee.show.table import Table, number
from referee.show.words import result_text, seat_text, time_control_text
from referee.site.account.account_action import page_address
from referee.site.account.account_session import Account
from referee.site.layout import heading, match_title, moment, nothing, section
from referee.site.live_pages import Page
from referee.site.upstream import UpstreamError

WIDTH, HEIGHT = 1_000, 14
"""Size of the picture of one move, which is stretched to the width of its cell."""
MAX_ROWS = 100


@dataclass(frozen=True, slots=True)
class ChargedMove:
    """An answer of a bot to a turn, or the lack of one, with what it cost."""

    ply: int
    move: str
    """Empty: there was none before the flag fell."""
    charge: clock_pb2.ClockCharge
    rejected: tuple[str, ...] = ()
    """Moves of the same turn that were rejected before, with the reasons."""

    @property
    def elapsed_us(self) -> int:
        return max(0, self.charge.arrived_us - self.charge.asked_us)

    @property
    def limit_us(self) -> int | None:
        """Time that was left before the move; None: the seat had no limit."""
        before = self.charge.before
        return before.time_left_us if before.HasField("time_left_us") else None

    @property
    def uncredited_us(self) -> int:
        """Part of the round trip that was charged, since the credit is limited."""
        charge = self.charge
        return min(max(0, charge.network_us - charge.network_credit_us), charge.charged_us)

    @property
    def own_us(self) -> int:
        """Time charged without the round trip: what the bot used itself."""
        return self.charge.charged_us - self.uncredited_us


def charged_moves(entries: Sequence[entry_pb2.Entry], seat: int) -> list[ChargedMove]:
    """Return the moves of a seat for which it was asked, in order, from the entries of a match."""
    found: list[ChargedMove] = []
    rejected: list[str] = []
    ply = 0
    for entry in entries:
        move = _charged_move(entry, seat, ply)
        if entry.HasField("move_rejected") and entry.move_rejected.seat == seat:
            rejected.append(f"{entry.move_rejected.move}: {entry.move_rejected.message}")
        if move:
            found.append(replace(move, rejected=tuple(rejected)))
            rejected.clear()
        if entry.HasField("move_played"):
            _reveal(found, entry.move_played, seat)
        kind = entry.WhichOneof("event")
        if kind in ("play_started", "choice_sealed", "move_played"):
            ply = getattr(entry, kind).state.ply
    return found


def _charged_move(entry: entry_pb2.Entry, seat: int, ply: int) -> ChargedMove | None:
    """Return the charged move of a seat that an entry records; None if it records none."""
    if entry.HasField("move_played") and entry.move_played.played.seat == seat:
        played = entry.move_played
        return ChargedMove(ply, played.played.move, played.clock_charge) if played.HasField("clock_charge") else None
    if entry.HasField("choice_sealed") and entry.choice_sealed.seat == seat:
        sealed = entry.choice_sealed
        return ChargedMove(ply, "hidden choice", sealed.clock_charge) if sealed.HasField("clock_charge") else None
    if entry.HasField("flag_fell") and entry.flag_fell.seat == seat:
        return ChargedMove(ply, entry.flag_fell.move, entry.flag_fell.clock_charge)
    return None


def _reveal(found: list[ChargedMove], played: entry_pb2.MovePlayed, seat: int) -> None:
    for move in played.revealed:
        if move.seat == seat and found and found[-1].move == "hidden choice":
            found[-1] = replace(found[-1], move=move.move)


def charge_table(moves: Sequence[ChargedMove]) -> Markup:
    """Return the last moves as a table with a picture of each, on one scale."""
    shown = moves[-MAX_ROWS:]
    limits = [move.limit_us or 0 for move in shown if move.charge.late]
    scale = max([move.elapsed_us for move in shown] + limits, default=0) or 1
    rows = [
        (
            move.ply + 1,
            joined(
                move.move or tag("span", "no answer", class_="soft"),
                *(tag("small", f" rejected before: {text}", class_="block") for text in move.rejected),
            ),
            charge_picture(move, scale),
            joined(
                time_text(move.charge.charged_us), tag("strong", " late", class_="invalid") if move.charge.late else ""
            ),
            "" if move.limit_us is None else time_text(move.limit_us),
        )
        for move in shown
    ]
    columns = (number("Move"), "Answer", "From the question to the answer", number("Charged"), number("Was left"))
    return joined(LEGEND, Table(columns, rows).to_html("charges"))


PARTS = (
    ("own", "the bot"),
    ("uncredited", "network, charged"),
    ("credit", "network, not charged"),
    ("stall", "referee, not charged"),
)
LEGEND = tag(
    "p",
    *(
        tag("span", tag("i", "", class_=f"swatch {name}"), text)
        for name, text in (*PARTS, ("limit", "time that was left"))
    ),
    class_="legend",
)


def charge_picture(move: ChargedMove, scale_us: int) -> Markup:
    """Return a bar from the question to the answer. `scale_us`: time of the whole width."""
    charge, x, parts = move.charge, 0.0, []
    times = (move.own_us, move.uncredited_us, charge.network_credit_us, charge.stall_us)
    for (name, text), time in zip(PARTS, times, strict=True):
        width = round(time / scale_us * WIDTH, 1)
        if width > 0:
            title = tag("title", f"{text}: {time_text(time)}")
            parts.append(tag("rect", title, x=x, y=2, width=width, height=HEIGHT - 4, class_=name))
        x = round(x + width, 1)
    if move.limit_us is not None and move.limit_us <= scale_us:
        at = min(WIDTH - 2.0, round(move.limit_us / scale_us * WIDTH, 1))
        parts.append(tag("rect", x=at, y=0, width=4, height=HEIGHT, class_="limit"))
    label = ", ".join(f"{text} {time_text(time)}" for (_, text), time in zip(PARTS, times, strict=True) if time)
    return tag(
        "svg",
        *parts,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        preserveAspectRatio="none",
        role="img",
        aria_label=label or "no time",
        class_="charge late" if charge.late else "charge",
    )


def explanation(moves: Sequence[ChargedMove]) -> list[str]:
    """Return sentences that say why the seat lost on time; none if it did not."""
    late = next((move for move in reversed(moves) if move.charge.late), None)
    if late is None:
        return []
    charge, left = late.charge, late.limit_us or 0
    answer = f"It answered {late.move}" if late.move else "No answer had arrived when the flag fell"
    sentences = [
        f"At move {late.ply + 1} the bot had {time_text(left)} left. {answer}, {time_text(late.elapsed_us)} after it"
        " was asked.",
        f"Of these, {time_text(charge.network_credit_us + charge.stall_us)} were not charged: {_credit(charge)}. "
        f"{time_text(charge.charged_us)} were charged, {time_text(max(0, charge.charged_us - left))} more than it had.",
    ]
    others = sum(move.charge.charged_us for move in moves if move is not late)
    longest = max((move for move in moves if move is not late), key=lambda move: move.charge.charged_us, default=None)
    if longest:
        sentences.append(
            f"Its {len(moves) - 1} moves before took {time_text(others)} together; the longest, move {longest.ply + 1},"
            f" took {time_text(longest.charge.charged_us)}."
        )
    return sentences


def _credit(charge: clock_pb2.ClockCharge) -> str:
    network = f"{time_text(charge.network_credit_us)} of the measured round trip of {time_text(charge.network_us)}"
    return f"{network}, and {time_text(charge.stall_us)} of the referee's own"


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
