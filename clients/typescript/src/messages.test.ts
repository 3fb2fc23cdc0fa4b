/** Messages of the contract as values of this client. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { Metadata, status } from "@grpc/grpc-js";

import { clockRule, entryFromMessage, matchFromMessage, resultFromMessage, turnFromMessage } from "./messages.js";
import { errorFromDetail, errorFromStatus } from "./status-details.js";
import { EntrySchema } from "./stubs/referee_api/v1/entry_pb.js";
import { ErrorDetailSchema, ErrorReason } from "./stubs/referee_api/v1/error_pb.js";
import { RulesSchema } from "./stubs/referee_api/v1/game_pb.js";
import { MatchSchema } from "./stubs/referee_api/v1/match_pb.js";
import { TurnSchema } from "./stubs/referee_api/v1/play_pb.js";
import { Ending, ForfeitCause, ResultSchema, VoidCause } from "./stubs/referee_api/v1/result_pb.js";
import { makeTurn } from "./turn.js";

test("a turn has what the referee sent", () => {
  const message = create(TurnSchema, {
    matchId: "m1",
    seat: 1,
    turnToken: "t1",
    ply: 7,
    position: "p",
    viewJson: "{}",
    moveHistory: [{ seat: 0, move: "x" }],
    legalMoves: ["a", "b"],
    legalMovesTruncated: true,
    clocks: [
      {},
      { seat: 1, running: true, timeLeftUs: 1_500_000n, mainUs: 1_000_000n, periodUs: 500_000n, periodsLeft: 3 },
    ],
    timeLeftMs: -1n,
    attemptsLeft: 2,
    drawOfferSeats: [0],
    simultaneous: true,
    repeated: true,
  });
  const turn = turnFromMessage(message, create(RulesSchema, { game: "troke", options: { huff: "true" } }));
  const untimed = { seat: 0, running: false, leftMs: undefined, mainMs: 0, periodMs: 0, periodsLeft: 0, movesLeft: 0 };
  const timed = { seat: 1, running: true, leftMs: 1_500, mainMs: 1_000, periodMs: 500, periodsLeft: 3, movesLeft: 0 };
  const { isCancelled, ...fields } = turn;
  assert.equal(isCancelled(), false);
  assert.deepEqual(fields, {
    matchId: "m1",
    seat: 1,
    token: "t1",
    game: "troke",
    options: { huff: "true" },
    ply: 7,
    position: "p",
    view: "{}",
    history: [{ seat: 0, move: "x" }],
    legalMoves: ["a", "b"],
    legalMovesTruncated: true,
    clocks: [untimed, timed],
    timeLeftMs: 0,
    attemptsLeft: 2,
    drawOffers: [0],
    simultaneous: true,
    repeated: true,
    rejection: undefined,
  });
});

test("a turn of a test has defaults for all fields that are not given", () => {
  const turn = makeTurn({ legalMoves: ["c2-c3"], ply: 7 });
  assert.deepEqual([turn.legalMoves, turn.ply, turn.history, turn.isCancelled()], [["c2-c3"], 7, [], false]);
});

test("a result is read from each kind", () => {
  type Kind = MessageInitShape<typeof ResultSchema>["kind"];
  const seats = [
    { seat: 0, score: 1, rank: 1 },
    { seat: 1, score: 0, rank: 2 },
  ];
  const played = (ending: Ending, reason: string): Kind => ({ case: "played", value: { ending, reason } });
  const voided = (cause: VoidCause): Kind => ({ case: "voided", value: { cause } });
  const forfeits = [{ cause: ForfeitCause.ILLEGAL_MOVE }];
  for (const [kind, expected, reason] of [
    [played(Ending.RULES, "no_moves"), "played", "no_moves"],
    [played(Ending.DRAW_AGREED, ""), "played", "draw_agreed"],
    [{ case: "forfeited", value: { forfeits } }, "forfeited", "illegal_move"],
    [voided(VoidCause.ABORTED), "void", "aborted"],
    [voided(99 as VoidCause), "void", "99"],
    [undefined, "void", ""],
  ] as [Kind, string, string][]) {
    const [scores, ranks] =
      expected === "void"
        ? [[], []]
        : [
            [1, 0],
            [1, 2],
          ];
    const message = create(ResultSchema, kind ? { kind, seats } : { seats });
    assert.deepEqual(resultFromMessage(message), { kind: expected, reason, scores, ranks });
  }
});

test("a match has what the referee sent", () => {
  const message = create(MatchSchema, {
    id: "m1",
    terms: { rules: { game: "toc", options: { size: "3" } } },
    seatLayout: { seatNames: ["white", "black"], sides: [{ seats: [0] }, { seats: [1] }] },
    seats: [{ bot: "anna" }, {}],
    title: "final",
    ladder: "main",
    tournament: "cup",
    result: { kind: { case: "voided", value: { cause: VoidCause.DECLARED } } },
  });
  assert.deepEqual(matchFromMessage(message), {
    id: "m1",
    game: "toc",
    options: { size: "3" },
    seatNames: ["white", "black"],
    sides: [[0], [1]],
    bots: ["anna", ""],
    title: "final",
    ladder: "main",
    tournament: "cup",
    result: { kind: "void", reason: "declared", scores: [], ranks: [] },
  });
});

test("an entry has what the referee sent", () => {
  const value = { played: { seat: 1, move: "c2-c3" }, state: { position: "p" } };
  const played = create(EntrySchema, {
    number: 7n,
    createTime: { seconds: 1n, nanos: 500_000_000 },
    event: { case: "movePlayed", value },
  });
  assert.deepEqual(entryFromMessage(played), {
    number: 7,
    time: new Date(1_500),
    kind: "move_played",
    move: { seat: 1, move: "c2-c3" },
    position: "p",
    result: undefined,
  });
  const voided = { kind: { case: "voided" as const, value: { cause: VoidCause.ABORTED } } };
  const ended = entryFromMessage(create(EntrySchema, { event: { case: "playEnded", value: { result: voided } } }));
  assert.deepEqual([ended.kind, ended.result?.reason, ended.move], ["play_ended", "aborted", undefined]);
  assert.equal(entryFromMessage(create(EntrySchema)).kind, "");
});

test("a time control is a clock rule", () => {
  assert.deepEqual(clockRule(undefined).kind, { case: "untimed", value: {} });
  assert.deepEqual(clockRule({ fischer: { mainMs: 5 } }).kind, {
    case: "fischer",
    value: { mainMs: 5n, incrementMs: 0n },
  });
  assert.deepEqual(clockRule({ suddenDeath: { mainMs: 5 } }).kind, { case: "suddenDeath", value: { mainMs: 5n } });
  assert.deepEqual(clockRule({ perMove: { moveMs: 5 } }).kind, { case: "perMove", value: { moveMs: 5n } });
});

test("an error in the stream has the name of its reason", () => {
  const reasonOf = (reason: number): string => errorFromDetail(create(ErrorDetailSchema, { reason })).reason;
  assert.equal(reasonOf(ErrorReason.ILLEGAL_MOVE), "ILLEGAL_MOVE");
  assert.equal(reasonOf(9_999), "9999");
});

/** Returns the bytes of a google.rpc.Status with these details. */
function statusBytes(...details: [typeUrl: string, value: Uint8Array][]): Buffer {
  const writer = new BinaryWriter().tag(1, 0).int32(16).tag(2, 2).string("no");
  for (const [typeUrl, value] of details) {
    writer.tag(3, 2).fork().tag(1, 2).string(typeUrl).tag(2, 2).bytes(value).join();
  }
  return Buffer.from(writer.finish());
}

function metadataWith(bytes: Buffer): Metadata {
  const metadata = new Metadata();
  metadata.set("grpc-status-details-bin", bytes);
  return metadata;
}

test("a status with an ErrorInfo has its reason and metadata", () => {
  const info = new BinaryWriter().tag(1, 2).string("BAD_TOKEN").tag(2, 2).string("referee");
  info.tag(3, 2).fork().tag(1, 2).string("bot").tag(2, 2).string("anna").join();
  const bytes = statusBytes(
    ["type.googleapis.com/google.rpc.RetryInfo", Uint8Array.of(1, 2)],
    ["type.googleapis.com/google.rpc.ErrorInfo", info.finish()],
  );
  assert.deepEqual(errorFromStatus({ code: status.UNAUTHENTICATED, details: "no", metadata: metadataWith(bytes) }), {
    reason: "BAD_TOKEN",
    message: "no",
    metadata: { bot: "anna" },
  });
});

test("a status without details, or with malformed ones, has the name of its code", () => {
  for (const metadata of [new Metadata(), metadataWith(Buffer.of(0xff)), metadataWith(statusBytes())]) {
    const error = errorFromStatus({ code: status.PERMISSION_DENIED, details: "no", metadata });
    assert.deepEqual(error, { reason: "PERMISSION_DENIED", message: "no", metadata: {} });
  }
});
