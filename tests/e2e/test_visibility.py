"""What the real server reveals of a match to its seats, spectators and operators."""

import hashlib
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from referee_api.v1 import clock_pb2, game_pb2, match_pb2, play_pb2, result_pb2

from tests.e2e.organiser import Organiser, call_method, new_organiser
from tests.e2e.server import ServerProcess, run_server
from tests.e2e.server_metrics import metrics

pytestmark = pytest.mark.slow

TOC = game_pb2.Rules(game="toc")
NIM = game_pb2.Rules(game="nim")
ONE_MS = clock_pb2.ClockRule(fischer=clock_pb2.Fischer(main_ms=1))
GROUPS = ("referee_append_group_count", "referee_append_group_sum")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with run_server(tmp_path_factory.mktemp("server")) as running:
        yield running


@contextmanager
def connect_organiser(server: ServerProcess, name: str, seats: int = 2) -> Iterator[Organiser]:
    with server.channel() as channel, new_organiser(server, channel, name, seats) as organiser:
        yield organiser


def watch_match(
    channel: grpc.Channel, secret: str, match_id: str, after: int = 0, limit: int | None = None
) -> list[Any]:
    """Watch a match. Return the snapshot and `many` entries after the number `after`, or all until the end."""
    call = call_method(channel, "MatchService/WatchMatch", secret, match_id=match_id, after_number=after)
    found: list[Any] = []
    for response in call:
        found += [getattr(item, item.WhichOneof("item")) for item in response.items]
        if limit is not None and len(found) > limit:
            call.cancel()
            return found[: limit + 1]
    return found


def kinds(entries: list[Any]) -> list[str]:
    """Return the kinds of events; an empty string for an entry whose event is hidden."""
    return [entry.WhichOneof("event") or "" for entry in entries]


def install_games(folder: Path, **games: str) -> None:
    """Install games as a Python package in `folder`: the name of each, and the object that defines it."""
    info = folder / "strange_games-1.dist-info"
    info.mkdir(exist_ok=True, parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: strange-games\nVersion: 1\n")
    listed = "".join(f"{name} = {record}\n" for name, record in games.items())
    (info / "entry_points.txt").write_text(f"[referee.games]\n{listed}")


def test_toc_gifts_are_hidden_until_the_last_one_and_then_shown_to_giver_and_receiver_only(
    server: ServerProcess,
) -> None:
    with connect_organiser(server, "sealed", 4) as organiser:
        match_id = organiser.start_match(rules=TOC)
        began = organiser.call("MatchService/GetMatch", match_id=match_id).state.entry_number
        gifts: list[str] = []
        for seat in range(4):
            turn = organiser.next_turn(seat)
            gifts.append(turn.legal_moves[0])
            organiser.submit_move(turn, gifts[seat])
        viewers: list[tuple[int | None, str]] = [(None, organiser.token), *enumerate(organiser.secrets)]
        for viewer, secret in viewers:
            _, *entries = watch_match(organiser.channel, secret, match_id, began, 4)
            assert kinds(entries) == ["choice_sealed", "choice_sealed", "choice_sealed", "move_played"]
            choices = [entry.choice_sealed for entry in entries[:3]]
            assert [choice.seat for choice in choices] == [0, 1, 2]
            assert [list(choice.state.seats_to_move) for choice in choices] == [[1, 2, 3], [2, 3], [3]]
            assert all(choice.clock_charge.arrived_us > choice.clock_charge.asked_us for choice in choices)
            gave = [entry.choice_sealed.state.position.split()[5].split("/") for entry in entries[:3]]
            assert {card for row in gave for card in row} - {"?", "-"} == (
                {gifts[viewer][1:]} if viewer is not None and viewer < 3 else set()
            )
            played = entries[3].move_played
            shown = {choice.seat: choice.move for choice in (*played.revealed, played.played)}
            known = () if viewer is None else (viewer, (viewer + 2) % 4)
            assert shown == {giver: gift if giver in known else "=?" for giver, gift in enumerate(gifts)}


def test_watchers_see_that_a_nonce_was_added_and_its_value_when_play_starts(server: ServerProcess) -> None:
    with connect_organiser(server, "nonces") as organiser:
        match_id = organiser.create_match(nonce_timeout_ms=600_000)
        bots = [organiser.connection(seat) for seat in (0, 1)]
        for seat, bot in enumerate(bots):
            assert bot.receive("nonce_request").seat == seat
        bots[1].send(nonce=play_pb2.Nonce(match_id=match_id, seat=1, nonce=b"from bert"))
        bots[1].receive("verdict")
        (_, *entries) = watch_match(organiser.channel, organiser.secrets[0], match_id, 0, 2)
        assert kinds(entries) == ["match_created", "nonce_added"]
        assert entries[1].nonce_added.seat == 1
        assert b"from bert" not in b"".join(entry.SerializeToString() for entry in entries)
        bots[0].send(nonce=play_pb2.Nonce(match_id=match_id, seat=0, nonce=b"from anna"))
        bots[0].receive("match_started")
        (_, *entries) = watch_match(organiser.channel, organiser.token, match_id, 2, 4)
        assert kinds(entries) == ["nonce_added", "seat_taken", "seat_taken", "play_started"]
        assert [nonce.nonce for nonce in entries[-1].play_started.seed_commitment.nonces] == [
            b"from anna",
            b"from bert",
        ]


def test_a_bot_whose_nonce_was_late_is_waited_for_again(server: ServerProcess) -> None:
    with connect_organiser(server, "late-nonces") as organiser:
        late = organiser.start_match(nonce_timeout_ms=1)
        bots = [organiser.connection(seat) for seat in (0, 1)]
        bots[0].send(nonce=play_pb2.Nonce(match_id=late, seat=0, nonce=b"late"))
        assert bots[0].receive("verdict").rejected.error.message == "nonce rejected: play has started"
        match_id = organiser.create_match(nonce_timeout_ms=600_000)
        bots[0].receive("nonce_request")
        bots[0].send(nonce=play_pb2.Nonce(match_id=match_id, seat=0, nonce=b"in time"))
        began = bots[0].receive("match_started").match
        assert [nonce.nonce for nonce in began.seed_commitment.nonces] == [b"in time", b""]


def test_a_flag_fall_is_shown_with_its_clock_charge_to_watchers_and_in_the_bot_log(server: ServerProcess) -> None:
    with connect_organiser(server, "flags") as organiser:
        match_id = organiser.start_match(rule=ONE_MS)
        ended = organiser.connection(0).receive("match_ended")
        assert ended.result.forfeited.forfeits[0].cause == result_pb2.FORFEIT_CAUSE_TIME
        _, *entries = watch_match(organiser.channel, organiser.token, match_id)
        assert kinds(entries)[-3:] == ["flag_fell", "seat_forfeited", "play_ended"]
        fell = entries[-3].flag_fell
        assert (fell.seat, fell.clock_charge.late, fell.clock_charge.before.main_us) == (0, True, 1_000)
        assert fell.clock_charge.charged_us > 1_000
        lines = organiser.call_as_bot(0, "BotService/ListBotLogEntries", bot=organiser.bots[0]).entries
        assert [line.clock_expired for line in lines if line.HasField("clock_expired")] == [fell.clock_charge]


def test_the_clock_of_the_seat_to_move_is_current(server: ServerProcess) -> None:
    with connect_organiser(server, "clocks") as organiser:
        match_id = organiser.start_match()
        organiser.next_turn(0)
        first = organiser.call("MatchService/GetMatch", match_id=match_id).state.clocks
        snapshot, *_ = watch_match(organiser.channel, organiser.token, match_id, 4, 0)
        last = organiser.call("MatchService/GetMatch", match_id=match_id).state.clocks
        times_us = [clocks[0].main_us for clocks in (first, snapshot.state.clocks, last)]
        assert times_us == sorted({*times_us}, reverse=True)
        assert times_us[0] < 3_600_000_000
        assert all(clocks[0].running and clocks[0].time_left_us > 0 for clocks in (first, snapshot.state.clocks, last))
        assert {clocks[1].main_us for clocks in (first, last)} == {3_600_000_000}


def test_a_finished_match_shows_size_and_hash_of_its_record(server: ServerProcess) -> None:
    with connect_organiser(server, "records") as organiser:
        match_id = organiser.start_match()
        assert not organiser.call("MatchService/GetMatch", match_id=match_id).match.HasField("record")
        organiser.call_as_bot(0, "MatchService/Resign", request_id="enough", match_id=match_id)
        record = organiser.call("MatchService/GetMatch", match_id=match_id).match.record
        chunks = organiser.call("MatchService/GetRecord", match_id=match_id)
        file = "".join(f"{line}\n" for chunk in chunks for line in chunk.lines).encode()
        assert (record.sha256, record.size_bytes) == (hashlib.sha256(file).digest(), len(file))
        assert watch_match(organiser.channel, organiser.token, match_id)[0].match.record == record


def test_rejections_in_a_stream_and_appends_are_counted(server: ServerProcess) -> None:
    names = [f'referee_refusals_total{{reason="{reason}"}}' for reason in ("ILLEGAL_MOVE", "STALE_TURN")]
    with connect_organiser(server, "counted") as organiser:
        before = metrics(server)
        match_id = organiser.start_match()
        turn = organiser.next_turn(0)
        organiser.connection(0).send(move=play_pb2.Move(match_id=match_id, turn_token=turn.turn_token, move="a1-a2"))
        assert organiser.connection(0).receive("verdict").HasField("rejected")
        organiser.connection(0).send(move=play_pb2.Move(match_id=match_id, turn_token="0.99.1", move="a1-a2"))
        assert organiser.connection(0).receive("verdict").HasField("stale")
        after = metrics(server)
        assert [after[name] - before.get(name, 0) for name in names] == [1, 1]
        groups, appends = (after[name] - before[name] for name in GROUPS)
        assert 1 <= groups <= appends


def test_the_usage_of_a_quota_counts_calls(server: ServerProcess) -> None:
    with connect_organiser(server, "callers") as organiser:
        before = organiser.call_as_admin("AdminService/GetQuota", holder="callers").usage.calls
        for _ in range(3):
            organiser.call("GameService/ListGames")
        assert organiser.call_as_admin("AdminService/GetQuota", holder="callers").usage.calls == before + 3


def test_the_data_directory_is_readable_only_by_its_owner(server: ServerProcess) -> None:
    data = server.log.parent / "data"
    assert (data / "referee.db").exists()
    assert stat.S_IMODE(data.stat().st_mode) == stat.S_IRWXU


def test_an_engine_fault_has_one_id_in_the_result_the_error_and_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "games"))
    install_games(tmp_path / "games", brittle="tests.match.games:BRITTLE")
    with run_server(tmp_path) as server, connect_organiser(server, "faults") as organiser:
        match_id = organiser.start_match(rules=game_pb2.Rules(game="brittle"))
        organiser.connection(0).send(
            move=play_pb2.Move(match_id=match_id, turn_token=organiser.next_turn(0).turn_token, move="2")
        )
        refusal = organiser.connection(0).receive("verdict").rejected.error
        voided = organiser.connection(1).receive("match_ended").result.voided
        assert voided.cause == result_pb2.VOID_CAUSE_ENGINE_FAULT
        assert voided.fault_id == refusal.metadata["fault_id"]
        assert organiser.call("MatchService/GetMatch", match_id=match_id).match.result.voided == voided
        assert watch_match(organiser.channel, organiser.token, match_id)[-1].play_ended.result.voided == voided
        (line,) = [line for line in server.log.read_text().splitlines() if voided.fault_id in line]
        assert "BrokenGame" in line


def test_a_match_whose_rules_have_changed_can_be_watched_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "games"))
    install_games(tmp_path / "games", nim="tests.third_party_games.third_party_games:NIM")
    with run_server(tmp_path) as server, connect_organiser(server, "changes") as organiser:
        match_id = organiser.start_match(rules=NIM)
        for seat, move in ((0, "1"), (1, "3"), (0, "1")):
            organiser.submit_move(organiser.next_turn(seat), move)
        server.kill()
    install_games(tmp_path / "games", nim="tests.match.games:ONE_OR_TWO")
    with run_server(tmp_path) as server, server.channel() as channel:
        snapshot, *entries = watch_match(channel, organiser.token, match_id)
        assert snapshot.match.phase == match_pb2.MATCH_PHASE_OVER
        assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
        assert kinds(entries)[-4:] == ["move_played", "", "", "play_ended"]
        voided = entries[-1].play_ended.result.voided
        assert voided.cause == result_pb2.VOID_CAUSE_ENGINE_FAULT
        assert voided.fault_id in server.log.read_text()


def test_a_repeated_resignation_gets_its_result_after_the_game_was_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "games"))
    install_games(tmp_path / "games", nim="tests.third_party_games.third_party_games:NIM")
    with run_server(tmp_path) as server, connect_organiser(server, "removed") as organiser:
        request = {"match_id": organiser.start_match(rules=NIM), "request_id": "r"}
        first = organiser.call_as_bot(1, "MatchService/Resign", **request)
        assert first.result.sides
        server.kill()
    install_games(tmp_path / "games")
    with run_server(tmp_path) as server, server.channel() as channel:
        again = call_method(channel, "MatchService/Resign", organiser.secrets[1], **request)
        assert again == first
