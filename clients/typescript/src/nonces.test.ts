import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { create } from "@bufbuild/protobuf";

import { MAX_NONCE_BYTES, NONCE_BYTES, Nonces } from "./nonces.js";
import { type BotItem, NonceRequestSchema } from "./stubs/referee_api/v1/play_pb.js";
import { type SeedCommitment, SeedCommitmentSchema } from "./stubs/referee_api/v1/seed_pb.js";

const SEED = Buffer.alloc(32, 7);
const OTHER = Buffer.from("other");
const MINE = Buffer.from("mine");
const THEIRS = Buffer.from("theirs");
const NONE = Buffer.alloc(0);

function commitmentTo(seed: Uint8Array): Uint8Array {
  return createHash("sha256").update(seed).digest();
}

function request(seat: number) {
  return create(NonceRequestSchema, { matchId: "m1", seat, commitment: commitmentTo(SEED) });
}

/** What a referee publishes that committed to one seed and revealed another. */
function published(committed: Uint8Array, revealed: Uint8Array, ...nonces: Uint8Array[]): SeedCommitment {
  const listed = nonces.map((nonce, seat) => ({ seat, nonce }));
  return create(SeedCommitmentSchema, { commitment: commitmentTo(committed), seed: revealed, nonces: listed });
}

function nonceIn({ item }: BotItem): Uint8Array {
  return item.case === "nonce" ? item.value.nonce : NONE;
}

test("each request gets a random nonce, and a repeated one the same again", () => {
  const nonces = new Nonces(undefined, (problem) => assert.fail(problem));
  const [first, again, other] = [1, 1, 0].map((seat) => nonceIn(nonces.onRequest(request(seat))));
  assert.equal(first?.length, NONCE_BYTES);
  assert.deepEqual(again, first);
  assert.notDeepEqual(other, first);
});

const REPLACED = "match m1: the referee has replaced its commitment to the seed";
const WRONG_SEED = "match m1: the seed of the referee does not match its commitment";
const WITHOUT = "match m1: the seed was made without the nonce of seat 0: it was late, or the referee ignored it";
const ANOTHER = "match m1: the seed was made with another nonce of seat 0 than the one that was sent";

for (const [name, end, reported] of [
  ["an honest end", published(SEED, SEED, MINE, NONE), []],
  ["a seed that is not published yet", published(SEED, NONE, MINE, NONE), []],
  ["nothing published", undefined, []],
  ["another seed", published(SEED, OTHER, MINE, NONE), [WRONG_SEED]],
  ["another commitment", published(OTHER, OTHER, MINE, NONE), [REPLACED, WRONG_SEED]],
  ["a nonce that was ignored", published(SEED, SEED, NONE, THEIRS), [WITHOUT]],
  ["no nonces", published(SEED, SEED), [WITHOUT]],
  ["another nonce", published(SEED, SEED, THEIRS), [ANOTHER]],
] as const) {
  test(`the end of a match with ${name} is reported once as it is`, () => {
    const reports: string[] = [];
    const nonces = new Nonces(
      () => MINE,
      (problem) => reports.push(problem),
    );
    nonces.onRequest(request(0));
    nonces.onMatchStarted("m1", published(SEED, NONE));
    nonces.onMatchEnded("m1", end);
    nonces.onMatchEnded("m1", end);
    assert.deepEqual(reports, reported);
  });
}

test("the seed of a match without nonces is checked too", () => {
  const reports: string[] = [];
  const nonces = new Nonces(undefined, (problem) => reports.push(problem));
  nonces.onMatchStarted("m1", published(SEED, NONE));
  nonces.onMatchEnded("m1", published(SEED, OTHER));
  assert.deepEqual(reports, [WRONG_SEED]);
});

test("a random nonce replaces an invalid one of the bot", () => {
  const invalid: unknown[] = [() => Buffer.alloc(MAX_NONCE_BYTES + 1), () => "text", () => assert.fail("no idea")];
  for (const choose of invalid) {
    const reports: string[] = [];
    const nonces = new Nonces(choose as () => Uint8Array, (problem) => reports.push(problem));
    assert.equal(nonceIn(nonces.onRequest(request(0))).length, NONCE_BYTES);
    assert.match(reports.join(), /a random one is sent/);
  }
});
