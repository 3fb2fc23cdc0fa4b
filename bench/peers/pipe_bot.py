"""A bot on pipes that thinks nothing: for each line `MOVES POSITION`, the move of the game that it was given."""

import sys

MOVES = sys.argv[1].split()

for line in sys.stdin:
    print(MOVES[int(line.partition(" ")[0])], flush=True)  # noqa: T201  # It is how it answers.
