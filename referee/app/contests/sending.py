"""Prepares a tournament to be sent to a worker process.

To pickle thousands of pairings at once would hold up the event loop. Their parts keep what was pickled, so that it is
done part by part, and again only for the parts that have changed.
"""

import asyncio

from referee.contest.tournament import Tournament


async def pickle_parts(tournament: Tournament) -> None:
    """Pickle the courses; the event loop goes on between the parts."""
    for part in tournament.courses.parts:
        part.pickle()
        await asyncio.sleep(0)
