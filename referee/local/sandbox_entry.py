"""The first program in a sandbox: opens the connection to the referee, sets limits, and executes the bot.

    python -I -S sandbox_entry.py PORT MEMORY_BYTES PROCESSES UID COMMAND...

Standard input is a socket over which it passes a socket that listens on PORT of the sandbox's loopback to the
supervisor. Root is exempt from the limit of processes, so it changes to UID first; -1 keeps the user.
"""

import os
import resource
import socket
import sys


def main() -> None:
    port, memory, processes, uid = map(int, sys.argv[1:5])
    command = sys.argv[5:]
    with socket.socket() as listening, socket.socket(fileno=0) as supervisor:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen()
        socket.send_fds(supervisor, [b"\0"], [listening.fileno()])
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if uid >= 0:
        token = os.environ["BOT_TOKEN_FILE"].rpartition("/")[2]
        for fd in (1, int(token)):  # It must be able to open /dev/stdout and its token.
            os.fchown(fd, uid, uid)
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    for limit, most in (
        (resource.RLIMIT_DATA, memory),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (most, most))
    try:
        os.execvp(command[0], command)
    except OSError as why:
        sys.exit(f"{command[0]}: {why.strerror}")


main()
