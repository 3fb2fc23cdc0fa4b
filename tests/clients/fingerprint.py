"""`python -m tests.clients.fingerprint`: whether the clients in all languages passed their tests with these files.

The status is 0 if `.ci/clients-passed` names the present files, and 1 if not. `--write` makes it so, after
`make toolchains` has passed.
"""

import sys

from tests.clients.client_builds import PROJECT, hash_files

PASSED = PROJECT / ".ci" / "clients-passed"
TESTED = ("proto", "clients", "tests/clients", "referee/conformance", "referee/transport/play")
"""What a change of can break a client without breaking those in Python and Go."""


def main() -> int:
    fingerprint = f"{hash_files(*TESTED)}\n"
    if sys.argv[1:] == ["--write"]:
        PASSED.write_text(fingerprint)
    return int(not PASSED.exists() or PASSED.read_text() != fingerprint)


if __name__ == "__main__":
    sys.exit(main())
