/** Calls about contests, with a server that answers as each test says. */

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type sendUnaryData, type ServerUnaryCall, type ServerWritableStream, status } from "@grpc/grpc-js";

import type { TournamentTerms } from "./contests.js";
import { CallError } from "./errors.js";
import { Organiser } from "./organiser.js";
import { serve } from "./server.test.support.js";
import {
  type ListLadderStandingsRequest,
  ListLadderStandingsResponseSchema,
  LadderService,
  WatchLadderItemSchema,
  type WatchLadderRequest,
  WatchLadderResponseSchema,
} from "./stubs/referee_api/v1/ladder_service_pb.js";
import {
  type CreateTournamentRequest,
  CreateTournamentResponseSchema,
  type ExportTournamentRequest,
  ExportTournamentResponseSchema,
  ExportFormat,
  TournamentService,
} from "./stubs/referee_api/v1/tournament_service_pb.js";

const TERMS: TournamentTerms = { match: { game: "alquerque" }, format: { roundRobin: {} } };

let created: CreateTournamentRequest[] = [];
/** The statuses of the next calls. */
let failures: status[] = [];
let pageTokens: string[] = [];
let watchedAfter: (bigint | undefined)[] = [];
/** A request for the last page is never answered if this is set; it is called instead. */
let onLastPage: (() => void) | undefined;

const { server, address } = await serve(
  [
    TournamentService.method.createTournament,
    ({ request }: ServerUnaryCall<CreateTournamentRequest, unknown>, send: sendUnaryData<unknown>) => {
      created.push(request);
      const code = failures.shift();
      const { name, title, entrants } = request;
      send(
        code === undefined ? null : { code, details: "no" },
        create(CreateTournamentResponseSchema, { tournament: { name, title, entrants } }),
      );
    },
  ],
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
  [
    LadderService.method.watchLadder,
    (call: ServerWritableStream<WatchLadderRequest, unknown>) => {
      watchedAfter.push(call.request.afterNumber);
      const number = (call.request.afterNumber ?? 0n) + 1n;
      const items: MessageInitShape<typeof WatchLadderItemSchema>[] = [
        { item: { case: "snapshot", value: {} } },
        { item: { case: "entry", value: { number } } },
      ];
      call.write(create(WatchLadderResponseSchema, { items }));
      if (number < 3n) {
        call.emit("error", { code: status.UNAVAILABLE, details: "no" });
      } else {
        call.end();
      }
    },
  ],
);
const organiser = new Organiser({ address, token: "secret" });

after(() => {
  organiser.close();
  server.forceShutdown();
});

function start(...codes: status[]): void {
  created = [];
  failures = codes;
  pageTokens = [];
  watchedAfter = [];
  onLastPage = undefined;
}

test("a call that the server could not answer is made again with the same request id", async () => {
  start(status.UNAVAILABLE);
  const tournament = await organiser.tournaments.create("cup", TERMS, { title: "The cup", entrants: ["anna"] });
  assert.deepEqual([tournament.name, tournament.title, tournament.entrants[0]?.name], ["cup", "The cup", "anna"]);
  assert.equal(created.length, 2);
  assert(created[0]!.requestId.length > 0);
  assert.equal(created[0]!.requestId, created[1]!.requestId);
});

test("two calls have two request ids", async () => {
  start();
  await organiser.tournaments.create("cup", TERMS);
  await organiser.tournaments.create("cup", TERMS);
  assert.notEqual(created[0]!.requestId, created[1]!.requestId);
});

test("a call that the server rejects is an error, and not made again", async () => {
  start(status.ALREADY_EXISTS);
  const isAboutIt = (error: unknown): boolean => error instanceof CallError && error.status === "ALREADY_EXISTS";
  await assert.rejects(organiser.tournaments.create("cup", TERMS), isAboutIt);
  assert.equal(created.length, 1);
});

test("a list is read page by page to its end", async () => {
  start();
  const ranks: number[] = [];
  for await (const { rank } of organiser.ladders.standings("main")) {
    ranks.push(rank);
  }
  assert.deepEqual(ranks, [1, 2, 3]);
  assert.deepEqual(pageTokens, ["", "1", "2"]);
});

test("a list that is left reads no further page", async () => {
  start();
  for await (const { rank } of organiser.ladders.standings("main")) {
    assert.equal(rank, 1);
    break;
  }
  assert.deepEqual(pageTokens, [""]);
});

test("the signal ends a list while it waits for a page", async () => {
  start();
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
  start();
  const signal = AbortSignal.abort();
  await assert.rejects(organiser.ladders.standings("main", { signal }).next(), (error) => error === signal.reason);
  assert.deepEqual(pageTokens, []);
});

test("a watch of a contest continues after the last entry when it is interrupted", async () => {
  start();
  const numbers: number[] = [];
  for await (const { number } of organiser.ladders.watch("main")) {
    numbers.push(number);
  }
  assert.deepEqual(numbers, [1, 2, 3]);
  assert.deepEqual(watchedAfter, [0n, 1n, 2n]);
});

test("a file that comes in parts is one text", async () => {
  assert.equal(await organiser.tournaments.export("cup", "trf"), "TRF of cup");
});
