"""`referee whatif`: estimate by random games what each position of a record was worth, and which moves cost most."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from referee.cli._shared.output import progress, write
from referee.cli._shared.record_files import PackedCommand, record_argument
from referee.cli.explain import read_record
from referee.lab.what_if import (
    Estimate,
    JudgedMove,
    PlayoutTerms,
    RecordedMove,
    can_be_judged,
    played_moves,
    run_playouts,
)
from referee.match.state import Match
from referee.records.describe_event import escape_unprintable
from referee.show.markup import Markup, tag
from referee.show.page import document, heading
from referee.show.table import Table
from referee.show.time_chart import seat_class
from referee.show.worth_chart import Worth, worth_chart

MOST = 5
"""Costly moves that are named."""
MAX_LEFT_OUT = 10
"""Moves without an estimate that are named."""
MAX_MOVE_CHARS = 40
HEAD = ("ply", "seat", "move", "before", "after", "cost", "±")


@click.command(cls=PackedCommand)
@record_argument
@click.option("--ply", type=click.IntRange(0), metavar="N", help="Compare all legal moves after N moves.")
@click.option("--every", type=click.IntRange(1), default=1, metavar="N", help="Judge only every Nth move.")
@click.option(
    "--max-moves", type=click.IntRange(1), metavar="N", help="Stop each game after N moves; who is ahead has won."
)
@click.option("--games", type=click.IntRange(2, 100_000), default=200, show_default=True, help="Games per position.")
@click.option("--seed", default="0", show_default=True, help="Equal seeds give equal estimates.")
@click.option("--workers", type=click.IntRange(1, 1_024), help="Processes; by default one for each core.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Also write a page with the curve.")
def whatif(
    record: str,
    ply: int | None,
    every: int,
    max_moves: int | None,
    games: int,
    seed: str,
    workers: int | None,
    html: Path | None,
) -> None:
    """Estimate what the positions of a match were worth, and name the moves that cost most.

    From each position, games are played to the end with random moves. Before each of them, what the seat to move did
    not know is drawn anew. The worth of a position is the mean result of these games: 1 for a win, 1/2 for a draw, 0
    for a loss, and with more sides the share of the others that are beaten. RECORD is a file, or one of packed records:
    FILE#MATCH.
    """
    if html and ply is not None:
        raise click.UsageError("--html draws the whole match; leave out --ply")
    match = (history := read_record(record)).last
    moves = played_moves(history)
    if not moves:
        raise click.BadParameter("no move was played in this match", param_hint="RECORD")
    if not can_be_judged(match.game, moves[0]):
        raise click.ClickException(f"{match.game.title} does not draw anew what it hides (Game.imagine)")
    with run_playouts(match.game, moves, PlayoutTerms(games, seed, max_moves), workers or 0) as playouts:
        if ply is not None:
            chosen = [number for number, move in enumerate(moves) if move.ply == ply]
            if not chosen:
                raise click.BadParameter(f"the last move was played at ply {moves[-1].ply}", param_hint="--ply")
            _print_alternatives(match, playouts.judge_alternatives(chosen[0]), moves[chosen[0]])
            return
        judged = []
        with progress(len(moves[::every])) as show:
            for move in playouts.judge_match(every):
                judged.append(move)
                show(f"ply {move.played.ply}")
    if not judged:
        raise _too_much_hidden(match)
    costly = sorted((move for move in judged if move.is_certain), key=lambda move: -move.cost)[:MOST]
    click.echo(_title(match))
    click.echo(Table(HEAD, [_cells(match, move) for move in judged]).to_text())
    plies = {move.played.ply for move in judged}
    left_out = [*_left_out([f"ply {move.ply}" for move in moves[::every] if move.ply not in plies])]
    for line in (*left_out, *_verdict(match, costly)):
        click.echo(line)
    if html:
        write(html, _page(match, judged, costly, left_out))
        click.echo(f"written: {html}")


def _title(match: Match) -> str:
    return f"{escape_unprintable(match.setup.match_id)}: {match.game.title}"


def _seat(match: Match, seat: int) -> str:
    return f"{match.table.seats[seat]} ({escape_unprintable(match.players[seat].bot)})"


def _move(text: str) -> str:
    text = escape_unprintable(text)
    return text if len(text) <= MAX_MOVE_CHARS else f"{text[: MAX_MOVE_CHARS - 1]}…"


def _cells(match: Match, move: JudgedMove) -> tuple[str, ...]:
    seat = move.played.seat
    numbers = (move.before.means[seat], move.after.means[seat], move.cost, move.error)
    return (
        str(move.played.ply),
        _seat(match, seat),
        _move(move.played.move),
        *(f"{number:.2f}" for number in numbers),
    )


def _too_much_hidden(match: Match) -> click.ClickException:
    return click.ClickException(
        f"no move can be judged: {match.game.title} cannot draw anew what the seats did not know (Game.imagine)"
    )


def _left_out(names: Sequence[str]) -> Iterable[str]:
    """Yield a sentence that names what has no estimate, if there is any."""
    if names:
        more = f" and {len(names) - MAX_LEFT_OUT} more" if len(names) > MAX_LEFT_OUT else ""
        named = f"{', '.join(names[:MAX_LEFT_OUT])}{more}"
        yield f"Not judged, because what the seat did not know cannot be drawn anew: {named}"


def _print_alternatives(match: Match, judged: Sequence[JudgedMove], played: RecordedMove) -> None:
    if not judged:
        raise _too_much_hidden(match)
    seat = played.seat
    click.echo(f"{_title(match)}, ply {played.ply}, {_seat(match, seat)}")
    rows = [
        (
            "*" if move.played.move == played.move else "",
            _move(move.played.move),
            f"{move.after.means[seat]:.2f}",
            f"{move.after.errors[seat]:.2f}",
        )
        for move in judged
    ]
    click.echo(Table(("", "move", "worth", "±"), rows).to_text())
    found = {move.played.move for move in judged}
    for line in _left_out([_move(move) for move in played.before.moves(seat) if move not in found]):
        click.echo(line)
    click.echo("* was played")


def _verdict(match: Match, costly: Sequence[JudgedMove]) -> Iterable[str]:
    if not costly:
        yield "No move cost more than chance explains; more --games may tell."
        return
    yield "The moves that cost most:"
    for move in costly:
        yield f"  {_costly_text(match, move)}"


def _costly_text(match: Match, move: JudgedMove) -> str:
    seat = move.played.seat
    return (
        f"ply {move.played.ply}, {_seat(match, seat)}: {_move(move.played.move)} cost {move.cost:.2f} "
        f"± {move.error:.2f} ({move.before.means[seat]:.2f} before, {move.after.means[seat]:.2f} after it)"
    )


def _page(match: Match, judged: Sequence[JudgedMove], costly: Sequence[JudgedMove], left_out: Sequence[str]) -> str:
    last = judged[-1]
    points = [
        *(_worth(move.played.ply, move.before) for move in judged),
        _worth(last.played.ply + 1, last.after),
    ]
    table = match.table
    keys = (
        tag(
            "li",
            tag("span", class_=f"seat {seat_class(table.seats, side[0])}"),
            " and ".join(_seat(match, seat) for seat in side),
            " (dashed)" if number % 2 else "",
        )
        for number, side in enumerate(table.sides)
    )
    chart = worth_chart(points, table.seats, table.sides, [move.played.ply for move in costly])
    found = tag("ul", *(tag("li", _costly_text(match, move)) for move in costly)) if costly else Markup()
    return document(
        _title(match),
        heading("What if", _title(match), ()),
        tag("div", chart, class_="scrolls", tabindex="0", role="group", aria_label="Curve"),
        tag("ul", *keys, class_="keys"),
        *(tag("p", line) for line in left_out),
        tag(
            "section",
            tag("h2", "The moves that cost most"),
            found or tag("p", "No move cost more than chance explains."),
        ),
    )


def _worth(ply: int, estimate: Estimate) -> Worth:
    return Worth(ply, estimate.means, estimate.errors)
