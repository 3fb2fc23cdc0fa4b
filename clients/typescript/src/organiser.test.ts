import assert from "node:assert/strict";
import { after, test } from "node:test";

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type sendUnaryData, type ServerUnaryCall, type ServerWritableStream, status } from "@grpc/grpc-js";

import { CallError } from "./errors.js";
import { Organiser } from "./organiser.js";
import { serve } from "./server.test.support.js";
import {
  BotService,
  type CreateBotTokenRequest,
  CreateBotTokenResponseSchema,
  type RegisterBotRequest,
  RegisterBotResponseSchema,
} from "./stubs/referee_api/v1/bot_service_pb.js";
import {
  MatchService,
  type WatchMatchRequest,
  WatchMatchResponseSchema,
} from "./stubs/referee_api/v1/match_service_pb.js";

type Response = MessageInitShape<typeof WatchMatchResponseSchema>;

/** What a call of the server does: it sends entries with these numbers, and ends with a status. */
interface Scripted {
  readonly numbers: number[];
  readonly code: status;
}

let script: Scripted[] = [];
let requests: (bigint | undefined)[] = [];

function watchMatch(call: ServerWritableStream<WatchMatchRequest, unknown>): void {
  requests.push(call.request.afterNumber);
  const { numbers, code } = script.shift()!;
  const items = numbers.map((number) => ({ item: { case: "entry", value: { number: BigInt(number) } } }));
  call.write(create(WatchMatchResponseSchema, { items } as Response));
  if (code === status.OK) {
    call.end();
  } else {
    call.emit("error", { code, details: "no" });
  }
}

const registrations: string[] = [];

/** Registers a bot, but loses the response to the first call, which is the only one with a token. */
function registerBot({ request }: ServerUnaryCall<RegisterBotRequest, unknown>, send: sendUnaryData<unknown>): void {
  registrations.push(request.requestId);
  const lost = registrations.length === 1 ? { code: status.UNAVAILABLE, details: "lost" } : null;
  send(lost, create(RegisterBotResponseSchema));
}

function createBotToken({ request }: ServerUnaryCall<CreateBotTokenRequest, unknown>, send: sendUnaryData<unknown>) {
  send(null, create(CreateBotTokenResponseSchema, { secret: `token of ${request.bot}` }));
}

const { server, address } = await serve(
  [MatchService.method.watchMatch, watchMatch],
  [BotService.method.registerBot, registerBot],
  [BotService.method.createBotToken, createBotToken],
);
const organiser = new Organiser({ address, token: "secret" });

after(() => {
  organiser.close();
  server.forceShutdown();
});

function start(...calls: Scripted[]): void {
  script = calls;
  requests = [];
}

async function numbers(): Promise<number[]> {
  const seen: number[] = [];
  for await (const { number } of organiser.watch("m1")) {
    seen.push(number);
  }
  return seen;
}

test("a watch that the server rejects is an error", async () => {
  start({ numbers: [], code: status.NOT_FOUND });
  const isAboutIt = (error: unknown): boolean => error instanceof CallError && error.status === "NOT_FOUND";
  await assert.rejects(numbers(), isAboutIt);
  assert.deepEqual(requests, [0n]);
});

test("a loop that is left cancels the call, and no other is made", async () => {
  start({ numbers: [1, 2], code: status.UNAVAILABLE });
  for await (const { number } of organiser.watch("m1", { after: 7 })) {
    assert.equal(number, 1);
    break;
  }
  assert.deepEqual(requests, [7n]);
});

test("the signal ends a watch, also during a pause", async () => {
  start({ numbers: [], code: status.UNAVAILABLE });
  const signal = AbortSignal.timeout(1);
  await assert.rejects(organiser.watch("m1", { signal }).next(), (error) => error === signal.reason);
  assert(requests.length <= 1);
});

test("a bot is registered once, and a token that was lost is replaced", async () => {
  assert.equal(await organiser.registerBot("anna"), "token of anna");
  assert.equal(registrations.length, 2);
  assert.equal(registrations[0], registrations[1]);
});
