import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { create } from "@bufbuild/protobuf";

import type { Question } from "./desk.js";
import { TurnSchema } from "./stubs/referee_api/v1/play_pb.js";
import { Thinkers } from "./thinkers.js";

let thinkers: Thinkers;

/** A bot with this body of `choose`. */
function bot(body: string, atMost?: number): void {
  const code = `export default function choose({ turn, refused, wanted }) { ${body} }`;
  thinkers = new Thinkers(new URL(`data:text/javascript,${encodeURIComponent(code)}`), atMost);
}

function question(position = ""): Question {
  const dropped = new Int32Array(new SharedArrayBuffer(4));
  return { turn: create(TurnSchema, { position }), refused: undefined, dropped };
}

afterEach(() => thinkers.close());

test("a bot is asked, and its answer comes back", async () => {
  bot("return turn.position + '!';");
  assert.equal(await thinkers.think(question("c2-c3")), "c2-c3!");
});

test("turns are thought about at the same time, and the program is free meanwhile", async () => {
  bot("while (wanted()); return turn.position;", 2);
  const [first, second] = [question("first"), question("second")];
  const [one, two] = [thinkers.think(first), thinkers.think(second)];
  Atomics.store(second.dropped, 0, 1);
  assert.equal(await two, "second"); // Behind the first, on the same thread, it would never be thought about.
  Atomics.store(first.dropped, 0, 1);
  assert.equal(await one, "first");
});

test("there are no more threads than allowed", async () => {
  bot("globalThis.asks = (globalThis.asks ?? 0) + 1; return `${globalThis.asks}`;", 1);
  const asks = await Promise.all([question(), question()].map((question) => thinkers.think(question)));
  assert.deepEqual(asks, ["1", "2"]);
});

test("what the bot throws is told, and it is asked again", async () => {
  bot("if (turn.position === 'bad') throw new Error('no idea'); return 'c2-c3';");
  await assert.rejects(thinkers.think(question("bad")), /no idea/);
  assert.equal(await thinkers.think(question()), "c2-c3");
});

test("a bot that ends its thread fails, and thinks on another", async () => {
  bot("if (turn.position === 'bad') process.exit(); return 'c2-c3';");
  await assert.rejects(thinkers.think(question("bad")), /has ended its thread/);
  assert.equal(await thinkers.think(question()), "c2-c3");
});
