"""Engines that crash, hang, talk nonsense or contradict themselves: an error that says what is wrong, and how."""

import os
import select
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engines.external import engine_connection, external_game
from engines.external.engine_client import Declaration, EngineClient, ExternalGameFault
from engines.external.engine_connection import KEPT_ERROR_BYTES, MAX_LINE_BYTES, EngineConnection, EngineLimits
from engines.external.external_game import ExternalGame, load_game
from engines.options import Settings
from tests.engines.external.engines import PATIENT, small_engine


@pytest.fixture(autouse=True)
def clients(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EngineClient]]:
    """All clients of a test, which are closed after it."""
    made: list[EngineClient] = []

    class Client(EngineClient):
        def __init__(self, declaration: Declaration) -> None:
            super().__init__(declaration)
            made.append(self)

    monkeypatch.setattr(external_game, "EngineClient", Client)
    load_game.cache_clear()
    yield made
    load_game.cache_clear()
    for client in made:
        client.close()


def nim(*fault: str, limits: EngineLimits = PATIENT) -> tuple[ExternalGame, Settings]:
    game = load_game(small_engine(*fault, limits=limits))
    return game, game.settings()


def as_text(line: bytes, _: int) -> str:
    return line.decode()


def as_number(line: bytes, _: int) -> int:
    return int(line)


@pytest.mark.parametrize(
    ("fault", "wrong"),
    [
        (
            "crash",
            r"it has ended without an answer \(exit status 3\); request: .*; standard error: the dice \| are gone",
        ),
        ("die", r"it has ended without an answer \(signal 9\)"),
        ("endless", f"its answer has more than {MAX_LINE_BYTES} bytes"),
        ("garbage", "its answer is not valid: .*: 'I think, therefore'"),
        ("deep", "its answer is not valid"),
        ("two_lines", "it writes more than one line"),
        ("wrong_id", r"it answers request \d+ instead of \d+"),
        ("nothing", "its answer has not one of ok and error"),
        ("unknown_field", "its answer is not valid: .*unknown field `claimble`"),
        ("refusal", "it refuses a move that it has listed: '1': 'it is Sunday'"),
        ("failure", "it refuses a move that it has listed"),
        ("long_sentence", "the sentence of an error is not printable, or too long"),
        ("no_moves", "a seat is to move and has no legal move"),
        ("no_lists", "there is not one list of moves for each seat that is to move"),
        ("stranger", "a seat to move is not at the table"),
        ("disorder", "the seats to move are not in ascending order"),
        ("twice", "a move is listed twice"),
        ("blank_move", "a move is empty or not printable"),
        ("long_move", "a move has 65 characters; its own limit is 64"),
        ("both", "there is an outcome and a seat to move, or neither"),
        ("scores", "the outcome has not one score for each seat"),
        ("side_scores", "the outcome has not one score for each side"),
        ("reason", "a reason is one word, not 'a b'"),
        ("standing", "the standing has not one number for each side"),
        ("claim", "a reason is one word"),
        ("default", "a default move is not legal"),
        ("defaults", "there is not one default move for each seat"),
        ("secret", "it says what viewers see if and only if the game hides something"),
    ],
)
def test_a_bad_answer_is_a_fault_that_names_the_game_the_request_and_what_is_wrong(fault: str, wrong: str) -> None:
    game, settings = nim("play", fault)
    start = game.start(settings, b"")
    with pytest.raises(ExternalGameFault, match=f"^nim: play: {wrong}") as raised:
        start.play(0, "1")
    assert str(raised.value).isprintable()
    assert 'request: {"id":' in str(raised.value)
    assert game.start(settings, b"") == start, "another engine answers the next request"


@pytest.mark.parametrize(
    ("fault", "wrong"),
    [
        ("crash", "it has ended without an answer"),
        ("failure", "it answers with the error 'fault': 'it is Sunday'"),
        ("other_game", "its game is called 'chess', not 'nim'"),
        ("other_protocol", "it speaks protocol 2, not 1"),
        ("other_skill", "it can do what is not known"),
        ("old", "its version is not a number from 1 on"),
        ("options", "two options have the same name"),
        ("many_options", "it has more than 64 options"),
        ("option_name", "'A b' is no name of an option"),
        ("preset", "its options contradict each other: unknown option 'moon'"),
        ("position_limit", "max_position_chars exceeds 65536"),
        ("move_limit", "max_move_chars exceeds 1024"),
    ],
)
def test_a_game_is_not_loaded_if_its_description_is_wrong(fault: str, wrong: str) -> None:
    with pytest.raises(ExternalGameFault, match=f"^nim: describe: {wrong}"):
        nim("describe", fault)


@pytest.mark.parametrize(
    ("ask", "fault", "wrong"),
    [
        ("table", "sides", "the sides do not contain each seat once"),
        ("table", "seats", "a table has 1 to 64 seats"),
        ("table", "failure", "it answers with the error 'fault'"),
        ("start", "failure", "it answers with the error 'fault'"),
        ("read", "failure", "it answers with the error 'fault'"),
        ("read", "refusal", "it answers with the error 'illegal_move'"),
    ],
)
def test_every_request_can_fail(ask: str, fault: str, wrong: str) -> None:
    game = load_game(small_engine(ask, fault))

    def ask_everything() -> None:
        game.start(game.settings(), b"")
        game.read("3 0", game.settings())

    with pytest.raises(ExternalGameFault, match=f"^nim: {ask}: {wrong}"):
        ask_everything()


def test_a_description_that_promises_hidden_parts_needs_them_in_answers() -> None:
    game, settings = nim("describe", "hides")
    with pytest.raises(ExternalGameFault, match="it says what viewers see if and only if the game hides something"):
        game.start(settings, b"")
    game, settings = nim("describe", "hides_moves")
    with pytest.raises(ExternalGameFault, match="the answer says not what each seat may see of this one"):
        game.start(settings, b"").play(0, "1")


def test_a_move_that_was_not_listed_must_not_be_played() -> None:
    game, settings = nim("start", "few_moves")
    with pytest.raises(ExternalGameFault, match="it plays a move that it has not listed: '2'"):
        game.start(settings, b"").play(0, "2")


def test_an_illegal_move_must_name_its_rule() -> None:
    game, settings = nim("play", "no_rule")
    with pytest.raises(ExternalGameFault, match="it answers with the error 'illegal_move'"):
        game.start(settings, b"").play(0, "9")


def test_an_engine_that_hangs_is_killed() -> None:
    game, settings = nim("play", "hang")
    start = game.start(settings, b"")
    game.client.limits = replace(PATIENT, max_request_ms=50)
    with pytest.raises(ExternalGameFault, match=r"^nim: play: no answer within 50 ms"):
        start.play(0, "1")
    game.client.limits = PATIENT
    assert game.start(settings, b"") == start


def test_an_engine_that_ends_is_started_again_and_asked_once_more(tmp_path: Path) -> None:
    game, settings = nim("play", "crash", str(tmp_path / "crashed"))
    assert str(game.start(settings, b"").play(0, "1")) == "20 1"
    assert (tmp_path / "crashed").exists()


def test_a_program_that_does_not_exist_is_a_fault() -> None:
    with pytest.raises(ExternalGameFault, match=r"^nim: describe: it cannot be started: .*No such file"):
        load_game(Declaration("nim", ("/no/such/program",)))


def test_an_engine_that_does_not_read_cannot_block_a_request() -> None:
    limits = replace(PATIENT, max_start_ms=50, max_request_ms=50)
    client = EngineClient(Declaration("nim", ("sleep", "3600"), limits=limits))
    with pytest.raises(ExternalGameFault, match="no answer within 50 ms"):
        client.ask("read", {"position": "x" * 10**6}, as_text)


def test_an_engine_that_answers_before_it_has_read_the_request_is_a_fault() -> None:
    client = EngineClient(Declaration("nim", ("sh", "-c", "echo {}; sleep 3600"), limits=PATIENT))
    with pytest.raises(ExternalGameFault, match="it answers before it has read the request"):
        client.ask("read", {"position": "x" * 10**6}, as_text)


def test_an_engine_that_closes_its_input_is_a_fault() -> None:
    command = ("sh", "-c", "exec <&-; echo closed >&2; exec >&-")
    client = EngineClient(Declaration("nim", command, limits=PATIENT))
    with pytest.raises(ExternalGameFault, match=r"exit status 0.*standard error: closed"):
        client.ask("read", {"position": "x" * 10**6}, as_text)


def test_what_an_engine_writes_to_standard_error_is_kept_in_part_and_never_blocks_it() -> None:
    script = "read line; yes error | head -c 1000000 >&2; echo last words >&2"
    client = EngineClient(Declaration("nim", ("sh", "-c", script), limits=PATIENT))
    with pytest.raises(ExternalGameFault, match=r"last words$") as raised:
        client.ask("describe", {}, as_text)
    assert len(str(raised.value)) < 8000


def test_an_engine_cannot_use_more_memory_than_its_limit() -> None:
    command = small_engine().command[:3]
    script = "import sys; sys.stdin.readline(); print(len(bytearray(300 << 20)))"
    client = EngineClient(Declaration("nim", (*command, "-c", script), limits=replace(PATIENT, max_memory_mb=200)))
    with pytest.raises(ExternalGameFault, match=r"exit status 1.*MemoryError"):
        client.ask("describe", {}, as_text)


def test_no_process_is_left_after_a_client_is_closed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "open")
    script = f"read line; echo $$; sleep 3600 >{tmp_path}/open & wait"
    client = EngineClient(Declaration("nim", ("sh", "-c", script), limits=PATIENT))
    process = client.ask("describe", {}, as_number)
    with (tmp_path / "open").open("rb") as held_by_sleep:
        client.close()
        assert select.select([held_by_sleep], [], [], 60)[0], "what the engine had started has ended too"
    with pytest.raises(ChildProcessError):
        os.waitpid(process, 0)
    client.close()


def test_a_child_that_was_forked_leaves_the_engine_to_its_parent() -> None:
    game, settings = nim()
    child = os.fork()
    if not child:
        os._exit(0 if game.client._connection is None else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert str(game.start(settings, b"")) == "21 0"


def test_threads_take_turns() -> None:
    game, settings = nim()
    start = game.start(settings, b"")
    texts: list[str] = []

    def play(move: str) -> None:
        texts.extend(str(start.play(0, move)) for _ in range(50))

    threads = [threading.Thread(target=play, args=(move,)) for move in "123"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(texts) == sorted(["20 1", "19 1", "18 1"] * 50)


def serve_on(listening: socket.socket, answer: Callable[[bytes], bytes]) -> None:
    """Answer one line of each connection, then close it."""
    with listening:
        while True:
            try:
                accepted, _ = listening.accept()
            except OSError:
                return
            with accepted, accepted.makefile("rb") as lines:
                accepted.sendall(answer(lines.readline()))


@pytest.mark.parametrize("family", ["unix", "tcp"])
def test_an_engine_that_listens_is_asked_over_its_socket_and_connected_to_again(family: str, tmp_path: Path) -> None:
    listening = socket.socket(socket.AF_UNIX if family == "unix" else socket.AF_INET)
    listening.bind(str(tmp_path / "engine") if family == "unix" else ("127.0.0.1", 0))
    listening.listen()
    address = f"unix:{tmp_path}/engine" if family == "unix" else f"127.0.0.1:{listening.getsockname()[1]}"
    threading.Thread(target=serve_on, args=(listening, lambda line: line), daemon=True).start()
    client = EngineClient(Declaration("nim", address=address, limits=PATIENT))
    for number in (1, 2, 3):
        assert client.ask("echo", {}, as_text) == f'{{"id":{number},"ask":"echo"}}'
    assert len(client.ask("echo", {"position": "x" * 10**6}, as_text)) > 10**6
    client.close()
    listening.shutdown(socket.SHUT_RDWR)
    with pytest.raises(ExternalGameFault, match=f"cannot connect to {address}"):
        client.ask("echo", {}, as_text)


def test_a_connection_that_is_reset_is_a_fault() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"127.0.0.1:{listening.getsockname()[1]}"

    def reset_all() -> None:
        for _ in range(2):
            accepted, _ = listening.accept()
            accepted.recv(1 << 16)
            accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            accepted.close()

    thread = threading.Thread(target=reset_all)
    thread.start()
    client = EngineClient(Declaration("nim", address=address, limits=PATIENT))
    with listening, pytest.raises(ExternalGameFault, match="its answer cannot be read: Connection reset"):
        client.ask("echo", {}, as_text)
    thread.join()


def test_a_fork_closes_its_copy_of_the_connection() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"127.0.0.1:{listening.getsockname()[1]}"
    threading.Thread(target=serve_on, args=(listening, lambda line: line), daemon=True).start()
    client = EngineClient(Declaration("nim", address=address, limits=PATIENT))
    assert client.ask("echo", {}, as_text) == '{"id":1,"ask":"echo"}'
    client._forget()
    assert client.ask("echo", {}, as_text) == '{"id":2,"ask":"echo"}'
    client.close()
    client._forget()
    listening.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize(("max_reads", "kept"), [(1, ""), (2, "x" * KEPT_ERROR_BYTES)])
def test_what_is_read_of_standard_error_at_the_end_is_limited_and_never_awaited(
    monkeypatch: pytest.MonkeyPatch, max_reads: int, kept: str
) -> None:
    monkeypatch.setattr(engine_connection, "MAX_READS_AT_END", max_reads - 1)
    (reads, other), (errors, writes) = os.pipe(), os.pipe()
    os.write(writes, b"x" * 10_000)
    assert EngineConnection(os.dup(other), reads, errors).close() == ("", kept)
    monkeypatch.setattr(engine_connection, "MAX_READS_AT_END", 64)
    (reads, another), (errors, more) = os.pipe(), os.pipe()
    assert EngineConnection(os.dup(another), reads, errors).close() == ("", "")
    for file in (other, writes, another, more):
        os.close(file)


def test_memory_is_limited_on_linux_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    client = EngineClient(small_engine(limits=replace(PATIENT, max_memory_mb=1)))
    assert '"name": "nim"' in client.ask("describe", {}, as_text)
    client.close()


def test_the_module_of_clients_does_not_need_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "register_at_fork")
    EngineClient(small_engine()).close()
