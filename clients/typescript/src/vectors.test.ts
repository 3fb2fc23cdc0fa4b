/** The test vectors of clients, which are in `clients/vectors`. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock, test } from "node:test";

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { status } from "@grpc/grpc-js";

import { moveItem } from "./answers.js";
import { Backoff } from "./backoff.js";
import { NONCE_BYTES, Nonces } from "./nonces.js";
import type { TurnTask } from "./open-turns.js";
import { type Workers, Player, type PlayerSession } from "./player.js";
import { sessionEnd, type SessionEnd, WELCOME_TIMEOUT_MS } from "./session.js";
import { ConfigurationError, readSettings } from "./settings.js";
import {
  type BotItem,
  NonceRequestSchema,
  RefereeItemSchema,
  TurnSchema,
  VerdictSchema,
} from "./stubs/referee_api/v1/play_pb.js";
import { SeedCommitmentSchema } from "./stubs/referee_api/v1/seed_pb.js";

// The fields of the vectors are described in their README; they have too many forms for a type of each.
type Fields = Record<string, any>;

/** What this client does not offer: its bots are functions that return moves. */
const NOT_OFFERED = ["draws", "hooks"];

const FOLDER = new URL("../../vectors/", import.meta.url);

function load(name: string): Fields {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), "utf8")) as Fields;
}

function vectors(name: string): Fields[] {
  return load(name)["vectors"] as Fields[];
}

function unhex(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, "hex"));
}

const ENVIRONMENT = { BOT_REFEREE: "localhost:7700", BOT_TOKEN: "secret" };

/** A session that records what is done with it. */
class RecordedSession implements PlayerSession {
  sent: BotItem[] = [];
  end: SessionEnd | undefined;
  heartbeatTimeoutMs = WELCOME_TIMEOUT_MS;

  send(item: BotItem): void {
    this.sent.push(item);
  }

  close(end: SessionEnd): void {
    this.end = end;
  }
}

/** A player without a connection, whose answers and time come from the steps of a vector. */
class Harness implements Workers {
  readonly session = new RecordedSession();
  readonly player: Player;
  calls: TurnTask[] = [];
  cancelled: Fields[] = [];
  readonly #waiting: { task: TurnTask; resolve(move: string): void; reject(error: Error): void }[] = [];
  readonly #itemIds = new Map<string, bigint>();
  #timers: { atMs: number; callback: () => void }[] = [];
  #nowMs = 0;

  constructor(environment: Record<string, string> = ENVIRONMENT) {
    const schedule = (delayMs: number, callback: () => void): void => {
      this.#timers.push({ atMs: this.#nowMs + delayMs, callback });
    };
    this.player = new Player(readSettings(environment), {}, undefined, this, schedule);
    this.player.session = this.session;
  }

  run(task: TurnTask): Promise<string> {
    this.calls.push(task);
    return new Promise((resolve, reject) => this.#waiting.push({ task, resolve, reject }));
  }

  cancel(task: TurnTask): void {
    const { matchId, seat, turnToken } = task.turn;
    const index = this.#waiting.findIndex((call) => call.task === task);
    if (index >= 0) {
      this.#waiting.splice(index, 1)[0]!.reject(new Error("the turn was cancelled"));
      this.cancelled.push({ match: matchId, seat, token: turnToken });
    }
  }

  async step(step: Fields): Promise<void> {
    this.calls = [];
    this.cancelled = [];
    this.session.sent = [];
    if (step["receive"]) {
      for (const item of step["receive"]) {
        this.receive(item);
      }
    } else if (step["answer"]) {
      this.#answer(step["answer"]);
    } else if (step["stream"]) {
      this.player.session = step["stream"] === "opens" ? this.session : undefined;
    } else {
      this.#advance(step["advance_ms"]);
    }
    await new Promise((resolve) => setImmediate(resolve)); // Runs all microtasks before.
    if (step["answer"] && this.session.sent[0]) {
      this.#itemIds.set(keyOf(step["answer"]), this.session.sent[0].itemId);
    }
  }

  receive(item: Fields): void {
    const [[kind, fields]] = Object.entries(item) as [[string, Fields]];
    const { match: matchId, seat, token: turnToken } = fields;
    const rules = fields["game"] ? { rules: { game: fields["game"] } } : {};
    const commitment = unhex(fields["commitment"] ?? "");
    const id = { id: BigInt(fields["id"] ?? 0) };
    const reconnectDelayMs = BigInt(fields["reconnect_delay_ms"] ?? 0);
    const items: Record<string, () => NonNullable<MessageInitShape<typeof RefereeItemSchema>["item"]>> = {
      turn: () => ({ case: "turn", value: { matchId, seat, turnToken, repeated: !!fields["repeated"], ...rules } }),
      verdict: () => ({ case: "verdict", value: this.#verdict(fields) }),
      turn_expired: () => ({ case: "turnExpired", value: { matchId, turnToken } }),
      match_started: () => ({ case: "matchStarted", value: { seat, match: { id: matchId, terms: rules } } }),
      match_ended: () => ({ case: "matchEnded", value: { matchId, seat } }),
      ping: () => ({ case: "ping", value: id }),
      nonce_request: () => ({ case: "nonceRequest", value: { matchId, seat, commitment } }),
      welcome: () => ({ case: "welcome", value: { version: fields["version"] } }),
      draining: () => ({ case: "draining", value: { reconnectDelayMs } }),
      session_taken_over: () => ({ case: "sessionTakenOver", value: {} }),
    };
    mock.method(console, "error", () => {});
    this.player.handle(create(RefereeItemSchema, { item: items[kind]!() }));
    mock.restoreAll();
  }

  #verdict(fields: Fields): MessageInitShape<typeof VerdictSchema> {
    const { match: matchId, token: turnToken, item_id_of: of, rejected } = fields;
    const verdict = { matchId, turnToken: turnToken ?? "", itemId: of ? this.#itemIds.get(keyOf(of))! : 0n };
    if (rejected) {
      return { ...verdict, outcome: { case: "rejected" as const, value: { error: rejected } } };
    }
    if (fields["stale"]) {
      return { ...verdict, outcome: { case: "stale" as const, value: {} } };
    }
    return fields["accepted"] ? { ...verdict, outcome: { case: "accepted" as const, value: {} } } : verdict;
  }

  /** Lets the bot answer. It cannot resign, but fail, which is the same for the referee. */
  #answer(answer: Fields): void {
    const isFor = ({ task: { turn } }: { task: TurnTask }): boolean =>
      keyOf({ match: turn.matchId, seat: turn.seat, token: turn.turnToken }) === keyOf(answer);
    const index = this.#waiting.findIndex(isFor);
    if (index < 0) {
      return; // It was cancelled.
    }
    const [call] = this.#waiting.splice(index, 1);
    if ("move" in answer) {
      call!.resolve(answer["move"]);
    } else {
      mock.method(console, "error", () => {});
      call!.reject(new Error("no idea"));
    }
  }

  #advance(ms: number): void {
    this.#nowMs += ms;
    const due = this.#timers.filter(({ atMs }) => atMs <= this.#nowMs);
    this.#timers = this.#timers.filter(({ atMs }) => atMs > this.#nowMs);
    due.forEach(({ callback }) => callback());
  }
}

function keyOf({ match, seat, token }: Fields): string {
  return `${match} ${seat} ${token}`;
}

/** Returns an item as the vectors have it. */
function sentForm({ item }: BotItem): Fields {
  switch (item.case) {
    case "move":
      return { move: { match: item.value.matchId, token: item.value.turnToken, move: item.value.move } };
    case "resignation":
      return { resignation: { match: item.value.matchId, seat: item.value.seat } };
    case "nonce":
      return { nonce: { match: item.value.matchId, seat: item.value.seat } };
    case "pong":
      return { pong: { id: `${item.value.id}` } };
    default:
      return { unknown: item.case };
  }
}

for (const { name, steps, needs = [] } of vectors("turns")) {
  const missing = (needs as string[]).filter((need) => NOT_OFFERED.includes(need));
  assert.deepEqual(
    (needs as string[]).filter((need) => !["rules", ...NOT_OFFERED].includes(need)),
    [],
    `${name} needs something unknown`,
  );
  if (missing.length > 0) {
    continue;
  }
  test(`turns: ${name}`, async () => {
    const harness = new Harness();
    const itemIds = new Map<string, bigint>();
    for (const [number, step] of (steps as Fields[]).entries()) {
      await harness.step(step);
      mock.restoreAll();
      const where = `step ${number}: ${JSON.stringify(step)}`;
      assert.deepEqual(harness.session.sent.map(sentForm), step["sends"] ?? [], where);
      assert.deepEqual(harness.cancelled, step["cancels"] ?? [], where);
      const calls = harness.calls.map(({ turn, rejection }, index) => ({
        match: turn.matchId,
        seat: turn.seat,
        token: turn.turnToken,
        rejection: rejection?.message ?? null,
        ...(step["calls"]?.[index]?.game ? { game: turn.rules?.game } : {}),
      }));
      assert.deepEqual(calls, step["calls"] ?? [], where);
      for (const item of harness.session.sent.filter(
        ({ item }) => item.case === "move" || item.case === "resignation",
      )) {
        const form = JSON.stringify(sentForm(item));
        assert.notEqual(item.itemId, 0n);
        assert.equal(itemIds.get(form) ?? item.itemId, item.itemId, where);
        itemIds.set(form, item.itemId);
      }
    }
    assert.equal(new Set(itemIds.values()).size, itemIds.size);
  });
}

for (const { name, environment, files, settings, error, secret } of vectors("settings")) {
  test(`settings: ${name}`, () => {
    const folder = mkdtempSync(join(tmpdir(), "referee-"));
    const contents: Record<string, string> = { "certificate.pem": load("settings")["certificate"], ...files };
    const variables = { ...environment } as Record<string, string>;
    for (const [file, content] of Object.entries({ ...contents, missing: undefined })) {
      if (content !== undefined) {
        writeFileSync(join(folder, file), content);
      }
      for (const [variable, text] of Object.entries(variables)) {
        variables[variable] = text.replace(`{${file}}`, join(folder, file));
      }
    }
    if (error) {
      const isAboutIt = (thrown: unknown): boolean =>
        thrown instanceof ConfigurationError &&
        thrown.message.includes(error) &&
        !(secret && thrown.message.includes(secret));
      assert.throws(() => readSettings(variables), isAboutIt);
    } else {
      const { referee, tls, rootCertificates, token, version, maxMatches, verdictsWithTurns } = readSettings(variables);
      const effective = {
        referee,
        tls,
        own_roots: rootCertificates !== null,
        token,
        version,
        max_matches: maxMatches,
        verdicts_with_turns: verdictsWithTurns,
      };
      assert.deepEqual(effective, settings);
    }
  });
}

for (const { name, environment, welcomed, hello } of vectors("hello")) {
  test(`hello: ${name}`, () => {
    const harness = new Harness(environment);
    for (const version of welcomed) {
      harness.receive({ welcome: { version } });
    }
    const { item } = harness.player.hello();
    assert(item.case === "hello");
    const { version, maxMatches, verdictsWithTurns, client } = item.value;
    assert.deepEqual({ version, max_matches: maxMatches, verdicts_with_turns: verdictsWithTurns }, hello);
    assert.match(client, /^referee-client-typescript\/\d+\.\d+\.\d+$/);
  });
}

for (const { name, heartbeat_timeout_ms: timeoutMs, silence_ms: silenceMs } of vectors("heartbeat")) {
  test(`heartbeat: ${name}`, () => {
    const harness = new Harness();
    if (timeoutMs !== null) {
      mock.method(console, "error", () => {});
      const value = { heartbeatTimeoutMs: BigInt(timeoutMs) };
      harness.player.handle(create(RefereeItemSchema, { item: { case: "welcome", value } }));
      mock.restoreAll();
    }
    assert.equal(harness.session.heartbeatTimeoutMs, silenceMs);
  });
}

// Text in JavaScript has no bytes that are not UTF-8, but halves of surrogate pairs.
for (const vector of vectors("answers").filter(({ utf8 }) => utf8 === undefined)) {
  test(`answers: ${vector["name"]}`, () => {
    const repeated = ([text, times]: [string, number]): string => text.repeat(times);
    const text = vector["utf16"]
      ? String.fromCharCode(...vector["utf16"])
      : (vector["text"] ?? repeated(vector["repeat"]));
    const reports = mock.method(console, "error", () => {});
    const { item } = moveItem(create(TurnSchema, { matchId: "m1" }), text);
    assert(item.case === "move");
    if (vector["sent_pattern"]) {
      assert.match(item.value.move, new RegExp(vector["sent_pattern"]));
    } else {
      assert.equal(item.value.move, vector["sent"] ?? repeated(vector["sent_repeat"]));
    }
    assert.equal(reports.mock.callCount(), vector["reports"]);
    mock.restoreAll();
  });
}

const PROBLEMS: Record<string, string> = {
  "commitment replaced": "the referee has replaced its commitment to the seed",
  "seed does not match": "the seed of the referee does not match its commitment",
  "nonce missing": "the seed was made without the nonce of seat",
  "nonce replaced": "the seed was made with another nonce of seat",
  "random nonce": "a random one is sent",
};

for (const { name, own, requests, nonces: expected, started, ended, reports } of vectors("nonces")) {
  test(`nonces: ${name}`, () => {
    const choose = (): Uint8Array => {
      if (own === "fails") {
        throw new Error("no idea");
      }
      return own === "large" ? new Uint8Array(65) : unhex(own);
    };
    const reported: string[] = [];
    const nonces = new Nonces(own === null ? undefined : choose, (problem) => reported.push(problem));
    const sent = (requests as Fields[]).map(({ match: matchId, seat, commitment }) => {
      const request = create(NonceRequestSchema, { matchId, seat, commitment: unhex(commitment) });
      const { item } = nonces.onRequest(request);
      assert(item.case === "nonce");
      return Buffer.from(item.value.nonce).toString("hex");
    });
    const fresh = sent.filter((_, index) => expected[index].nonce === "random");
    assert.equal(new Set(fresh).size, fresh.length);
    sent.forEach((nonce, index) => {
      const { nonce: text, same_as: sameAs } = expected[index];
      if (text === "random") {
        assert.equal(nonce.length, 2 * NONCE_BYTES);
      } else {
        assert.equal(nonce, sameAs === undefined ? text : sent[sameAs]);
      }
    });
    if (started) {
      nonces.onMatchStarted(started.match, create(SeedCommitmentSchema, { commitment: unhex(started.commitment) }));
    }
    for (const { match, commitment, seed, nonces: published } of ended) {
      const seats = (published as string[]).map((nonce, seat) => ({ seat, nonce: unhex(nonce) }));
      const end = { commitment: unhex(commitment), seed: unhex(seed), nonces: seats };
      nonces.onMatchEnded(match, create(SeedCommitmentSchema, end));
    }
    assert.equal(reported.length, reports.length, reported.join());
    reported.forEach((text, index) => assert(text.includes(PROBLEMS[reports[index]]!), text));
  });
}

for (const random of [0, 1]) {
  for (const { name, ends } of vectors("backoff")) {
    test(`backoff: ${name}, random ${random}`, () => {
      const backoff = new Backoff();
      let nowMs = 0;
      for (const { welcomed_ms: welcomedMs, draining_ms: drainingMs, pause_ms: pauseMs } of ends) {
        nowMs += 20_000;
        if (welcomedMs !== null) {
          backoff.onWelcome(nowMs);
          nowMs += welcomedMs;
        }
        const pause =
          drainingMs === undefined ? backoff.nextMs(nowMs, random) : backoff.afterDrainingMs(drainingMs, random);
        assert.equal(pause, pauseMs[random]);
      }
    });
  }

  // Details are not given: this client never reads them.
  for (const { name, received, status: final, pause_ms: pauseMs, exit } of vectors("ends")) {
    test(`ends: ${name}, random ${random}`, () => {
      const harness = new Harness();
      for (const item of received) {
        harness.receive(item);
      }
      const code = status[final.code as keyof typeof status];
      const { kind } = harness.session.end ?? sessionEnd({ code, details: "" });
      assert.equal(kind, { 3: "taken over", 4: "rejected" }[exit as number] ?? "disconnected");
      if (kind === "disconnected") {
        assert.equal(harness.player.nextPauseMs(random), pauseMs[random]);
      }
    });
  }
}
