"""Which nodes are gone, by what one node has read and when."""

from msgspec.structs import replace

from referee.cluster.membership.node_store import Node
from referee.cluster.membership.node_watch import NodeWatch
from referee.match.clock import SECOND
from tests.cluster.membership.members import profile


def node(renewals: int) -> Node:
    return replace(profile(node_id="ada", lease_us=5 * SECOND), renewals=renewals)


def test_a_node_is_gone_when_its_count_stood_still_for_its_lease() -> None:
    watch = NodeWatch()
    assert watch.update([node(1)], 0, 0) == []
    assert watch.update([node(1)], 5 * SECOND - 1, 5 * SECOND) == []
    assert watch.update([node(1)], 5 * SECOND, 5 * SECOND) == [node(1)]


def test_another_count_starts_the_time_anew() -> None:
    watch = NodeWatch()
    watch.update([node(1)], 0, 0)
    assert watch.update([node(2)], 5 * SECOND, 5 * SECOND) == []
    assert watch.update([node(2)], 9 * SECOND, 9 * SECOND) == []
    assert watch.update([node(2)], 10 * SECOND, 10 * SECOND) == [node(2)]


def test_slow_reads_do_not_count_as_time_without_a_renewal() -> None:
    """The node may have renewed at any time between the begin and the end of a read."""
    watch = NodeWatch()
    watch.update([node(1)], 0, 4 * SECOND)
    assert watch.update([node(1)], 5 * SECOND, 9 * SECOND) == []
    assert watch.update([node(1)], 9 * SECOND, 9 * SECOND) == [node(1)]


def test_only_a_node_whose_count_changed_has_renewed() -> None:
    watch = NodeWatch()
    watch.update([node(1)], 0, 0)
    assert not watch.has_renewed("ada")
    watch.update([node(1)], SECOND, SECOND)
    assert not watch.has_renewed("ada")
    watch.update([node(2)], 2 * SECOND, 2 * SECOND)
    assert watch.has_renewed("ada")
    assert not watch.has_renewed("bob")


def test_a_node_that_is_no_longer_listed_is_forgotten() -> None:
    watch = NodeWatch()
    watch.update([node(1)], 0, 0)
    watch.update([], SECOND, SECOND)
    assert watch.update([node(1)], 6 * SECOND, 6 * SECOND) == []


def test_counts_before_and_after_a_failed_call_are_not_compared() -> None:
    watch = NodeWatch()
    watch.update([node(1)], 0, 0)
    watch.restart()
    assert watch.update([node(1)], 9 * SECOND, 9 * SECOND) == []
    assert watch.update([node(1)], 14 * SECOND, 14 * SECOND) == [node(1)]
