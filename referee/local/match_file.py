"""Read the file of a single match on a running referee: its terms, opening, seed, title and ladder."""

from dataclasses import dataclass
from pathlib import Path

from referee_api.v1 import game_pb2, match_pb2

from engines.game_errors import quoted
from referee.local.terms_reader import OF_A_MATCH, match_terms, read_opening
from referee.local.toml_validation import BadPlan, known, read_toml, value
from referee.match.match_terms import DEFAULT_POLICIES

KEYS = ("title", "ladder", "opening", "seed", *OF_A_MATCH)


@dataclass(frozen=True, slots=True)
class MatchFile:
    title: str
    ladder: str
    """The ladder that rates the match; empty: none."""
    opening: game_pb2.Opening
    seed: bytes
    terms: match_pb2.MatchTerms


def read_match_file(file: Path) -> MatchFile:
    """Raises BadPlan or another DetailedError."""
    content = read_toml(file)
    known(str(file), content, KEYS)
    return MatchFile(
        value("title", content, str, ""),
        value("ladder", content, str, ""),
        read_opening("opening", content.get("opening", "")),
        _seed(value("seed", content, str, "")),
        match_terms("", content, DEFAULT_POLICIES),
    )


def _seed(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise BadPlan("seed", f"expected 64 hexadecimal digits, not {quoted(text)}") from None
