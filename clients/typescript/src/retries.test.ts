import assert from "node:assert/strict";
import { test } from "node:test";

import { CallError } from "./errors.js";
import { Pauses, repeat } from "./retries.js";

const UNAVAILABLE = failure("UNAVAILABLE");

function failure(status: string, retryAfterMs?: string): CallError {
  const metadata: Record<string, string> = retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs };
  return new CallError({ reason: "SOME_REASON", message: "no", metadata }, status);
}

/** Repeats attempts that fail with these errors first, and returns the outcome and the pauses. */
async function pausesAfter(...errors: Error[]): Promise<{ outcome: unknown; pauses: number[] }> {
  const pauses: number[] = [];
  const attempt = (): Promise<string> => {
    const error = errors.shift();
    return error ? Promise.reject(error) : Promise.resolve("done");
  };
  const pause = (ms: number): Promise<void> => Promise.resolve(void pauses.push(ms));
  const outcome = await repeat(attempt, undefined, pause).catch((error: unknown) => error);
  return { outcome, pauses };
}

test("the pause is what the server asks for", async () => {
  const errors = [failure("UNAVAILABLE", "1500"), failure("RESOURCE_EXHAUSTED", "20000")];
  assert.deepEqual(await pausesAfter(...errors), { outcome: "done", pauses: [1_500, 20_000] });
});

test("a time that is no number of milliseconds is a second", async () => {
  const { pauses } = await pausesAfter(failure("UNAVAILABLE", "soon"), failure("UNAVAILABLE", "60001"));
  assert.deepEqual(pauses, [1_000, 1_000]);
});

test("if the server asks for none, pauses become longer", async () => {
  const { outcome, pauses } = await pausesAfter(UNAVAILABLE, failure("UNAVAILABLE", "0"), UNAVAILABLE);
  assert.equal(outcome, "done");
  const limits = [500, 1_000, 2_000];
  assert(
    pauses.every((ms, i) => ms >= limits[i]! / 2 && ms <= limits[i]! * 1.5),
    pauses.join(),
  );
  assert.equal(pauses.length, 3);
});

test("progress makes pauses short again", () => {
  const pauses = new Pauses();
  for (let i = 0; i < 5; i++) {
    pauses.nextMs(UNAVAILABLE);
  }
  assert(pauses.nextMs(UNAVAILABLE) > 750);
  pauses.reset();
  assert(pauses.nextMs(UNAVAILABLE) <= 750);
});

test("the fifth failure is final", async () => {
  const { outcome, pauses } = await pausesAfter(...Array<Error>(5).fill(UNAVAILABLE));
  assert.equal(outcome, UNAVAILABLE);
  assert.equal(pauses.length, 4);
});

test("an aborted signal ends a pause, and no other attempt is made", async () => {
  const stop = new AbortController();
  let attempts = 0;
  const attempt = (): Promise<void> => {
    attempts++;
    setImmediate(() => {
      stop.abort();
    });
    return Promise.reject(failure("UNAVAILABLE", "60000"));
  };
  await assert.rejects(repeat(attempt, stop.signal), (error) => error === stop.signal.reason);
  assert.equal(attempts, 1);
});
