"""Memberships of one cluster: leases, election, faults, and which nodes are gone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from referee.cluster.membership.compatibility import IncompatibleNode
from referee.cluster.membership.membership import NodeWatch
from referee.cluster.membership.node_store import Node
from referee.live.ports import StoreUnavailable
from referee.match.clock import MS, SECOND
from tests.cluster.membership.members import Member, MemoryNodes, profile
from tests.cluster.worlds import in_world
from tests.live.fake_time import FakeTime, settle


class Cluster:
    """Nodes that share a table."""

    def __init__(self) -> None:
        self.time = FakeTime()
        self.nodes = MemoryNodes()
        self.members: list[Member] = []

    def member(self, name: str, own: Node | None = None) -> Member:
        self.members.append(Member(name, self.nodes, self.time, own))
        return self.members[-1]

    async def start(self, *names: str) -> list[Member]:
        started = [self.member(name) for name in names]
        for member in started:
            await member.membership.open()
        await self.time.advance(SECOND)
        return started


@in_world
@asynccontextmanager
async def in_cluster() -> AsyncIterator[Cluster]:
    cluster = Cluster()
    yield cluster
    for member in cluster.members:
        member.store.cut = member.store.refusing = False
        member.store.rng = None
        await member.membership.close()


@in_cluster
async def test_the_first_node_is_elected_and_all_see_the_same(cluster: Cluster) -> None:
    ada, bob = await cluster.start("ada", "bob")
    assert ada.observer.take() == [
        "nodes ada1", "coordinator ada1", "elected 1", "nodes ada1,bob1",
    ]  # fmt: skip
    assert bob.observer.take() == ["nodes ada1,bob1", "coordinator ada1"]
    assert ada.membership.is_coordinator_now()
    assert bob.membership.is_member_now()
    assert not bob.membership.is_coordinator_now()


@in_cluster
async def test_renewals_are_no_changes_of_the_nodes(cluster: Cluster) -> None:
    _, bob = await cluster.start("ada", "bob")
    bob.observer.take()
    await cluster.time.advance(2 * SECOND)
    assert bob.observer.take() == []


@in_cluster
async def test_a_node_that_leaves_is_replaced_at_once(cluster: Cluster) -> None:
    ada, bob = await cluster.start("ada", "bob")
    bob.observer.take()
    await ada.membership.close()
    assert not ada.membership.is_coordinator_now()
    assert ada.observer.take()[-3:] == ["nodes ", "deposed", "coordinator None"]
    await cluster.time.advance(SECOND)
    assert bob.observer.take() == ["nodes bob1", "coordinator bob1", "elected 2"]


@in_cluster
async def test_a_draining_node_resigns_at_once_and_is_not_elected_again(cluster: Cluster) -> None:
    (ada,) = await cluster.start("ada")
    ada.observer.take()
    await ada.membership.resign()
    assert not ada.membership.is_coordinator_now()
    assert (await cluster.nodes.read()).coordinator == ""
    assert ada.observer.take() == ["deposed", "nodes ada1-", "coordinator None"]
    await cluster.time.advance(3 * SECOND)
    assert ada.observer.take() == []
    (bob,) = await cluster.start("bob")
    assert bob.membership.is_coordinator_now()
    assert bob.membership.status().epoch == 2


@in_cluster
async def test_a_resignation_that_does_not_arrive_is_repeated(cluster: Cluster) -> None:
    ada, bob = await cluster.start("ada", "bob")
    ada.store.refusing = True
    resigning = asyncio.ensure_future(ada.membership.resign())
    await cluster.time.advance(2 * SECOND)
    assert not ada.membership.is_coordinator_now()
    assert not bob.membership.is_coordinator_now()
    assert not resigning.done()
    ada.store.refusing = False
    await cluster.time.advance(2 * SECOND)
    await resigning
    assert bob.membership.is_coordinator_now()
    assert "lost" not in ada.observer.take()


@in_cluster
async def test_a_node_without_the_table_counts_itself_out_before_others_remove_it(cluster: Cluster) -> None:
    ada, bob = await cluster.start("ada", "bob")
    ada.observer.take()
    ada.store.cut = True
    for _ in range(100):
        await cluster.time.advance(100 * MS)
        assert not (ada.membership.is_member_now() and len(bob.membership.nodes) == 1)
        assert not (ada.membership.is_coordinator_now() and bob.membership.is_coordinator_now())
    assert ada.observer.take() == ["nodes ", "deposed", "coordinator None", "lost"]
    assert bob.membership.is_coordinator_now()
    assert ada.membership.status().failed_renewals > 0
    ada.store.cut = False
    await cluster.time.advance(3 * SECOND)
    assert ada.observer.take() == ["nodes ada2,bob1", "coordinator bob1"]


@in_cluster
async def test_an_observer_is_told_why_the_node_is_not_the_coordinator_any_more(cluster: Cluster) -> None:
    ada, bob = await cluster.start("ada", "bob")
    await cluster.nodes.resign("ada1")
    await cluster.nodes.elect("bob1")
    await cluster.time.advance(SECOND)
    assert ada.observer.reasons == ["another node is the coordinator now"]
    bob.store.refusing = True
    await cluster.time.advance(6 * SECOND)
    assert bob.observer.reasons == 2 * ["this node has lost its membership in the cluster: its lease is over"]
    ada.observer.reasons.clear()
    await cluster.nodes.leave("ada1")
    await cluster.time.advance(SECOND)
    assert ada.observer.reasons == 2 * ["this node has lost its membership in the cluster: another node has removed it"]
    bob.store.refusing = False


@in_cluster
async def test_a_short_outage_of_the_table_changes_nothing(cluster: Cluster) -> None:
    ada, bob = await cluster.start("ada", "bob")
    for member in (ada, bob):
        member.observer.take()
        member.store.refusing = True
    await cluster.time.advance(2_500 * MS)
    for member in (ada, bob):
        member.store.refusing = False
    await cluster.time.advance(10 * SECOND)
    assert ada.observer.take() == bob.observer.take() == []
    assert ada.membership.is_coordinator_now()


@in_cluster
async def test_after_a_long_outage_all_join_again_and_one_is_elected(cluster: Cluster) -> None:
    members = await cluster.start("ada", "bob", "cat")
    for member in members:
        member.store.refusing = True
    await cluster.time.advance(30 * SECOND)
    assert not any(member.membership.is_member_now() for member in members)
    for member in members:
        member.store.refusing = False
    await cluster.time.advance(2 * SECOND)
    assert all(member.membership.is_member_now() for member in members)
    assert sum(member.membership.is_coordinator_now() for member in members) == 1
    assert [len(member.membership.nodes) for member in members] == [3, 3, 3]
    assert {member.membership.status().epoch for member in members} == {2}


@in_cluster
async def test_a_paused_process_knows_that_it_is_no_member_before_anything_runs(cluster: Cluster) -> None:
    ada, bob = await cluster.start("ada", "bob")
    ada.observer.take()
    ada.clock.pause()
    await cluster.time.advance(10 * SECOND)
    assert ada.observer.take() == []
    assert not ada.membership.is_member_now()
    assert not ada.membership.is_coordinator_now()
    assert bob.membership.is_coordinator_now()
    ada.clock.resume()
    assert ada.observer.take() == ["nodes ", "deposed", "coordinator None"]
    await settle()
    assert ada.observer.take() == ["lost", "nodes ada2,bob1", "coordinator bob1"]


@in_cluster
async def test_an_answer_that_arrives_after_the_lease_does_not_prolong_it(cluster: Cluster) -> None:
    """The renewal was stored and its answer is here, but the process slept while it was under way."""
    (ada,) = await cluster.start("ada")
    ada.observer.take()

    def sleep() -> None:
        cluster.time.us += 4 * SECOND  # Its timers have not fired yet.
        ada.store.on_answer = lambda: None

    ada.store.on_answer = sleep
    cluster.time.us += SECOND
    await ada.membership._renew()
    assert not ada.membership.is_member_now()
    await settle()
    assert ada.observer.take()[3:5] == ["lost", "nodes ada2"]


@in_cluster
async def test_a_renewal_is_valid_from_its_beginning(cluster: Cluster) -> None:
    (ada,) = await cluster.start("ada")

    def cut_off_late() -> None:
        cluster.time.us += 1_500 * MS
        ada.store.cut = True

    ada.store.on_answer = cut_off_late
    began_us = cluster.time.us
    await ada.membership._renew()
    await cluster.time.advance(began_us + 3_900 * MS - cluster.time.us)
    assert ada.membership.is_member_now()
    await cluster.time.advance(200 * MS)
    assert not ada.membership.is_member_now()


@in_cluster
async def test_a_removed_node_joins_again_only_when_its_streams_have_ended(cluster: Cluster) -> None:
    ada, bob = await cluster.start("ada", "bob")
    ada.observer.streams_ended.clear()
    await cluster.nodes.leave("bob1")
    await cluster.nodes.leave("ada1")
    await cluster.time.advance(3 * SECOND)
    assert ada.observer.take()[-1] == "lost"
    assert not ada.membership.is_member_now()
    assert bob.membership.is_coordinator_now()
    ada.observer.streams_ended.set()
    await settle()
    assert ada.membership.is_member_now()


@in_cluster
async def test_a_pause_of_the_watching_node_removes_nobody(cluster: Cluster) -> None:
    ada, bob = await cluster.start("ada", "bob")
    bob.store.cut = True  # What bob last saw of ada is ten seconds old when it can read again.
    await cluster.time.advance(10 * SECOND)
    bob.store.cut = False
    await cluster.time.advance(5 * SECOND)
    assert ada.membership.is_coordinator_now()
    assert ada.observer.reasons == []


@in_cluster
async def test_a_count_of_renewals_never_returns_even_if_a_crash_undoes_some(cluster: Cluster) -> None:
    """Otherwise a node that renews could seem to stand still."""
    await cluster.start("ada")
    await cluster.time.advance(3 * SECOND)
    (before,) = (await cluster.nodes.read()).nodes
    await cluster.nodes.leave("ada1")
    await cluster.nodes.join(replace(before, renewals=before.renewals - 1))
    await cluster.time.advance(SECOND)
    (after,) = (await cluster.nodes.read()).nodes
    assert after.renewals > before.renewals


@pytest.mark.parametrize("failure", [StoreUnavailable("it is away"), RuntimeError("a fault of the driver")], ids=repr)
@in_cluster
async def test_a_crash_of_the_table_that_undoes_renewals_removes_nobody_too_early(
    cluster: Cluster, *, failure: Exception
) -> None:
    """A count that was read before the crash says nothing about one that is read after it."""
    ada, bob = await cluster.start("ada", "bob")
    (before, _) = (await cluster.nodes.read()).nodes
    bob.store.fault = failure
    await cluster.time.advance(2_500 * MS)
    ada.store.refusing = True
    (undone, _) = (await cluster.nodes.read()).nodes
    assert undone.renewals > before.renewals + 1
    cluster.nodes.nodes["ada1"] = before
    await cluster.time.advance(SECOND)
    bob.store.fault = None
    for _ in range(100):
        await cluster.time.advance(100 * MS)
        assert not (ada.membership.is_coordinator_now() and bob.membership.is_coordinator_now())
    assert bob.membership.is_coordinator_now()


@in_cluster
async def test_a_resignation_ends_with_the_membership(cluster: Cluster) -> None:
    (ada,) = await cluster.start("ada")
    ada.store.refusing = True
    resigning = asyncio.ensure_future(ada.membership.resign())
    await cluster.time.advance(5 * SECOND)
    await resigning
    assert not ada.membership.is_member_now()
    await ada.membership.resign()


@in_cluster
async def test_a_node_of_a_release_that_does_not_fit_is_refused(cluster: Cluster) -> None:
    running = cluster.member("run", profile("run:1", oldest=2, newest=3))
    await running.membership.open()
    for own, why in ((profile(oldest=1, newest=1), "old"), (profile(oldest=4, newest=5), "new")):
        refused = cluster.member("other", own)
        opening = asyncio.ensure_future(refused.membership.open())
        await cluster.time.advance(3 * SECOND)
        told = rf"^this node .* is too {why} for the cluster: .* the node at run:1 \(version 0\.1\.0\) [^.]*$"
        with pytest.raises(IncompatibleNode, match=told):
            await opening
    assert len((await cluster.nodes.read()).nodes) == 1


@in_cluster
async def test_the_row_of_a_dead_node_of_another_release_refuses_nobody(cluster: Cluster) -> None:
    await cluster.nodes.join(profile(oldest=1, newest=1, node_id="dead"))
    new = cluster.member("new", profile(oldest=2, newest=2))
    opening = asyncio.ensure_future(new.membership.open())
    await cluster.time.advance(7 * SECOND)
    await opening
    assert new.membership.is_coordinator_now()


@in_cluster
async def test_a_node_that_no_longer_fits_when_it_joins_again_is_told(cluster: Cluster) -> None:
    (old,) = await cluster.start("old")
    old.store.refusing = True
    await cluster.time.advance(20 * SECOND)
    await cluster.nodes.leave("old1")
    new = cluster.member("new", profile(oldest=2, newest=2))
    await new.membership.open()
    old.store.refusing = False
    await cluster.time.advance(5 * SECOND)
    assert "too old" in str(old.observer.refused)
    assert not old.membership.is_member_now()


@pytest.mark.parametrize(("fault", "why"), [("refusing", "is away"), ("cut", "does not answer in time")])
@in_cluster
async def test_a_table_that_cannot_be_used_is_reported_at_the_start(cluster: Cluster, *, fault: str, why: str) -> None:
    ada = cluster.member("ada")
    setattr(ada.store, fault, True)
    opening = asyncio.create_task(ada.membership.open())
    await cluster.time.advance(60 * SECOND)
    with pytest.raises(StoreUnavailable, match=why):
        await opening


@in_cluster
async def test_a_join_whose_answer_is_too_late_is_repeated_under_the_same_id(cluster: Cluster) -> None:
    ada = cluster.member("ada")
    ada.store.losing_answers = True
    opening = asyncio.create_task(ada.membership.open())
    await cluster.time.advance(3 * SECOND)
    (before,) = (await cluster.nodes.read()).nodes
    ada.store.losing_answers = False
    await cluster.time.advance(3 * SECOND)
    await opening
    (node,) = (await cluster.nodes.read()).nodes
    assert node.id == "ada1"
    assert node.renewals > before.renewals  # Or others could remove it, since it has not renewed for a while.
    assert ada.membership.is_coordinator_now()


@in_cluster
async def test_a_table_that_answers_late_delays_the_start(cluster: Cluster) -> None:
    ada = cluster.member("ada")
    ada.store.cut = True
    opening = asyncio.create_task(ada.membership.open())
    await cluster.time.advance(10 * SECOND)
    assert not opening.done()
    ada.store.cut = False
    await cluster.time.advance(4 * SECOND)
    assert opening.done()
    assert ada.membership.is_coordinator_now()


@in_cluster
async def test_a_fault_in_the_observer_does_not_end_the_membership(cluster: Cluster) -> None:
    ada = cluster.member("ada")

    def fail(*_: object) -> None:
        raise ValueError("a fault")

    ada.observer.on_elected = fail  # type: ignore[assignment, method-assign]  # A fault.
    ada.observer.on_lost = fail  # type: ignore[assignment, method-assign]  # A fault.
    await ada.membership.open()
    await cluster.nodes.leave("ada1")
    await cluster.time.advance(2 * SECOND)
    assert ada.membership.is_coordinator_now()


def cut_off(member: Member) -> None:
    member.store.cut = True


def refuse(member: Member) -> None:
    member.store.refusing = True


def mend(member: Member) -> None:
    member.store.cut = member.store.refusing = False
    member.clock.resume()


def resign(member: Member) -> None:
    member.resigning = asyncio.ensure_future(member.membership.resign())


FAULTS = (cut_off, refuse, lambda member: member.clock.pause(), resign, mend)


@in_cluster
async def test_no_two_nodes_are_the_coordinator_whatever_fails(cluster: Cluster, *, rng: Random) -> None:
    """Calls are late or lost, nodes are cut off, paused, drained, killed and started, for ten minutes."""
    epochs: list[int] = []
    opening = []
    killed: list[Member] = []

    def check() -> None:
        in_office = [member for member in [*cluster.members, *killed] if member.membership.is_coordinator_now()]
        assert len(in_office) <= 1
        epochs.extend(member.membership.status().epoch for member in in_office)

    for number in range(250):
        if len(cluster.members) < 4:
            member = cluster.member(f"n{number}-")
            member.store.rng = rng
            opening.append(asyncio.ensure_future(member.open_at_last()))
        member = rng.choice(cluster.members)
        FAULTS[min(rng.randrange(12), len(FAULTS) - 1)](member)
        if number % 20 == 19:
            member.clock.pause()
            cluster.members.remove(member)
            killed.append(member)
        for _ in range(rng.randrange(1, 10)):
            await cluster.time.advance(200 * MS)
            check()
    assert epochs == sorted(epochs)
    assert len(set(epochs)) > 4
    cluster.members += killed
    for member in cluster.members:
        member.store.rng = None
        mend(member)
    for each in opening:
        each.cancel()
    await settle()


RESTART = "calls have failed"


@pytest.mark.parametrize(
    "reads",
    [
        pytest.param([(1, 0, 0), (1, 5_000 * MS - 1, 5_000 * MS), (1, 5_000 * MS, 5_000 * MS)], id="after its lease"),
        pytest.param(
            [(1, 0, 0), (2, 5 * SECOND, 5 * SECOND), (2, 9 * SECOND, 9 * SECOND), (2, 10 * SECOND, 10 * SECOND)],
            id="another count starts the time anew",
        ),
        pytest.param(
            # It may have renewed at any time between the begin and the end of a read.
            [(1, 0, 4 * SECOND), (1, 5 * SECOND, 9 * SECOND), (1, 9 * SECOND, 9 * SECOND)],
            id="slow reads do not count as time without a renewal",
        ),
        pytest.param(
            [(1, 0, 0), None, (1, 6 * SECOND, 6 * SECOND), (1, 11 * SECOND, 11 * SECOND)],
            id="a node that is no longer listed is forgotten",
        ),
        pytest.param(
            [(1, 0, 0), RESTART, (1, 9 * SECOND, 9 * SECOND), (1, 14 * SECOND, 14 * SECOND)],
            id="counts before and after a failed call are not compared",
        ),
    ],
)
def test_a_node_is_gone_when_its_count_stood_still_for_its_lease(reads: list[Any]) -> None:
    """The last of the reads finds that, and none before it."""
    watch, gone = NodeWatch(), []
    for read in reads:
        if read == RESTART:
            watch.restart()
        elif read is None:
            gone.append(watch.update([], SECOND, SECOND))
        else:
            renewals, began_us, ended_us = read
            gone.append(watch.update([node(renewals)], began_us, ended_us))
    assert gone[-1] == [node(reads[-1][0])]
    assert not any(gone[:-1])


def test_only_a_node_whose_count_changed_has_renewed() -> None:
    watch = NodeWatch()
    renewed = []
    for seconds, renewals in enumerate((1, 1, 2)):
        watch.update([node(renewals)], seconds * SECOND, seconds * SECOND)
        renewed.append(watch.has_renewed("ada"))
    assert renewed == [False, False, True]
    assert not watch.has_renewed("bob")


def node(renewals: int) -> Node:
    return replace(profile(node_id="ada", lease_us=5 * SECOND), renewals=renewals)
