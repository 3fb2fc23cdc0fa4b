"""Records: finished matches as signed files that can be verified offline.

A record consists of JSON lines: a header, all entries with their clock charges, the revealed seed, the result, a
hash chain over the lines, and the server's signature. `docs/records.md` specifies the format.
"""

from referee_values.value import Int64, Value


class RecordInfo(Value, frozen=True, kw_only=True):
    """Hash, size and URL of the record of a match. Set by the server."""

    sha256: bytes = b""
    """SHA-256 of the file: 32 bytes. The file contains the version of the server that wrote it, so the hash changes
    with upgrades.
    """
    size_bytes: Int64 = 0
    """Size of the file, in bytes."""
    url: str = ""
    """URL on the server's HTTP port. Empty if it does not serve records; MatchService.GetRecord always does."""
