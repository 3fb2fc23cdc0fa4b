"""Organises a match, which is the task of the conformance kit: creates and watches it, reads its result and record.

The settings are read from the environment, as those of a bot.
"""

import sys

from referee_client import Organiser, Refused, Terms, results


def main() -> None:
    with Organiser() as organiser:
        match = organiser.create_match(Terms("alquerque", clock="60"), ["anna", "bert"], title="conformance")
        for entry in organiser.watch(match.id):
            print("entry", entry.number)
        if result := organiser.standing(match.id).match.result:
            print("result", results.outcome(result))
        print("record", len(organiser.record_bytes(match.id).splitlines()))


if __name__ == "__main__":
    try:
        main()
    except Refused as error:
        sys.exit(error.reason)
