"""Supervisor program: runs one bot as its child, and kills all its descendants at the end.

    python -I -S supervisor.py HOST:PORT,MEMORY_BYTES,GROUP|fd=N|- COMMAND...

On Linux it is the subreaper of the bot: processes that leave the bot's process group, or outlive their parent, become
its children and are killed when the bot has ended. SIGTERM is passed on to the bot's process group. When standard
input ends, the program that started it is gone or has no patience left, and the bot is killed. The exit status is the
bot's.

With HOST:PORT, the bot runs in a sandbox without a network. Over its standard input, a socket, the sandbox hands out a
socket that listens on its own loopback, and folders in which the memory that it uses is measured. Each connection to
the socket is relayed to HOST:PORT; a bot that uses more than MEMORY_BYTES is killed. GROUP is the control group of the
bot, or empty. With `fd=N`, that file descriptor is the bot's standard input, and only the bot has its standard output.
With `-`, it has no input.

It imports nothing from this project, so that it starts quickly.
"""

import contextlib
import ctypes
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
NOT_STARTED = 126
GIVEN = "fd="
MAX_CONNECTIONS = 16
"""Concurrent connections of one bot; a client needs one."""
CHUNK_BYTES = 1 << 16
MEASURE_INTERVAL_S = 0.1
MEASURED_FOLDERS = 3
"""/proc, and the file systems in memory."""
SUMMARY_FIELDS = (b"RssAnon:", b"RssShmem:", b"VmSwap:")
EXACT_FIELDS = (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:")
INODE_BYTES = 2_048
"""Memory of the kernel for a file or folder, besides its content."""


def main() -> None:
    address, *command = sys.argv[1:]
    relayed = ":" in address
    address, max_bytes, group = address.split(",", 2) if relayed else (address, "", "")
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    here, there = socket.socketpair()
    stdin = there.detach() if relayed else _given(address)
    bot = os.fork()
    if bot == 0:
        _become(command, stdin, group)
    os.close(stdin)
    if address.startswith(GIVEN):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    _close_token()
    signal.signal(signal.SIGTERM, lambda *_: _signal_group(bot, signal.SIGTERM))
    threading.Thread(target=_kill_when_alone, args=(bot,), daemon=True).start()
    if relayed:
        threading.Thread(target=_serve_sandbox, args=(here, address, int(max_bytes), bot), daemon=True).start()
    status = _status_of(bot)
    _kill_the_rest(bot)
    if group:
        with contextlib.suppress(OSError):
            Path(group).rmdir()
    if status < 0:
        with contextlib.suppress(OSError):  # SIGKILL and SIGSTOP have no handler to reset.
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


def _become(command: list[str], stdin: int, group: str) -> None:
    """Execute the bot in this process. Never returns."""
    try:
        os.setsid()
        if group:
            Path(group, "cgroup.procs").write_text("0")
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.dup2(stdin, 0)
        os.close(stdin)
        os.execvp(command[0], command)
    except OSError as why:
        os.write(2, f"{command[0]}: {why.strerror}\n".encode())
    finally:
        os._exit(NOT_STARTED)


def _given(address: str) -> int:
    return int(address.removeprefix(GIVEN)) if address.startswith(GIVEN) else os.open(os.devnull, os.O_RDONLY)


def _close_token() -> None:
    """Close the token's pipe, which only the bot may read."""
    _, here, fd = os.environ.get("BOT_TOKEN_FILE", "").partition("/dev/fd/")
    if here:
        os.close(int(fd))


def _kill_when_alone(bot: int) -> None:
    while os.read(0, CHUNK_BYTES):
        pass
    _kill(bot)


def _kill(bot: int) -> None:
    _signal_group(bot, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(bot, signal.SIGKILL)


def _status_of(bot: int) -> int:
    """Wait for the bot, reaping orphans. Return its exit status; negative for a signal."""
    while True:
        process, status = os.waitpid(-1, 0)
        if process == bot:
            return os.waitstatus_to_exitcode(status)


def _kill_the_rest(bot: int) -> None:
    """Kill children until there are none; children of a killed child become children of this process."""
    while True:
        _signal_group(bot, signal.SIGKILL)
        for child in _children():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    """Return the ids of child processes; empty without /proc."""
    found, own = [], str(os.getpid())
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # State and parent follow the program's name, which may contain brackets and spaces.
            if stat.read_text(errors="replace").rpartition(")")[2].split()[1] == own:
                found.append(int(stat.parent.name))
    return found


def _signal_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _prctl(option: int, value: int) -> None:
    """Call prctl(2); does nothing except on Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _serve_sandbox(channel: socket.socket, address: str, max_bytes: int, bot: int) -> None:
    """Receive what the sandbox hands out, limit its memory, and relay its connections."""
    _, fds, _, _ = socket.recv_fds(channel, 1, 1 + MEASURED_FOLDERS)
    if not fds:
        return  # The sandbox exited before.
    listening, *measured = fds
    threading.Thread(target=_limit_memory, args=(measured, max_bytes, bot), daemon=True).start()
    _relay(listening, address)


def _limit_memory(measured: list[int], max_bytes: int, bot: int) -> None:
    """Kill the bot when its processes and temporary files together use more than this."""
    processes, *temporary = measured
    try:
        while not exceeds(processes, max_bytes - sum(map(_file_bytes, temporary))):
            time.sleep(MEASURE_INTERVAL_S)
        os.write(2, f"killed: the bot uses more than {max_bytes >> 20} MB of memory\n".encode())
    finally:
        _kill(bot)  # Also if it cannot be measured.


def exceeds(processes: int, max_bytes: int) -> bool:
    """Return whether all processes in this /proc use more. Files of the disk do not count.

    What processes share counts once, which costs more to find out and is done only if it matters.
    """
    for exact in (False, True):
        ids = filter(str.isdecimal, os.listdir(processes))
        if sum(_process_bytes(process, processes, exact) for process in ids) <= max_bytes:
            return False
    return True


def _process_bytes(process: str, folder: int, exact: bool) -> int:
    """Return the memory of a process; 0 if it has ended."""
    for file, fields in ((("smaps_rollup", EXACT_FIELDS),) if exact else ()) + (("status", SUMMARY_FIELDS),):
        with (
            contextlib.suppress(OSError),
            os.fdopen(os.open(f"{process}/{file}", os.O_RDONLY, dir_fd=folder), "rb") as lines,
        ):
            return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(fields))
    return 0


def _file_bytes(folder: int) -> int:
    """Return the memory that a file system in memory uses."""
    used = os.statvfs(folder)
    return (used.f_blocks - used.f_bfree) * used.f_frsize + (used.f_files - used.f_ffree) * INODE_BYTES


def _relay(listening_fd: int, address: str) -> None:
    host, _, port = address.rpartition(":")
    room = threading.BoundedSemaphore(MAX_CONNECTIONS)
    with socket.socket(fileno=listening_fd) as listening:
        while True:
            room.acquire()
            accepted, _ = listening.accept()
            threading.Thread(target=_connect, args=(accepted, (host, int(port)), room), daemon=True).start()


def _connect(accepted: socket.socket, address: tuple[str, int], room: threading.BoundedSemaphore) -> None:
    try:
        with accepted, contextlib.suppress(OSError), socket.create_connection(address) as referee:
            for connection in (accepted, referee):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            back = threading.Thread(target=_pump, args=(referee, accepted), daemon=True)
            back.start()
            _pump(accepted, referee)
            back.join()
    finally:
        room.release()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    """Until either end is closed."""
    with contextlib.suppress(OSError):
        while chunk := source.recv(CHUNK_BYTES):
            sink.sendall(chunk)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    main()
