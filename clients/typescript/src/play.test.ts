import assert from "node:assert/strict";
import { test } from "node:test";

import { create } from "@bufbuild/protobuf";

import { SettingError } from "./errors.js";
import { NONCE_BYTES, Nonces } from "./nonces.js";
import { checkOptions } from "./options.js";
import { play } from "./play.js";
import { Player } from "./player.js";
import { NonceRequestSchema, RefereeItemSchema } from "./stubs/referee_api/v1/play_pb.js";
import type { Turn } from "./turn.js";

/** Nobody listens there. */
const OPTIONS = { address: "localhost:1", token: "secret" };

function first({ legalMoves }: Turn): string {
  return legalMoves[0]!;
}

test("an invalid option is an error", async () => {
  const isAboutIt = (error: unknown): boolean => error instanceof SettingError && error.variable === "BOT_REFEREE";
  await assert.rejects(play(first, { ...OPTIONS, address: "localhost" }), isAboutIt);
});

test("aborting the signal ends it without an error", async () => {
  await play(first, { ...OPTIONS, signal: AbortSignal.abort() });
  const controller = new AbortController();
  const playing = play(first, { ...OPTIONS, signal: controller.signal });
  controller.abort();
  await playing;
});

test("aborting the signal ends the pause before the client reconnects", async () => {
  const controller = new AbortController();
  const warnings: string[] = [];
  const stop = (warning: string): void => {
    warnings.push(warning);
    controller.abort();
  };
  const fail = (message: string): void => assert.fail(message);
  const logger = { info: fail, warn: stop, error: fail };
  await play(first, { ...OPTIONS, logger, signal: controller.signal });
  assert.match(warnings.join(), /^UNAVAILABLE: .*; reconnecting in \d\.\d s$/);
});

test("calls of the bot are cancelled when it ends", async () => {
  let turn: Turn | undefined;
  const called = new Promise<AbortSignal>((resolve) => {
    const choose = (asked: Turn, signal: AbortSignal): Promise<string> => {
      turn = asked;
      resolve(signal);
      return new Promise(() => {});
    };
    const player = new Player(choose, checkOptions(OPTIONS));
    player.handle(create(RefereeItemSchema, { item: { case: "turn", value: {} } }));
    setImmediate(() => {
      player.stop();
      void player.play();
    });
  });
  const signal = await called;
  if (!signal.aborted) {
    await new Promise((resolve) => {
      signal.addEventListener("abort", resolve);
    });
  }
  assert(turn?.isCancelled());
});

test("options reach the Hello", () => {
  const own = { version: "3", games: ["trox", "toc"], maxMatches: 2, maxLegalMoves: 7, view: true, fullHistory: true };
  const player = new Player(first, checkOptions({ ...OPTIONS, ...own, verdictsWithTurns: true }));
  const { item } = player.hello();
  assert(item.case === "hello");
  const { version, games, maxMatches, turnOptions, verdictsWithTurns } = item.value;
  assert.deepEqual([version, games, maxMatches, verdictsWithTurns], ["3", ["trox", "toc"], 2, true]);
  const { maxLegalMoves, includeView, fullMoveHistory } = turnOptions!;
  assert.deepEqual([maxLegalMoves, includeView, fullMoveHistory], [7, true, true]);
});

test("a nonce that is no bytes is reported, and a random one is sent", () => {
  const reports: string[] = [];
  const nonces = new Nonces((() => "text") as never, (problem) => reports.push(problem));
  const { item } = nonces.onRequest(create(NonceRequestSchema));
  assert(item.case === "nonce" && item.value.nonce.length === NONCE_BYTES);
  assert.match(reports.join(), /a random one is sent/);
});
