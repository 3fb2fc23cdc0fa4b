import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import type { Answer } from "./bot.js";
import { makeTurn } from "./turn.js";
import { WorkerPool } from "./worker-pool.js";

let pool: WorkerPool;

/** Creates a pool for a bot with this body of `choose`. */
function createPool(body: string, maxWorkers = 2, cancelTimeoutMs = 0): void {
  const code = `export default async function choose(turn, signal) { ${body} }`;
  pool = new WorkerPool(new URL(`data:text/javascript,${encodeURIComponent(code)}`), maxWorkers, cancelTimeoutMs);
}

interface Task {
  readonly answer: Promise<Answer>;
  cancel(): void;
}

function start(position = ""): Task {
  const controller = new AbortController();
  const answer = pool.choose(makeTurn({ position }), controller.signal);
  return {
    answer,
    cancel: () => {
      controller.abort();
    },
  };
}

afterEach(() => pool.close());

test("the pool returns the bot's answer", async () => {
  createPool("return { move: turn.position + '!', offerDraw: true };");
  assert.deepEqual(await start("c2-c3").answer, { move: "c2-c3!", offerDraw: true });
});

test("turns run in parallel and do not block the main thread", async () => {
  createPool("while (turn.position === 'long' && !turn.isCancelled()); return turn.position;");
  const long = start("long");
  assert.equal(await start("short").answer, "short"); // Behind the first, on the same thread, it would never run.
  long.cancel();
  await assert.rejects(long.answer);
});

test("there are no more workers than the maximum", async () => {
  createPool("globalThis.calls = (globalThis.calls ?? 0) + 1; return `${globalThis.calls}`;", 1);
  assert.deepEqual(await Promise.all([start().answer, start().answer]), ["1", "2"]);
});

test("a turn waits for the first worker that is free, not for a given one", async () => {
  createPool("while (turn.position !== 'short' && !turn.isCancelled()); return turn.position;");
  const long = start("long");
  const short = Array.from({ length: 6 }, () => start("short").answer);
  assert.deepEqual(await Promise.all(short), Array(6).fill("short"));
  long.cancel();
  await assert.rejects(long.answer, /cancelled/);
});

test("a computation that never ends is terminated when its turn is cancelled, and the next one runs", async () => {
  createPool("while (turn.position === 'endless'); return turn.position;", 1);
  for (let times = 0; times < 3; times++) {
    const [endless, next] = [start("endless"), start("next")];
    endless.cancel();
    await assert.rejects(endless.answer);
    assert.equal(await next.answer, "next");
  }
});

const NEVER_MS = 2 ** 31 - 1;

test("a computation that checks whether it is cancelled keeps its thread", async () => {
  const count = "globalThis.calls = (globalThis.calls ?? 0) + 1; ";
  createPool(
    `${count} while (turn.position === 'long' && !turn.isCancelled()); return \`\${globalThis.calls}\`;`,
    1,
    NEVER_MS,
  );
  const long = start("long");
  long.cancel();
  await assert.rejects(long.answer);
  assert.equal(await start().answer, "2");
});

test("the signal of a call that waits is aborted", async () => {
  const wait =
    "if (turn.position === 'long') await new Promise((resolve) => signal.addEventListener('abort', resolve));";
  createPool(`${wait} return turn.position;`, 1, NEVER_MS);
  const long = start("long");
  long.cancel();
  await assert.rejects(long.answer);
  assert.equal(await start("next").answer, "next");
});

test("a turn that is cancelled while it waits never runs", async () => {
  createPool("globalThis.calls = (globalThis.calls ?? 0) + 1; return `${globalThis.calls}`;", 1);
  const [first, second] = [start(), start()];
  second.cancel();
  await assert.rejects(second.answer, /cancelled/);
  assert.equal(await first.answer, "1");
  assert.equal(await start().answer, "2");
});

test("an error of the bot is passed on, and the bot is called again", async () => {
  createPool("if (turn.position === 'bad') throw new Error('no idea'); return 'c2-c3';");
  await assert.rejects(start("bad").answer, /no idea/);
  assert.equal(await start().answer, "c2-c3");
});

test("a bot that ends its thread fails, and gets another thread", async () => {
  createPool("if (turn.position === 'bad') process.exit(); return 'c2-c3';");
  await assert.rejects(start("bad").answer, /has ended its thread/);
  assert.equal(await start().answer, "c2-c3");
});
