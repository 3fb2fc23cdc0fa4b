"""Metrics of the bus between nodes."""

from referee.bus.local_bus import LocalBusHub
from referee.bus.port import DropReason
from referee.bus.signed_bus import SignedBus
from referee.observability.metrics import Metrics
from tests.live.runner_harness import in_loop
from tests.observability.exposition import Page


@in_loop
async def test_the_counts_of_the_bus_are_exported() -> None:
    hub, metrics = LocalBusHub(), Metrics("1.2.3")
    node = SignedBus(hub.bus(), bytes(range(32)))
    stranger = hub.bus()
    metrics.register_bus(node)
    await stranger.open()
    assert Page(metrics).value("referee_bus_connected") == 0
    node.publish("news", b"lost")
    await node.open()
    node.subscribe("news", lambda _: None)
    node.publish("news", b"sent")
    node.publish("news", b"sent again")
    stranger.publish("news", b"forged")
    await stranger.flush()
    page = Page(metrics)
    assert page.value("referee_bus_connected") == 1
    assert page.value("referee_bus_sent_total") == 2
    assert page.value("referee_bus_received_total") == 1
    assert page.all("referee_bus_dropped_total") == {("disconnected",): 1, ("forged",): 1}
    assert len(page.families["referee_bus_dropped"].samples) == len(DropReason)
