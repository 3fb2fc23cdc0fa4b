import assert from "node:assert/strict";
import { test } from "node:test";

import { create } from "@bufbuild/protobuf";

import { type Bot, type Bots, perSeat } from "./bot.js";
import type { Logger } from "./options.js";
import { Seats } from "./seats.js";
import { MatchEndedSchema, MatchStartedSchema } from "./stubs/referee_api/v1/play_pb.js";
import { makeTurn, type Turn } from "./turn.js";

const fail = (message: string): void => assert.fail(message);
let errors: string[] = [];
const logger: Logger = { info: fail, warn: fail, error: (message) => errors.push(message) };

const { signal } = new AbortController();

/** Returns the move that the bots play in a turn, or the kind of their answer. */
async function answer(seats: Seats, turn: Turn, during: AbortSignal = signal): Promise<string | undefined> {
  const { item } = await seats.choose(turn, during);
  return item.case === "move" ? item.value.move : item.case;
}

function seatsOf(bots: Bots): Seats {
  errors = [];
  return new Seats(bots, logger);
}

test("each seat has an object of a class", async () => {
  class Counter implements Bot {
    #turns = 0;

    choose(): string {
      return `${++this.#turns}`;
    }
  }
  for (const bots of [Counter, perSeat(() => new Counter())]) {
    const seats = seatsOf(bots);
    const turns = [0, 0, 1].map((seat) => makeTurn({ matchId: "m1", seat }));
    const answers = await Promise.all(turns.map((turn) => answer(seats, turn)));
    assert.deepEqual(answers, ["1", "2", "1"]);
  }
});

test("a function is a bot, however it is written", async () => {
  function declared({ legalMoves }: Turn): string {
    return legalMoves[0]!;
  }
  for (const choose of [declared, async (turn: Turn) => Promise.resolve(declared(turn))]) {
    assert.equal(await answer(seatsOf(choose), makeTurn({ legalMoves: ["c2-c3"] })), "c2-c3");
  }
});

test("what is neither a function nor a class is an error", () => {
  assert.throws(() => seatsOf({ choose: () => "c2-c3" } as never), /a bot is a function/);
});

test("the calls of a seat are made one after the other, those of different seats at the same time", async () => {
  const running: string[] = [];
  const finish: (() => void)[] = [];
  const choose = async ({ seat, token }: Turn): Promise<string> => {
    running.push(`${seat}${token}`);
    await new Promise<void>((resolve) => finish.push(resolve));
    return token;
  };
  const seats = seatsOf(choose);
  const keys = [
    { seat: 0, token: "a" },
    { seat: 0, token: "b" },
    { seat: 1, token: "c" },
  ];
  const answers = keys.map((key) => answer(seats, makeTurn(key)));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(running, ["0a", "1c"]);
  finish[0]!();
  assert.equal(await answers[0], "a");
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(running, ["0a", "1c", "0b"]);
});

test("a bot that fails resigns, and its author is told", async () => {
  const fails = (): string => {
    throw new Error("no idea");
  };
  const invalid = [undefined, null, 7, {}, { move: 7 }, { move: "c2-c3", score: 0.5 }];
  for (const bots of [fails, perSeat(fails as never), ...invalid.map((answered) => (() => answered) as never)]) {
    assert.equal(await answer(seatsOf(bots), makeTurn({ matchId: "m1", seat: 1, ply: 7 })), "resignation");
    assert.equal(errors.length, 1);
    assert.match(errors[0]!, /^match m1, seat 1, ply 7: the bot failed and resigns: (Error: no idea|TypeError)/);
  }
});

test("the bot is not called for a turn that is over, and its failure is not reported", async () => {
  assert.equal(
    await answer(
      seatsOf(() => assert.fail("called")),
      makeTurn(),
      AbortSignal.abort(),
    ),
    "resignation",
  );
  assert.deepEqual(errors, []);
});

test("a hook that fails is reported, and the bot plays on", async () => {
  const fails = (): never => {
    throw new Error("no idea");
  };
  const seats = seatsOf(perSeat(() => ({ started: fails, choose: () => "c2-c3", ended: fails })));
  seats.onMatchStarted(create(MatchStartedSchema, { match: { id: "m1" }, seat: 0 }));
  const playing = answer(seats, makeTurn({ matchId: "m1" }));
  seats.onMatchEnded(create(MatchEndedSchema, { matchId: "m1", seat: 0 }));
  assert.equal(await playing, "c2-c3");
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    errors.map((error) => error.split(": ")[1]),
    ["started of the bot failed", "ended of the bot failed"],
  );
});

test("a start and an end are told once for each seat, around its calls", async () => {
  const told: string[] = [];
  const bot: Bot = {
    started: ({ id }, seat) => void told.push(`started ${id} ${seat}`),
    choose: ({ token }) => token,
    ended: ({ matchId, seat, kind }) => void told.push(`ended ${matchId} ${seat} ${kind}`),
  };
  const seats = seatsOf(perSeat(() => bot));
  for (const seat of [0, 0, 1]) {
    seats.onMatchStarted(create(MatchStartedSchema, { match: { id: "m1" }, seat }));
  }
  told.push(`played ${await answer(seats, makeTurn({ matchId: "m1", token: "t1" }))}`);
  for (const seat of [0, 0, 2]) {
    seats.onMatchEnded(create(MatchEndedSchema, { matchId: "m1", seat }));
  }
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(told, ["started m1 0", "started m1 1", "played t1", "ended m1 0 void"]);
});
