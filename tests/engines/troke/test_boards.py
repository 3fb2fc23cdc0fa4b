"""The four boards agree with the data, line by line; and callers can bring their own board."""

import json
import random
import re
from itertools import combinations, pairwise
from typing import Any

import pytest

from engines.game_errors import BadOption, MalformedMove
from engines.testing.agreement import check_agreement
from engines.troke import GAME
from engines.troke.boards import BOARDS, EDGES
from tests.engines.second.troke_reference import BOARDS as DATA
from tests.engines.second.troke_reference import REFERENCE
from tests.engines.troke.positions import start

ANSI = re.compile(r"\x1b\[\d+m")
COUNTS = {"diamond40": (40, 126, 25), "octagon52": (52, 170, 37), "cross48": (48, 150, 33), "compact32": (32, 98, 21)}


@pytest.mark.parametrize("name", COUNTS)
def test_a_shipped_board_equals_the_board_in_the_data_file(name: str) -> None:
    board, data = BOARDS[name], DATA[name]
    assert [(cell["id"], cell["x"], cell["y"]) for cell in data["cells"]] == [
        (circle, *place) for circle, place in zip(board.names, board.places, strict=True)
    ]
    assert sorted(sorted(edge) for edge in data["edges"]) == sorted(
        sorted((board.names[circle], board.names[other])) for circle, other in board.lines
    )
    for colour, edge in enumerate(EDGES):
        assert [board.names[circle] for circle in board.rows[colour]] == data["start"][edge]
        assert list(board.ahead[colour]) == data["forward"][edge]


@pytest.mark.parametrize("name", COUNTS)
def test_an_own_board_from_the_data_file_plays_the_same(name: str) -> None:
    own = start(own_board=json.dumps(DATA[name], indent=1))
    shipped = start(board=name)
    assert str(own) == str(shipped)
    for _ in range(12):
        assert own.moves(own.owing[0]) == shipped.moves(shipped.owing[0])
        move = own.moves(own.owing[0])[-1]
        own, shipped = own.play(own.owing[0], move), shipped.play(shipped.owing[0], move)


def bent() -> dict[str, Any]:
    """Return a board like compact32 with its corners pulled in, so that rows are bent and lines have odd angles."""
    board: dict[str, Any] = json.loads(json.dumps(DATA["compact32"]))
    for cell in board["cells"]:
        cell["x"], cell["y"] = 3 * cell["x"], 3 * cell["y"]
        if cell["id"] in {"b1", "e1"}:
            cell["y"] += 1
        if cell["id"] in {"a2", "a5"}:
            cell["x"] += 1
        if cell["id"] == "c3":
            cell["id"] = "x99"
    board["edges"] = [["x99" if end == "c3" else end for end in edge] for edge in board["edges"]]
    del board["uncircled_crossings"]
    return board


def test_an_irregular_board_agrees_with_the_reference() -> None:
    first = start(own_board=json.dumps(bent()), goal_pieces="sideways", seats=4)
    check_agreement(GAME, REFERENCE, first, 60, random.Random(1))


def test_an_irregular_board_is_drawn_as_far_as_characters_allow() -> None:
    lines = ANSI.sub("", start(own_board=json.dumps(bent())).picture(0)).splitlines()
    assert lines[28].startswith("1                    (rrr)         ╲     │")
    assert lines[29].startswith(" " * 38 + "╲  │  ╱"), "the line from b1 to c1 is at an odd angle"
    assert "╳" in lines[3]


def test_a_step_along_an_irregular_goal_row_counts_as_sideways() -> None:
    settings = GAME.settings({"own_board": json.dumps(bent()), "goal_pieces": "sideways"})
    at = GAME.read("b1:Tw,d4:Tr w", settings)
    assert str(at.play(1, "Tb1-c1")).endswith(" back=Tc1-b1")


def small() -> str:
    """Return a board on which all circles are near, so that a turn can touch three rows."""
    row = ["c", "d", "e", "f"]
    cells = [{"id": f"{file}{rank}", "x": 2 + x, "y": rank - 1} for x, file in enumerate(row) for rank in (1, 3)]
    cells += [
        {"id": f"{file}{rank}", "x": x, "y": rank - 1} for x, file in ((0, "a"), (7, "h")) for rank in (1, 2, 3, 4)
    ]
    cells.append({"id": "b1", "x": 1, "y": 0})
    edges = [[f"{file}{rank}", f"{other}{rank}"] for file, other in pairwise(row) for rank in (1, 3)]
    edges += [[f"{file}{rank}", f"{file}{rank + 1}"] for file in "ah" for rank in (1, 2, 3)]
    edges += [[f"{file}1", f"{file}3"] for file in row] + [["a1", "b1"], ["b1", "c1"], ["f1", "h1"]]
    start = {"S": [f"{file}1" for file in row], "N": [f"{file}3" for file in row]}
    start |= {"W": ["a1", "a2", "a3", "a4"], "E": ["h1", "h2", "h3", "h4"]}
    return json.dumps({**DATA["compact32"], "cells": cells, "edges": edges, "start": start})


def test_carry_home_does_not_apply_to_own_pieces_or_next_to_arrived_ones() -> None:
    settings = GAME.settings({"own_board": small(), "carry_home": "forbidden", "side_rows": "allowed"})
    own = GAME.read("a1:Tr,b1:Wr r", settings)
    assert "Ta1xb1-c1" in own.moves(0), "a red wall may come back to Red's start row with Red"
    arrived = GAME.read("c1:WrMw,d1:Tr r", settings)
    assert "Td1xc1-c3" in arrived.moves(0), "the white moat stays where it has arrived"


def test_own_board_replaces_board() -> None:
    own = GAME.settings({"board": "cross48", "own_board": json.dumps(DATA["compact32"])})
    with pytest.raises(MalformedMove, match="no circle h8"):
        GAME.start(own, b"").play(0, "Tc1-h8")


def with_(**entries: object) -> dict[str, Any]:
    return {**DATA["compact32"], **entries}


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in DATA["compact32"].items() if key != name}


def cell(number: int, **entries: object) -> dict[str, Any]:
    cells = [dict(circle) for circle in DATA["compact32"]["cells"]]
    cells[number].update(entries)
    return with_(cells=cells)


def side(name: str, row: object) -> dict[str, Any]:
    return with_(start={**DATA["compact32"]["start"], name: row})


def forward(name: str, way: object) -> dict[str, Any]:
    return with_(forward={**DATA["compact32"]["forward"], name: way})


WITHOUT_C3 = [edge for edge in DATA["compact32"]["edges"] if "c3" not in edge]
CROWDED = [*DATA["compact32"]["edges"], *(["c3", end] for end in ("a3", "e3", "c1", "c5"))]
MANY = [{"id": f"{file}{rank}", "x": x, "y": rank} for x, file in enumerate("abcdef") for rank in range(1, 31)]

WRONG: list[tuple[object, str]] = [
    ([], "the board must be an object, not '[]'"),
    (with_(colour="red"), "the board has an unknown entry 'colour'; known: cells, edges, forward, start"),
    (without("edges"), "the board has no edges"),
    (with_(cells={}), "cells must be a list, not '{}'"),
    (with_(cells=MANY), "there are 180 cells; the maximum is 128"),
    (with_(cells=["b1"]), "a cell must be an object, not 'b1'"),
    (with_(cells=[{"id": "b1", "x": 1}]), "a cell has no y"),
    (cell(0, id="B1"), "a cell has the id 'B1'; an id must be a letter a to z and a number 1 to 99, like d5"),
    (cell(0, id="b٣"), "a cell has the id"),
    (cell(0, id=7), "a cell has the id '7'"),
    (cell(0, x=1.5), "x and y of b1 must be whole numbers from 0 to 40, not '1.5'"),
    (cell(0, x=True), "x and y of b1 must be whole numbers"),
    (cell(0, y=41), "x and y of b1 must be whole numbers"),
    (cell(1, id="b1"), "the cell b1 is listed twice; each id must be unique"),
    (cell(1, x=1), "b1 and c1 are both at x 1, y 0; each cell must have a place of its own"),
    (with_(edges=7), "edges must be a list, not '7'"),
    (with_(edges=["b1"]), "an edge must be a list, not 'b1'"),
    (with_(edges=[["b1", "c1", "d1"]]), "does not connect two cells; an edge must be a pair of ids"),
    (with_(edges=[["b1", "z9"]]), "an edge names the cell 'z9', which is not in cells"),
    (with_(edges=[["b1", 3]]), "an edge names the cell '3'"),
    (with_(edges=[["b1", "b1"]]), "an edge leads from b1 to itself; it must connect two different cells"),
    (with_(edges=[["b1", "c1"], ["c1", "b1"]]), "the edge between c1 and b1 is listed twice; each edge must be unique"),
    (with_(start=[]), "start must be an object"),
    (with_(start={"S": []}), "start has no E; required: E, N, S, W"),
    (side("S", ["b1", "c1", "d1"]), "the start row S has 3 cells; it must have four"),
    (side("S", ["b1", "c1", "d1", "z1"]), "the start row S names the cell 'z1'"),
    (
        side("S", ["b1", "c1", "d1", "d1"]),
        "d1 is a start cell twice; the four start rows must have sixteen different cells",
    ),
    (side("S", ["b1", "c1", "d1", "b6"]), "b6 is a start cell twice"),
    (
        side("S", ["b1", "d1", "c1", "e1"]),
        "no edge connects b1 and d1; a start row must be listed from one end to the other",
    ),
    (with_(edges=CROWDED), "12 edges lead from c3; the maximum is 8"),
    (with_(edges=WITHOUT_C3), "there is no path from b1 to c3; all cells must be connected"),
    (with_(forward=[]), "forward must be an object"),
    (forward("N", [0]), "forward of N is '[0]'; it must be two whole numbers from -40 to 40, not both 0, like [0, 1]"),
    (forward("N", [0, 0]), "forward of N is '[0, 0]'"),
    (forward("N", [0, -41]), "forward of N is '[0, -41]'"),
    (forward("N", [0, 0.5]), "forward of N is '[0, 0.5]'"),
    (forward("N", [0, True]), "forward of N is '[0, True]'"),
    (forward("N", 7), "forward of N must be a list, not '7'"),
    (forward("N", [0, 1]), "white cannot get from its start row N to its goal row S without a backward step"),
]


@pytest.mark.parametrize(("board", "wrong"), WRONG, ids=[wrong for _, wrong in WRONG])
def test_the_error_for_an_invalid_board_says_what_is_wrong(board: object, wrong: str) -> None:
    with pytest.raises(BadOption) as caught:
        GAME.settings({"own_board": json.dumps(board)})
    assert wrong in str(caught.value)
    assert caught.value.details["option"] == "own_board"


def test_an_own_board_is_stored_in_canonical_form_without_remarks() -> None:
    remarked = json.dumps({**DATA["diamond40"], "uncircled_crossings": "x" * 40_000}, indent=1)
    plain = GAME.settings({"own_board": json.dumps(DATA["diamond40"])})
    assert GAME.settings({"own_board": remarked}) == plain == GAME.settings(plain.texts())
    assert "uncircled" not in plain.choice("own_board")
    assert GAME.settings({"own_board": ""}).choice("own_board") == ""


def test_the_largest_own_board_has_less_than_16_kib() -> None:
    settings = GAME.settings({"own_board": json.dumps(largest())})
    assert 9_000 < len(settings.choice("own_board")) < 16_384


def test_a_board_with_too_many_edges_is_rejected_before_they_are_parsed() -> None:
    cells = largest()["cells"]
    edges = [[circle["id"], other["id"]] for circle, other in combinations(cells[:40], 2)]
    with pytest.raises(BadOption, match="there are more than 512 edges"):
        GAME.settings({"own_board": json.dumps({**largest(), "edges": edges})})


def largest() -> dict[str, Any]:
    """Return a board of 128 circles, each connected to the eight around it."""
    places = {f"{chr(ord('k') + x)}{y + 10}": (x, y) for x in range(16) for y in range(8)}
    lines = [
        [name, other]
        for (name, (x, y)), (other, (to_x, to_y)) in combinations(places.items(), 2)
        if max(abs(x - to_x), abs(y - to_y)) == 1
    ]
    rows = {"S": [(x, 0) for x in range(1, 5)], "N": [(x, 7) for x in range(1, 5)]}
    rows |= {"W": [(0, y) for y in range(1, 5)], "E": [(15, y) for y in range(1, 5)]}
    named = {place: name for name, place in places.items()}
    return {
        "cells": [{"id": name, "x": x + 25, "y": y + 25} for name, (x, y) in places.items()],
        "edges": lines,
        "start": {edge: [named[place] for place in row] for edge, row in rows.items()},
        "forward": {"S": [0, 1], "N": [0, -1], "W": [1, 0], "E": [-1, 0]},
    }


@pytest.mark.parametrize("text", ["{", "NaN,", "[" * 65_536, f"[{'9' * 5000}]", "cells", "\x00"])
def test_a_text_that_is_not_json_is_no_board(text: str) -> None:
    with pytest.raises(BadOption, match="the text is not JSON"):
        GAME.settings({"own_board": text[:65_536]})
