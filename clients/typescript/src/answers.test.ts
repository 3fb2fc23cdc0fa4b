import assert from "node:assert/strict";
import { test } from "node:test";

import { answerItem, MAX_MOVE_CHARS } from "./answers.js";
import type { Answer } from "./bot.js";
import { makeTurn } from "./turn.js";

const turn = makeTurn({ matchId: "m1", seat: 1, token: "t1" });

function sentMove(answer: unknown): string {
  const { item } = answerItem(turn, answer, console);
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
    /match m1, seat 1: the answer has 2000000 characters, the limit is 1000/,
  );
});

test("an answer with an unpaired surrogate is sent with a replacement character, and reported", (t) => {
  const error = t.mock.method(console, "error", () => {});
  assert.equal(sentMove("c2\ud800c3"), "c2\ufffdc3");
  assert.match(error.mock.calls[0]?.arguments[0], /match m1, seat 1: the answer is not valid UTF-8/);
});

test("an answer that is neither text nor an answer is an error", () => {
  for (const answer of [undefined, null, 7, {}, { move: 7 }, { move: "c2-c3", score: 0.5 }]) {
    assert.throws(() => sentMove(answer), TypeError);
  }
});

test("each answer is an item of its own", () => {
  const item = (answer: Answer): unknown => {
    const { case: kind, value } = answerItem(turn, answer, console).item;
    const { $typeName, ...fields } = value as unknown as Record<string, unknown>;
    return { [kind!]: fields };
  };
  const seat = { matchId: "m1", seat: 1 };
  const move = { matchId: "m1", turnToken: "t1", move: "c2-c3" };
  assert.deepEqual(item("c2-c3"), { move: { ...move, offerDraw: false } });
  assert.deepEqual(item({ move: "c2-c3" }), { move: { ...move, offerDraw: false } });
  assert.deepEqual(item({ move: "c2-c3", offerDraw: true }), { move: { ...move, offerDraw: true } });
  assert.deepEqual(item({ resign: true }), { resignation: seat });
  assert.deepEqual(item({ acceptDraw: true }), { drawAnswer: { ...seat, accept: true } });
  assert.deepEqual(item({ claimDraw: true }), { drawClaim: seat });
});
