"""Checks that everybody was told the same entries, that these are in the final log, and that no watcher missed any."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tests.cluster.final_logs import FinalState, LoggedEntry
from tests.cluster.history import EntryReceived, History, WatchOpened
from tests.cluster.violations import Broken, Violation

SEALED = "choice_sealed"
"""Kind of a move whose content is hidden until later; the log has it as a move."""


def check_watchers(watchers: Sequence[History], final: FinalState) -> Iterator[Violation]:
    for watcher in watchers:
        yield from _check_numbers(watcher, final)
        for line in watcher.lines:
            if isinstance(line, EntryReceived):
                yield from _check_logged(watcher.name, line, final)
    yield from _check_agreement(watchers)


def _check_numbers(watcher: History, final: FinalState) -> Iterator[Violation]:
    last: dict[str, int] = {}
    for line in watcher.lines:
        if isinstance(line, WatchOpened):
            if line.reset or line.log not in last:
                last[line.log] = line.after
        elif isinstance(line, EntryReceived):
            expected = last[line.log] + 1
            if line.number != expected:
                broken = Broken.NUMBER_SKIPPED if line.number > expected else Broken.NUMBER_REPEATED
                evidence = (
                    f"{watcher.name} received {line.number} instead of {expected}, from {_address(watcher, line)}"
                )
                yield Violation(broken, line.log, (evidence,))
            last[line.log] = line.number
    for log, match in final.matches.items():
        if (number := last.get(log, 0)) < len(match.entries):
            evidence = f"{watcher.name} received {number} of {len(match.entries)} entries"
            yield Violation(Broken.WATCH_INCOMPLETE, log, (evidence,))


def _address(watcher: History, entry: EntryReceived) -> str:
    """Return the address from which a watcher received this entry."""
    address = ""
    for line in watcher.lines:
        if line is entry:
            break
        if isinstance(line, WatchOpened) and line.log == entry.log:
            address = line.address
    return address


def _check_logged(name: str, told: EntryReceived, final: FinalState) -> Iterator[Violation]:
    match = final.matches.get(told.log)
    if match is None or not match.entries:
        return
    if told.number > len(match.entries):
        evidence: tuple[str, ...] = (f"{name} was told {told}", f"the log has {len(match.entries)} entries")
        yield Violation(Broken.ENTRY_NOT_LOGGED, told.log, evidence)
        return
    logged = match.entries[told.number - 1]
    if told.kind and _told(told) != _logged(logged, told):
        yield Violation(Broken.ENTRY_NOT_LOGGED, told.log, (f"{name} was told {told}", f"the log has {logged}"))


def _told(entry: EntryReceived) -> tuple[object, ...]:
    return (entry.kind, entry.written_ms, entry.seat, entry.move, entry.charge, entry.result)


def _logged(entry: LoggedEntry, told: EntryReceived) -> tuple[object, ...]:
    """Return what should have been told of an entry."""
    if told.kind == SEALED and entry.kind == "move_played":
        entry = replace(entry, kind=SEALED, move="")
    shown = entry.kind == "move_played"
    return (
        entry.kind,
        entry.written_ms,
        entry.seat,
        entry.move if shown else "",
        entry.charge,
        entry.result,
    )


def _check_agreement(watchers: Sequence[History]) -> Iterator[Violation]:
    """Check that no two were told different entries for one number."""
    first: dict[tuple[str, int, bool], tuple[str, EntryReceived]] = {}
    reported: set[tuple[str, int]] = set()
    for watcher in watchers:
        for line in watcher.lines:
            if not isinstance(line, EntryReceived) or not line.kind:
                continue
            key = (line.log, line.number, line.kind == SEALED)
            name, before = first.setdefault(key, (watcher.name, line))
            if _content(before) != _content(line) and key[:2] not in reported:
                reported.add(key[:2])
                evidence = (f"{name} was told {before}", f"{watcher.name} was told {line}")
                yield Violation(Broken.TWO_HISTORIES, line.log, evidence)


def _content(entry: EntryReceived) -> tuple[object, ...]:
    return (*_told(entry), entry.digest)
