"""All measurements, in the order in which they are taken: what stands for one is there for those that follow."""

from bench.measurements import (
    engines,
    functions,
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
    sizes.MEASUREMENT,
    path.MEASUREMENT,
    levels.MEASUREMENT,
    watchers.MEASUREMENT,
    settings.MEASUREMENT,
    peers.MEASUREMENT,
    recovery.MEASUREMENT,
    matches.MEASUREMENT,
    memory.MEASUREMENT,
    engines.MEASUREMENT,
    functions.MEASUREMENT,
)

BY_NAME = (strength.MEASUREMENT,)
"""Taken only if asked for: they say nothing about speed, and take as long as all others."""
