"""A program that reads and writes lines, as for `referee-bridge`, driven without an event loop.

Lines, limits and restarts are those of docs/bridge.md; the lines themselves are written and read by the bridge's code.
"""

import os
import select
import subprocess
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import IO, cast

from referee_client.answers import Answer
from referee_client.bridge.lines import ended_line, hello_line, read_answer, started_line, turn_line
from referee_client.bridge.player import STARTS_PER_TURN
from referee_client.bridge.program_lines import MAX_EXTRA_BYTES, MAX_LINE_BYTES
from referee_client.bridge.programs import TERMINATION_TIMEOUT_S
from referee_client.turn import Turn as ClientTurn
from referee_values import Match, MatchEnded

from referee.lab.lab_turn import LabTurn
from referee.lab.match_player import EXTRA_WAIT_S, BotFailure, TimeOver
from referee.local import supervisor
from referee.local.bot_process import SUPERVISED
from referee.local.rotated_log import CHUNK_BYTES, RotatedLog

READ_BYTES = 1 << 16

READS_WITHIN_S = 10.0
"""How long a program may take to read a line that needs no answer."""


class ProgramEnded(Exception):
    """The program can no longer be used; `str()` says why."""


class LineProgram:
    """A program that is started at its first use, and again after it has ended."""

    def __init__(self, command: tuple[str, ...], folder: str, env: Mapping[str, str], log: Path | None) -> None:
        self._command = command
        self._folder = folder
        self._env = env
        self._log = log
        self._pipes: _Pipes | None = None

    def check(self) -> None:
        """Nothing to do: whether it answers turns can only be seen in a match."""

    def choose(self, turn: LabTurn) -> Answer:
        """Raises TimeOver, and BotFailure if the program ends again and again."""
        reason = ""
        for _ in range(STARTS_PER_TURN):
            try:
                return self._running().choose(turn)
            except ProgramEnded as ended:
                reason = str(ended)
                self.close()
        raise BotFailure(f"{reason}; it has ended {STARTS_PER_TURN} times during the same turn")

    def started(self, match: Match, seat: int) -> None:
        self._tell(started_line(match, seat))

    def ended(self, end: MatchEnded) -> None:
        if self._pipes:
            self._tell(ended_line(end))

    def close(self) -> None:
        """End the program and all processes that it has started; on Linux also those that left its process group."""
        if self._pipes:
            self._pipes.close()
        self._pipes = None

    def _tell(self, line: bytes) -> None:
        """Write a line that needs no answer. If the program has ended, its next turn shows it."""
        try:
            self._running().write(line, time.monotonic() + READS_WITHIN_S)
        except (ProgramEnded, TimeOver):
            self.close()

    def _running(self) -> "_Pipes":
        if self._pipes is None:
            self._pipes = self._start()
            self._pipes.write(hello_line(), time.monotonic() + READS_WITHIN_S)
        return self._pipes

    def _start(self) -> "_Pipes":
        log = RotatedLog(self._log) if self._log else None
        reading, writing = os.pipe()
        try:
            process = subprocess.Popen(
                [*SUPERVISED, f"{supervisor.GIVEN}{reading}", *self._command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if log else subprocess.DEVNULL,
                cwd=self._folder,
                env=self._env,
                bufsize=0,
                pass_fds=(reading,),
                start_new_session=True,
            )
        except BaseException:
            os.close(writing)
            raise
        finally:
            os.close(reading)
        return _Pipes(process, writing, log)


class _Pipes:
    """The pipes of one running program."""

    def __init__(self, process: "subprocess.Popen[bytes]", stdin: int, log: RotatedLog | None) -> None:
        """`process` is the supervisor, whose own input ends with this process; `stdin` is that of the program.

        Standard error is copied to the log, if there is one.
        """
        assert process.stdout
        self._process = process
        self._stdin, self._stdout = stdin, process.stdout.fileno()
        for pipe in (self._stdin, self._stdout):
            os.set_blocking(pipe, False)
        self._logging = Thread(target=_copy, args=(process.stderr, log), daemon=True) if log else None
        if self._logging:
            self._logging.start()
        self._unread = bytearray()
        self._numbers = 0
        self._pending: deque[int] = deque()
        """Turns without an answer; the program also answers those whose time is over."""
        self._extra_bytes = 0

    def choose(self, turn: LabTurn) -> Answer:
        """Raises TimeOver or ProgramEnded."""
        left = turn.time_left
        deadline = None if left is None else turn.arrived_at + left + EXTRA_WAIT_S
        self._read_extra()
        self._numbers += 1
        self._pending.append(self._numbers)
        self._extra_bytes = 0
        self.write(turn_line(self._numbers, cast(ClientTurn, turn), view=False), deadline)
        while (answer := self._match_answer(self._read_line(deadline))) is None:
            if _is_over(deadline):  # Lines that have been read are taken without waiting.
                raise TimeOver
        return answer

    def write(self, data: bytes, deadline: float | None) -> None:
        """Write a line, and read meanwhile, so that neither side waits for the other forever."""
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self._stdin, left) :]
            except BlockingIOError:
                self._wait(deadline, writing=True)
                if _is_over(deadline):
                    raise TimeOver from None
                self._check_extra(len(self._unread))
            except OSError:
                raise ProgramEnded("it closed its input") from None

    def close(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.terminate()
        os.close(self._stdin)
        self._process.stdout.close()
        self._ends_soon()
        self._process.stdin.close()  # The supervisor kills what is left.
        self._ends_soon()
        self._process.kill()
        self._process.wait()
        if self._logging:
            self._logging.join(TERMINATION_TIMEOUT_S)  # An escaped process may keep the pipe open.

    def _ends_soon(self) -> None:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(TERMINATION_TIMEOUT_S)

    def _match_answer(self, line: bytes) -> Answer | None:
        """Return the answer to the newest turn; None: the line is no answer to it."""
        if text := line.decode(errors="replace").strip():
            received = read_answer(text)
            number = received.id if received.id is not None else next(iter(self._pending), 0)
            if number in self._pending:
                self._pending.remove(number)
                return received.answer if number == self._numbers else None
        self._extra_bytes += len(line)
        self._check_extra(self._extra_bytes)
        return None

    def _check_extra(self, size: int) -> None:
        if size > MAX_EXTRA_BYTES:
            raise ProgramEnded(f"it wrote more than {MAX_EXTRA_BYTES} bytes that answer no turn")

    def _read_extra(self) -> None:
        """Read what was written since the last turn: answers to turns whose time was over, and what answers none."""
        with suppress(TimeOver):
            while True:
                self._match_answer(self._read_line(time.monotonic()))

    def _read_line(self, deadline: float | None) -> bytes:
        while (end := self._unread.find(b"\n")) < 0 and len(self._unread) <= MAX_LINE_BYTES:
            self._wait(deadline, writing=False)
        if end < 0 or end > MAX_LINE_BYTES:
            raise ProgramEnded(f"it wrote a line of more than {MAX_LINE_BYTES} bytes")
        line = bytes(self._unread[: end + 1])
        del self._unread[: end + 1]
        return line

    def _wait(self, deadline: float | None, *, writing: bool) -> None:
        """Wait until there is more to read, which is read, or room to write. Raises TimeOver or ProgramEnded."""
        poll = select.poll()
        poll.register(self._stdout, select.POLLIN)
        if writing:
            poll.register(self._stdin, select.POLLOUT)
        left_ms = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
        ready = poll.poll(left_ms)
        if not ready and _is_over(deadline):
            raise TimeOver
        if any(pipe == self._stdout for pipe, _ in ready):
            more = os.read(self._stdout, READ_BYTES)
            if not more:
                raise ProgramEnded("it closed its output")
            self._unread += more


def _copy(stderr: IO[bytes], log: RotatedLog) -> None:
    """Copy standard error, until all processes that can write to it have ended."""
    with stderr:
        while chunk := stderr.read(CHUNK_BYTES):
            time.sleep(log.append(chunk))


def _is_over(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline
