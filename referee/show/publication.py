"""Everything about a finished contest as files: records, tables, log, key, checksums, and a site for people.

All files follow from what the server has stored, so that publishing twice gives the same bytes. A record contains the
version of the server that wrote it, and therefore changes with an upgrade of the server.
"""

import json
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from referee_api.conversion import to_message
from referee_api.v1 import match_pb2
from referee_client import Match, Organiser, Refused
from referee_values import ExportFormat, Pairing

from engines.registry import find
from referee.records.record_format import MATCH_ID
from referee.records.record_reader import RecordStatus, read_record, read_record_history
from referee.records.signing_key import fingerprint
from referee.records.verify import verify
from referee.show.collector import CONCURRENT_CALLS, Progress, ladder_report, no_progress, tournament_report
from referee.show.markup import Markup, tag
from referee.show.match_page import PageTerms, match_page
from referee.show.page import page
from referee.show.report import Report
from referee.show.table import Column, Table, number
from referee.show.value_conversion import unix_ms
from referee.show.words import result_text

MAX_BOARD_CHARS = 1_000_000
"""Maximum length of the boards of one match: all pages are in memory until the archive is written."""
MS_PER_S = 1_000
SUMS = "SHA256SUMS"
KEY = "key.txt"
MARKS = re.compile(r"[!-&*+./:-@[-`{-~]")
"""Characters with a meaning in Markdown; the others have one only beside these."""

README = """\
# {title}

This archive contains everything that the referee has published about the finished {kind} `{name}`.

| path | content |
| --- | --- |
| `site/index.html` | standings, rounds and matches with replays; open it in a browser |
| `records/` | each finished match as a signed record |
| `tables/` | standings, cross table and pairings for programs |
| `log.jsonl` | the log of the {kind} as a signed record: every pairing, result and rating change |
| `{key_file}` | the public key that has signed all records |
| `{sums}` | checksums of all other files |

## Check it

```console
$ sha256sum --check --quiet {sums}
$ referee verify --key {key_file} --records records log.jsonl records/*.jsonl
```

The second command needs Referee with the same games. It checks the form, the hash chain and the signature of each
record, and replays each match with its clocks and random draws. From the log it computes all pairings, lots, ratings
and standings again, and compares the results with the records of the matches. Compare the key with the one that the
organiser has published elsewhere; its fingerprint is

    {fingerprint}
"""


Publish: TypeAlias = "Callable[[Organiser, str, Progress], Publication]"
"""Collects a finished contest by its name."""


class NotPublishable(Exception):
    """The contest cannot be published now. `str()` is one sentence."""


@dataclass(frozen=True, slots=True)
class Publication:
    name: str
    files: Mapping[str, bytes]
    """Contents by path."""
    end_s: int
    """When the last match ended, in Unix seconds; 0 if there were none."""
    matches: int


def publish_tournament(organiser: Organiser, name: str, progress: Progress = no_progress) -> Publication:
    """Raises NotPublishable, or the errors of the organiser client."""
    tournament = organiser.tournaments.get(name)
    if tournament.phase != "finished":
        raise NotPublishable(f"the tournament {name} is not finished")
    pairings = sorted(organiser.tournaments.pairings(name), key=lambda pair: (pair.round, pair.board, pair.id))
    tables = {"tables/pairings.csv": _pairings_csv(pairings)}
    for form in ("json", "trf"):
        if (exported := _export(organiser, name, form)) is not None:
            tables[f"tables/tournament.{form}"] = exported.encode()
    return _publication(
        tournament_report(organiser, name, progress=progress),
        _Source(organiser, progress, organiser.tournaments.matches(name), organiser.tournaments.record(name), pairings),
        tables,
    )


def publish_ladder(organiser: Organiser, name: str, progress: Progress = no_progress) -> Publication:
    """Raises NotPublishable, or the errors of the organiser client."""
    if not organiser.ladders.get(name).closed:
        raise NotPublishable(f"the ladder {name} is not closed")
    try:
        log = organiser.ladders.record(name)
    except Refused as refused:
        if refused.reason != "CONTEST_NOT_OVER":
            raise
        raise NotPublishable(f"a match of the ladder {name} is still being played") from None
    source = _Source(organiser, progress, organiser.ladders.matches(name), log, ())
    return _publication(ladder_report(organiser, name, progress=progress), source, {})


@dataclass(frozen=True, slots=True)
class _Source:
    """What a contest consists of, as the server tells it."""

    organiser: Organiser
    progress: Progress
    matches: Iterable[Match]
    log: str
    """The signed record of the contest."""
    pairings: Sequence[Pairing]

    def finished(self) -> list[Match]:
        """Return the finished matches in the order of their ends. Raises NotPublishable."""
        found = [match for match in self.matches if match.result]
        if wrong := [match.id for match in found if not MATCH_ID.fullmatch(match.id)]:
            raise NotPublishable(f"the id {wrong[0]!r} of a match cannot be the name of a file")
        return sorted(found, key=lambda match: (unix_ms(match.end_time), match.id))

    def records(self, matches: Sequence[Match]) -> dict[str, bytes]:
        """Return the record of each match. Raises NotPublishable if one cannot be read."""
        records: dict[str, bytes] = {}
        with ThreadPoolExecutor(CONCURRENT_CALLS) as executor:
            read = executor.map(lambda match: self.organiser.record_bytes(match.id), matches)
            try:
                for match, record in zip(matches, read, strict=True):
                    records[match.id] = record
                    self.progress(len(records), len(matches))
            except Refused as refused:
                missing = matches[len(records)].id
                raise NotPublishable(f"the record of {missing} cannot be read: {refused}") from None
        return records


def _publication(report: Report, source: _Source, tables: Mapping[str, bytes]) -> Publication:
    matches = source.finished()
    records = source.records(matches)
    key, pages = _checked_pages(matches, records)
    files = {
        "log.jsonl": source.log.encode(),
        "tables/standings.csv": _standings_csv(report),
        "tables/standings.json": _standings_json(report),
        "tables/cross_table.csv": _cross_table_csv(report),
        "site/index.html": page(report, _matches_table(matches, source.pairings)).encode(),
        KEY: f"{key}\n".encode(),
        **tables,
        **{f"records/{match_id}.jsonl": record for match_id, record in records.items()},
        **{f"site/matches/{match_id}.html": html.encode() for match_id, html in pages.items()},
    }
    words = {"title": _escaped(report.title or report.name), "kind": report.kind, "name": report.name}
    files["README.md"] = README.format(**words, key_file=KEY, sums=SUMS, fingerprint=fingerprint(key)).encode()
    files[SUMS] = "".join(f"{sha256(data).hexdigest()}  {path}\n" for path, data in sorted(files.items())).encode()
    end_s = max((unix_ms(match.end_time) // MS_PER_S for match in matches), default=0)
    return Publication(report.name, files, end_s, len(matches))


def _escaped(text: str) -> str:
    """Return Markdown that shows a text as it is, also one that would be a link, an image or an address."""
    return MARKS.sub(r"\\\g<0>", text)


def _checked_pages(matches: Sequence[Match], records: Mapping[str, bytes]) -> tuple[str, dict[str, str]]:
    """Verify all records; return the key that signed them, and the page of each match. Raises NotPublishable."""
    if not matches:
        raise NotPublishable("no match was played")
    key, pages = "", {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "record.jsonl"
        for match in matches:
            file.write_bytes(records[match.id])
            verdict = verify(file, key or None, find)
            if verdict.status is not RecordStatus.FINE:
                raise NotPublishable(f"the record of {match.id} does not verify: {verdict}")
            with file.open("rb") as record:
                key = read_record(record).key
            links = (("All matches", "../index.html#matches"), ("Signed record", f"../../records/{match.id}.jsonl"))
            terms = PageTerms(links=links, max_board_chars=MAX_BOARD_CHARS)
            pages[match.id] = match_page(read_record_history(file, find), terms)
    return key, pages


def _players(match: Match) -> str:
    return " – ".join(seat.bot or "nobody" for seat in match.seats)  # An en dash.


def _matches_table(matches: Sequence[Match], pairings: Sequence[Pairing]) -> Markup:
    by_match = {match_id: pairing for pairing in pairings for match_id in pairing.match_ids}
    places = {pairing.id: place for place, pairing in enumerate(pairings)}
    in_order = sorted(matches, key=lambda match: places.get(match.pairing_id, 0))  # Else in the order of their ends.
    rows = (
        (
            pairing.round if (pairing := by_match.get(match.id)) else "–",
            pairing.board if pairing else "–",
            tag("a", _players(match), href=f"matches/{match.id}.html"),
            result_text(message := to_message(match, match_pb2.Match), message.result),
            tag("a", match.id, href=f"../records/{match.id}.jsonl"),
        )
        for match in in_order
    )
    columns = (number("Round"), number("Board"), Column("Match", "name"), "Result", "Record")
    return Table(columns, rows).to_html("standings", id="matches")


def _export(organiser: Organiser, name: str, form: ExportFormat) -> str | None:
    """Return an export; None if the tournament has no such form."""
    try:
        return organiser.tournaments.export(name, form)
    except Refused as refused:
        if refused.reason != "NOT_EXPORTABLE":
            raise
        return None


def _standings_csv(report: Report) -> bytes:
    scores = ("rating", "deviation", "lower_bound") if report.kind == "ladder" else ("points", *report.tie_breaks)
    heading = ["rank", "entrant", *scores, "wins", "draws", "losses", "forfeits"]
    rows: list[list[object]] = []
    for row in report.rows:
        rating = (
            [row.rating.value, row.rating.deviation, row.rating.lower_bound]
            if row.rating
            else [row.points, *row.tie_breaks]
        )
        rows.append([row.rank, row.name, *rating, row.wins, row.draws, row.losses, row.forfeits])
    return Table(heading, rows).to_csv()


def _standings_json(report: Report) -> bytes:
    return f"{json.dumps([asdict(row) for row in report.rows], indent=1, sort_keys=True)}\n".encode()


def _cross_table_csv(report: Report) -> bytes:
    """Return the points of each entrant against each other; empty cells: they have not met."""
    cells = report.cells()
    rows = [
        [name, *(cells[name, other].points if (name, other) in cells else "" for other in report.names)]
        for name in report.names
    ]
    return Table(["entrant", *report.names], rows).to_csv()


def _pairings_csv(pairings: Iterable[Pairing]) -> bytes:
    """Return the pairings; several entrants, points and matches of one are separated by spaces."""
    rows = [
        [
            pairing.round,
            pairing.board,
            pairing.id,
            " ".join(pairing.entrants),
            " ".join(f"{points:g}" for points in pairing.points),
            " ".join(pairing.match_ids),
        ]
        for pairing in pairings
    ]
    return Table(("round", "board", "pairing", "entrants", "points", "matches"), rows).to_csv()
