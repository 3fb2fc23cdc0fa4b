"""Seccomp filter of a sandbox: the system calls that the kernel refuses to a bot, as a classic BPF program.

Namespaces hide files and networks, but leave a program the whole surface of the kernel. What is refused here would
give it capabilities in namespaces of its own, memory that no limit counts, or parts of the kernel that no bot needs.
`sandbox_entry.py` installs the program.
"""

import errno
import platform
from collections.abc import Iterable, Iterator
from struct import pack
from typing import NamedTuple

LOAD, JUMP_EQUAL, JUMP_FROM, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16
"""Offsets in `struct seccomp_data`."""
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000, 0x80000000
X32 = 0x40000000
"""Numbers from here on are the same calls in the x32 ABI."""

NEW_NAMESPACES = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET."""
UNCOUNTED_MAPPINGS = 0x40100
"""MAP_GROWSDOWN, which RLIMIT_DATA does not count, and MAP_HUGETLB."""
DOMAINS = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Others, such as AF_VSOCK, reach outside of the network namespace."""


class Architecture(NamedTuple):
    """Name of a machine in the kernel's terms."""

    audit: int
    column: int
    """Which of the two numbers of a call is its own."""


ARCHITECTURES = {"x86_64": Architecture(0xC000003E, 0), "aarch64": Architecture(0xC00000B7, 1)}
CLONE, MMAP, SOCKET, SOCKETPAIR = (56, 220), (9, 222), (41, 198), (53, 199)
ABSENT = -1
"""The machine has no such call."""

UNKNOWN = {
    "clone3": (435, 435),  # Its flags are in memory, which a filter cannot read; C libraries then use clone.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
}
"""Calls that seem not to exist, so that programs use what they use on older kernels; numbers as in `FORBIDDEN`."""

FORBIDDEN = {
    # Namespaces and mounts
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    # Memory of the kernel or of nobody: segments, queues and semaphores of System V outlive their processes.
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # Other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # Parts of the kernel that were often a way out
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "fanotify_init": (300, 262),
    "vmsplice": (278, 75),
    "modify_ldt": (154, ABSENT),
    "iopl": (172, ABSENT),
    "ioperm": (173, ABSENT),
    "uselib": (134, ABSENT),
    # The machine
    "syslog": (103, 116),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "settimeofday": (164, 170),
    "adjtimex": (159, 171),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
}
"""Refused calls with their numbers on x86_64 and aarch64."""


def assemble_filter(machine: str | None = None) -> bytes:
    """Return the program for a machine, by default this one. Raises KeyError if its numbers are not known here."""
    audit, column = ARCHITECTURES[machine or platform.machine()]
    return b"".join(_instructions(audit, column))


def _instructions(audit: int, column: int) -> Iterator[bytes]:
    yield from (_load(ARCHITECTURE_AT), _step(JUMP_EQUAL, audit, 1, 0), _step(RETURN, KILL))
    yield from (_load(NUMBER_AT), _step(JUMP_FROM, X32, 0, 1), _refuse(errno.ENOSYS))
    for numbers, error in (
        *((numbers, errno.ENOSYS) for numbers in UNKNOWN.values()),
        *((numbers, errno.EPERM) for numbers in FORBIDDEN.values()),
    ):
        if numbers[column] != ABSENT:
            yield from _of_call(numbers[column], [_refuse(error)])
    yield from _of_call(CLONE[column], _without_bits(0, NEW_NAMESPACES))
    yield from _of_call(MMAP[column], _without_bits(3, UNCOUNTED_MAPPINGS))
    for call in (SOCKET, SOCKETPAIR):
        yield from _of_call(call[column], _with_value(0, DOMAINS))
    yield _step(RETURN, ALLOW)


def _of_call(number: int, steps: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the steps, and a jump that skips them for all other calls. They must end with a return."""
    steps = list(steps)
    yield _step(JUMP_EQUAL, number, 0, len(steps))
    yield from steps


def _without_bits(argument: int, bits: int) -> Iterator[bytes]:
    """Yield steps that refuse a call if one of these bits is set in an argument."""
    yield from (_load(ARGUMENTS_AT + 8 * argument), _step(JUMP_ANY_BIT, bits, 0, 1))
    yield from (_refuse(errno.EPERM), _step(RETURN, ALLOW))


def _with_value(argument: int, values: tuple[int, ...]) -> Iterator[bytes]:
    """Yield steps that refuse a call if an argument has none of these values."""
    yield _load(ARGUMENTS_AT + 8 * argument)
    for index, value in enumerate(values):
        yield _step(JUMP_EQUAL, value, len(values) - index, 0)
    yield from (_refuse(errno.EAFNOSUPPORT), _step(RETURN, ALLOW))


def _load(offset: int) -> bytes:
    """Load 32 bits; of an argument these are the lower ones, since both machines are little-endian."""
    return _step(LOAD, offset)


def _refuse(error: int) -> bytes:
    return _step(RETURN, REFUSE | error)


def _step(operation: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return one `struct sock_filter`."""
    return pack("<HBBI", operation, if_true, if_false, value)
