"""Read the file of a single match on a running referee: its terms, opening, seed, title and ladder."""

from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace
from referee_values import MatchTerms, Opening, Policies

from referee.local.terms_reader import complete_match_terms
from referee.local.toml_validation import read_table, read_toml


class MatchFile(Struct, frozen=True, kw_only=True):
    title: str = ""
    ladder: str = ""
    """The ladder that rates the match; empty: none."""
    opening: Opening = Opening()
    seed: bytes = b""
    terms: MatchTerms


def read_match_file(file: Path) -> MatchFile:
    """Raises BadPlan or another DetailedError."""
    given = read_table(str(file), read_toml(file), MatchFile)
    return replace(given, terms=complete_match_terms("", given.terms, Policies()))
