"""A ladder on one or several nodes, with recording bots and watchers, on which a test causes a fault.

A test starts a cluster, lets a fault act while matches are played, waits until more matches have ended, and calls
`assert_promises_kept`, which closes the ladder and reports every promise that was broken (checker.py).
"""

import os
import resource
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from referee_api.v1 import clock_pb2, game_pb2, match_pb2

from tests.cluster import changed_node
from tests.cluster.checker import Violation, check, report
from tests.cluster.final_state import FinalLadder, patient_call, register
from tests.cluster.recorders import Recorders, run_bots, run_watchers
from tests.e2e.server import TIMEOUT_S, ServerProcess, run_server

LADDER = "main"
BOTS = 16
WATCHERS = 2
THINK_MS = 40
MAX_CONCURRENT_MATCHES = 8
MAIN_MS, INCREMENT_MS = 8_000, 500
"""Shorter than the longest faults, so that a bot whose clock runs during such a fault loses on time."""
RULES = game_pb2.Rules(game="troke", options={"max_plies": "40"})
FLAGS = ("--heartbeat-timeout-ms", "15000", "--start-timeout-ms", "600000")
FINISH_TIMEOUT_S = 2 * TIMEOUT_S


class Node:
    """One `referee serve`, which can be killed, frozen and started again on the same data."""

    def __init__(self, folder: Path, flags: Sequence[str]) -> None:
        self._folder = folder
        self.flags = flags
        """Flags with which it is started the next time."""
        self._running = ExitStack()
        self.server: ServerProcess
        folder.mkdir()

    def start(self, *more: str) -> None:
        """Start it, with some flags for this time only."""
        flags = (*self.flags, *more)
        module = changed_node.__name__ if changed_node.CHANGES.keys() & set(flags) else "referee"
        self.server = self._running.enter_context(run_server(self._folder, *flags, module=module))

    def kill(self) -> None:
        """Kill it with SIGKILL."""
        self.server.kill()

    def drain(self) -> None:
        """Let it hand over its work and end."""
        self.server.process.terminate()
        assert self.server.process.wait(TIMEOUT_S) == 0, self.log_end()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop it with SIGSTOP within this block."""
        process = self.server.process
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        try:
            yield
        finally:
            process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        self._running.close()

    @contextmanager
    def full_disk(self) -> Iterator[None]:
        """Let no file of the node grow within this block, as on a full disk."""
        pid = self.server.process.pid
        usual = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        full = (self.data_dir / "referee.db-wal").stat().st_size
        assert self.server.log.stat().st_size < full / 2, "the log has no room to grow"
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (full, usual[1]))
        try:
            yield
        finally:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, usual)

    @property
    def data_dir(self) -> Path:
        return self._folder / "data"

    @property
    def is_running(self) -> bool:
        return self.server.process.poll() is None

    def is_ready(self) -> bool:
        """Return whether its probe says that it takes bots."""
        try:
            with urlopen(f"http://{self.server.http}/readyz", timeout=TIMEOUT_S):
                return True
        except HTTPError as not_ready:
            not_ready.close()
            return False

    def faults(self) -> list[str]:
        """Return the lines of its log that report faults."""
        return [line for line in self.server.log.read_text(errors="replace").splitlines() if '"fault_id"' in line]

    def log_end(self, lines: int = 60) -> str:
        return "\n".join((self._folder / "server.log").read_text(errors="replace").splitlines()[-lines:])


class Cluster:
    def __init__(self, folder: Path, nodes: Sequence[Node], stack: ExitStack) -> None:
        self.nodes = nodes
        self._folder = folder
        self._stack = stack
        self._token = ""
        self._bots: Recorders
        self._watchers: Recorders

    def play(self) -> None:
        """Create the ladder, and start the bots and watchers."""
        first = self.nodes[0].server
        with first.channel() as channel:
            bots = [f"bot-{number}" for number in range(BOTS)]
            self._token, secrets = register(channel, first.admin_token, bots)
            terms = {
                "match_terms": [_match_terms()],
                "max_concurrent_matches": MAX_CONCURRENT_MATCHES,
                "max_matches_per_hour": 0,
            }
            patient_call(
                channel, "LadderService/CreateLadder", self._token, request_id="make it", name=LADDER, terms=terms
            )
            for secret in secrets.values():
                patient_call(channel, "LadderService/JoinLadder", secret, ladder=LADDER)
        self._bots = self._stack.enter_context(run_bots(self._folder / "bots", secrets, THINK_MS))
        self._watchers = self._stack.enter_context(
            run_watchers(self._folder / "watchers", self._token, LADDER, WATCHERS)
        )
        self.publish_addresses()

    def publish_addresses(self) -> None:
        """Tell the recorders where the nodes are; to be called after a node was started."""
        addresses = [node.server.address for node in self.nodes if node.is_running]
        self._bots.connect_to(addresses)
        self._watchers.connect_to(addresses)

    def upgrade(self, node: Node, protocols: str) -> None:
        """Replace a node by one of a later release, which understands these protocols between nodes."""
        node.drain()
        self.restart(node, changed_node.PROTOCOLS, protocols)

    def restart(self, node: Node, *more: str) -> None:
        """Start a node that has ended, with some flags for this time only."""
        node.start(*more)
        self.publish_addresses()

    def wait_for_moves(self, count: int) -> None:
        """Wait until this many more moves were accepted."""
        target = len(self._bots.announced("accepted")) + count
        assert self._bots.wait_until(lambda: len(self._bots.announced("accepted")) >= target), "no moves are accepted"

    def wait_for_ends(self, count: int) -> None:
        """Wait until this many more matches have ended, as their bots were told."""
        target = len(set(self._bots.announced("over"))) + count
        assert self._bots.wait_until(lambda: len(set(self._bots.announced("over"))) >= target), "no matches end"

    def finish(self) -> list[Violation]:
        """Close the ladder, wait until all are told the ends of all matches, and return every broken promise."""
        node = next(node for node in self.nodes if node.is_running)
        with node.server.channel() as channel:
            patient_call(channel, "LadderService/CloseLadder", self._token, ladder=LADDER)
            self._watchers.wait_until(
                lambda: self._watchers.announced("watched").count(f"ladder/{LADDER}") == WATCHERS, FINISH_TIMEOUT_S
            )
            ladder = FinalLadder(channel, self._token, LADDER, self._folder / "records")
            final = ladder.read()
            violations = ladder.violations()
        self._wait_until_told([match for match, played in final.matches.items() if played.entries])
        assert final.matches, "nothing was played"
        return [*violations, *check(self._bots.stop(), self._watchers.stop(), final)]

    def assert_promises_kept(self) -> None:
        """Do the same as `finish`, and fail with a report if a promise was broken, or a node has reported a fault.

        A fault means a bug (RefereeFaults in docs/operations.md), and nothing that a test causes is a reason for one.
        """
        violations = self.finish()
        assert not violations, report(violations)
        assert not [fault for node in self.nodes for fault in node.faults()]

    def _wait_until_told(self, matches: Sequence[str]) -> None:
        """Wait until the bots and watchers were told everything, or for a limited time: the checker sees the rest."""
        seats = 2 * len(matches)
        self._bots.wait_until(lambda: len(set(self._bots.announced("ended"))) >= seats)
        self._watchers.wait_until(lambda: len(self._watchers.announced("watched")) >= WATCHERS * (1 + len(matches)))


def _match_terms() -> match_pb2.MatchTerms:
    fischer = clock_pb2.Fischer(main_ms=MAIN_MS, increment_ms=INCREMENT_MS)
    control = clock_pb2.TimeControl(rule=clock_pb2.ClockRule(fischer=fischer))
    return match_pb2.MatchTerms(rules=RULES, time_control=control, start_timeout_ms=600_000)


@contextmanager
def run_nodes(folder: Path, *flags: Sequence[str]) -> Iterator[list[Node]]:
    """Run a node with each of these lists of flags."""
    with ExitStack() as stack:
        nodes = [Node(folder / f"node-{number}", of_node) for number, of_node in enumerate(flags)]
        for node in nodes:
            stack.callback(node.close)
            node.start()
        yield nodes


@contextmanager
def run_cluster(
    folder: Path, nodes: int = 1, flags: Sequence[str] = (), own_flags: Callable[[int], Sequence[str]] = lambda _: ()
) -> Iterator[Cluster]:
    """Run a cluster of this many nodes, on which bots play a ladder and watchers watch it.

    All nodes have `flags`; `own_flags` returns further ones of one node, by its number from 0.
    """
    of_nodes = [(*FLAGS, *flags, *own_flags(number)) for number in range(nodes)]
    with run_nodes(folder, *of_nodes) as running, ExitStack() as stack:
        cluster = Cluster(folder, running, stack)
        try:
            cluster.play()
            yield cluster
        except BaseException as error:
            for number, node in enumerate(running):
                error.add_note(f"node {number}: {node.log_end()}")
            raise
