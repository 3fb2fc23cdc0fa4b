import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { create, type MessageInitShape } from "@bufbuild/protobuf";

import { moveItem, resignationItem } from "./answers.js";
import { Desk, isWanted, type Owed, type Question } from "./desk.js";
import { type BotItem, TurnSchema, VerdictSchema } from "./stubs/referee_api/v1/play_pb.js";

let thoughts: Owed[];
let said: BotItem[];
let waits: number[];
let deeds: (() => void)[];
let dropped: Question[];
let desk: Desk;

beforeEach(() => {
  thoughts = [];
  said = [];
  waits = [];
  deeds = [];
  dropped = [];
  desk = new Desk({
    think: (owed) => thoughts.push(owed),
    say: (answer) => said.push(answer),
    later: (afterMs, deed) => {
      waits.push(afterMs);
      deeds.push(deed);
    },
    drop: (question) => dropped.push(question),
  });
});

function isAsked(matchId: string, seat: number, token: string): void {
  desk.asked(create(TurnSchema, { matchId, seat, turnToken: token }));
}

function finds(thought: number, move: string): void {
  const owed = thoughts[thought]!;
  desk.found(owed, moveItem(owed.question.turn, move));
}

function isJudged(verdict: MessageInitShape<typeof VerdictSchema>): void {
  desk.judged(create(VerdictSchema, verdict));
}

function isRefused(thought: number, message: string, metadata: Record<string, string> = {}): void {
  const { matchId, turnToken } = thoughts[thought]!.question.turn;
  isJudged({ matchId, turnToken, outcome: { case: "rejected", value: { error: { message, metadata } } } });
}

function waited(): void {
  deeds.forEach((deed) => deed());
}

function moves(): string[] {
  return said.map(({ item }) => (item.case === "move" ? item.value.move : ""));
}

function wanted(): boolean[] {
  return thoughts.map(({ question }) => isWanted(question));
}

function why(): (string | undefined)[] {
  return thoughts.map(({ question }) => question.refused?.message);
}

test("the same turn again is answered with the very same answer", () => {
  isAsked("m1", 0, "t1");
  finds(0, "c2-c3");
  isJudged({ itemId: 1n, matchId: "m1", turnToken: "t1", outcome: { case: "accepted", value: {} } });
  isAsked("m1", 0, "t1");
  assert.equal(thoughts.length, 1);
  assert.deepEqual(moves(), ["c2-c3", "c2-c3"]);
  assert.deepEqual(said[0], said[1]);
});

test("the same turn again is not thought about twice", () => {
  isAsked("m1", 0, "t1");
  isAsked("m1", 0, "t1");
  assert.deepEqual(wanted(), [true]);
  assert.deepEqual(said, []);
});

test("the same token in another match is another turn", () => {
  isAsked("m1", 0, "t1");
  isAsked("m2", 0, "t1");
  desk.lapsed("m2", "t1");
  assert.deepEqual(wanted(), [true, false]);
  finds(0, "c2-c3");
  assert.deepEqual(moves(), ["c2-c3"]);
});

test("a turn never has two answers", () => {
  isAsked("m1", 0, "t1");
  finds(0, "c2-c3");
  finds(0, "d2-d3");
  isAsked("m1", 0, "t1");
  assert.deepEqual(moves(), ["c2-c3", "c2-c3"]);
});

test("after a refusal the new token is thought about and says why", () => {
  isAsked("m1", 0, "t1");
  finds(0, "c9-c9");
  isRefused(0, "there is no c9");
  isAsked("m1", 0, "t2");
  isAsked("m1", 0, "t3");
  assert.deepEqual(why(), [undefined, "there is no c9", undefined]);
});

test("a refusal that names a time is no verdict on the answer", () => {
  isAsked("m1", 0, "t1");
  finds(0, "c2-c3");
  isRefused(0, "the log is away", { retry_after_ms: "250" });
  assert.deepEqual(waits, [250]);
  waited();
  assert.deepEqual(moves(), ["c2-c3", "c2-c3"]);
});

test("a resignation that the referee cannot take now is said again", () => {
  isAsked("m1", 0, "t1");
  desk.found(thoughts[0]!, resignationItem(thoughts[0]!.question.turn));
  const error = { metadata: { retry_after_ms: "250" } };
  isJudged({ itemId: said[0]!.itemId, matchId: "m1", outcome: { case: "rejected", value: { error } } });
  waited();
  assert.equal(said.length, 2);
  assert.deepEqual(said[0], said[1]);
});

test("what is stale or lapsed or followed by another turn is wanted no more", () => {
  isAsked("m1", 0, "t1");
  isAsked("m1", 1, "t2");
  isAsked("m1", 2, "t3");
  isJudged({ matchId: "m1", turnToken: "t1", outcome: { case: "stale", value: {} } });
  desk.lapsed("m1", "t2");
  isAsked("m1", 2, "t4");
  assert.deepEqual(wanted(), [false, false, false, true]);
  assert.deepEqual(
    dropped,
    thoughts.slice(0, 3).map(({ question }) => question),
  );
  for (const thought of [0, 1, 2]) {
    finds(thought, "c2-c3");
  }
  assert.deepEqual(said, []);
});

test("a match that ended is forgotten and the others are not", () => {
  isAsked("m1", 0, "t1");
  isAsked("m1", 1, "t2");
  isAsked("m2", 0, "t3");
  desk.ended("m1");
  desk.ended("m1");
  assert.deepEqual(wanted(), [false, false, true]);
});
