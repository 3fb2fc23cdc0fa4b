"""What one hostile holder can store is bounded by its quotas, however long it goes on."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from referee.accounts.names import DESCRIPTION_CHARS
from referee.accounts.tokens import LABEL_CHARS, MAX_INVALID_TOKENS_PER_BOT
from tests.e2e.contests import create_ladder
from tests.e2e.hostile_attacks import HostileCaller, Victims, fill_contest_logs, fill_the_disk
from tests.e2e.organiser import server_with_organiser
from tests.e2e.server_metrics import error_log_lines

pytestmark = pytest.mark.slow

STORED_BYTES, MAX_BOTS, MAX_VERSIONS, MAX_TOKENS, MAX_MATCHES = 60_000, 2, 3, 5, 4
QUOTAS = (
    *("--max-stored-per-author-bytes", str(STORED_BYTES)),
    *("--max-bots-per-author", str(MAX_BOTS), "--max-versions-per-bot", str(MAX_VERSIONS)),
    *("--max-tokens-per-author", str(MAX_TOKENS), "--max-matches-per-author", str(MAX_MATCHES)),
)
LARGEST_MATCH_BYTES = 20_000
"""Stored terms of the largest match that the attack creates."""
ROW_BYTES = 500
"""Bytes of a row and its index entries beside its longest text."""
OVERHEAD = 2
"""Space in the database for each byte that is stored: the terms of a match are also in its summary."""
CALLS = MAX_INVALID_TOKENS_PER_BOT + 20
MAX_CHANGES = 12
"""Changes of contests in a day."""
SLACK_BYTES = 16_384
"""Pages that may be taken or split when rows are replaced."""


def read_number(folder: Path, query: str) -> int:
    with closing(sqlite3.connect(f"file:{folder / 'data' / 'referee.db'}?mode=ro", uri=True)) as file:
        return int(file.execute(query).fetchone()[0])


def used_bytes(folder: Path) -> int:
    """Return the size of the used pages of the database."""
    pages, free, size = (
        read_number(folder, f"PRAGMA {name}") for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def test_what_an_author_stores_is_bounded_by_its_quotas(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path, "--durability", "normal", *QUOTAS) as host:
        caller = HostileCaller(host.server.address, host.create_token("author", "hostile"), Victims())
        empty = used_bytes(tmp_path)
        fill_the_disk(caller, CALLS)
        full = used_bytes(tmp_path)
        fill_the_disk(caller, CALLS)
        assert not caller.surprises
        assert used_bytes(tmp_path) <= full + SLACK_BYTES
        tokens = MAX_TOKENS + (MAX_INVALID_TOKENS_PER_BOT + 1) * MAX_BOTS
        texts = MAX_BOTS * (DESCRIPTION_CHARS + MAX_VERSIONS * DESCRIPTION_CHARS) + tokens * LABEL_CHARS
        rows = MAX_BOTS * (1 + MAX_VERSIONS) + tokens
        assert full <= empty + OVERHEAD * (STORED_BYTES + LARGEST_MATCH_BYTES + texts) + rows * ROW_BYTES
        assert not list(error_log_lines(host.server))


@pytest.mark.parametrize("role", ["author", "organiser"])
def test_what_a_holder_writes_to_the_logs_of_contests_in_a_day_is_bounded(tmp_path: Path, role: str) -> None:
    with server_with_organiser(tmp_path, "--max-contest-changes-per-day", str(MAX_CHANGES)) as host:
        create_ladder(host)
        caller = HostileCaller(host.server.address, host.create_token(role, "hostile"), Victims(contest=host.name))
        fill_contest_logs(caller, MAX_CHANGES)
        assert caller.answers["TOO_MANY_NAMES"]
        written = contest_entries(tmp_path)
        assert MAX_CHANGES < written <= 2 + 2 * MAX_CHANGES, "what creates the ladders, and changes with their leaving"
        fill_contest_logs(caller, MAX_CHANGES)
        assert contest_entries(tmp_path) <= written + 1, "only another ladder was created"
        assert not caller.surprises
        host.call_as_bot(0, "LadderService/JoinLadder", ladder=host.name)
        caller.close()


def contest_entries(folder: Path) -> int:
    """Return the number of entries in the logs of all contests."""
    return read_number(folder, "SELECT count(*) FROM contest_entries")
