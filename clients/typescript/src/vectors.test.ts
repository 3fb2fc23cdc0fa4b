/** The test vectors of clients, which are in `clients/vectors`. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Metadata, status } from "@grpc/grpc-js";

import { answerItem } from "./answers.js";
import { Backoff } from "./backoff.js";
import { type Answer, type Bot, perSeat } from "./bot.js";
import { RejectedError, SettingError, TakenOverError } from "./errors.js";
import type { End, Match } from "./match.js";
import { NONCE_BYTES, Nonces } from "./nonces.js";
import { checkOptions, type Logger, optionsFromEnvironment, type Settings } from "./options.js";
import { Player, type PlayerSession } from "./player.js";
import { sessionEnd, type SessionEnd, WELCOME_TIMEOUT_MS } from "./session.js";
import { type BotItem, NonceRequestSchema, RefereeItemSchema, VerdictSchema } from "./stubs/referee_api/v1/play_pb.js";
import { SeedCommitmentSchema } from "./stubs/referee_api/v1/seed_pb.js";
import { makeTurn, type Turn } from "./turn.js";

// The fields of the vectors are described in their README; they have too many forms for a type of each.
type Fields = Record<string, any>;

/** What vectors may need: this client offers all of it. */
const OFFERED = ["draws", "hooks", "rules"];

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

function settingsIn(environment: Record<string, string>): Settings {
  return checkOptions(optionsFromEnvironment(environment));
}

/** A call of the bot that it has not answered. */
interface Call {
  readonly turn: Turn;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** A player without a connection, whose answers and time come from the steps of a vector. */
class Harness {
  readonly session = new RecordedSession();
  readonly player: Player;
  calls: Turn[] = [];
  cancelled: Fields[] = [];
  tells: Fields[] = [];
  #waiting: Call[] = [];
  readonly #itemIds = new Map<string, bigint>();
  #timers: { atMs: number; callback: () => void }[] = [];
  #nowMs = 0;

  constructor(environment: Record<string, string> = ENVIRONMENT) {
    const schedule = (delayMs: number, callback: () => void): void => {
      this.#timers.push({ atMs: this.#nowMs + delayMs, callback });
    };
    this.player = new Player(
      perSeat(() => this.#bot()),
      settingsIn(environment),
      schedule,
    );
    this.player.startSession(this.session);
  }

  #bot(): Bot {
    return {
      started: ({ id }: Match, seat: number) => void this.tells.push({ started: { match: id, seat } }),
      choose: (turn, signal) => this.#choose(turn, signal),
      ended: ({ matchId, seat }: End) => void this.tells.push({ ended: { match: matchId, seat } }),
    };
  }

  #choose(turn: Turn, signal: AbortSignal): Promise<Answer> {
    this.calls.push(turn);
    return new Promise((resolve, reject) => {
      const call = { turn, resolve, reject };
      this.#waiting.push(call);
      signal.addEventListener("abort", () => {
        this.#cancel(call);
      });
    });
  }

  #cancel(call: Call): void {
    if (this.#waiting.includes(call)) {
      this.#waiting = this.#waiting.filter((other) => other !== call);
      call.reject(new Error("the turn was cancelled"));
      const { matchId, seat, token } = call.turn;
      this.cancelled.push({ match: matchId, seat, token });
    }
  }

  async step(step: Fields): Promise<void> {
    this.calls = [];
    this.cancelled = [];
    this.tells = [];
    this.session.sent = [];
    if (step["receive"]) {
      for (const item of step["receive"]) {
        this.receive(item);
      }
    } else if (step["answer"]) {
      this.#answer(step["answer"]);
    } else if (step["stream"]) {
      if (step["stream"] === "opens") {
        this.player.startSession(this.session);
      } else {
        this.player.endSession();
      }
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
    this.player.handle(create(RefereeItemSchema, { item: items[kind]!() }));
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

  #answer(answer: Fields): void {
    const call = this.#waiting.find(
      ({ turn: { matchId, seat, token } }) => keyOf({ match: matchId, seat, token }) === keyOf(answer),
    );
    if (!call) {
      return; // It was cancelled.
    }
    this.#waiting = this.#waiting.filter((other) => other !== call);
    if (answer["fails"]) {
      call.reject(new Error("no idea"));
    } else {
      call.resolve(answerOf(answer));
    }
  }

  #advance(ms: number): void {
    this.#nowMs += ms;
    const due = this.#timers.filter(({ atMs }) => atMs <= this.#nowMs);
    this.#timers = this.#timers.filter(({ atMs }) => atMs > this.#nowMs);
    due.forEach(({ callback }) => {
      callback();
    });
  }
}

function keyOf({ match, seat, token }: Fields): string {
  return `${match} ${seat} ${token}`;
}

function answerOf({ move, offer_draw: offerDraw, resigns, accepts_draw: acceptsDraw }: Fields): Answer {
  if (move !== undefined) {
    return offerDraw ? { move, offerDraw } : move;
  }
  return resigns ? { resign: true } : acceptsDraw ? { acceptDraw: true } : { claimDraw: true };
}

/** Returns an item as the vectors have it. */
function sentForm({ item }: BotItem): Fields {
  switch (item.case) {
    case "move": {
      const { matchId: match, turnToken: token, move, offerDraw } = item.value;
      return { move: { match, token, move, ...(offerDraw ? { offer_draw: true } : {}) } };
    }
    case "drawAnswer":
      return { draw_answer: { match: item.value.matchId, seat: item.value.seat, accept: item.value.accept } };
    case "drawClaim":
      return { draw_claim: { match: item.value.matchId, seat: item.value.seat } };
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

for (const { name, steps, needs = [] } of [...vectors("turns"), ...vectors("open_turns")]) {
  assert.deepEqual(
    (needs as string[]).filter((need) => !OFFERED.includes(need)),
    [],
    `${name} needs something unknown`,
  );
  test(`turns: ${name}`, async () => {
    const harness = new Harness();
    const itemIds = new Map<string, bigint>();
    for (const [number, step] of (steps as Fields[]).entries()) {
      await harness.step(step);
      const where = `step ${number}: ${JSON.stringify(step)}`;
      assert.deepEqual(harness.session.sent.map(sentForm), step["sends"] ?? [], where);
      assert.deepEqual(harness.cancelled, step["cancels"] ?? [], where);
      if ((needs as string[]).includes("hooks")) {
        assert.deepEqual(harness.tells, step["tells"] ?? [], where);
      }
      const calls = harness.calls.map(({ matchId, seat, token, rejection, game }, index) => ({
        match: matchId,
        seat,
        token,
        rejection: rejection?.message ?? null,
        ...(step["calls"]?.[index]?.game ? { game } : {}),
      }));
      assert.deepEqual(calls, step["calls"] ?? [], where);
      for (const item of harness.session.sent.filter(({ item }) => item.case !== "pong" && item.case !== "nonce")) {
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
    for (const [file, content] of Object.entries<string | undefined>({ ...contents, missing: undefined })) {
      if (content !== undefined) {
        writeFileSync(join(folder, file), content);
      }
      for (const [variable, text] of Object.entries(variables)) {
        variables[variable] = text.replace(`{${file}}`, join(folder, file));
      }
    }
    if (error) {
      const isAboutIt = (thrown: unknown): boolean =>
        thrown instanceof SettingError &&
        thrown.message.includes(error) &&
        !(secret && thrown.message.includes(secret));
      assert.throws(() => settingsIn(variables), isAboutIt);
    } else {
      const { address, tls, ca, token, version, maxMatches, verdictsWithTurns } = settingsIn(variables);
      const effective = {
        referee: address,
        tls,
        own_roots: ca !== null,
        token,
        version,
        max_matches: maxMatches,
        verdicts_with_turns: verdictsWithTurns,
      };
      assert.deepEqual(effective, settings);
    }
  });
}

// Text in JavaScript has no bytes that are not UTF-8, but halves of surrogate pairs.
for (const vector of vectors("answers").filter(({ utf8 }) => utf8 === undefined)) {
  test(`answers: ${vector["name"]}`, () => {
    const repeated = ([text, times]: [string, number]): string => text.repeat(times);
    const text = vector["utf16"]
      ? String.fromCharCode(...vector["utf16"])
      : (vector["text"] ?? repeated(vector["repeat"]));
    const reports: string[] = [];
    const fail = (message: string): void => assert.fail(message);
    const logger: Logger = { info: fail, warn: fail, error: (report) => reports.push(report) };
    const answer = "score" in vector ? { move: text, score: vector["score"] } : text;
    const { item } = answerItem(makeTurn({ matchId: "m1" }), answer, logger);
    assert(item.case === "move");
    assert.equal(item.value.score, vector["sent_score"]);
    if (vector["sent_pattern"]) {
      assert.match(item.value.move, new RegExp(vector["sent_pattern"]));
    } else {
      assert.equal(item.value.move, vector["sent"] ?? repeated(vector["sent_repeat"]));
    }
    assert.equal(reports.length, vector["reports"]);
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
    reported.forEach((text, index) => {
      assert(text.includes(PROBLEMS[reports[index]]!), text);
    });
  });
}

for (const random of [0, 1]) {
  for (const { name, ends } of vectors("backoff")) {
    test(`backoff: ${name}, random ${random}`, () => {
      const backoff = new Backoff();
      let nowMs = 0;
      for (const { welcomed_ms: welcomedMs, draining_ms: drainingMs, open_turn: openTurn, pause_ms: pauseMs } of ends) {
        nowMs += 20_000;
        if (welcomedMs !== null) {
          backoff.onWelcome(nowMs);
          nowMs += Number(welcomedMs);
        }
        const pause =
          drainingMs === undefined
            ? backoff.nextMs(nowMs, openTurn === true, random)
            : backoff.afterDrainingMs(drainingMs, random);
        assert.equal(pause, pauseMs[random]);
      }
    });
  }

  for (const { name, received, status: final, failures, pause_ms: pauseMs, exit } of vectors("ends")) {
    test(`ends: ${name}, random ${random}`, () => {
      const harness = new Harness();
      for (const item of received) {
        harness.receive(item);
      }
      const metadata = new Metadata();
      if (final.details) {
        metadata.set("grpc-status-details-bin", Buffer.from(final.details, "hex"));
      }
      const code = status[final.code as keyof typeof status];
      const end = harness.session.end ?? sessionEnd({ code, details: "", metadata });
      if (end.kind === "final") {
        assert(end.error instanceof { 3: TakenOverError, 4: RejectedError }[exit as 3 | 4]);
      } else {
        assert.deepEqual([end.kind, exit], ["disconnected", undefined]);
        for (let failure = 0; failure < (failures ?? 0); failure++) {
          harness.player.nextPauseMs(random);
        }
        assert.equal(harness.player.nextPauseMs(random), pauseMs[random]);
      }
    });
  }
}
