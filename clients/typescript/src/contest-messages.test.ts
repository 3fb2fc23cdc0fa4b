/** Messages about contests as values of this client, and terms as messages. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";

import {
  entrantFromMessage,
  entrantMessage,
  ladderEntryFromMessage,
  ladderTermsMessage,
  tournamentEntryFromMessage,
  tournamentTermsMessage,
} from "./contest-messages.js";
import type { NewEntrant, TournamentFormat } from "./contests.js";
import { CorrectionKind, EntrantSchema, PairingPhase } from "./stubs/referee_api/v1/contest_pb.js";
import { LadderEntrySchema, LadderTermsSchema } from "./stubs/referee_api/v1/ladder_pb.js";
import { TournamentEntrySchema, TournamentTermsSchema } from "./stubs/referee_api/v1/tournament_pb.js";

const TIME = new Date("2026-11-24T12:00:00Z");
const ENTRY = { number: 7n, createTime: timestampFromDate(TIME) };
const NOTHING = { number: 7, time: TIME, entrant: undefined, message: "" };
const PAIRING_MESSAGE = {
  id: "p1",
  round: 2,
  board: 3,
  entrants: ["anna", "bert"],
  phase: PairingPhase.DONE,
  matchIds: ["m1"],
  points: [1, 0],
  absentEntrants: ["bert"],
};
const PAIRING = {
  id: "p1",
  round: 2,
  board: 3,
  entrants: ["anna", "bert"],
  phase: "done",
  matchIds: ["m1"],
  points: [1, 0],
  absent: ["bert"],
};

test("an entrant is a bot, or bots with a name, of any version or of one", () => {
  const converted = (entrant: NewEntrant): unknown => {
    const { name, bots } = create(EntrantSchema, entrantMessage(entrant));
    return [name, ...bots.map(({ bot, version }) => [bot, version])];
  };
  assert.deepEqual(converted("anna"), ["", ["anna", ""]]);
  assert.deepEqual(converted("anna/1.4"), ["", ["anna", "1.4"]]);
  const reds = { name: "reds", bots: ["anna", "bert/2/b"] };
  assert.deepEqual(converted(reds), ["reds", ["anna", ""], ["bert", "2/b"]]);
  assert.deepEqual(entrantFromMessage(create(EntrantSchema, entrantMessage(reds))), reds);
  assert.deepEqual(entrantFromMessage(create(EntrantSchema, entrantMessage("anna/2"))).bots, ["anna/2"]);
});

test("the terms of a tournament have its format", () => {
  const converted = (format: TournamentFormat): unknown => {
    const { case: name, value } = create(
      TournamentTermsSchema,
      tournamentTermsMessage({ match: { game: "toc" }, format }),
    ).format;
    const { $typeName, ...fields } = value!;
    return [name, fields];
  };
  assert.deepEqual(converted({ roundRobin: { cycles: 2 } }), ["roundRobin", { cycles: 2 }]);
  assert.deepEqual(converted({ swiss: { rounds: 5 } }), ["swiss", { rounds: 5, accelerated: false }]);
  assert.deepEqual(converted({ elimination: { doubleElimination: true, matchesPerPairing: 2 } }), [
    "elimination",
    { doubleElimination: true, matchesPerPairing: 2, thirdPlaceMatch: false },
  ]);
  assert.deepEqual(converted({ gauntlet: { challengers: ["anna"] } }), [
    "gauntlet",
    { challengers: ["anna"], cycles: 0 },
  ]);
  assert.deepEqual(converted({ pools: { rounds: 3 } }), ["pools", { rounds: 3 }]);
});

test("the terms of a tournament that are not given have the defaults of the server", () => {
  const [match, format] = [{ game: "toc", startTimeoutMs: 5 }, { roundRobin: {} }];
  const least = create(TournamentTermsSchema, tournamentTermsMessage({ match, format }));
  assert.equal(least.matchTerms?.startTimeoutMs, 5n);
  assert.deepEqual([least.ladder, least.maxConcurrentMatches, least.noShowMs], ["", 0, undefined]);
  const given = { ladder: "main", maxConcurrentMatches: 8, noShowMs: 0 };
  const most = create(TournamentTermsSchema, tournamentTermsMessage({ match, format, ...given }));
  assert.deepEqual([most.ladder, most.maxConcurrentMatches, most.noShowMs], ["main", 8, 0]);
});

test("an entry of a tournament has what its event is about", () => {
  type Event = Parameters<typeof tournamentEntryFromMessage>[0]["event"];
  const converted = (event: unknown): unknown =>
    tournamentEntryFromMessage(create(TournamentEntrySchema, { ...ENTRY, event: event as Event }));
  const nothing = { ...NOTHING, round: undefined, pairings: [], standings: [] };
  const standing = { rank: 1, entrant: "anna", points: 1 };
  const others = { tieBreaks: [], wins: 0, draws: 0, losses: 0, forfeits: 0, byes: 0 };
  assert.deepEqual(converted({ case: "entrantJoined", value: { entrant: { bots: [{ bot: "anna" }] } } }), {
    ...nothing,
    kind: "entrant_joined",
    entrant: "anna",
  });
  assert.deepEqual(converted({ case: "entrantLeft", value: { entrant: "anna", message: "ill" } }), {
    ...nothing,
    kind: "entrant_left",
    entrant: "anna",
    message: "ill",
  });
  assert.deepEqual(
    converted({ case: "roundStarted", value: { round: 2, pairings: [PAIRING_MESSAGE], standings: [standing] } }),
    { ...nothing, kind: "round_started", round: 2, pairings: [PAIRING], standings: [{ ...standing, ...others }] },
  );
  assert.deepEqual(converted({ case: "pairing", value: PAIRING_MESSAGE }), {
    ...nothing,
    kind: "pairing",
    pairings: [PAIRING],
  });
  assert.deepEqual(
    converted({ case: "scoreCorrected", value: { pairing: PAIRING_MESSAGE, correction: { message: "a bug" } } }),
    { ...nothing, kind: "score_corrected", pairings: [PAIRING], message: "a bug" },
  );
  assert.deepEqual(converted({ case: "ended", value: { standings: [standing], message: "rain" } }), {
    ...nothing,
    kind: "ended",
    standings: [{ ...standing, ...others }],
    message: "rain",
  });
  assert.deepEqual(converted({ case: undefined }), { ...nothing, kind: "" });
});

test("the terms of a ladder that are not given have the defaults of the server", () => {
  const matches = [{ game: "toc" }, { game: "trox" }];
  const given = { maxConcurrentMatches: 1, maxMatchesPerHour: 2, rematchAfter: 3, provisionalMatches: 4 };
  const { $typeName, matchTerms, ...most } = create(
    LadderTermsSchema,
    ladderTermsMessage({ matches, ...given, pauseAfterFaults: 5 }),
  );
  assert.deepEqual(
    matchTerms.map(({ rules }) => rules?.game),
    ["toc", "trox"],
  );
  assert.deepEqual(most, { ...given, pauseAfterFaults: 5, partnerRule: 0 });
  const least = create(LadderTermsSchema, ladderTermsMessage({ matches }));
  assert.deepEqual([least.maxConcurrentMatches, least.rematchAfter, least.pauseAfterFaults], [0, undefined, 0]);
});

test("an entry of a ladder has what its event is about", () => {
  type Event = Parameters<typeof ladderEntryFromMessage>[0]["event"];
  const converted = (event: unknown): unknown =>
    ladderEntryFromMessage(create(LadderEntrySchema, { ...ENTRY, event: event as Event }));
  const nothing = { ...NOTHING, pairing: undefined, matchId: undefined, ratings: [] };
  const before = { value: 1500, deviation: 80, matches: 9, provisional: false };
  const change = { seat: 1, bot: "anna", version: "1", before, after: { ...before, value: 1510 } };
  assert.deepEqual(converted({ case: "pairing", value: PAIRING_MESSAGE }), {
    ...nothing,
    kind: "pairing",
    pairing: PAIRING,
  });
  assert.deepEqual(converted({ case: "matchRated", value: { matchId: "m1", ratings: [change] } }), {
    ...nothing,
    kind: "match_rated",
    matchId: "m1",
    ratings: [change],
  });
  const correction = { matchId: "m1", kind: CorrectionKind.STRUCK, message: "a bug" };
  assert.deepEqual(converted({ case: "matchCorrected", value: correction }), {
    ...nothing,
    kind: "match_corrected",
    matchId: "m1",
    message: "a bug",
  });
  assert.deepEqual(converted({ case: "paused", value: { message: "lunch" } }), {
    ...nothing,
    kind: "paused",
    message: "lunch",
  });
  assert.deepEqual(converted({ case: "resumed", value: {} }), { ...nothing, kind: "resumed" });
});
