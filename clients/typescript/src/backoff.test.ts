import assert from "node:assert/strict";
import { test } from "node:test";

import { Backoff } from "./backoff.js";

function nextPausesMs(backoff: Backoff, count: number, random: number): number[] {
  return Array.from({ length: count }, () => backoff.nextMs(0, false, random));
}

test("pauses double up to ten seconds", () => {
  assert.deepEqual(nextPausesMs(new Backoff(), 6, 1), [750, 1_500, 3_000, 6_000, 10_000, 10_000]);
});

test("a pause is between a third of its limit and all of it", () => {
  assert.deepEqual(nextPausesMs(new Backoff(), 2, 0), [250, 500]);
  assert.deepEqual(nextPausesMs(new Backoff(), 2, 1), [750, 1_500]);
});

test("a session of ten seconds resets the backoff", () => {
  const backoff = new Backoff();
  nextPausesMs(backoff, 40, 0.5);
  backoff.onWelcome(0);
  assert.equal(backoff.nextMs(10_000, false, 1), 750);
  assert.equal(backoff.nextMs(20_000, false, 1), 1_500);
});

test("a session that ends soon after its Welcome does not reset the backoff", () => {
  const backoff = new Backoff();
  nextPausesMs(backoff, 2, 0.5);
  backoff.onWelcome(0);
  assert.equal(backoff.nextMs(9_999, false, 1), 3_000);
});

test("the pause after draining is at least the reconnect delay, and draining is not a failure", () => {
  const backoff = new Backoff();
  assert.deepEqual([backoff.afterDrainingMs(2_000, 0), backoff.afterDrainingMs(2_000, 1)], [2_000, 2_500]);
  assert.equal(backoff.nextMs(0, false, 1), 750);
});
