"""Hostile callers in one process: each attacks in a thread of its own, with its own token.

    python -m tests.e2e.hostile_program ADDRESS [--calls N]

Standard input is one JSON object: `victims`, and `attackers`, from the name of an attack to a token. Standard output is
one JSON object: the number of answers by reason, and the calls that were not answered as they should be.
"""

import argparse
import json
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from tests.e2e.hostile_attacks import ATTACKS
from tests.e2e.hostile_caller import HostileCaller, Victims


def attack(caller: HostileCaller, name: str, calls: int) -> HostileCaller:
    with closing(caller):
        for step in ATTACKS[name]:
            step(caller, calls)
    return caller


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("--calls", type=int, default=0)
    arguments = parser.parse_args()
    given = json.load(sys.stdin)
    victims = Victims(**given["victims"])
    with ThreadPoolExecutor(len(given["attackers"])) as pool:
        running = [
            pool.submit(attack, HostileCaller(arguments.address, secret, victims), name, arguments.calls)
            for name, secret in given["attackers"].items()
        ]
        callers = [future.result() for future in running]
    answers = sum((caller.answers for caller in callers), Counter[str]())
    surprises = [surprise for caller in callers for surprise in caller.surprises]
    json.dump({"answers": answers, "surprises": surprises}, sys.stdout)
