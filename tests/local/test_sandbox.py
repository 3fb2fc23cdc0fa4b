"""What a hostile program can do in a sandbox, tried by real programs, and the parts that decide it."""

import asyncio
import errno
import os
import platform
import sys
from pathlib import Path
from struct import iter_unpack, pack
from types import SimpleNamespace

import pytest

from referee.local import seccomp_filter as seccomp
from referee.local import supervisor
from referee.local.bot_pool import Launcher
from referee.local.entrant import Entrant
from referee.local.plan import BotPlan
from referee.local.results_folder import ResultsFolder
from referee.local.sandbox import Sandbox, bot_limits, create_group, prepare_groups
from tests.e2e.server import TIMEOUT_S
from tests.local.test_bot_pool import TOKEN, needs_bubblewrap, run_and_read_output

CALLS = """
import ctypes, errno, json, mmap, os, signal, sys

libc = ctypes.CDLL(None, use_errno=True)
PRIVATE, SHARED, ANONYMOUS = mmap.MAP_PRIVATE, mmap.MAP_SHARED, mmap.MAP_ANONYMOUS

def call(number, *arguments):
    # A clone returns in the child, too.
    parent = os.getpid()
    returned = libc.syscall(number, *map(ctypes.c_long, arguments))
    if os.getpid() != parent or returned == 0 and number == numbers["clone"]:
        os._exit(0)
    return errno.errorcode[ctypes.get_errno()] if returned == -1 else "allowed"

def attempt(action):
    try:
        action()
    except OSError as why:
        return errno.errorcode[why.errno]
    return "allowed"

def write_in(folder):
    with open(f"{folder}/file", "w"):
        pass

numbers = json.loads(sys.argv[1])
print(json.dumps({
    **{name: call(numbers[name], 0, 0, 0, 0, 0) for name in numbers if name not in ("clone", "mmap", "socket")},
    "user namespace": call(numbers["clone"], 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0),
    "a process": call(numbers["clone"], signal.SIGCHLD, 0, 0, 0, 0),
    "a stack that grows": call(numbers["mmap"], 0, 1 << 30, 3, PRIVATE | ANONYMOUS | 0x100, -1, 0),
    "huge pages": call(numbers["mmap"], 0, 1 << 30, 3, PRIVATE | ANONYMOUS | 0x40000, -1, 0),
    "shared memory": call(numbers["mmap"], 0, 1 << 12, 3, SHARED | ANONYMOUS, -1, 0),
    "a socket to the hypervisor": call(numbers["socket"], 40, 1, 0),
    "a socket of the kernel's cryptography": call(numbers["socket"], 38, 5, 0),
    "a socket of the internet": call(numbers["socket"], 10, 1, 0),
    "a file in /dev": attempt(lambda: write_in("/dev")),
    "a file in the results folder": attempt(lambda: write_in("out")),
    "a file of a gigabyte": attempt(lambda: os.truncate(os.open("/tmp/large", os.O_RDWR | os.O_CREAT), 1 << 30)),
}))
"""


def test_a_sandboxed_program_gets_no_namespaces_no_hidden_memory_and_no_calls_that_no_bot_needs(tmp_path: Path) -> None:
    needs_bubblewrap()
    tmp_path.chmod(0o755)
    (tmp_path / "out").mkdir()
    column = seccomp.ARCHITECTURES[platform.machine()].column
    refused = seccomp.UNKNOWN | seccomp.FORBIDDEN
    with_arguments = {"clone": seccomp.CLONE, "mmap": seccomp.MMAP, "socket": seccomp.SOCKET}
    numbers = {name: pair[column] for name, pair in (refused | with_arguments).items() if pair[column] >= 0}
    bot = Entrant("anna", (sys.executable, "-c", CALLS, str(numbers).replace("'", '"')))
    output = run_and_read_output(tmp_path, bot, Sandbox())
    assert output == {
        **{name: "ENOSYS" if name in seccomp.UNKNOWN else "EPERM" for name in refused if name in numbers},
        "user namespace": "EPERM",
        "a process": "allowed",
        "a stack that grows": "EPERM",
        "huge pages": "EPERM",
        "shared memory": "allowed",
        "a socket to the hypervisor": "EAFNOSUPPORT",
        "a socket of the kernel's cryptography": "EAFNOSUPPORT",
        "a socket of the internet": "allowed",
        "a file in /dev": "EROFS",
        "a file in the results folder": "EROFS",
        "a file of a gigabyte": "EFBIG",
    }


HOARDERS = {
    "processes": """
for _ in range(3):
    if os.fork() == 0:
        block = b"x" * (30 << 20)
        signal.pause()
""",
    "shared memory": """
block = mmap.mmap(-1, 80 << 20)
block.write(b"x" * (40 << 20)); block.write(b"x" * (40 << 20))
""",
    "memory that is read-only after it was written": """
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = libc.mprotect.argtypes = None
for _ in range(20):
    at = ctypes.c_void_p(libc.mmap(None, ctypes.c_size_t(5 << 20), 3, 0x22, -1, ctypes.c_long(0)))
    ctypes.memset(at, 1, 5 << 20)
    libc.mprotect(at, ctypes.c_size_t(5 << 20), 1)
""",
    "temporary files": """
for place in ("/tmp", "/dev/shm"):
    with open(place + "/file", "wb") as file:
        file.write(bytes(55 << 20))
""",
    "empty files": """
for number in range(40_000):
    os.close(os.open(f"/tmp/{number}", os.O_CREAT))
""",
}


@pytest.mark.parametrize("hoard", HOARDERS.values(), ids=HOARDERS.keys())
async def test_a_bot_that_uses_too_much_memory_in_any_way_is_killed_with_a_message(tmp_path: Path, hoard: str) -> None:
    needs_bubblewrap()
    tmp_path.chmod(0o755)
    program = f"import ctypes, mmap, os, signal\n{hoard}\nsignal.pause()"
    results = ResultsFolder(tmp_path / "out")
    results.create()
    launcher = Launcher("127.0.0.1:7700", tmp_path, results, Sandbox(memory_mb=60))
    process = await launcher.start(Entrant("anna", (sys.executable, "-c", program)), TOKEN, 1)
    try:
        await asyncio.wait_for(process.wait(), TIMEOUT_S)
    finally:
        await process.end()
    assert process.status == -9
    assert "uses more than 60 MB" in (tmp_path / "out" / "bots" / "anna.log").read_text()


def test_memory_that_processes_share_counts_once(tmp_path: Path) -> None:
    for process, rollup in (("1", "Pss_Anon: 30 kB\nPss_Shmem: 5 kB\nPss_File: 900 kB\nSwapPss: 5 kB\n"), ("2", None)):
        (tmp_path / process).mkdir()
        (tmp_path / process / "status").write_text("Name: bot\nRssAnon: 60 kB\nRssFile: 900 kB\nVmSwap: 5 kB\n")
        if rollup:  # Process 2 has hidden it; then all counts.
            (tmp_path / process / "smaps_rollup").write_text(rollup)
    (tmp_path / "meminfo").write_text("MemTotal: 1 kB\n")
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        exact_kb = 30 + 5 + 5 + 60 + 5
        assert supervisor.exceeds(folder, (exact_kb << 10) - 1)
        assert not supervisor.exceeds(folder, exact_kb << 10)
    finally:
        os.close(folder)


def verdict(program: bytes, audit: int, number: int, *arguments: int) -> int:
    """Run a filter as the kernel does."""
    call = SimpleNamespace(data=pack("<iIQ6Q", number, audit, 0, *arguments, *[0] * (6 - len(arguments))), loaded=0)
    steps = list(iter_unpack("<HBBI", program))
    at = 0
    while True:
        operation, if_true, if_false, value = steps[at]
        at += 1
        match operation:
            case seccomp.RETURN:
                return int(value)
            case seccomp.LOAD:
                call.loaded = int.from_bytes(call.data[value : value + 4], "little")
            case seccomp.JUMP_EQUAL:
                at += if_true if call.loaded == value else if_false
            case seccomp.JUMP_FROM:
                at += if_true if call.loaded >= value else if_false
            case seccomp.JUMP_ANY_BIT:
                at += if_true if call.loaded & value else if_false


@pytest.mark.parametrize("machine", seccomp.ARCHITECTURES)
def test_a_filter_refuses_by_the_numbers_of_its_machine(machine: str) -> None:
    program = seccomp.assemble_filter(machine)
    audit, column = seccomp.ARCHITECTURES[machine]
    others = {"x86_64": (0, 39, 231), "aarch64": (63, 172, 94)}[machine]  # read, getpid, exit_group
    assert {verdict(program, audit, number) for number in others} == {seccomp.ALLOW}
    for numbers in seccomp.FORBIDDEN.values():
        assert numbers[column] < 0 or verdict(program, audit, numbers[column]) == seccomp.REFUSE | errno.EPERM
    assert verdict(program, audit, seccomp.SOCKETPAIR[column], 1) == seccomp.ALLOW
    assert verdict(program, audit, seccomp.SOCKETPAIR[column], 30) == seccomp.REFUSE | errno.EAFNOSUPPORT
    assert verdict(program, audit, seccomp.X32 | others[0]) == seccomp.REFUSE | errno.ENOSYS
    assert verdict(program, 0x40000003, others[0]) == seccomp.KILL  # A call of a 32-bit program.


OWN, CONTROLLERS = "0::/user.slice/run-1.scope\n", "cpu memory pids\n"


def group_folder(root: Path, controllers: str) -> Path:
    """Return a folder like the group of a process, whose files only take what is written."""
    folder = root / "user.slice" / "run-1.scope"
    folder.mkdir(parents=True)
    (folder / "cgroup.controllers").write_text(controllers)
    return folder


def test_a_control_group_limits_all_that_a_bot_uses(tmp_path: Path) -> None:
    folder = group_folder(tmp_path, CONTROLLERS)
    parent = prepare_groups(tmp_path, f"4:memory:/elsewhere\n{OWN}", 77)
    assert parent == folder
    assert (folder / "referee" / "cgroup.procs").read_text() == "77"
    assert (folder / "cgroup.subtree_control").read_text() == "+memory +pids"
    group = create_group(parent, "bot-1", bot_limits(5 << 20, 20))
    limits = {file: (group / file).read_text() for file in ("memory.max", "memory.swap.max", "pids.max")}
    assert limits == {"memory.max": str(5 << 20), "memory.swap.max": "0", "pids.max": "22"}


def test_a_group_that_is_not_ours_or_has_other_processes_is_left_as_it_was(tmp_path: Path) -> None:
    assert prepare_groups(tmp_path, "4:memory:/\n0::/\n", 77) is None  # Only version 1 has controllers.
    folder = group_folder(tmp_path, CONTROLLERS)
    (folder / "cgroup.subtree_control").mkdir()  # Cannot be written.
    assert prepare_groups(tmp_path, OWN, 77) is None
    assert (folder / "cgroup.procs").read_text() == "77"
    assert prepare_groups(tmp_path, OWN.replace("1", "2"), 77) is None
    (folder / "cgroup.controllers").write_text("cpu pids\n")
    assert prepare_groups(tmp_path, OWN, 77) is None


def test_a_sandboxed_bot_starts_in_its_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_bubblewrap()
    tmp_path.chmod(0o755)
    groups = tmp_path / "groups"
    groups.mkdir()
    monkeypatch.setattr("referee.local.sandbox.own_groups", lambda: groups)
    joined = tmp_path / "joined"
    joined.touch()

    def create(parent: Path, name: str, _limits: object) -> Path:
        group = parent / name
        group.mkdir()
        (group / "cgroup.procs").symlink_to(joined)
        return group

    monkeypatch.setattr("referee.local.sandbox.create_group", create)
    bot = Entrant("anna", (sys.executable, "-c", "print(1)"))
    assert run_and_read_output(tmp_path, bot, Sandbox()) == 1
    assert joined.read_text() == "0"


def test_what_sandboxes_lack_is_said_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.local.plan.own_groups", lambda: None)
    assert "no control groups" in BotPlan(bots=(), sandbox=Sandbox()).sandbox_notice()
    assert BotPlan(bots=()).sandbox_notice() == ""
    monkeypatch.setattr("referee.local.plan.own_groups", lambda: Path("/sys/fs/cgroup"))
    assert BotPlan(bots=(), sandbox=Sandbox()).sandbox_notice() == ""
