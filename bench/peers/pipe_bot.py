"""A trivial bot on pipes: answers each line `MOVES POSITION` with the next move of the game that it was given."""

import sys

MOVES = sys.argv[1].split()

for line in sys.stdin:
    print(MOVES[int(line.partition(" ")[0])], flush=True)  # noqa: T201  # Answers are written to stdout.
