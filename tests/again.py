"""`make again`: run the tests that failed in the last run once more, one at a time.

`pytest --last-failed` does not find tests of a group, because their names end with that of the group in parallel runs.
"""

import json
import re
import sys
from pathlib import Path

import pytest

FAILED = Path(__file__).parents[1] / ".pytest_cache" / "v" / "cache" / "lastfailed"
GROUP = re.compile(r"@[^\[\]]*$")


def names_of_failed(cached: str) -> list[str]:
    """Return the names of the tests that pytest has noted as failed, without their groups."""
    return sorted({GROUP.sub("", name) for name in json.loads(cached)})


def main() -> int:
    names = names_of_failed(FAILED.read_text()) if FAILED.exists() else []
    if not names:
        sys.exit("no test is noted as failed, so the last run ended otherwise")
    return pytest.main(["-v", *names])


if __name__ == "__main__":
    sys.exit(main())
