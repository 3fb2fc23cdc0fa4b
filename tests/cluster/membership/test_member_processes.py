"""Memberships in processes of their own, on a real PostgreSQL, while processes, connections and the server fail."""

import asyncio
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
from random import Random
from threading import Condition, Thread

import asyncpg
import pytest

from deploy.cluster_demo.postgres_server import PrivatePostgres
from referee.match.clock import Micros
from tests.cluster.faulty_proxy import FaultyProxy
from tests.cluster.membership import member_program
from tests.cluster.membership.member_program import LEASE_US, RENEWAL_US
from tests.storage.postgres_databases import run_postgres

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
        self.wait_until(lambda: self._count() >= target)

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
        with self._changed:
            happened = self._changed.wait_for(fulfilled, TIMEOUT_S)
        assert happened, f"it has not happened: {[process.last for process in self.running]}"

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


MEMBERS = 4
MAX_STATES = 200
"""Between two faults, the processes write up to this many lines, which takes them about half a second."""

END_ALL = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'referee'"


@pytest.fixture
def server() -> Iterator[PrivatePostgres]:
    with run_postgres() as server:
        yield server


class Faults:
    """Causes faults, and mends them."""

    def __init__(self, members: MemberProcesses, server: PrivatePostgres, rng: Random) -> None:
        self._members = members
        self._server = server
        self._rng = rng
        pause, mend = MemberProcess.pause, self.mend
        self._of_one = (self.kill, pause, pause, self.leave, self.cut, self.stall, mend, mend, mend)

    def cause(self) -> None:
        """Cause one fault, or mend one process."""
        if self._rng.random() < 0.1:
            self._restart_postgres()
        elif self._rng.random() < 0.1:
            self._end_connections()
        else:
            self._rng.choice(self._of_one)(self._rng.choice(self._members.running))
        if all(process.paused for process in self._members.running):
            self.mend(self._members.running[0])

    def mend(self, process: MemberProcess) -> None:
        process.resume()
        process.proxy.heal()

    def cut(self, process: MemberProcess) -> None:
        process.proxy.cut()

    def stall(self, process: MemberProcess) -> None:
        process.proxy.stall()

    def kill(self, process: MemberProcess) -> None:
        self._members.remove(process, process.kill)
        self._members.start()

    def leave(self, process: MemberProcess) -> None:
        process.proxy.heal()
        self._members.remove(process, process.leave)
        self._members.start()

    def _restart_postgres(self) -> None:
        self._server.kill()
        self._members.wait_for_states(self._rng.randrange(1, MAX_STATES))
        self._server.start()

    def _end_connections(self) -> None:
        async def end() -> None:
            connection = await asyncpg.connect(self._server.url())
            await connection.execute(END_ALL)
            await connection.close()

        asyncio.run(end())


@pytest.mark.slow
@pytest.mark.parametrize("faults", [15, pytest.param(150, marks=pytest.mark.soak)])
def test_no_two_processes_are_the_coordinator_whatever_fails(
    server: PrivatePostgres, tmp_path: Path, rng: Random, faults: int
) -> None:
    with run_members(server, server.url(), tmp_path, rng) as members:
        for _ in range(MEMBERS):
            members.start()
        members.wait_for_agreement()
        causes = Faults(members, server, rng)
        causes.kill(members.coordinator())  # So that there is a second election whatever follows.
        members.wait_for_agreement()
        for _ in range(faults):
            causes.cause()
            members.wait_for_states(rng.randrange(1, MAX_STATES))
        for process in members.running:
            causes.mend(process)
        members.wait_for_agreement()
        histories = members.histories()
    elections, pauses = check_elections(histories), check_pauses(histories)
    assert elections > 1
    print(f"{elections} elections, {pauses} memberships lost in pauses")  # noqa: T201  # For a developer.


@pytest.mark.slow
def test_a_process_that_wakes_is_no_member_and_joins_again(
    server: PrivatePostgres, tmp_path: Path, rng: Random
) -> None:
    with run_members(server, server.url(), tmp_path, rng) as members:
        members.start()
        members.wait_for_agreement()
        (ada,) = members.running
        ada.pause()
        members.start()
        bob = members.running[1]
        members.wait_until(lambda: bool(bob.last and bob.last.epoch == 2))
        ada.resume()
        members.wait_for_agreement()
        histories = members.histories()
    assert check_elections(histories) >= 2  # On a very busy machine, a lease can end once more.
    assert check_pauses(histories) >= 1


def test_the_check_finds_two_coordinators() -> None:
    ada, bob = [State(1, "ada", 1), State(3, "ada", 1)], [State(2, "bob", 2), State(4, "bob", 2)]
    with pytest.raises(AssertionError, match="two coordinators"):
        check_elections([ada, bob])
    with pytest.raises(AssertionError, match="two coordinators"):
        check_elections([ada[:1], [State(2, "bob", 1)]])
    assert check_elections([ada, bob[1:]]) == 2


def test_the_check_finds_a_membership_that_survived_a_pause() -> None:
    with pytest.raises(AssertionError, match="survived"):
        check_pauses([[State(0, "ada", 0), State(2_000_000, "ada", 0)]])
    assert check_pauses([[State(0, "ada", 0), State(2_000_000, "-", 0), State(9_000_000, "ada2", 0)]]) == 1
