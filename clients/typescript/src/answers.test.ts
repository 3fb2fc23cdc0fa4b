import assert from "node:assert/strict";
import { test } from "node:test";

import { create } from "@bufbuild/protobuf";

import { MAX_MOVE_CHARS, moveItem } from "./answers.js";
import { TurnSchema } from "./stubs/referee_api/v1/play_pb.js";

const turn = create(TurnSchema, { matchId: "m1", seat: 0, turnToken: "t1" });

function sentMove(answer: unknown): string {
  const { item } = moveItem(turn, answer);
  return item.case === "move" ? item.value.move : "";
}

test("a move of any permitted length is sent unchanged", () => {
  for (const move of ["c2-c3", "", "😀".repeat(MAX_MOVE_CHARS)]) {
    assert.equal(sentMove(move), move);
  }
});

test("an answer that is too long is cut to one character more than permitted, and reported", (t) => {
  const error = t.mock.method(console, "error", () => {});
  assert.equal(sentMove("😀".repeat(2_000_000)), "😀".repeat(MAX_MOVE_CHARS + 1));
  assert.match(
    error.mock.calls[0]?.arguments[0],
    /match m1, seat 0: the answer has 2000000 characters, the limit is 1000/,
  );
});

test("an answer with an unpaired surrogate is sent with a replacement character, and reported", (t) => {
  const error = t.mock.method(console, "error", () => {});
  assert.equal(sentMove("c2\ud800c3"), "c2\ufffdc3");
  assert.match(error.mock.calls[0]?.arguments[0], /match m1, seat 0: the answer is not valid UTF-8/);
});

test("an answer that is not a string is an error", () => {
  for (const answer of [undefined, null, 7, {}]) {
    assert.throws(() => sentMove(answer), TypeError);
  }
});
