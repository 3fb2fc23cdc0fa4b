"""The schema of the lines between the referee and an engine, and the test vectors."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import engines.external
from engines.api import REFEREE, SPECTATOR
from engines.external.answer_lines import Description, ErrorLine, State, check_description, check_state, read_answer
from engines.external.engine_connection import EngineConnection
from engines.external.external_game import ExternalGame, load_game
from engines.game_errors import GameError
from engines.testing.random_games import NONSENSE, game_path
from tests.engines.external.engines import served, small_engine
from tests.engines.external.served_game import GameServer
from tests.third_party_games.third_party_games import FINGERS

FOLDER = Path(engines.external.__file__).parent
SCHEMA = json.loads((FOLDER / "lines.schema.json").read_text(encoding="utf-8"))
VECTORS = json.loads((FOLDER / "vectors.json").read_text(encoding="utf-8"))


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})


def test_the_schema_is_valid_and_has_all_requests() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    asks = {each["$ref"].removeprefix("#/$defs/ask_") for each in SCHEMA["$defs"]["request"]["oneOf"]}
    assert {vector["request"]["ask"] for vector in VECTORS} | {"picture", "svg"} == asks


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector['request']['id']}-{vector['request']['ask']}")
def test_a_vector_follows_the_schema_and_is_what_the_same_game_in_python_answers(vector: dict[str, Any]) -> None:
    request, answer = vector["request"], vector["answer"]
    validator("request").validate(request)
    validator("answer").validate(answer)
    if request["ask"] in ("describe", "imagine"):
        return
    mine = json.loads(json.dumps(GameServer(FINGERS).answer(request)))
    assert mine.get("error") == answer.get("error")
    content = answer.get("ok", {})
    for name, value in content.items():
        theirs = mine["ok"][name]
        assert value == ([sorted(moves) for moves in theirs] if name == "moves" else theirs)


def test_the_answers_of_the_vectors_are_accepted() -> None:
    described = next(vector["answer"] for vector in VECTORS if vector["request"]["ask"] == "describe")
    said = read_answer(json.dumps(described).encode(), described["id"], Description)
    assert isinstance(said, Description)
    assert check_description(said, "fingers") == FINGERS.options
    for vector in VECTORS:
        if "position" in vector["answer"].get("ok", {}):
            state = read_answer(json.dumps(vector["answer"]).encode(), vector["answer"]["id"], State)
            assert not isinstance(state, ErrorLine)
            check_state(state, said, FINGERS.table(FINGERS.settings({"seats": 2})))


@pytest.fixture
def exchanged(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[bytes, bytes]]]:
    """All lines that the test exchanges with engines."""
    lines: list[tuple[bytes, bytes]] = []
    exchange = EngineConnection.exchange

    def recorded(connection: EngineConnection, line: bytes, max_s: float) -> bytes:
        answer = exchange(connection, line, max_s)
        lines.append((line, answer))
        return answer

    monkeypatch.setattr(EngineConnection, "exchange", recorded)
    load_game.cache_clear()
    yield lines
    load_game.cache_clear()


def ask_everything(game: ExternalGame) -> None:
    settings = game.settings()
    for position in game_path(game, settings, Random(1)):
        position.picture(REFEREE)
        game.svg(settings, position.view(SPECTATOR), None)
        game.read(str(position), settings)
        game.imagine(position.text(0), settings, b"1") if "imagine" in game.said.can else None
        for move in (*NONSENSE, "9"):
            with pytest.raises(GameError):
                position.play(0, move)
    with pytest.raises(GameError):
        game.read("nonsense", settings)


def test_all_lines_follow_the_schema(exchanged: list[tuple[bytes, bytes]]) -> None:
    for game in (load_game(small_engine()), load_game(served("fingers"))):
        ask_everything(game)
        game.client.close()
    asks = set()
    for line, answer in exchanged:
        assert line.endswith(b"\n")
        assert b"\n" not in line[:-1] + answer
        validator("request").validate(json.loads(line))
        validator("answer").validate(json.loads(answer))
        asks.add(json.loads(line)["ask"])
    assert asks == {each["$ref"].removeprefix("#/$defs/ask_") for each in SCHEMA["$defs"]["request"]["oneOf"]} - {
        "visible_move"
    }, "play says what is visible of its move"
