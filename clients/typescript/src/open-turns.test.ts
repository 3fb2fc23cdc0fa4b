import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { create, type MessageInitShape } from "@bufbuild/protobuf";

import { answerItem, resignationItem } from "./answers.js";
import type { Answer } from "./bot.js";
import { type OpenTurn, OpenTurns } from "./open-turns.js";
import { type BotItem, VerdictSchema } from "./stubs/referee_api/v1/play_pb.js";
import { makeTurn } from "./turn.js";

// What the callbacks were called with.
let turns: OpenTurn[];
let sent: BotItem[];
let delaysMs: number[];
let scheduled: (() => void)[];
let openTurns: OpenTurns;

beforeEach(() => {
  turns = [];
  sent = [];
  delaysMs = [];
  scheduled = [];
  openTurns = new OpenTurns({
    choose: (open) => turns.push(open),
    send: (answer) => sent.push(answer),
    schedule: (delayMs, callback) => {
      delaysMs.push(delayMs);
      scheduled.push(callback);
    },
  });
});

function receiveTurn(matchId: string, seat: number, token: string): void {
  openTurns.onTurn(makeTurn({ matchId, seat, token }));
}

/** Answers the turn with this index, in the order of the calls of the bot. */
function answer(index: number, answer: Answer): void {
  const open = turns[index]!;
  openTurns.setAnswer(open, answerItem(open.turn, answer, console));
}

function receiveVerdict(verdict: MessageInitShape<typeof VerdictSchema>): void {
  openTurns.onVerdict(create(VerdictSchema, verdict));
}

function reject(index: number, message: string, metadata: Record<string, string> = {}): void {
  const { matchId, token: turnToken } = turns[index]!.turn;
  receiveVerdict({ matchId, turnToken, outcome: { case: "rejected", value: { error: { message, metadata } } } });
}

function runScheduled(): void {
  scheduled.forEach((callback) => {
    callback();
  });
}

function sentMoves(): string[] {
  return sent.map(({ item }) => (item.case === "move" ? item.value.move : ""));
}

/** For each turn, whether it is cancelled. */
function cancelled(): boolean[] {
  return turns.map(({ turn }) => turn.isCancelled());
}

/** For each turn, the message of the rejection that was passed to the bot. */
function rejections(): (string | undefined)[] {
  return turns.map(({ turn }) => turn.rejection?.message);
}

test("a repeated turn gets the same answer", () => {
  receiveTurn("m1", 0, "t1");
  answer(0, "c2-c3");
  receiveVerdict({ itemId: 1n, matchId: "m1", turnToken: "t1", outcome: { case: "accepted", value: {} } });
  receiveTurn("m1", 0, "t1");
  assert.equal(turns.length, 1);
  assert.deepEqual(sentMoves(), ["c2-c3", "c2-c3"]);
  assert.deepEqual(sent[0], sent[1]);
});

test("the bot is called once for a repeated turn", () => {
  receiveTurn("m1", 0, "t1");
  receiveTurn("m1", 0, "t1");
  assert.deepEqual(cancelled(), [false]);
  assert.deepEqual(sent, []);
});

test("the same token in another match is another turn", () => {
  receiveTurn("m1", 0, "t1");
  receiveTurn("m2", 0, "t1");
  openTurns.onTurnExpired("m2", "t1");
  assert.deepEqual(cancelled(), [false, true]);
  answer(0, "c2-c3");
  assert.deepEqual(sentMoves(), ["c2-c3"]);
});

test("only the first answer to a turn is sent", () => {
  receiveTurn("m1", 0, "t1");
  answer(0, "c2-c3");
  answer(0, "d2-d3");
  receiveTurn("m1", 0, "t1");
  assert.deepEqual(sentMoves(), ["c2-c3", "c2-c3"]);
});

test("the next attempt has the rejection of the previous one", () => {
  receiveTurn("m1", 0, "t1");
  answer(0, "c9-c9");
  reject(0, "there is no c9");
  receiveTurn("m1", 0, "t2");
  receiveTurn("m1", 0, "t3");
  assert.deepEqual(rejections(), [undefined, "there is no c9", undefined]);
});

test("an answer that is rejected temporarily is sent again after the delay", () => {
  receiveTurn("m1", 0, "t1");
  answer(0, "c2-c3");
  reject(0, "the log is unavailable", { retry_after_ms: "250" });
  assert.deepEqual(delaysMs, [250]);
  assert.deepEqual(sentMoves(), ["c2-c3"]);
  runScheduled();
  assert.deepEqual(sentMoves(), ["c2-c3", "c2-c3"]);
});

test("a resignation that is rejected temporarily is sent again", () => {
  receiveTurn("m1", 0, "t1");
  openTurns.setAnswer(turns[0]!, resignationItem(turns[0]!.turn));
  const error = { metadata: { retry_after_ms: "250" } };
  receiveVerdict({ itemId: sent[0]!.itemId, matchId: "m1", outcome: { case: "rejected", value: { error } } });
  runScheduled();
  assert.equal(sent.length, 2);
  assert.deepEqual(sent[0], sent[1]);
});

test("a turn that is stale, expired or replaced is cancelled", () => {
  receiveTurn("m1", 0, "t1");
  receiveTurn("m1", 1, "t2");
  receiveTurn("m1", 2, "t3");
  receiveVerdict({ matchId: "m1", turnToken: "t1", outcome: { case: "stale", value: {} } });
  openTurns.onTurnExpired("m1", "t2");
  receiveTurn("m1", 2, "t4");
  assert.deepEqual(cancelled(), [true, true, true, false]);
  assert.deepEqual(
    turns.map(({ controller }) => controller.signal.aborted),
    cancelled(),
  );
  for (const index of [0, 1, 2]) {
    answer(index, "c2-c3");
  }
  assert.deepEqual(sent, []);
});

test("the end of a match cancels its turns only", () => {
  receiveTurn("m1", 0, "t1");
  receiveTurn("m1", 1, "t2");
  receiveTurn("m2", 0, "t3");
  openTurns.onMatchEnded("m1");
  openTurns.onMatchEnded("m1");
  assert.deepEqual(cancelled(), [true, true, false]);
});

test("a rejected draw claim is the reason for another call, whose answer has another item id", () => {
  receiveTurn("m1", 0, "t1");
  answer(0, { claimDraw: true });
  const error = { message: "no draw here" };
  receiveVerdict({ itemId: sent[0]!.itemId, matchId: "m1", outcome: { case: "rejected", value: { error } } });
  assert.deepEqual(rejections(), [undefined, "no draw here"]);
  answer(1, "c2-c3");
  assert.deepEqual(sentMoves(), ["", "c2-c3"]);
  assert.notEqual(sent[0]!.itemId, sent[1]!.itemId);
});

test("all calls are cancelled when the bot stops to play", () => {
  receiveTurn("m1", 0, "t1");
  receiveTurn("m2", 0, "t1");
  openTurns.closeAll();
  assert.deepEqual(cancelled(), [true, true]);
});
