"""A bot that reads and writes lines as for `referee-bridge`, and draws a legal move."""

import json
import random
import sys

for line in sys.stdin:
    told = json.loads(line)
    if told["type"] == "turn":
        print(random.choice(told["legal_moves"]), flush=True)  # noqa: T201  # Answers are written to stdout.
