import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { create } from "@bufbuild/protobuf";

import type { TurnTask } from "./open-turns.js";
import { TurnSchema } from "./stubs/referee_api/v1/play_pb.js";
import { WorkerPool } from "./worker-pool.js";

let pool: WorkerPool;

/** Creates a pool for a bot with this body of `choose`. */
function createPool(body: string, maxWorkers = 2): void {
  const code = `export default function choose({ turn, isCancelled }) { ${body} }`;
  pool = new WorkerPool(new URL(`data:text/javascript,${encodeURIComponent(code)}`), maxWorkers, 0);
}

function createTask(position = ""): TurnTask {
  const cancelled = new Int32Array(new SharedArrayBuffer(4));
  return { turn: create(TurnSchema, { position }), rejection: undefined, cancelled };
}

/** Tells the bot that the task is cancelled, but not the pool. */
function markAsCancelled(task: TurnTask): void {
  Atomics.store(task.cancelled, 0, 1);
}

function cancel(task: TurnTask): void {
  markAsCancelled(task);
  pool.cancel(task);
}

afterEach(() => pool.close());

test("the pool returns the bot's move", async () => {
  createPool("return turn.position + '!';");
  assert.equal(await pool.run(createTask("c2-c3")), "c2-c3!");
});

test("tasks run in parallel and do not block the main thread", async () => {
  createPool("while (!isCancelled()); return turn.position;");
  const [first, second] = [createTask("first"), createTask("second")];
  const [firstMove, secondMove] = [pool.run(first), pool.run(second)];
  markAsCancelled(second);
  assert.equal(await secondMove, "second"); // Behind the first, on the same thread, it would never run.
  markAsCancelled(first);
  assert.equal(await firstMove, "first");
});

test("there are no more workers than the maximum", async () => {
  createPool("globalThis.calls = (globalThis.calls ?? 0) + 1; return `${globalThis.calls}`;", 1);
  const calls = await Promise.all([createTask(), createTask()].map((task) => pool.run(task)));
  assert.deepEqual(calls, ["1", "2"]);
});

test("a task waits for the first worker that is free, not for a given one", async () => {
  createPool("while (turn.position !== 'short' && !isCancelled()); return turn.position;");
  const long = createTask("long");
  const moves = [long, ...Array.from({ length: 6 }, () => createTask("short"))].map((task) => pool.run(task));
  assert.deepEqual(await Promise.all(moves.slice(1)), Array(6).fill("short"));
  markAsCancelled(long);
  assert.equal(await moves[0], "long");
});

test("a computation that never ends is terminated when its turn is cancelled, and the next task runs", async () => {
  createPool("while (turn.position === 'endless'); return turn.position;", 1);
  for (let times = 0; times < 3; times++) {
    const endless = createTask("endless");
    const [endlessMove, nextMove] = [pool.run(endless), pool.run(createTask("next"))];
    cancel(endless);
    await assert.rejects(endlessMove);
    assert.equal(await nextMove, "next");
  }
});

test("a task that is cancelled while it waits never runs", async () => {
  createPool("globalThis.calls = (globalThis.calls ?? 0) + 1; return `${globalThis.calls}`;", 1);
  const [first, second] = [createTask(), createTask()];
  const [firstMove, secondMove] = [pool.run(first), pool.run(second)];
  cancel(second);
  await assert.rejects(secondMove, /cancelled/);
  assert.equal(await firstMove, "1");
  assert.equal(await pool.run(createTask()), "2");
});

test("an error of the bot is passed on, and the bot is called again", async () => {
  createPool("if (turn.position === 'bad') throw new Error('no idea'); return 'c2-c3';");
  await assert.rejects(pool.run(createTask("bad")), /no idea/);
  assert.equal(await pool.run(createTask()), "c2-c3");
});

test("a bot that ends its thread fails, and gets another thread", async () => {
  createPool("if (turn.position === 'bad') process.exit(); return 'c2-c3';");
  await assert.rejects(pool.run(createTask("bad")), /has ended its thread/);
  assert.equal(await pool.run(createTask()), "c2-c3");
});
