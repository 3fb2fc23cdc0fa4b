"""The program registers a bot, lets it play a match against itself, watches it, and writes what it has seen as JSON."""

import asyncio
import json
import sys
from contextlib import suppress

from referee_client import AsyncOrganiser, Organiser, Refused, Terms, Turn, play
from referee_client.results import outcome


async def first(turn: Turn) -> str:
    return turn.legal_moves[0]


async def play_match() -> dict[str, object]:
    seen: dict[str, object] = {}
    organiser = AsyncOrganiser()
    token = await organiser.register_bot("snake", "plays whatever comes first")
    try:
        await organiser.register_bot("snake", "again")
    except Refused as refused:
        seen["error"] = refused.reason
    playing = asyncio.ensure_future(play(first, token=token))
    match = await organiser.create_match(Terms("alquerque", clock="1h+1", start_within="10m"), ["snake", "snake"])
    numbers = [entry.number async for entry in organiser.watch(match.id)]
    seen["complete"] = numbers == list(range(1, len(numbers) + 1))
    seen["result"] = outcome(await organiser.result(match.id))
    playing.cancel()
    with suppress(asyncio.CancelledError):
        await playing
    await organiser.close()
    return seen


seen = asyncio.run(play_match())
with Organiser() as organiser:
    seen["listed"] = [match.terms.rules.game for match in organiser.matches(bot="snake", phase="over")]
json.dump(seen, sys.stdout)
