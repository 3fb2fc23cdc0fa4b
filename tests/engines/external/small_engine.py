"""An engine of nim in a few lines, without any of our code: `python small_engine.py [REQUEST FAULT [FILE]]`.

With a request and a fault, the answer to each such request shows that fault; with a file, only while it does not exist.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

DESCRIPTION: dict[str, Any] = {
    "protocol": 1,
    "name": "nim",
    "version": 1,
    "title": "Nim",
    "rules": "NIM-1  Take one, two or three from the heap; who takes the last has won.",
    "notation": {"move": "How many are taken: 1, 2 or 3.", "position": "21 0: the heap, and the seat to move."},
    "view_schema": {"type": "object"},
    "options": [
        {"kind": "count", "name": "heap", "default": 21, "least": 1, "most": 1000, "meaning": "How many there are."},
        {"kind": "flag", "name": "fast", "default": False, "meaning": "Nothing."},
        {"kind": "choice", "name": "table", "default": "round", "choices": ["round", "square"], "meaning": "Nothing."},
        {"kind": "text", "name": "motto", "default": "", "takes": "a text", "max_chars": 9, "meaning": "Nothing."},
    ],
    "presets": [{"name": "short", "meaning": "Ten.", "chosen": {"heap": 10}}],
    "can": ["imagine", "picture", "svg"],
}


class Refused(Exception):
    pass


def state(heap: int, seat: int) -> Any:
    winner = {"reason": "last_taken", "scores": [seat, 1 - seat], "side_scores": [seat, 1 - seat]}
    return {
        "position": f"{heap} {seat}",
        "owing": [seat] if heap else [],
        "moves": [[str(many) for many in (3, 2, 1) if many <= heap]] if heap else [],
        "standing": [0, 0],
        "view": {"heap": heap},
        "outcome": None if heap else winner,
    }


def read(asked: Any) -> tuple[int, int]:
    heap, _, seat = asked["position"].partition(" ")
    if not heap.isdigit() or seat not in ("0", "1") or str(int(heap)) != heap:
        raise Refused("malformed_position", "it is the heap and the seat to move")
    return int(heap), int(seat)


def play(asked: Any) -> Any:
    heap, seat = read(asked)
    if asked["move"] not in tuple("123456789"):
        raise Refused("malformed_move", "it is 1, 2 or 3")
    if int(asked["move"]) > min(3, heap):
        raise Refused("illegal_move", "so many may not be taken", "NIM-1")
    return state(heap - int(asked["move"]), 1 - seat)


def table(asked: Any) -> Any:
    if asked["settings"]["motto"] == "bad":
        raise Refused("bad_option", "another text", "", "motto")
    return {"seats": ["first", "second"], "sides": [[0], [1]]}


ANSWERS: dict[str, Any] = {
    "describe": lambda _: DESCRIPTION,
    "table": table,
    "start": lambda asked: state(asked["settings"]["heap"], 0),
    "read": lambda asked: state(*read(asked)),
    "imagine": lambda asked: state(*read(asked)),
    "play": play,
    "picture": lambda asked: f"{asked['position']} for {asked['viewer']}",
    "svg": lambda asked: f"<svg>{asked['view']['heap']}</svg>",
}


def crash(_: Any) -> Any:
    sys.stderr.write("the dice\nare gone\n")
    sys.exit(3)


def endless(_: Any) -> Any:
    while True:
        sys.stdout.write("x" * 65536)


def changed(**fields: Any) -> Any:
    return lambda answer: json.dumps({**answer, "ok": {**answer["ok"], **fields}})


def refused(kind: str, rule: str = "") -> Any:
    def fault(answer: Any) -> str:
        return json.dumps({"id": answer["id"], "error": {"kind": kind, "sentence": "it is Sunday", "rule": rule}})

    return fault


FAULTS: dict[str, Any] = {
    "crash": crash,
    "die": lambda _: os.kill(os.getpid(), 9),
    "hang": lambda _: time.sleep(3600),
    "endless": endless,
    "garbage": lambda _: "I think, therefore",
    "deep": lambda _: "[" * 100_000,
    "two_lines": lambda answer: f"{json.dumps(answer)}\n{json.dumps(answer)}",
    "wrong_id": lambda answer: json.dumps({**answer, "id": answer["id"] + 1}),
    "nothing": lambda answer: json.dumps({"id": answer["id"]}),
    "unknown_field": changed(claimble="never"),
    "refusal": refused("illegal_move", "R-1"),
    "no_rule": refused("illegal_move"),
    "failure": refused("fault"),
    "long_sentence": lambda answer: json.dumps({"id": answer["id"], "error": {"kind": "x", "sentence": "x" * 2000}}),
    "no_moves": changed(moves=[[]]),
    "no_lists": changed(moves=[]),
    "stranger": changed(owing=[7]),
    "disorder": changed(owing=[1, 0], moves=[["1"], ["1"]]),
    "twice": changed(moves=[["1", "1"]]),
    "blank_move": changed(moves=[[""]]),
    "long_move": changed(moves=[["1" * 65]]),
    "both": changed(outcome={"reason": "x", "scores": [0, 0], "side_scores": [0, 0]}),
    "scores": changed(owing=[], moves=[], outcome={"reason": "x", "scores": [], "side_scores": [0, 0]}),
    "side_scores": changed(owing=[], moves=[], outcome={"reason": "x", "scores": [0, 0], "side_scores": []}),
    "reason": changed(owing=[], moves=[], outcome={"reason": "a b", "scores": [0, 0], "side_scores": [0, 0]}),
    "standing": changed(standing=[]),
    "claim": changed(claimable="because of it"),
    "default": changed(defaults=["9"]),
    "defaults": changed(defaults=[]),
    "few_moves": changed(moves=[["1"]]),
    "secret": changed(seen={"spectator": {"text": "?", "view": 0}, "seats": []}),
    "other_game": changed(name="chess"),
    "other_protocol": changed(protocol=2),
    "other_skill": changed(can=["win"]),
    "old": changed(version=0),
    "skills": changed(can=[]),
    "options": changed(options=DESCRIPTION["options"] * 2),
    "many_options": changed(options=DESCRIPTION["options"] * 20),
    "option_name": changed(options=[{"kind": "flag", "name": "A b", "default": True, "meaning": "x."}], presets=[]),
    "preset": changed(presets=[{"name": "x", "meaning": "x.", "chosen": {"moon": True}}]),
    "position_limit": changed(max_position_chars=10**6),
    "move_limit": changed(max_move_chars=0),
    "hides": changed(hides=True),
    "hides_moves": changed(hides_moves=True),
    "sides": changed(sides=[[0]]),
    "seats": changed(seats=[], sides=[]),
}


def main(faulty: str = "", fault: str = "", file: str = "") -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = {"id": asked["id"], "ok": ANSWERS[asked["ask"]](asked)}
        except Refused as why:
            error = dict(zip(("kind", "sentence", "rule", "option"), why.args, strict=False))
            answer = {"id": asked["id"], "error": error}
        written = json.dumps(answer)
        if asked["ask"] == faulty and not (file and Path(file).exists()):
            if file:
                Path(file).touch()
            written = FAULTS[fault](answer)
        sys.stdout.write(written + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
