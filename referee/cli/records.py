"""`referee verify` and `referee replay`: verify records, and print the matches in them, with their clocks."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click
from msgspec import UNSET
from referee_api.v1 import match_pb2

from engines.api import REFEREE, SPECTATOR, Viewer
from engines.registry import find
from referee.cli._shared.output import counted, write
from referee.cli._shared.record_files import PackedCommand, open_named_record
from referee.live.match_history import MatchStep
from referee.match.events import MovePlayed, PlayEnded, redact
from referee.match.state import Match
from referee.records.describe_event import escape_unprintable, player_text, score_text
from referee.records.packed_reader import is_packed_file, open_record, split_name, verify_packed
from referee.records.record_reader import RecordHistory, RecordInvalid, RecordStatus, VerificationResult, read_history
from referee.records.signing_key import KeyUnusable, read_public_key
from referee.records.verify import verify_file
from referee.records.verify_contest import verify_any
from referee.show.frames import Frame, record_frames
from referee.show.match_page import PageTerms, match_page
from referee.show.sgf import sgf_text
from referee.show.words import seat_control_text


@dataclass(frozen=True)
class GameNotation:
    """A notation in which programs for one game exchange matches."""

    name: str
    game: str
    print: Callable[[RecordHistory], str]


def _pgn_text(history: RecordHistory) -> str:
    from referee.show.pgn import pgn_text  # noqa: PLC0415  # It imports python-chess, which is an extra.

    return pgn_text(history)


NOTATIONS = {"pgn": GameNotation("pgn", "chess", _pgn_text), "sgf": GameNotation("sgf", "go", sgf_text)}


@click.command(cls=PackedCommand)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--key", metavar="KEY", help="Expected public key of the signature: a PEM file, or hexadecimal.")
@click.option(
    "--records",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with the records of the matches of a contest. [results are not compared]",
)
@click.pass_context
def verify(context: click.Context, files: tuple[str, ...], key: str | None, records: Path | None) -> None:
    """Verify records: format, hash chain and signature.

    Then replay each match with its clocks and random draws, and each ladder or tournament with its pairings, ratings
    and standings. Of packed records, those that are not fine are printed; FILE#MATCH verifies one of them.

    The exit status is that of the worst record: 0 if all are fine, otherwise 3 or more.
    """
    expected = _read_key(key) if key is not None else None
    found: Counter[RecordStatus] = Counter()
    for file in files:
        if is_packed_file(file):
            found += _verify_packed(file, expected)
        else:
            found += _verify_one(file, expected, records)
    if len(files) > 1:
        click.echo(_counts(found))
    context.exit(max(found))


def _verify_one(name: str, key: str | None, records: Path | None) -> Counter[RecordStatus]:
    path, match_id = split_name(name)
    verdict = _verify_match(name, key) if match_id else verify_any(path, key, find, records)
    click.echo(f"{click.format_filename(name)}: {escape_unprintable(str(verdict))}")
    return Counter([verdict.status])


def _verify_match(name: str, key: str | None) -> VerificationResult:
    try:
        with open_record(name) as file:
            return verify_file(file, key, find)
    except RecordInvalid as trouble:
        return trouble.verdict


def _verify_packed(name: str, key: str | None) -> Counter[RecordStatus]:
    """Print the results that are not fine, and how many there are of each."""
    found: Counter[RecordStatus] = Counter()
    for record, verdict in verify_packed(Path(name), key, find):
        found[verdict.status] += 1
        if verdict.status is not RecordStatus.FINE:
            click.echo(f"{click.format_filename(record)}: {escape_unprintable(str(verdict))}")
    click.echo(f"{click.format_filename(name)}: {_counts(found)}")
    return found


def _counts(found: Counter[RecordStatus]) -> str:
    counts = ", ".join(f"{many} {status.words}" for status, many in sorted(found.items()))
    return f"{counted(found.total(), 'record')}: {counts}"


@click.command(cls=PackedCommand)
@click.argument("file")
@click.option("--ply", type=click.IntRange(0), help="Show the board after this many moves instead of the last one.")
@click.option("--seat", type=click.IntRange(0), help="Show only what this seat could see.")
@click.option("--spectator", is_flag=True, help="Show only what spectators could see.")
@click.option("--all", "every", is_flag=True, help="Show the board after every move.")
@click.option(
    "--html",
    "page",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the match as one HTML page, which any browser shows without a server, and print its name.",
)
@click.option("--pgn", is_flag=True, help="Print a match of chess as PGN, with the clocks.")
@click.option("--sgf", is_flag=True, help="Print a match of Go as SGF, with the clocks.")
@click.pass_context
def replay(
    context: click.Context,
    file: str,
    ply: int | None,
    seat: int | None,
    spectator: bool,
    every: bool,
    page: Path | None,
    pgn: bool,
    sgf: bool,
) -> None:
    """Print the match of a record: moves, clocks, board, result.

    FILE is a record, one of packed records: FILE#MATCH, or the id of a match of the server that BOT_REFEREE names.
    """
    if spectator and seat is not None:
        raise click.UsageError("--seat and --spectator exclude each other")
    if page and (every or ply is not None):
        raise click.UsageError("a page shows the board after every move: --html excludes --all and --ply")
    notation = NOTATIONS["pgn" if pgn else "sgf"] if pgn or sgf else None
    if notation and ((pgn and sgf) or page or every or spectator or ply is not None or seat is not None):
        raise click.UsageError(f"--{notation.name} prints the whole match, and excludes all other options")
    viewer = SPECTATOR if spectator else REFEREE if seat is None else seat
    try:
        with open_named_record(file) as record:
            verdict = verify_file(record, None, find)
            if verdict.status is not RecordStatus.FINE:
                click.echo(f"warning: this record is not valid: {escape_unprintable(str(verdict))}", err=True)
            record.seek(0)
            history = read_history(record, find)
    except RecordInvalid as trouble:
        click.echo(f"Error: {click.format_filename(file)}: {escape_unprintable(str(trouble.verdict))}", err=True)
        context.exit(trouble.verdict.status)
    _check_viewer(history, viewer)
    if notation:
        _print_notation(history, notation)
        return
    if page:
        write(page, match_page(history, PageTerms(viewer, (("Record", str(verdict)),))))
        click.echo(click.format_filename(page))
        return
    for line in _format_history(history, viewer, _check_ply(history, ply), every):
        click.echo(line)


def _print_notation(history: RecordHistory, notation: GameNotation) -> None:
    if history.first.game.name != notation.game:
        of_other = f"{notation.name.upper()} is a notation of {notation.game}"
        raise click.UsageError(f"{of_other}, and this is a match of {history.first.game.name}")
    click.echo(notation.print(history), nl=False)


def _read_key(key: str) -> str:
    try:
        return read_public_key(key)
    except KeyUnusable as unusable:
        raise click.BadParameter(str(unusable), param_hint="--key") from None


def _check_viewer(history: RecordHistory, viewer: Viewer) -> None:
    seats = len(history.first.table.seats)
    if viewer >= seats:
        raise click.BadParameter(f"seats of this match are 0 to {seats - 1}", param_hint="--seat")


def _check_ply(history: RecordHistory, ply: int | None) -> int | None:
    last = history.last.ply
    if ply is not None and ply > last:
        raise click.BadParameter(f"the match has {last} plies", param_hint="--ply")
    return ply


def _format_history(history: RecordHistory, viewer: Viewer, ply: int | None, every: bool) -> Iterator[str]:
    match, frames = record_frames(history, viewer)
    yield from _heading(history)
    shown = history.first
    for step, frame in zip(history.steps[1:], frames[1:], strict=True):
        if step.state.ply > shown.ply == ply:
            break
        shown = step.state
        if frame.text:
            yield from _step_lines(step, frame, match, viewer)
        if every and frame.kind == "move_played":
            yield f"\n{shown.require_position().picture(viewer)}\n"
    else:
        if history.broke_off:
            yield f"      the record ends here: {escape_unprintable(history.broke_off)}"
    yield from _board(shown, viewer)


def _heading(history: RecordHistory) -> Iterator[str]:
    first, last = history.first, history.last
    yield f"{escape_unprintable(first.setup.match_id)}: {first.game.title} (version {first.setup.game_version})"
    for seat, name in enumerate(first.table.seats):
        who = escape_unprintable(player_text(last, seat))
        yield f"  seat {seat}, {name}: {who}; {seat_control_text(first, seat)}"
    yield ""


def _step_lines(step: MatchStep, frame: Frame, match: match_pb2.Match, viewer: Viewer) -> Iterator[str]:
    """Yield the lines of an entry."""
    event = redact(step.entry.event, step.before.position if step.before else None, viewer)
    if isinstance(event, MovePlayed):
        names = match.seat_layout.seat_names
        clocks = "  ".join(f"{clock.text or '-':>9}" for clock in frame.clocks)
        score = "" if event.score is UNSET else f"  {score_text(event.score)}"
        note = f"  ({frame.note})" if frame.note else ""
        yield f"{frame.ply:4}. {names[event.seat]:{max(map(len, names))}} {frame.text:12} {clocks}{score}{note}"
        return
    yield f"      {frame.text}"
    if isinstance(event, PlayEnded):
        yield f"      at {datetime.fromtimestamp(frame.at_ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
        if viewer == REFEREE:
            yield from (f"      {escape_unprintable(line)}" for line in event.result.reason.splitlines()[1:])


def _board(match: Match, viewer: Viewer) -> Iterator[str]:
    if match.position is None:
        yield "\nplay did not start"
        return
    yield f"\n{match.position.picture(viewer)}\n\n{match.position.text(viewer)}"
