import assert from "node:assert/strict";
import { test } from "node:test";

import { create } from "@bufbuild/protobuf";

import { MOVE_CHARS, moveItem } from "./answers.js";
import { TurnSchema } from "./stubs/referee_api/v1/play_pb.js";

const turn = create(TurnSchema, { matchId: "m1", seat: 0, turnToken: "t1" });

function sent(answer: unknown): string {
  const { item } = moveItem(turn, answer);
  return item.case === "move" ? item.value.move : "";
}

test("a move of any permitted length is sent as it is", () => {
  for (const move of ["c2-c3", "", "😀".repeat(MOVE_CHARS)]) {
    assert.equal(sent(move), move);
  }
});

test("an answer longer than any move is sent too long to be a move, and named", (t) => {
  const told = t.mock.method(console, "error", () => {});
  assert.equal(sent("😀".repeat(2_000_000)), "😀".repeat(MOVE_CHARS + 1));
  assert.match(
    told.mock.calls[0]?.arguments[0],
    /match m1, seat 0: the answer has 2000000 characters, the limit is 1000/,
  );
});

test("an answer that is not valid UTF-8 is sent as what is no move, and named", (t) => {
  const told = t.mock.method(console, "error", () => {});
  assert.equal(sent("c2\ud800c3"), "c2\ufffdc3");
  assert.match(told.mock.calls[0]?.arguments[0], /match m1, seat 0: the answer is not valid UTF-8/);
});

test("an answer that is no text is none", () => {
  for (const answer of [undefined, null, 7, {}]) {
    assert.throws(() => sent(answer), TypeError);
  }
});
