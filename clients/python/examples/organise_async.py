"""Does the same as `organise.py` on an event loop."""

import asyncio
import sys

from referee_client import AsyncOrganiser, Refused, Terms, results


async def main() -> None:
    async with AsyncOrganiser() as organiser:
        match = await organiser.create_match(Terms("alquerque", clock="60"), ["anna", "bert"], title="conformance")
        async for entry in organiser.watch(match.id):
            print("entry", entry.number)
        if result := (await organiser.standing(match.id)).match.result:
            print("result", results.outcome(result))
        print("record", len((await organiser.record_bytes(match.id)).splitlines()))


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except Refused as error:
        sys.exit(error.reason)
