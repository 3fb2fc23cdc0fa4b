import assert from "node:assert/strict";
import { test } from "node:test";

import { Backoff } from "./backoff.js";

function waits(backoff: Backoff, breaks: number, chance: number): number[] {
  return Array.from({ length: breaks }, () => backoff.nextMs(chance));
}

test("waits double up to ten seconds", () => {
  assert.deepEqual(waits(new Backoff(), 7, 0.5), [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
});

test("chance takes away or adds up to a half", () => {
  assert.deepEqual(waits(new Backoff(), 2, 0), [250, 500]);
  assert.deepEqual(waits(new Backoff(), 2, 1), [750, 1_500]);
});

test("after a welcome the first wait is short again", () => {
  const backoff = new Backoff();
  waits(backoff, 40, 0.5);
  backoff.welcomed();
  assert.equal(backoff.nextMs(0.5), 500);
});
