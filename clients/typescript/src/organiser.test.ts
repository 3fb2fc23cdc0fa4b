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
  type ListLadderStandingsRequest,
  ListLadderStandingsResponseSchema,
  LadderService,
} from "./stubs/referee_api/v1/ladder_service_pb.js";
import {
  MatchService,
  type WatchMatchRequest,
  WatchMatchResponseSchema,
} from "./stubs/referee_api/v1/match_service_pb.js";
import {
  type ExportTournamentRequest,
  ExportTournamentResponseSchema,
  ExportFormat,
  TournamentService,
} from "./stubs/referee_api/v1/tournament_service_pb.js";

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

let pageTokens: string[] = [];
/** A request for the last page is never answered if this is set; it is called instead. */
let onLastPage: (() => void) | undefined;

function startList(): void {
  pageTokens = [];
  onLastPage = undefined;
}

const { server, address } = await serve(
  [
    TournamentService.method.exportTournament,
    (call: ServerWritableStream<ExportTournamentRequest, unknown>) => {
      for (const text of [ExportFormat[call.request.format], " of ", call.request.tournament]) {
        call.write(create(ExportTournamentResponseSchema, { text }));
      }
      call.end();
    },
  ],
  [
    LadderService.method.listLadderStandings,
    ({ request }: ServerUnaryCall<ListLadderStandingsRequest, unknown>, send: sendUnaryData<unknown>) => {
      pageTokens.push(request.pageToken);
      const page = Number(request.pageToken);
      if (page === 2 && onLastPage) {
        onLastPage();
        return;
      }
      const standings = [{ rank: page + 1 }];
      send(
        null,
        create(ListLadderStandingsResponseSchema, { standings, nextPageToken: page < 2 ? `${page + 1}` : "" }),
      );
    },
  ],
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

test("a list is read page by page to its end", async () => {
  startList();
  const ranks: number[] = [];
  for await (const { rank } of organiser.ladders.standings("main")) {
    ranks.push(rank);
  }
  assert.deepEqual(ranks, [1, 2, 3]);
  assert.deepEqual(pageTokens, ["", "1", "2"]);
});

test("a list that is left reads no further page", async () => {
  startList();
  for await (const { rank } of organiser.ladders.standings("main")) {
    assert.equal(rank, 1);
    break;
  }
  assert.deepEqual(pageTokens, [""]);
});

test("the signal ends a list while it waits for a page", async () => {
  startList();
  const stop = new AbortController();
  onLastPage = () => {
    stop.abort();
  };
  const standings = organiser.ladders.standings("main", { signal: stop.signal });
  await standings.next();
  await standings.next();
  await assert.rejects(standings.next(), (error) => error === stop.signal.reason);
});

test("a list with a signal that was aborted makes no call", async () => {
  startList();
  const signal = AbortSignal.abort();
  await assert.rejects(organiser.ladders.standings("main", { signal }).next(), (error) => error === signal.reason);
  assert.deepEqual(pageTokens, []);
});

test("a file that comes in parts is one text", async () => {
  assert.equal(await organiser.tournaments.export("cup", "trf"), "TRF of cup");
});
