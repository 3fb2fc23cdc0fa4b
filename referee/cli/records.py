"""Commands about records: are they true, and what do they tell?"""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from engines.api import REFEREE, SPECTATOR, Viewer
from engines.registry import find
from referee.cli.clocks import clock_text, control_text, time_text
from referee.core.events import MovePlayed, PlayEnded, Source
from referee.core.match import Match
from referee.core.telling import told as as_told
from referee.storage.record.keys import KeyUnusable, read_public
from referee.storage.record.story import Step, Story, story
from referee.storage.record.verdict import Status, Trouble
from referee.storage.record.verifying import verify as verified
from referee.storage.record.wording import plain, told

BY = {Source.BOT: "", Source.RANDOM: "  (by lot)", Source.DEFAULT: "  (by default)"}


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--key", metavar="KEY", help="The public key that must have signed: a PEM file, or in hexadecimal.")
@click.pass_context
def verify(context: click.Context, files: tuple[str, ...], key: str | None) -> None:
    """Prove records: form, chain, signature; then play each match again, clocks and lots included.

    The exit status is that of the worst: 0 if all are fine; docs/records.md lists the others.
    """
    expected = _expected(key) if key is not None else None
    found: Counter[Status] = Counter()
    for file in files:
        verdict = verified(Path(file), expected, find)
        found[verdict.status] += 1
        click.echo(f"{click.format_filename(file)}: {plain(str(verdict))}")
    if len(files) > 1:
        counted = ", ".join(f"{many} {status.words}" for status, many in sorted(found.items()))
        click.echo(f"{len(files)} records: {counted}")
    context.exit(max(found))


@click.command()
@click.argument("file")
@click.option("--ply", type=click.IntRange(0), help="Show the board after so many moves, instead of the last one.")
@click.option("--seat", type=click.IntRange(0), help="Show what this seat could see.")
@click.option("--spectator", is_flag=True, help="Show what could be seen without a seat.")
@click.option("--all", "every", is_flag=True, help="Draw the board after every move.")
@click.pass_context
def replay(context: click.Context, file: str, ply: int | None, seat: int | None, spectator: bool, every: bool) -> None:
    """Show the match that a record tells: moves, clocks, board, end."""
    if spectator and seat is not None:
        raise click.UsageError("--seat and --spectator exclude each other")
    viewer = SPECTATOR if spectator else REFEREE if seat is None else seat
    verdict = verified(Path(file), None, find)
    if verdict.status is not Status.FINE:
        click.echo(f"warning: this record proves nothing: {plain(str(verdict))}", err=True)
    try:
        tale = story(Path(file), find)
    except Trouble as trouble:
        click.echo(f"Error: {click.format_filename(file)}: {plain(str(trouble.verdict))}", err=True)
        context.exit(trouble.verdict.status)
    for line in _shown(tale, _checked_viewer(tale, viewer), _checked_ply(tale, ply), every):
        click.echo(line)


def _expected(key: str) -> str:
    try:
        return read_public(key)
    except KeyUnusable as unusable:
        raise click.BadParameter(str(unusable), param_hint="--key") from None


def _checked_viewer(tale: Story, viewer: Viewer) -> Viewer:
    seats = len(tale.first.table.seats)
    if viewer >= seats:
        raise click.BadParameter(f"seats are 0 to {seats - 1} here", param_hint="--seat")
    return viewer


def _checked_ply(tale: Story, ply: int | None) -> int | None:
    last = _last(tale).ply
    if ply is not None and ply > last:
        raise click.BadParameter(f"the match has {last} plies", param_hint="--ply")
    return ply


def _last(tale: Story) -> Match:
    return tale.steps[-1].after if tale.steps else tale.first


def _shown(tale: Story, viewer: Viewer, ply: int | None, every: bool) -> Iterator[str]:
    yield from _heading(tale)
    match = tale.first
    for step in tale.steps:
        if step.after.ply > step.before.ply == ply:
            break
        match = step.after
        yield from _step_lines(step, viewer)
        if every and isinstance(step.entry.event, MovePlayed):
            yield f"\n{match.at_play().picture(viewer)}\n"
    else:
        if tale.broke_off:
            yield f"      here it breaks off: {plain(tale.broke_off)}"
    yield from _board(match, viewer)


def _heading(tale: Story) -> Iterator[str]:
    first, last = tale.first, _last(tale)
    yield f"{plain(first.setup.match_id)}: {first.game.title} (version {first.setup.game_version})"
    for seat, (name, player) in enumerate(zip(first.table.seats, last.players, strict=True)):
        who = f"{player.bot} {player.version}".strip() or "nobody"
        yield f"  seat {seat}, {name}: {plain(who)}; {control_text(first.setup.controls[seat])}"
    yield ""


def _step_lines(step: Step, viewer: Viewer) -> Iterator[str]:
    """One entry, as the viewer may hear of it."""
    event = as_told(step.before, step.entry.event, viewer)
    if event is None:
        return
    if isinstance(event, MovePlayed):
        yield _move_line(step.after, event)
    elif isinstance(event, PlayEnded):
        at = datetime.fromtimestamp(step.entry.at_ms / 1000, UTC)
        yield f"      at {time_text(event.at_us)} ({at:%Y-%m-%d %H:%M:%S} UTC) {told(event)}"
    else:
        yield f"      {told(event)}"


def _move_line(after: Match, event: MovePlayed) -> str:
    names = after.table.seats
    who = f"{names[event.seat]:{max(map(len, names))}}"
    clocks = "  ".join(map(clock_text, after.setup.controls, after.clocks))
    return f"{after.ply:4}. {who} {plain(event.move):12} {clocks}{BY[event.source]}"


def _board(match: Match, viewer: Viewer) -> Iterator[str]:
    if match.position is None:
        yield "\nplay never began"
        return
    yield f"\n{match.position.picture(viewer)}\n\n{match.position.text(viewer)}"
