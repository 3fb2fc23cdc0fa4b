"""The whole examination: every look, in order; a look that itself breaks down is a finding too."""

import time
from collections.abc import Callable, Iterable, Iterator

from referee.operating.doctor.certificates import certificates
from referee.operating.doctor.clocks import clocks
from referee.operating.doctor.configuration import configuration
from referee.operating.doctor.contests import contests
from referee.operating.doctor.data import data
from referee.operating.doctor.finding import Finding, bad, warn
from referee.operating.doctor.ports import ports
from referee.operating.doctor.process import process
from referee.operating.doctor.tokens import tokens
from referee.settings.reading import InForce
from referee.wiring.books import DATABASE

JUMP_NS = 50_000_000

Look = Callable[[], Iterable[Finding]]


def examined(in_force: InForce) -> Iterator[Finding]:
    """Everything that is found, as soon as it is. Nothing is changed."""
    settings = in_force.settings
    database = settings.data_dir / DATABASE
    began_ns = _wall_over_monotonic_ns()
    looks: list[Look] = [lambda: configuration(in_force)]
    if not settings.ephemeral:
        looks += [lambda: data(settings.data_dir), lambda: contests(database)]
        looks += [lambda: tokens(database, time.time_ns() // 1_000_000)]
    looks += [lambda: clocks(database), lambda: ports(settings), lambda: certificates(settings)]
    looks += [lambda: process(settings)]
    for look in looks:
        yield from _seen(look)
    jumped_ns = _wall_over_monotonic_ns() - began_ns
    if abs(jumped_ns) > JUMP_NS:
        sentence = f"it jumped by {jumped_ns / 1e9:.2f} s during this examination"
        yield warn("wall clock", sentence, "find out who sets it, and let it be slewed instead")


def _seen(look: Look) -> Iterator[Finding]:
    try:
        yield from look()
    except Exception as fault:
        yield bad("doctor", f"could not look: {type(fault).__name__}: {fault}", "tell us: this is a mistake of ours")


def _wall_over_monotonic_ns() -> int:
    return time.time_ns() - time.monotonic_ns()
