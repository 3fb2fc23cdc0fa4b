import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { type Settings, settingsFrom } from "./settings.js";

const loopbackLookalikes = ["127.0.0.1.evil.example:1", "127.evil.example:1", "localhost.evil.example:1"];

function settings(given: Record<string, string>): Settings {
  return settingsFrom({ BOT_TOKEN: "secret", ...given });
}

test("only this machine is spoken to in plaintext", () => {
  for (const near of ["localhost:1", "127.0.0.1:1", "127.9.9.9:1", "[::1]:1"]) {
    assert.equal(settings({ BOT_REFEREE: near }).tls, false, near);
  }
  for (const far of ["referee.example:443", "10.0.0.1:1", "[2001:db8::1]:1", ...loopbackLookalikes]) {
    assert.equal(settings({ BOT_REFEREE: far }).tls, true, far);
  }
});

test("plaintext elsewhere has to be permitted", () => {
  const far = { BOT_REFEREE: "referee.example:443" };
  assert.equal(settings({ ...far, BOT_PLAINTEXT: "1" }).tls, false);
  assert.equal(settings({ ...far, BOT_PLAINTEXT: "0" }).tls, true);
});

test("only 1 turns on verdicts with turns", () => {
  const near = { BOT_REFEREE: "localhost:1" };
  assert.equal(settings(near).verdictsWithTurns, false);
  for (const [value, expected] of Object.entries({ "": false, "0": false, true: false, "1": true })) {
    assert.equal(settings({ ...near, BOT_VERDICTS_WITH_TURNS: value }).verdictsWithTurns, expected, value);
  }
});

test("who names roots speaks TLS, also to this machine", () => {
  const roots = import.meta.filename;
  assert.equal(settings({ BOT_REFEREE: "localhost:1", BOT_CA: roots, BOT_PLAINTEXT: "1" }).tls, true);
});

test("the token is read from a file where it is not given", () => {
  const file = join(mkdtempSync(join(tmpdir(), "token-")), "token");
  writeFileSync(file, "from-a-file\n");
  const given = { BOT_REFEREE: "localhost:1", BOT_TOKEN_FILE: file };
  assert.equal(settings({ ...given, BOT_TOKEN: "" }).token, "from-a-file");
  assert.equal(settings({ ...given, BOT_TOKEN: "given" }).token, "given");
});

test("what is wrong is named", () => {
  const near = { BOT_REFEREE: "localhost:1" };
  const wrongs: [Record<string, string>, RegExp][] = [
    [{}, /^BOT_REFEREE is not set$/],
    [{ ...near, BOT_TOKEN: "" }, /^BOT_TOKEN is not set$/],
    [{ ...near, BOT_TOKEN: "", BOT_TOKEN_FILE: "/no/such" }, /^BOT_TOKEN_FILE: .*\/no\/such/],
    [{ BOT_REFEREE: "here" }, /^BOT_REFEREE is not HOST:PORT: here$/],
    [{ BOT_REFEREE: "here:65536" }, /^BOT_REFEREE is not HOST:PORT: here:65536$/],
    [{ ...near, BOT_MAX_MATCHES: "many" }, /^BOT_MAX_MATCHES is no number: many$/],
    [{ ...near, BOT_CA: "/no/such.pem" }, /^BOT_CA: .*\/no\/such\.pem/],
  ];
  for (const [given, message] of wrongs) {
    assert.throws(() => settings(given), { message });
  }
});
