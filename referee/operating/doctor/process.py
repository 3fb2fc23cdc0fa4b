"""What a process of this user may do here, and what it runs on."""

import importlib.util
from collections.abc import Iterator

from referee.operating.doctor.finding import Finding, ok, warn
from referee.settings.declared import Settings

FILES_BESIDE = 200
"""What is open beside streams: the database, the log, connections that wait."""


def process(settings: Settings) -> Iterator[Finding]:
    yield _files(settings.streams_at_most)
    if importlib.util.find_spec("uvloop"):
        yield ok("event loop", "uvloop is there")
    else:
        yield warn("event loop", "uvloop is not there", "pip install referee[fast] saves a tenth of the time a message")


def _files(streams_at_most: int) -> Finding:
    import resource  # noqa: PLC0415  # POSIX only, and other commands run elsewhere too.

    _, at_most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if at_most == resource.RLIM_INFINITY:
        return ok("open files", "there is no limit")
    sentence = f"up to {at_most} may be open, for up to {streams_at_most} streams"
    if at_most < streams_at_most + FILES_BESIDE:
        return warn("open files", sentence, "raise the hard limit (LimitNOFILE=65536), or lower streams_at_most")
    return ok("open files", sentence)
