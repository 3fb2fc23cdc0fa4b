"""Worker processes, and batches of matches handed out to them.

A batch only saves calls between processes: what a match is follows from its setup, so neither the worker nor the size
of a batch changes a result.
"""

import atexit
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Protocol

from engines.game_errors import DetailedError, shortened
from referee.lab.lab_match import LabMatch, LabResult
from referee.lab.lab_records import is_packed_name
from referee.lab.lab_worker import LabJob, LabWorker, PlayedBatch
from referee.lab.match_player import Interruptions
from referee.records.packed_records import PackedRecords

BATCH_S = 0.25
"""Aimed duration of a batch: long beside the call, short enough for progress and for an interruption."""
MAX_BATCH = 500
BATCHES_AHEAD = 2
"""Batches for each worker that are handed out, so that none waits for the next one."""


MATCHES_SHOWN = 5
"""Matches that an error names."""


class LabWorkerDied(DetailedError):
    """A worker process has ended, for example because a bot has ended it."""

    def __init__(self, matches: Sequence[LabMatch]) -> None:
        """`matches` were handed out and not finished."""
        bots = shortened(", ".join(sorted({bot for match in matches for bot in match.bots})))
        handed_out = ", ".join(match.name for match in matches[:MATCHES_SHOWN])
        more = f" and {len(matches) - MATCHES_SHOWN} others" if len(matches) > MATCHES_SHOWN else ""
        where = f", in one of the matches {handed_out}{more} of the bots {bots}" if matches else ""
        super().__init__(
            f"a worker process has ended unexpectedly{where}: a bot in it crashed, or the machine has no memory left"
        )


class MatchSource(Protocol):
    """Matches in the order in which they are to be played, which may depend on results."""

    def take(self, count: int) -> Sequence[LabMatch]:
        """Return the next matches, at most so many; none if there are none before another result is recorded."""

    def record(self, result: LabResult) -> None: ...


TimedBatch = Callable[[Sequence[LabMatch]], "Future[PlayedBatch]"]
"""Plays a batch in some process."""


def play_all(
    source: MatchSource, job: LabJob, workers: int, interruptions: Interruptions = (KeyboardInterrupt,)
) -> Iterator[Sequence[LabResult]]:
    """Yield the results of each batch as it is finished, once its records are written. 0 workers: in this process.

    `interruptions` are the exceptions by which signals end this process; bots that raise others resign.
    The source records results after they were yielded. Raises what it raises then, LabBotRefused, LabWorkerDied,
    KeyUnusable or PackageMissing, and what PackedRecords raises.
    """
    ahead = max(1, workers) * BATCHES_AHEAD if workers else 1
    with _here(job, interruptions) if workers == 0 else _processes(job, workers) as play, _packed_file(job) as packed:
        for played in play_batches(source, play, ahead):
            for group in played.groups:
                assert packed is not None
                packed.append_group(group)
            yield played.results


def _packed_file(job: LabJob) -> AbstractContextManager[PackedRecords | None]:
    return PackedRecords(Path(job.records)) if is_packed_name(job.records) else nullcontext()


def play_batches(source: MatchSource, play: TimedBatch, ahead: int) -> Iterator[PlayedBatch]:
    """Yield batches as they are finished, at most `ahead` handed out, and then record their results.

    Raises LabWorkerDied, and what the source raises.
    """
    size = 1
    running: dict[Future[PlayedBatch], Sequence[LabMatch]] = {}
    while True:
        try:
            while len(running) < ahead and (batch := source.take(size)):
                running[play(batch)] = batch
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            finished = [future.result() for future in done]
        except BrokenProcessPool:
            raise LabWorkerDied([match for batch in running.values() for match in batch]) from None
        for future in done:
            del running[future]
        yield from finished  # Written before they are recorded: the source may give up at any of them.
        for played in finished:
            for result in played.results:
                source.record(result)
            size = _next_size(len(played.results), played.seconds)


def _next_size(played: int, seconds: float) -> int:
    """Return the size of the next batches, at most twice the last one."""
    fitting = int(played * BATCH_S / max(seconds, 1e-6))
    return max(1, min(fitting, 2 * played, MAX_BATCH))


@contextmanager
def _here(job: LabJob, interruptions: Interruptions) -> Iterator[TimedBatch]:
    worker = LabWorker(job, interruptions)

    def play(batch: Sequence[LabMatch]) -> "Future[PlayedBatch]":
        future: Future[PlayedBatch] = Future()
        future.set_result(worker.play(batch))
        return future

    with closing(worker):
        worker.check()
        yield play


@contextmanager
def _processes(job: LabJob, workers: int) -> Iterator[TimedBatch]:
    # Not forked: libraries that this process has imported may run threads, which a fork would break.
    with closing(LabWorker(job)) as worker:
        worker.check()  # Reports a bot that cannot play as an error of this process.
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _start_worker, (job,))
    try:
        yield lambda batch: pool.submit(_play_batch, batch)
    except BaseException:
        # Interrupted: a bot may think for hours. Its program ends with its worker.
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_workers: list[LabWorker] = []
"""The worker of this process, if it is one of a crew."""


def _start_worker(job: LabJob) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes; the first one ends the others.
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _workers.append(LabWorker(job))
    atexit.register(_workers[0].close)


def _end_with_parent() -> None:
    """Wait for the end of the first process, which may be killed, and end this one, and with it its programs."""
    parent = multiprocessing.parent_process()
    assert parent
    parent.join()
    os._exit(1)


def _play_batch(batch: Sequence[LabMatch]) -> PlayedBatch:
    return _workers[0].play(batch)
