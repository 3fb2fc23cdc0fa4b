"""Members of one cluster in processes of their own, each with its own way to PostgreSQL, and what they wrote."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from threading import Condition, Thread

from deploy.cluster_demo.postgres_server import PrivatePostgres
from referee.match.clock import Micros
from tests.cluster.faulty_proxy import FaultyProxy
from tests.cluster.membership import member_program
from tests.cluster.membership.member_program import LEASE_US, RENEWAL_US

TIMEOUT_S = 180
"""How long a failing test takes. Processes that join on a busy machine may need a minute."""
MAX_SHIFT_S = 60.0
"""How far the wall clocks of the processes are from the true time."""


@dataclass(frozen=True, slots=True)
class State:
    """What a process considered itself to be."""

    at_us: Micros
    node: str
    """Its id; `-`: it was no member."""
    epoch: int
    """Epoch in which it was the coordinator; 0: it was not."""


class MemberProcess:
    def __init__(self, name: str, url: str, port: int, shift_s: float, errors: Path, changed: Condition) -> None:
        """`port` is that of the database in `url`."""
        self.name = name
        self.states: list[State] = []
        self.paused = False
        self.proxy = FaultyProxy("127.0.0.1", port)
        self.errors = errors
        self._changed = changed
        with errors.open("w") as stderr:
            self._process = subprocess.Popen(
                [sys.executable, "-m", member_program.__name__, name, str(shift_s)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
            )
        assert self._process.stdin
        self._process.stdin.write(url.replace(f":{port}/", f":{self.proxy.port}/") + "\n")
        self._process.stdin.close()
        self._reader = Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout
        with self._process.stdout as lines:
            for line in lines:
                at_us, node, epoch = line.split()
                with self._changed:
                    self.states.append(State(int(at_us), node, int(epoch)))
                    self._changed.notify_all()

    @property
    def last(self) -> State | None:
        return self.states[-1] if self.states else None

    def pause(self) -> None:
        if self.paused:
            return
        self.paused = True
        self._process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self._process.pid, os.WSTOPPED)

    def resume(self) -> None:
        self.paused = False
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        self._process.kill()
        self._end()

    def leave(self) -> None:
        """Let it resign and leave, and check that it ends in order."""
        began = bool(self.states)
        self.resume()
        self._process.terminate()
        status = self._end()
        # A process that has only just been started may not handle the signal yet.
        assert status == 0 or (status == -signal.SIGTERM and not began), (status, self.errors.read_text()[-4000:])

    def _end(self) -> int:
        try:
            return self._process.wait(TIMEOUT_S)
        finally:
            self._process.kill()
            self._process.wait()
            self._reader.join(TIMEOUT_S)
            self.proxy.close()


class MemberProcesses:
    def __init__(self, server: PrivatePostgres, url: str, folder: Path, rng: random.Random) -> None:
        self.server = server
        self.running: list[MemberProcess] = []
        self._ended: list[MemberProcess] = []
        self._url = url
        self._folder = folder
        self._rng = rng
        self._changed = Condition()

    def start(self) -> None:
        name = f"n{len(self.running) + len(self._ended)}"
        shift_s = self._rng.uniform(-MAX_SHIFT_S, MAX_SHIFT_S)
        errors = self._folder / f"{name}.log"
        self.running.append(MemberProcess(name, self._url, self.server.port, shift_s, errors, self._changed))

    def remove(self, process: MemberProcess, end: Callable[[], None]) -> None:
        """End a process by one of its methods."""
        self.running.remove(process)
        self._ended.append(process)
        end()

    def wait_for_states(self, count: int) -> None:
        """Wait until the processes have written this many more lines in all."""
        target = self._count() + count
        assert self._wait(lambda: self._count() >= target), "the processes write nothing"

    def wait_for_agreement(self) -> None:
        """Wait until all processes are members, and one of them is the coordinator."""

        def agreed() -> bool:
            last = [process.last for process in self.running]
            return all(state and state.node != "-" for state in last) and any(state and state.epoch for state in last)

        known = {process: len(process.states) for process in self.running}
        self.wait_until(lambda: all(len(process.states) > count for process, count in known.items()) and agreed())

    def coordinator(self) -> MemberProcess:
        return next(process for process in self.running if process.last and process.last.epoch)

    def close(self) -> None:
        for process in list(self.running):
            self.remove(process, process.kill)

    def _count(self) -> int:
        return sum(len(process.states) for process in self.running + self._ended)

    def wait_until(self, fulfilled: Callable[[], bool]) -> None:
        assert self._wait(fulfilled), f"it has not happened: {[process.last for process in self.running]}"

    def _wait(self, fulfilled: Callable[[], bool]) -> bool:
        with self._changed:
            return self._changed.wait_for(fulfilled, TIMEOUT_S)

    def histories(self) -> list[list[State]]:
        return [process.states for process in self._ended + self.running]


def check_elections(histories: list[list[State]]) -> int:
    """Check that at any time at most one process considered itself the coordinator; return the number of epochs."""
    in_office = sorted(
        (state for states in histories for state in states if state.epoch), key=lambda state: state.at_us
    )
    for before, after in pairwise(in_office):
        assert before.epoch <= after.epoch, f"two coordinators: {before}, {after}"
        assert before.epoch < after.epoch or before.node == after.node, f"two coordinators: {before}, {after}"
    return len({state.epoch for state in in_office})


def check_pauses(histories: list[list[State]]) -> int:
    """Check that no membership survived a pause that was longer than a renewal is valid; return the number of these."""
    longer = [
        (before, after)
        for states in histories
        for before, after in pairwise(states)
        if after.at_us - before.at_us > LEASE_US - RENEWAL_US and before.node != "-"
    ]
    for before, after in longer:
        assert after.node != before.node, f"a membership survived a pause: {before}, {after}"
    return len(longer)


@contextmanager
def run_members(server: PrivatePostgres, url: str, folder: Path, rng: random.Random) -> Iterator[MemberProcesses]:
    members = MemberProcesses(server, url, folder, rng)
    try:
        yield members
    finally:
        members.close()
