"""Memberships in processes of their own, on a real PostgreSQL, while processes, connections and the server fail."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from random import Random

import asyncpg
import pytest

from deploy.cluster_demo.postgres_server import PrivatePostgres
from tests.cluster.membership.member_processes import (
    MemberProcess,
    MemberProcesses,
    State,
    check_elections,
    check_pauses,
    run_members,
)
from tests.storage.postgres_databases import run_postgres

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

    def cause(self) -> None:
        """Cause one fault, or mend one process."""
        kinds = (self.kill, self.pause, self.pause, self.leave, self.cut, self.stall, self.mend, self.mend, self.mend)
        if self._rng.random() < 0.1:
            self.restart_postgres()
        elif self._rng.random() < 0.1:
            self.end_connections()
        else:
            self._rng.choice(kinds)(self._rng.choice(self._members.running))
        if all(process.paused for process in self._members.running):
            self.mend(self._members.running[0])

    def mend_all(self) -> None:
        for process in self._members.running:
            self.mend(process)

    def kill(self, process: MemberProcess) -> None:
        self._members.remove(process, process.kill)
        self._members.start()

    def leave(self, process: MemberProcess) -> None:
        process.proxy.heal()
        self._members.remove(process, process.leave)
        self._members.start()

    def pause(self, process: MemberProcess) -> None:
        process.pause()

    def cut(self, process: MemberProcess) -> None:
        process.proxy.cut()

    def stall(self, process: MemberProcess) -> None:
        process.proxy.stall()

    def mend(self, process: MemberProcess) -> None:
        process.resume()
        process.proxy.heal()

    def restart_postgres(self) -> None:
        self._server.kill()
        self._members.wait_for_states(self._rng.randrange(1, MAX_STATES))
        self._server.start()

    def end_connections(self) -> None:
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
        causes.mend_all()
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
