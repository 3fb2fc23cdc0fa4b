import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { create } from "@bufbuild/protobuf";

import type { Question } from "./desk.js";
import { TurnSchema } from "./stubs/referee_api/v1/play_pb.js";
import { Thinkers } from "./thinkers.js";

let thinkers: Thinkers;

/** A bot with this body of `choose`. */
function bot(body: string, atMost = 2): void {
  const code = `export default function choose({ turn, refused, wanted }) { ${body} }`;
  thinkers = new Thinkers(new URL(`data:text/javascript,${encodeURIComponent(code)}`), atMost, 0);
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

function isDropped(question: Question): void {
  Atomics.store(question.dropped, 0, 1);
  thinkers.drop(question);
}

test("turns are thought about at the same time, and the program is free meanwhile", async () => {
  bot("while (wanted()); return turn.position;");
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

test("a turn waits for whichever thread is free first, not for the one of another turn", async () => {
  bot("while (turn.position !== 'short' && wanted()); return turn.position;");
  const long = question("long");
  const thoughts = [long, ...Array.from({ length: 6 }, () => question("short"))].map((each) => thinkers.think(each));
  assert.deepEqual(await Promise.all(thoughts.slice(1)), Array(6).fill("short"));
  Atomics.store(long.dropped, 0, 1);
  assert.equal(await thoughts[0], "long");
});

test("a thought that never ends is ended when its turn is over, and the next turn has its place", async () => {
  bot("while (turn.position === 'endless'); return turn.position;", 1);
  for (let times = 0; times < 3; times++) {
    const endless = question("endless");
    const [never, next] = [thinkers.think(endless), thinkers.think(question("next"))];
    isDropped(endless);
    await assert.rejects(never);
    assert.equal(await next, "next");
  }
});

test("a turn that is over before its thought began is not thought about", async () => {
  bot("globalThis.asks = (globalThis.asks ?? 0) + 1; return `${globalThis.asks}`;", 1);
  const [first, second] = [question(), question()];
  const [one, two] = [thinkers.think(first), thinkers.think(second)];
  isDropped(second);
  await assert.rejects(two, /dropped/);
  assert.equal(await one, "1");
  assert.equal(await thinkers.think(question()), "2");
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
