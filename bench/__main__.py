"""`python -m bench`: measure everything, side by side, and print what came out.

Every measurement is taken in rounds that alternate with a fixed calibration loop, in CPU time of this
process. A figure is a median; its companion, the ratio to the loop, can be compared between machines.
"""

import argparse
import sys

from bench.bots import measured_bots
from bench.engines import measured_engines


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds: for a look, not for a figure")
    arguments = parser.parse_args()
    sys.stdout.write(measured_engines(rounds=3 if arguments.quick else 15))
    sys.stdout.write("\n" + measured_bots(arguments.quick))
    return 0


if __name__ == "__main__":
    sys.exit(main())
