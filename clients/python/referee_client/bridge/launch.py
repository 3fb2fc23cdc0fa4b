"""Launcher that replaces itself with the program, under the given limits.

It is run as a script, and so imports only the standard library.

    launch.py CPU_SECONDS MEMORY_BYTES COMMAND...        (0: no limit)

On Linux the program is killed when the bridge ends, even if the bridge is killed and cannot clean up.
"""

import ctypes
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1
NOT_FOUND = 127


def main() -> None:
    cpu_s, memory = map(int, sys.argv[1:3])
    command = sys.argv[3:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if cpu_s:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        sys.exit(NOT_FOUND)


if __name__ == "__main__":
    main()
