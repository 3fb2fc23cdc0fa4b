"""All measurements, in the order in which they are taken."""

from bench.measurements import (
    engines,
    levels,
    matches,
    memory,
    moves,
    path,
    peers,
    recovery,
    settings,
    sizes,
    strength,
    watchers,
)

SUITE = (
    moves.MEASUREMENT,
    path.MEASUREMENT,
    sizes.MEASUREMENT,
    levels.MEASUREMENT,
    watchers.MEASUREMENT,
    matches.MEASUREMENT,
    settings.MEASUREMENT,
    memory.MEASUREMENT,
    recovery.MEASUREMENT,
    engines.MEASUREMENT,
    peers.MEASUREMENT,
    strength.MEASUREMENT,
)
