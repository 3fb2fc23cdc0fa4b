"""The limit of open files of this process, and how many of them connections may use.

Strangers open as many connections as they like, and each is an open file. What the server needs itself must not depend
on them: the database, health checks, worker processes and engines. Therefore gRPC closes connections above a limit when
it accepts them, and the other files are reserved.
"""

import sys

RESERVED_SHARE = 5
"""One file of this many is reserved, up to MAX_RESERVED. Files run out only above the threshold of the alert."""
MAX_RESERVED = 1_024


def raise_open_files_limit() -> None:
    """Raise the soft limit of open files to the hard one, since each connection is an open file."""
    import resource  # noqa: PLC0415  # POSIX only, and other commands also run elsewhere.

    _, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))


def open_files_limits() -> tuple[int, int]:
    """Return the soft and the hard limit of this process; sys.maxsize stands for none."""
    try:
        import resource  # noqa: PLC0415  # POSIX only.
    except ImportError:
        return sys.maxsize, sys.maxsize
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    infinite = resource.RLIM_INFINITY
    return sys.maxsize if soft == infinite else soft, sys.maxsize if hard == infinite else hard


def max_connections(open_files: int) -> int:
    """Return how many connections may be open at once if the process may have so many open files."""
    return open_files - min(open_files // RESERVED_SHARE, MAX_RESERVED)
