"""Turn FIDE's tournament report into a plan file: the same field, pairing system, tie-breaks and forbidden pairs.

Results are not imported: a result of a tournament is that of a match with a record, and a report contains no moves.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path

from engines.game_errors import quoted
from referee.contests.tournament.trf import TIE_BREAK_CODES, TrfReport
from referee.contests.tournament.trf_reader import read_trf
from referee.local.toml_validation import BadPlan

MAX_TRF_BYTES = 16_000_000
MAX_SLUG_CHARS = 34
"""Limit of a name without a number, which is appended within the limit of 40 characters."""
TIE_BREAKS = {code: tie_break for tie_break, code in TIE_BREAK_CODES.items()}
SWISS = re.compile(r"FIDE_DUTCH(_20\d\d)?(?P<baku>_BAKU)?|")
ROUND_ROBIN = re.compile(r"(BERGER|FIDE|CUSTOM)_(?P<double>DOUBLE)?ROUNDROBIN(_G(?P<cycles>\d{1,3}))?")


def plan_of_report(file: Path, game: str) -> str:
    """Return the text of a plan file for this game. Raises BadPlan or MalformedTrf."""
    report = read_trf(_read(file))
    if not report.table:
        raise BadPlan(str(file), "it has no players (records 001)")
    bots = _bot_names(report.table)
    lines = [
        f"title = {_text(report.title)}" if report.title else "",
        f"game = {_text(game)}",
        _format(report, file),
        *_tie_breaks(report),
        _forbidden(report, bots),
        f"entrants = {_list(map(_text, bots.values()))}",
    ]
    return "".join(f"{line}\n" for line in lines if line)


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > MAX_TRF_BYTES:
            raise BadPlan(str(file), f"it has more than {MAX_TRF_BYTES} bytes")
        return file.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise BadPlan(str(file), f"cannot be read: {error.strerror}") from None


def _format(report: TrfReport, file: Path) -> str:
    if found := ROUND_ROBIN.fullmatch(report.system):
        return f"round_robin = {{ cycles = {int(found['cycles'] or (2 if found['double'] else 1))} }}"
    swiss = SWISS.fullmatch(report.system)
    if not swiss:
        raise BadPlan(str(file), f"the system {quoted(report.system)} is neither FIDE's Dutch nor a round robin")
    rounds = report.rounds or max(map(len, report.table.values()))
    if not rounds:
        raise BadPlan(str(file), "it has no number of rounds (record 142)")
    accelerated = ", accelerated = true" if swiss["baku"] or report.virtual_points else ""
    return f"swiss = {{ rounds = {rounds}{accelerated} }}"


def _tie_breaks(report: TrfReport) -> list[str]:
    known = [TIE_BREAKS[code] for code in dict.fromkeys(report.tie_breaks) if code in TIE_BREAKS]
    if report.system and not ROUND_ROBIN.fullmatch(report.system):
        known = [name for name in known if name != "koya"]
    others = [code for code in report.tie_breaks if code not in TIE_BREAKS]
    return [
        f"# Referee has no tie-break {', '.join(map(_comment, others))}." if others else "",
        f"tie_breaks = {_list(_text(name) for name in known)}" if known else "",
    ]


def _forbidden(report: TrfReport, bots: Mapping[str, str]) -> str:
    """Return the pairs that never meet; those kept apart only in some rounds are mostly of one club or owner."""
    pairs = [
        f"[{_text(bots[first])}, {_text(bots[second])}]"
        for group in report.forbidden
        if group.rounds[1] >= report.rounds
        for first, second in combinations(group.players, 2)
    ]
    return f"forbidden_pairs = {_list(pairs)}" if pairs else ""


def _bot_names(players: Iterable[str]) -> dict[str, str]:
    """Return a valid name of a bot for each player. A name that is taken gets a number."""
    names: dict[str, str] = {}
    for number, player in enumerate(players, start=1):
        ascii_name = unicodedata.normalize("NFKD", player).encode("ascii", "ignore").decode().lower()
        slug = re.sub(r"[^a-z0-9]+", "-", ascii_name).strip("-")[:MAX_SLUG_CHARS]
        name = slug if slug[:1].isalpha() else f"p{number}-{slug}".strip("-")
        names[player] = f"{name}-{number}" if name in names.values() else name
    return names


def _list(items: Iterable[str]) -> str:
    return f"[{', '.join(items)}]"


def _text(text: str) -> str:
    """Return a string of TOML."""
    return json.dumps("".join(character for character in text if character.isprintable()), ensure_ascii=False)


def _comment(text: str) -> str:
    return "".join(character for character in text if character.isprintable())
