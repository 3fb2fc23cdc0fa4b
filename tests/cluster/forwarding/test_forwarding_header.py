"""The header of forwarded calls: whose headers count, for what, and how often."""

from collections.abc import Callable

import pytest

from referee.accounts.account_errors import BadField
from referee.cluster.forwarding.forwarding_header import (
    HEADER,
    MAX_HEADER_CHARS,
    MAX_NODES,
    WINDOW,
    ForwardingHeader,
    SeenCounters,
)

KEY, PATH, ADDRESS = b"key of the cluster", "/referee_api.v1.LadderService/ListLadders", "2001:db8:1:2::/64"


def test_the_address_of_the_caller_is_read() -> None:
    sender, receiver = ForwardingHeader(KEY, "b"), ForwardingHeader(KEY, "a")
    for _ in range(3):
        assert receiver.read(PATH, [("authorization", "x"), (HEADER, sender.write(PATH, ADDRESS))]) == ADDRESS
    assert receiver.read(PATH, [("authorization", "x")]) == ""


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.replace("2001", "2002"),
        lambda header: header.replace("b 1", "b 2"),
        lambda header: header.replace("b 1", "c 1"),
        lambda header: header[:-1],
        lambda header: header + " ",
        lambda header: header.rpartition(" ")[2],
        lambda header: header * 10,
        lambda _: " ",
        lambda _: "\u00e9 \u00e9",
    ],
)
def test_a_changed_header_is_rejected(change: Callable[[str], str]) -> None:
    header = ForwardingHeader(KEY, "b").write(PATH, ADDRESS)
    with pytest.raises(BadField):
        ForwardingHeader(KEY, "a").read(PATH, [(HEADER, change(header))])


def test_a_header_of_another_key_or_method_is_rejected() -> None:
    header, receiver = ForwardingHeader(KEY, "b").write(PATH, ADDRESS), ForwardingHeader(KEY, "a")
    with pytest.raises(BadField):
        ForwardingHeader(b"another", "a").read(PATH, [(HEADER, header)])
    with pytest.raises(BadField):
        receiver.read(f"{PATH}s", [(HEADER, header)])
    assert receiver.read(PATH, [(HEADER, header)]) == ADDRESS
    with pytest.raises(BadField):
        receiver.read(PATH, [(HEADER, header)])


def test_the_longest_header_fits() -> None:
    longest = ForwardingHeader(KEY, "n" * 64).write(PATH, "ffff:ffff:ffff:ffff::/64")
    assert len(longest) + 20 < MAX_HEADER_CHARS


def test_the_counters_of_a_new_start_of_a_node_are_counted_separately() -> None:
    receiver = ForwardingHeader(KEY, "a")
    for start in range(MAX_NODES + 2):
        header = ForwardingHeader(KEY, f"b{start}").write(PATH, ADDRESS)
        assert receiver.read(PATH, [(HEADER, header)]) == ADDRESS


def test_each_counter_is_accepted_once_in_any_order() -> None:
    seen = SeenCounters()
    accepted = [seen.add(counter) for counter in (3, 1, 2, 3, 1, 5, 4, 5, 10_000, 9_999, 10_000, 6)]
    assert accepted == [True, True, True, False, False, True, True, False, True, True, False, True]


def test_counters_below_the_window_are_not_accepted() -> None:
    seen = SeenCounters()
    assert seen.add(3 * WINDOW)
    assert not seen.add(2 * WINDOW)
    assert seen.add(2 * WINDOW + 1)
    assert not seen.add(2 * WINDOW + 1)
    assert seen.add(5 * WINDOW)
    assert not seen.add(3 * WINDOW)
    assert seen.add(5 * WINDOW - 1)
