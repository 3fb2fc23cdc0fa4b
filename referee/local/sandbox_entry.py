"""The first program in a sandbox: opens the connection to the referee, sets limits, and executes the bot.

    python -I -S sandbox_entry.py PORT MEMORY_BYTES FILE_BYTES PROCESSES UID FILTER COMMAND...

Standard input is a socket over which it passes to the supervisor a socket that listens on PORT of the sandbox's
loopback, and the folders in which the supervisor measures the memory that is used. Root is exempt from the limit of
processes, so it changes to UID first; -1 keeps the user. FILTER is the seccomp filter in hexadecimal digits.
"""

import ctypes
import os
import resource
import socket
import sys

PR_SET_SECCOMP, SECCOMP_MODE_FILTER, PR_SET_NO_NEW_PRIVS = 22, 2, 38
INSTRUCTION_BYTES = 8
MEASURED = ("/proc", "/tmp", "/dev/shm")


class Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def main() -> None:
    port, memory, file_size, processes, uid = map(int, sys.argv[1:6])
    instructions, command = bytes.fromhex(sys.argv[6]), sys.argv[7:]
    with socket.socket() as listening, socket.socket(fileno=0) as supervisor:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen()
        measured = [os.open(folder, os.O_RDONLY | os.O_DIRECTORY) for folder in MEASURED]
        socket.send_fds(supervisor, [b"\0"], [listening.fileno(), *measured])
    for fd in measured:
        os.close(fd)
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
        (resource.RLIMIT_FSIZE, file_size),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (most, most))
    _install_filter(instructions)
    try:
        os.execvp(command[0], command)
    except OSError as why:
        sys.exit(f"{command[0]}: {why.strerror}")


def _install_filter(instructions: bytes) -> None:
    """Exits if the kernel does not accept the filter."""
    program = Program(len(instructions) // INSTRUCTION_BYTES, instructions)
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program)):
        sys.exit(f"seccomp: {os.strerror(ctypes.get_errno())}")


main()
