"""The program `referee` with a log in PostgreSQL that accepts every append, also of a node that has missed entries.

It shows what the check of numbers prevents, and that the checker of histories notices when it is missing.
"""

from referee.storage.postgres import group_commit

CHANGES = {
    "heads.last = append.after": "heads.last >= append.after",
    "SET last = append.last,": "SET last = heads.last + append.last - append.after,",
    "matches.match, append.ordinal": "matches.match, append.ordinal, heads.last - append.after AS ahead",
    "entry.number, stamp.at_ms": "entry.number + continued.ahead, stamp.at_ms",
}
"""Parts of the statement that appends, each with what takes its place."""


def ignore_conflict(append: object, heads: object) -> None:
    """Return None: there is no conflict."""


def remove_fence() -> None:
    """Let an append continue its log wherever that ends by now."""
    unfenced = group_commit.APPEND
    for fenced, replacement in CHANGES.items():
        assert fenced in unfenced, "the statement has changed"
        unfenced = unfenced.replace(fenced, replacement)
    group_commit.APPEND = unfenced
    group_commit._conflict = ignore_conflict


if __name__ == "__main__":
    remove_fence()
    from referee.cli import main

    main()
