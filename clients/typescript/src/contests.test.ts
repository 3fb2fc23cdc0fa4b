/** Calls about contests, with a server that answers as each test says. */

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { create } from "@bufbuild/protobuf";
import { type sendUnaryData, type ServerUnaryCall, type ServerWritableStream } from "@grpc/grpc-js";

import { Organiser } from "./organiser.js";
import { serve } from "./server.test.support.js";
import {
  type ListLadderStandingsRequest,
  ListLadderStandingsResponseSchema,
  LadderService,
} from "./stubs/referee_api/v1/ladder_service_pb.js";
import {
  type ExportTournamentRequest,
  ExportTournamentResponseSchema,
  ExportFormat,
  TournamentService,
} from "./stubs/referee_api/v1/tournament_service_pb.js";

let pageTokens: string[] = [];
/** A request for the last page is never answered if this is set; it is called instead. */
let onLastPage: (() => void) | undefined;

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
);
const organiser = new Organiser({ address, token: "secret" });

after(() => {
  organiser.close();
  server.forceShutdown();
});

function start(): void {
  pageTokens = [];
  onLastPage = undefined;
}

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

test("a file that comes in parts is one text", async () => {
  assert.equal(await organiser.tournaments.export("cup", "trf"), "TRF of cup");
});
