"""What the records show after the end of the ladder, compared with what the bots were told while it was played."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from referee_client.organiser import Organiser
from referee_values import LadderStanding

from engines.registry import find
from referee.records.record_reader import RecordStatus
from referee.records.verify_contest import verify_any
from referee.show.table import Table

Told: TypeAlias = Sequence[tuple[float, Mapping[str, Any]]]
"""Accepted moves in the order in which bots were told, each with the time by the monotonic clock."""


@dataclass(frozen=True)
class Period:
    name: str
    until: float
    """By the monotonic clock."""


class Records:
    """The records of a ladder that is over, and of its matches."""

    def __init__(self, organiser: Organiser, ladder: str, folder: Path) -> None:
        """Read them from the referee, and write them to a folder."""
        self.moves: set[tuple[str, str, str]] = set()
        """Match, turn token and move."""
        self.ends: dict[str, str] = {}
        """How each match has ended: `played`, `forfeited` or `void`, or `not over`."""
        self._ladder = folder / f"{ladder}.jsonl"
        self._ladder.write_text(organiser.ladders.record(ladder))
        self._matches = folder / "records"
        self._matches.mkdir()
        for match in organiser.ladders.matches(ladder):
            self.ends[match.id] = "not over"
            if match.phase == "over":
                self._read(match.id, organiser.record(match.id, self._matches / f"{match.id}.jsonl"))

    def many(self, end: str, among: Collection[str] = ()) -> int:
        """Return how many matches have ended like this; default: of all matches."""
        return sum(self.ends[match] == end for match in among or self.ends)

    def find_invalid(self) -> list[str]:
        """Return the records that do not verify: matches are replayed, and pairings and ratings computed again."""
        files = [self._ladder, *sorted(self._matches.iterdir())]
        return [
            file.name for file in files if verify_any(file, None, find, self._matches).status is not RecordStatus.FINE
        ]

    def _read(self, match: str, file: Path) -> None:
        for line in file.read_text().splitlines():
            event = json.loads(line).get("event", {})
            if event.get("kind") == "move_played":
                self.moves.add((match, event["token"], event["move"]))
            elif event.get("kind") == "play_ended":
                self.ends[match] = event["result"]["kind"]


def check_promises(told: Told, records: Records) -> Iterator[tuple[bool, str]]:
    """Yield for each promise of the referee whether it was kept, and a sentence about it."""
    accepted = {(move["match"], move["token"], move["move"]) for _, move in told}
    lost, invalid = len(accepted - records.moves), records.find_invalid()
    told_moves = f"{len(accepted)} moves that were accepted, as the bots were told,"
    yield not lost, f"{lost} of the {told_moves} are lost." if lost else f"All {told_moves} are in the records."
    verified = f"{len(records.ends)} records of matches and the record of the ladder"
    yield not invalid, f"Of {verified}, {', '.join(invalid)} are invalid." if invalid else f"All {verified} are valid."
    counts = {end: records.many(end) for end in ("played", "void", "forfeited", "not over")}
    yield (
        counts["forfeited"] == counts["not over"] == 0,
        "Matches: " + ", ".join(f"{many} {end}" for end, many in counts.items()) + ".",
    )


def longest_pause(told: Told, matches: Collection[str]) -> float:
    """Return the longest time between two accepted moves of one of these matches, in seconds."""
    times = {match: [at for at, move in told if move["match"] == match] for match in matches}
    return max((after - before for of_match in times.values() for before, after in pairwise(of_match)), default=0)


def moves_table(told: Told, periods: Sequence[Period], nodes: Sequence[str]) -> str:
    """Return a table of the moves that each node has accepted in each period."""
    moves: Counter[tuple[int, int]] = Counter()
    for at, move in told:
        period = next(index for index, period in enumerate(periods) if at <= period.until)
        moves[move["node"], period] += 1
    rows = []
    for node, name in enumerate(nodes):
        matches = {move["match"] for _, move in told if move["node"] == node}
        rows.append([name, *(str(moves[node, period]) for period in range(len(periods))), str(len(matches))])
    return Table(["moves accepted by", *(period.name for period in periods), "in matches"], rows).to_text()


def standings_table(standings: Sequence[LadderStanding]) -> str:
    rows = [
        [row.entrant.name, f"{row.rating.value:.0f}", str(row.wins), str(row.draws), str(row.losses)]
        for row in standings
    ]
    return Table(["final standings", "rating", "won", "drawn", "lost"], rows).to_text()
