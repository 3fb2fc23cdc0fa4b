/** Messages of the contract as values of this client, whose declarations mention no generated type. */

import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";

import type { Entry, Match, Result } from "./match.js";
import type { Clock as ClockMessage, ClockRuleSchema } from "./stubs/referee_api/v1/clock_pb.js";
import { type Entry as EntryMessage, EntrySchema } from "./stubs/referee_api/v1/entry_pb.js";
import type { Rules } from "./stubs/referee_api/v1/game_pb.js";
import type { Match as MatchMessage, MatchTermsSchema } from "./stubs/referee_api/v1/match_pb.js";
import type { Turn as TurnMessage } from "./stubs/referee_api/v1/play_pb.js";
import { Ending, ForfeitCause, type Result as ResultMessage, VoidCause } from "./stubs/referee_api/v1/result_pb.js";
import type { MatchTerms, TimeControl } from "./terms.js";
import { type Clock, makeTurn, type Turn } from "./turn.js";

/** Converts a turn. Its rules are those of the match if it has none. */
export function turnFromMessage(message: TurnMessage, rules: Rules | undefined): Turn {
  return makeTurn({
    matchId: message.matchId,
    seat: message.seat,
    token: message.turnToken,
    game: rules?.game ?? "",
    options: { ...rules?.options },
    ply: message.ply,
    position: message.position,
    view: message.viewJson,
    history: message.moveHistory.map(({ seat, move }) => ({ seat, move })),
    legalMoves: message.legalMoves,
    legalMovesTruncated: message.legalMovesTruncated,
    clocks: message.clocks.map(clockFromMessage),
    timeLeftMs: message.timeLeftMs === undefined ? undefined : Math.max(0, Number(message.timeLeftMs)),
    attemptsLeft: message.attemptsLeft,
    drawOffers: message.drawOfferSeats,
    simultaneous: message.simultaneous,
    repeated: message.repeated,
  });
}

function clockFromMessage(message: ClockMessage): Clock {
  const { seat, running, periodsLeft, movesLeft } = message;
  const leftMs = message.timeLeftUs === undefined ? undefined : milliseconds(message.timeLeftUs);
  const [mainMs, periodMs] = [milliseconds(message.mainUs), milliseconds(message.periodUs)];
  return { seat, running, leftMs, mainMs, periodMs, periodsLeft, movesLeft };
}

/** Negative times count as 0. */
function milliseconds(microseconds: bigint): number {
  return Math.max(0, Number(microseconds)) / 1_000;
}

export function matchFromMessage(message: MatchMessage | undefined): Match {
  const rules = message?.terms?.rules;
  return {
    id: message?.id ?? "",
    game: rules?.game ?? "",
    options: { ...rules?.options },
    seatNames: message?.seatLayout?.seatNames ?? [],
    sides: message?.seatLayout?.sides.map(({ seats }) => seats) ?? [],
    bots: message?.seats.map(({ bot }) => bot) ?? [],
    title: message?.title ?? "",
    ladder: message?.ladder ?? "",
    tournament: message?.tournament ?? "",
    result: message?.result && resultFromMessage(message.result),
  };
}

export function resultFromMessage(message: ResultMessage | undefined): Result {
  const seats = message?.seats ?? [];
  const [scores, ranks] = [seats.map(({ score }) => score), seats.map(({ rank }) => rank)];
  const kind = message?.kind;
  switch (kind?.case) {
    case "played":
      return { kind: "played", reason: kind.value.reason || word(Ending, kind.value.ending), scores, ranks };
    case "forfeited":
      return { kind: "forfeited", reason: word(ForfeitCause, kind.value.forfeits[0]?.cause ?? 0), scores, ranks };
    case "voided":
      return { kind: "void", reason: word(VoidCause, kind.value.cause), scores: [], ranks: [] };
    default:
      return { kind: "void", reason: "", scores: [], ranks: [] };
  }
}

/** Returns the word for a value. Values that are newer than this client stay numbers. */
export function word(names: Record<number, string>, value: number): string {
  return names[value]?.toLowerCase() ?? `${value}`;
}

export function entryFromMessage({ number, createTime, event }: EntryMessage): Entry {
  const played = event.case === "movePlayed" ? event.value : undefined;
  const { seat, move } = played?.played ?? {};
  return {
    number: Number(number),
    time: dateFromMessage(createTime) ?? new Date(0),
    kind: event.case ? EntrySchema.field[event.case].name : "",
    move: seat === undefined || move === undefined ? undefined : { seat, move },
    position: played?.state?.position,
    result: event.case === "playEnded" ? resultFromMessage(event.value.result) : undefined,
  };
}

export function dateFromMessage(time: Timestamp | undefined): Date | undefined {
  return time && timestampDate(time);
}

export function matchTermsMessage(terms: Omit<MatchTerms, "title">): MessageInitShape<typeof MatchTermsSchema> {
  const { game, preset = "", options = {}, clock, startTimeoutMs = 0 } = terms;
  return {
    rules: { game, preset, options },
    timeControl: { rule: clockRule(clock) },
    startTimeoutMs: BigInt(startTimeoutMs),
  };
}

/** Converts a time control. Undefined is untimed. */
export function clockRule(clock: TimeControl | undefined): MessageInitShape<typeof ClockRuleSchema> {
  if (clock === undefined) {
    return { kind: { case: "untimed", value: {} } };
  }
  if ("fischer" in clock) {
    const { mainMs, incrementMs = 0 } = clock.fischer;
    return { kind: { case: "fischer", value: { mainMs: BigInt(mainMs), incrementMs: BigInt(incrementMs) } } };
  }
  if ("suddenDeath" in clock) {
    return { kind: { case: "suddenDeath", value: { mainMs: BigInt(clock.suddenDeath.mainMs) } } };
  }
  return { kind: { case: "perMove", value: { moveMs: BigInt(clock.perMove.moveMs) } } };
}
