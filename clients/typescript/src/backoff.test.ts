import assert from "node:assert/strict";
import { test } from "node:test";

import { Backoff } from "./backoff.js";

function waits(backoff: Backoff, breaks: number, chance: number): number[] {
  return Array.from({ length: breaks }, () => backoff.nextMs(0, chance));
}

test("waits double up to ten seconds", () => {
  assert.deepEqual(waits(new Backoff(), 7, 0.5), [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
});

test("chance takes away or adds up to a half", () => {
  assert.deepEqual(waits(new Backoff(), 2, 0), [250, 500]);
  assert.deepEqual(waits(new Backoff(), 2, 1), [750, 1_500]);
});

test("after a session of ten seconds the first wait is short again", () => {
  const backoff = new Backoff();
  waits(backoff, 40, 0.5);
  backoff.welcomed(0);
  assert.equal(backoff.nextMs(10_000, 0.5), 500);
  assert.equal(backoff.nextMs(20_000, 0.5), 1_000);
});

test("after a session that broke soon after its Welcome the wait is as long as without one", () => {
  const backoff = new Backoff();
  waits(backoff, 2, 0.5);
  backoff.welcomed(0);
  assert.equal(backoff.nextMs(9_999, 0.5), 2_000);
});

test("after draining nobody comes earlier than asked for, and it counts as no failure", () => {
  const backoff = new Backoff();
  assert.deepEqual([backoff.afterDrainingMs(2_000, 0), backoff.afterDrainingMs(2_000, 1)], [2_000, 2_500]);
  assert.equal(backoff.nextMs(0, 0.5), 500);
});
