"""The test vectors of clients, run on the Python SDK without a connection."""

import asyncio
import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from referee_api.v1 import error_pb2, match_pb2, play_pb2, seed_pb2
from referee_client import (
    ACCEPT_DRAW,
    CLAIM_DRAW,
    RESIGN,
    Answer,
    Choice,
    Match,
    MatchEnded,
    Misconfigured,
    NotAllowed,
    TakenOver,
    Turn,
)
from referee_client.address import address
from referee_client.answers import answer_item
from referee_client.backoff import Backoff
from referee_client.bot import Key
from referee_client.nonces import NONCE_BYTES, Nonces
from referee_client.playing import EXIT_STATUS, session_options
from referee_client.runners import BotFailed, BotRunner
from referee_client.seats import Seats
from referee_client.session import Session

from tests.clients.vectors import load_vectors

PROBLEMS = {
    "commitment replaced": "the referee has replaced its commitment to the seed",
    "seed does not match": "the seed of the referee does not match its commitment",
    "nonce missing": "the seed was made without the nonce of seat",
    "nonce replaced": "the seed was made with another nonce of seat",
    "random nonce": "a random one is sent",
}
ANSWERS: dict[str, Answer] = {"resigns": RESIGN, "accepts_draw": ACCEPT_DRAW, "claims_draw": CLAIM_DRAW}
NEEDS = {"draws", "hooks", "rules"}


def vectors(*files: str) -> pytest.MarkDecorator:
    loaded = [vector for file in files for vector in load_vectors(file)]
    assert {need for vector in loaded for need in vector.get("needs", ())} <= NEEDS
    return pytest.mark.parametrize("vector", loaded, ids=[vector["name"] for vector in loaded])


class FakeRunner(BotRunner):
    """Bot whose answers are set by the steps of a vector."""

    def __init__(self) -> None:
        self.calls: list[Turn] = []
        self.tells: list[Any] = []
        self.cancelled: list[Any] = []
        self._waiting: dict[tuple[str, int, str], asyncio.Future[Answer]] = {}

    async def choose(self, key: Key, turn: Turn) -> Answer:
        self.calls.append(turn)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[*key, turn.token] = answer
        try:
            return await answer
        except asyncio.CancelledError:
            self.cancelled.append({"match": key[0], "seat": key[1], "token": turn.token})
            raise

    async def started(self, key: Key, match: Match) -> None:
        self.tells.append({"started": {"match": match.id, "seat": key[1]}})

    async def ended(self, key: Key, end: MatchEnded) -> None:
        self.tells.append({"ended": {"match": end.match_id, "seat": key[1]}})

    def answer(self, match: str, seat: int, token: str, **answer: Any) -> None:
        waiting = self._waiting[match, seat, token]
        if waiting.done():  # The call was cancelled.
            return
        if "fails" in answer:
            waiting.set_exception(BotFailed("no idea"))
        elif "move" in answer:
            waiting.set_result(Choice(answer["move"], answer.get("offer_draw", False)))
        else:
            [kind] = answer
            waiting.set_result(ANSWERS[kind])

    def close(self) -> None:
        """Nothing to do."""


class FakeClock:
    """Time that passes when a step says so."""

    def __init__(self) -> None:
        self._now_ms = 0
        self._due: list[tuple[int, Callable[[], None]]] = []

    def schedule(self, delay_s: float, callback: Callable[[], None]) -> None:
        self._due.append((self._now_ms + round(delay_s * 1_000), callback))

    def advance(self, ms: int) -> None:
        self._now_ms += ms
        due = [entry for entry in self._due if entry[0] <= self._now_ms]
        self._due = [entry for entry in self._due if entry not in due]
        for _, callback in due:
            callback()


class Harness:
    """A session without a connection."""

    def __init__(self, backoff: Backoff | None = None) -> None:
        self.runner = FakeRunner()
        self.clock = FakeClock()
        self.seats = Seats(self.runner, schedule=self.clock.schedule)
        self.sent: list[play_pb2.BotItem] = []
        self.answer_ids: dict[tuple[str, int, str], int] = {}
        self.session = Session(session_options(environ={}), self.seats, backoff or Backoff())
        self.session._outbox = SimpleNamespace(put=self.sent.append)  # type: ignore[assignment]  # It only records.
        self.seats.connect(self.sent.append)

    async def run(self, step: dict[str, Any]) -> None:
        self.runner.calls.clear()
        self.runner.tells.clear()
        self.runner.cancelled.clear()
        self.sent.clear()
        self._act({**step})
        for _ in range(10):  # Let all tasks run until they wait.
            await asyncio.sleep(0)
        if self.sent and (answered := step.get("answer")):
            self.answer_ids[answered["match"], answered["seat"], answered["token"]] = self.sent[-1].item_id

    def _act(self, step: dict[str, Any]) -> None:
        if "receive" in step:
            for item in step["receive"]:
                self.session._handle(self._item(item))
        elif "answer" in step:
            self.runner.answer(**step["answer"])
        elif "advance_ms" in step:
            self.clock.advance(step["advance_ms"])
        elif step["stream"] == "ends":
            self.seats.disconnect()
        else:
            self.seats.connect(self.sent.append)

    def _item(self, item: dict[str, Any]) -> play_pb2.RefereeItem:
        [(kind, fields)] = item.items()
        fields = {**fields}
        match_id, seat = fields.pop("match", ""), fields.pop("seat", 0)
        made: dict[str, Any] = {}
        if kind == "turn":
            message = play_pb2.Turn(match_id=match_id, seat=seat, turn_token=fields["token"])
            message.repeated = fields.get("repeated", False)
            if "game" in fields:
                message.rules.game = fields["game"]
            made["turn"] = message
        elif kind == "verdict":
            made["verdict"] = self._verdict(match_id, fields)
        elif kind == "turn_expired":
            made["turn_expired"] = play_pb2.TurnExpired(match_id=match_id, turn_token=fields["token"])
        elif kind == "match_started":
            match = match_pb2.Match(id=match_id)
            match.terms.rules.game = fields.get("game", "alquerque")
            made["match_started"] = play_pb2.MatchStarted(match=match, seat=seat)
        elif kind == "match_ended":
            made["match_ended"] = play_pb2.MatchEnded(match_id=match_id, seat=seat)
        elif kind == "ping":
            made["ping"] = play_pb2.Ping(id=int(fields["id"]))
        elif kind == "nonce_request":
            commitment = bytes.fromhex(fields["commitment"])
            made["nonce_request"] = play_pb2.NonceRequest(match_id=match_id, seat=seat, commitment=commitment)
        else:
            made[kind] = {
                "draining": play_pb2.Draining,
                "session_taken_over": play_pb2.SessionTakenOver,
                "welcome": play_pb2.Welcome,
            }[kind](**fields)
        return play_pb2.RefereeItem(**made)

    def _verdict(self, match_id: str, fields: dict[str, Any]) -> play_pb2.Verdict:
        verdict = play_pb2.Verdict(match_id=match_id, turn_token=fields.get("token", ""))
        if of := fields.get("item_id_of"):
            verdict.item_id = self.answer_ids[of["match"], of["seat"], of["token"]]
        if "rejected" in fields:
            error = error_pb2.ErrorDetail(**fields["rejected"])
            verdict.rejected.error.CopyFrom(error)
        elif "stale" in fields:
            verdict.stale.SetInParent()
        elif "accepted" in fields:
            verdict.accepted.SetInParent()
        return verdict


def sent_form(item: play_pb2.BotItem) -> dict[str, Any]:
    """Return an item as the vectors have it."""
    match item.WhichOneof("item"):
        case "move":
            move = item.move
            offer = {"offer_draw": True} if move.offer_draw else {}
            return {"move": {"match": move.match_id, "token": move.turn_token, "move": move.move, **offer}}
        case "pong":
            return {"pong": {"id": str(item.pong.id)}}
        case kind:
            message = getattr(item, str(kind))
            accept = {"accept": message.accept} if kind == "draw_answer" else {}
            return {str(kind): {"match": message.match_id, "seat": message.seat, **accept}}


@vectors("turns", "open_turns")
async def test_turns(vector: dict[str, Any]) -> None:
    harness = Harness()
    item_ids: dict[str, int] = {}
    for number, step in enumerate(vector["steps"]):
        await harness.run(step)
        where = f"step {number}: {step}"
        assert [sent_form(item) for item in harness.sent] == step.get("sends", []), where
        assert harness.runner.cancelled == step.get("cancels", []), where
        assert harness.runner.tells == step.get("tells", harness.runner.tells), where
        calls = [(turn.match_id, turn.seat, turn.token) for turn in harness.runner.calls]
        expected = step.get("calls", [])
        assert calls == [(call["match"], call["seat"], call["token"]) for call in expected], where
        for turn, call in zip(harness.runner.calls, expected, strict=True):
            assert (turn.rejection.message if turn.rejection else None) == call["rejection"], where
            assert turn.game == call.get("game", turn.game), where
        for item in harness.sent:
            if not (item.HasField("pong") or item.HasField("nonce")):
                assert item_ids.setdefault(str(sent_form(item)), item.item_id) == item.item_id > 0, where
    assert len(set(item_ids.values())) == len(item_ids)
    harness.seats.close()


@vectors("settings")
def test_settings(vector: dict[str, Any], tmp_path: Path) -> None:
    files = {"certificate.pem": vector["certificate"], **vector.get("files", {})}
    environ = dict(vector["environment"])
    for name, content in files.items():
        (tmp_path / name).write_text(content, newline="")
    for name in (*files, "missing"):
        environ = {key: text.replace(f"{{{name}}}", str(tmp_path / name)) for key, text in environ.items()}
    if "error" in vector:
        with pytest.raises(Misconfigured) as raised:
            effective_settings(environ)
        assert vector["error"] in str(raised.value)
        assert vector.get("secret", "no such text") not in str(raised.value)
        assert EXIT_STATUS[raised.type] == vector["exit"]
    else:
        assert effective_settings(environ) == vector["settings"]


def effective_settings(environ: dict[str, str]) -> dict[str, Any]:
    """Return the settings as the vectors have them. Raises Misconfigured."""
    referee, options = address(None, None, None, environ), session_options(environ=environ)
    referee.channel().close()
    return {
        "referee": referee.target,
        "tls": referee.tls,
        "own_roots": bool(referee.ca),
        "token": referee.token,
        "version": options.version,
        "max_matches": options.max_matches,
        "verdicts_with_turns": options.verdicts_with_turns,
    }


@vectors("answers")
def test_answers(vector: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    if "utf8" in vector:
        text = bytes.fromhex(vector["utf8"]).decode("utf-8", "surrogateescape")
    elif "utf16" in vector:
        units = b"".join(unit.to_bytes(2, "little") for unit in vector["utf16"])
        text = units.decode("utf-16-le", "surrogatepass")
    else:
        text = vector["text"] if "text" in vector else vector["repeat"][0] * vector["repeat"][1]
    answer = Choice(text, score=vector.get("score"))
    message = answer_item(Turn("m1", 0, "t1", "alquerque", {}, 0, ""), answer).move
    sent = message.move
    assert (message.score if message.HasField("score") else None) == vector.get("sent_score")
    if "sent_pattern" in vector:
        assert re.search(vector["sent_pattern"], sent)
        assert len(sent) == vector.get("sent_chars", len(sent))
    else:
        assert sent == (vector["sent"] if "sent" in vector else vector["sent_repeat"][0] * vector["sent_repeat"][1])
    assert len(caplog.messages) == vector["reports"]


@vectors("nonces")
def test_nonces(vector: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    def choose(_match_id: str, _seat: int) -> bytes:
        return {"fails": b"", "large": bytes(65)}.get(own) or bytes.fromhex(own)

    def fail(_match_id: str, _seat: int) -> bytes:
        raise KeyError("no idea")

    own = vector["own"]
    nonces = Nonces() if own is None else Nonces(fail if own == "fails" else choose)
    sent = [nonces.on_request(nonce_request(request)).nonce.nonce for request in vector["requests"]]
    fresh = [nonce for nonce, expected in zip(sent, vector["nonces"], strict=True) if expected.get("nonce") == "random"]
    assert len(set(fresh)) == len(fresh)
    for nonce, expected in zip(sent, vector["nonces"], strict=True):
        if "same_as" in expected:
            assert nonce == sent[expected["same_as"]]
        elif expected["nonce"] == "random":
            assert len(nonce) == NONCE_BYTES
        else:
            assert nonce == bytes.fromhex(expected["nonce"])
    if started := vector.get("started"):
        commitment = bytes.fromhex(started["commitment"])
        nonces.on_match_started(started["match"], seed_pb2.SeedCommitment(commitment=commitment))
    for ended in vector["ended"]:
        nonces.on_match_ended(ended["match"], published(ended))
    assert len(caplog.messages) == len(vector["reports"])
    for message, report in zip(caplog.messages, vector["reports"], strict=True):
        assert PROBLEMS[report] in message


def nonce_request(request: dict[str, Any]) -> play_pb2.NonceRequest:
    commitment = bytes.fromhex(request["commitment"])
    return play_pb2.NonceRequest(match_id=request["match"], seat=request["seat"], commitment=commitment)


def published(ended: dict[str, Any]) -> seed_pb2.SeedCommitment:
    nonces = [seed_pb2.SeatNonce(seat=seat, nonce=bytes.fromhex(text)) for seat, text in enumerate(ended["nonces"])]
    commitment, seed = bytes.fromhex(ended["commitment"]), bytes.fromhex(ended["seed"])
    return seed_pb2.SeedCommitment(commitment=commitment, seed=seed, nonces=nonces)


def test_the_commitments_of_the_vectors_are_hashes() -> None:
    honest = load_vectors("nonces")[0]
    assert hashlib.sha256(bytes.fromhex(honest["ended"][0]["seed"])).hexdigest() == honest["started"]["commitment"]


@vectors("backoff")
def test_backoff(vector: dict[str, Any]) -> None:
    for random_number in (0, 1):
        now = [0.0]
        backoff = Backoff(lambda fixed=random_number: fixed, lambda clock=now: clock[0])  # type: ignore[misc]  # Defaults.
        for end in vector["ends"]:
            now[0] += 20
            if end["welcomed_ms"] is not None:
                backoff.on_welcome()
                now[0] += end["welcomed_ms"] / 1_000
            draining = end.get("draining_ms")
            if draining is None:
                pause_s = backoff.after_failure(end.get("open_turn", False))
            else:
                pause_s = backoff.after_draining(draining / 1_000)
            assert round(pause_s * 1_000) == end["pause_ms"][random_number], end


class StreamError(grpc.RpcError):
    """The end of a stream with a status."""

    def __init__(self, status: dict[str, Any]) -> None:
        self._status = status

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode[self._status["code"]]

    def details(self) -> str:
        return "why"

    def trailing_metadata(self) -> tuple[Any, ...]:
        details = self._status["details"]
        return (SimpleNamespace(key="grpc-status-details-bin", value=bytes.fromhex(details)),) if details else ()


@vectors("ends")
@pytest.mark.parametrize("random_number", [0, 1])
def test_ends(vector: dict[str, Any], random_number: int) -> None:
    async def scenario() -> float:
        backoff = Backoff(lambda: random_number)
        harness = Harness(backoff)
        for _ in range(vector.get("failures", 0)):
            backoff.after_failure()

        async def messages() -> Any:
            yield SimpleNamespace(items=[harness._item(item) for item in vector["received"]])
            if vector["status"]["code"] != "OK":
                raise StreamError(vector["status"])

        stream: Any = SimpleNamespace(messages=messages)
        return await harness.session._handle_messages(stream)

    if "exit" in vector:
        with pytest.raises((NotAllowed, TakenOver)) as raised:
            asyncio.run(scenario())
        assert EXIT_STATUS[raised.type] == vector["exit"]
    else:
        assert round(asyncio.run(scenario()) * 1_000) == vector["pause_ms"][random_number]
