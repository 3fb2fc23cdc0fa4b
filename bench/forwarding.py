"""`python -m bench.forwarding [--calls N]`: what a call costs that one node forwards to another.

Two nodes run in processes of their own, with memory stores that hold the same token. The same unary call is made to the
node that answers it, and through the other one; written is the CPU time of each process per call, in microseconds. Set
`GRPC_EXPERIMENTS=-event_engine_listener` in the environment, as `referee serve` does.
"""

import argparse
import asyncio
import logging
import resource
import sys
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

import grpc.aio
import structlog
import uvloop

from referee.accounts.tokens import Role, Token, sha256_of
from referee.live.match_timing import LoopTime
from referee.server.stores import open_stores
from tests.cluster.forwarding.nodes import SETTINGS, FixedRouter, run_node, start_call

SECRET = "rf_the-token-of-both-nodes"
METHOD = "LadderService/ListLadders"
AT_ONCE = 8
WARM_UP = 500
QUIET = replace(SETTINGS, calls_per_minute=100_000_000)


def cpu_us() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return (used.ru_utime + used.ru_stime) * 1e6


def run_process(pipe: Any, name: str, forward_to: str | None) -> None:
    """Run a node in this process; send its address, and its CPU time whenever asked, until `None` is received."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    uvloop.run(_serve(pipe, name, forward_to))


async def _serve(pipe: Any, name: str, forward_to: str | None) -> None:
    stores = open_stores(QUIET, LoopTime(), lambda _appends: None)
    await stores.tokens.add_token(Token(sha256_of(SECRET), Role.ADMIN, "ada", 0), 10)
    node = run_node(stores, name, "127.0.0.1:0", FixedRouter(forward_to), QUIET, coordinator=forward_to is None)
    async with node as running:
        pipe.send(running.address)
        while await asyncio.to_thread(pipe.recv):
            pipe.send(cpu_us())


class NodeProcess:
    def __init__(self, name: str, forward_to: str | None = None) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=run_process, args=(theirs, name, forward_to), daemon=True)
        self._process.start()
        self.address: str = self._pipe.recv()

    def cpu_us(self) -> float:
        self._pipe.send(True)
        used: float = self._pipe.recv()
        return used

    def stop(self) -> None:
        self._pipe.send(None)
        self._process.join()


async def make_calls(address: str, calls: int) -> None:
    async def some() -> None:
        for _ in range(calls // AT_ONCE):
            await start_call(channel, METHOD, SECRET)

    async with grpc.aio.insecure_channel(address) as channel:
        await asyncio.gather(*(some() for _ in range(AT_ONCE)))


def measure(nodes: Sequence[NodeProcess], asked: NodeProcess, calls: int) -> list[float]:
    """Return the CPU time per call of each node."""
    uvloop.run(make_calls(asked.address, WARM_UP))
    before = [node.cpu_us() for node in nodes]
    uvloop.run(make_calls(asked.address, calls))
    return [(node.cpu_us() - was) / calls for node, was in zip(nodes, before, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=8_000)
    calls = parser.parse_args().calls
    answering = NodeProcess("a")
    forwarding = NodeProcess("b", answering.address)
    nodes = (answering, forwarding)
    sys.stdout.write(f"{'CPU per call, µs':<24}{'answering':>12}{'forwarding':>12}\n")
    for title, asked in (("to the answering node", answering), ("through the other node", forwarding)):
        used = "".join(f"{cost:>12.0f}" for cost in measure(nodes, asked, calls))
        sys.stdout.write(f"{title:<24}{used}\n")
    for node in nodes:
        node.stop()


if __name__ == "__main__":
    main()
