import assert from "node:assert/strict";
import { test } from "node:test";

import { SettingError } from "./errors.js";
import { checkOptions } from "./options.js";

test("an option that is invalid is an error that names its variable", () => {
  const options = { address: "localhost:1", token: "secret" };
  for (const [changed, variable] of [
    [{ address: "localhost" }, "BOT_REFEREE"],
    [{ token: "" }, "BOT_TOKEN"],
    [{ token: "two\nlines" }, "BOT_TOKEN"],
    [{ ca: "no certificate" }, "BOT_CA"],
    [{ maxMatches: -1 }, "BOT_MAX_MATCHES"],
    [{ maxMatches: 1.5 }, "BOT_MAX_MATCHES"],
    [{ maxLegalMoves: 2 ** 32 }, "maxLegalMoves"],
  ] as const) {
    const isAboutIt = (error: unknown): boolean => error instanceof SettingError && error.variable === variable;
    assert.throws(() => checkOptions({ ...options, ...changed }), isAboutIt);
  }
});

test("legal moves are listed by default", () => {
  const { maxLegalMoves, maxMatches } = checkOptions({ address: "localhost:1", token: "secret" });
  assert.deepEqual([maxLegalMoves, maxMatches], [5_000, 1]);
});
