import assert from "node:assert/strict";
import { test } from "node:test";

import { Backoff } from "./backoff.js";

function nextPausesMs(backoff: Backoff, count: number, random: number): number[] {
  return Array.from({ length: count }, () => backoff.nextMs(0, random));
}

test("pauses double up to ten seconds", () => {
  assert.deepEqual(nextPausesMs(new Backoff(), 7, 0.5), [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
});

test("jitter changes a pause by up to half", () => {
  assert.deepEqual(nextPausesMs(new Backoff(), 2, 0), [250, 500]);
  assert.deepEqual(nextPausesMs(new Backoff(), 2, 1), [750, 1_500]);
});

test("a session of ten seconds resets the backoff", () => {
  const backoff = new Backoff();
  nextPausesMs(backoff, 40, 0.5);
  backoff.onWelcome(0);
  assert.equal(backoff.nextMs(10_000, 0.5), 500);
  assert.equal(backoff.nextMs(20_000, 0.5), 1_000);
});

test("a session that ends soon after its Welcome does not reset the backoff", () => {
  const backoff = new Backoff();
  nextPausesMs(backoff, 2, 0.5);
  backoff.onWelcome(0);
  assert.equal(backoff.nextMs(9_999, 0.5), 2_000);
});

test("the pause after draining is at least the reconnect delay, and draining is not a failure", () => {
  const backoff = new Backoff();
  assert.deepEqual([backoff.afterDrainingMs(2_000, 0), backoff.afterDrainingMs(2_000, 1)], [2_000, 2_500]);
  assert.equal(backoff.nextMs(0, 0.5), 500);
});
