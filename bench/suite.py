"""All measurements in the order in which they are taken; resources of one are shared with the following ones."""

from bench.measurements import (
    engines,
    functions,
    lab,
    levels,
    matches,
    memory,
    moves,
    nodes,
    path,
    peers,
    records,
    recovery,
    settings,
    sizes,
    strength,
    visitors,
    volume,
    watchers,
)

SUITE = (
    moves.MEASUREMENT,
    nodes.MEASUREMENT,
    sizes.MEASUREMENT,
    path.MEASUREMENT,
    levels.MEASUREMENT,
    watchers.MEASUREMENT,
    visitors.MEASUREMENT,
    settings.MEASUREMENT,
    peers.MEASUREMENT,
    recovery.MEASUREMENT,
    matches.MEASUREMENT,
    memory.MEASUREMENT,
    engines.MEASUREMENT,
    lab.MEASUREMENT,
    volume.MEASUREMENT,
    functions.MEASUREMENT,
    records.MEASUREMENT,
)

BY_NAME = (strength.MEASUREMENT,)
"""Taken only on request: they say nothing about speed, and take as long as all others."""
