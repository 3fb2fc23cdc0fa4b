import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { SettingError } from "./errors.js";
import { checkOptions, optionsFromEnvironment, type Settings } from "./options.js";

const loopbackLookalikes = ["127.0.0.1.evil.example:1", "127.evil.example:1", "localhost.evil.example:1"];

function settingsFor(variables: Record<string, string>): Settings {
  return checkOptions(optionsFromEnvironment({ BOT_TOKEN: "secret", ...variables }));
}

test("plaintext is the default for loopback addresses only", () => {
  for (const loopback of ["localhost:1", "127.0.0.1:1", "127.9.9.9:1", "[::1]:1"]) {
    assert.equal(settingsFor({ BOT_REFEREE: loopback }).tls, false, loopback);
  }
  for (const remote of ["referee.example:443", "10.0.0.1:1", "[2001:db8::1]:1", ...loopbackLookalikes]) {
    assert.equal(settingsFor({ BOT_REFEREE: remote }).tls, true, remote);
  }
});

test("plaintext to other machines must be allowed", () => {
  const remote = { BOT_REFEREE: "referee.example:443" };
  assert.equal(settingsFor({ ...remote, BOT_PLAINTEXT: "1" }).tls, false);
  assert.equal(settingsFor({ ...remote, BOT_PLAINTEXT: "0" }).tls, true);
});

test("verdicts with turns are requested by the value 1 only", () => {
  const loopback = { BOT_REFEREE: "localhost:1" };
  assert.equal(settingsFor(loopback).verdictsWithTurns, false);
  for (const [value, expected] of Object.entries({ "": false, "0": false, true: false, "1": true })) {
    assert.equal(settingsFor({ ...loopback, BOT_VERDICTS_WITH_TURNS: value }).verdictsWithTurns, expected, value);
  }
});

test("the token is read from a file if BOT_TOKEN is not set", () => {
  const file = join(mkdtempSync(join(tmpdir(), "token-")), "token");
  writeFileSync(file, "from-a-file\n");
  const variables = { BOT_REFEREE: "localhost:1", BOT_TOKEN_FILE: file };
  assert.equal(settingsFor({ ...variables, BOT_TOKEN: "" }).token, "from-a-file");
  assert.equal(settingsFor({ ...variables, BOT_TOKEN: "given" }).token, "given");
});

test("errors name the invalid variable", () => {
  const loopback = { BOT_REFEREE: "localhost:1" };
  const cases: [Record<string, string>, RegExp][] = [
    [{}, /^BOT_REFEREE is not set$/],
    [{ ...loopback, BOT_TOKEN: "" }, /^BOT_TOKEN is not set$/],
    [{ ...loopback, BOT_TOKEN: "", BOT_TOKEN_FILE: "/no/such" }, /^BOT_TOKEN_FILE cannot be read: .*\/no\/such/],
    [{ BOT_REFEREE: "here" }, /^BOT_REFEREE is not HOST:PORT: here$/],
    [{ BOT_REFEREE: "here:65536" }, /^BOT_REFEREE is not HOST:PORT: here:65536$/],
    [{ ...loopback, BOT_MAX_MATCHES: "many" }, /^BOT_MAX_MATCHES is not a number: many$/],
    [{ ...loopback, BOT_CA: "/no/such.pem" }, /^BOT_CA cannot be read: .*\/no\/such\.pem/],
  ];
  for (const [variables, message] of cases) {
    assert.throws(() => settingsFor(variables), { message });
  }
});

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
