/** Messages about contests as values of this client, and its terms as messages. */

import { create, type MessageInitShape } from "@bufbuild/protobuf";

import type {
  Entrant,
  Ladder,
  LadderEntry,
  LadderStanding,
  LadderTerms,
  NewEntrant,
  Pairing,
  Rating,
  RatingChange,
  Tournament,
  TournamentEntry,
  TournamentFormat,
  TournamentStanding,
  TournamentTerms,
} from "./contests.js";
import { dateFromMessage, matchTermsMessage, word } from "./messages.js";
import {
  type Entrant as EntrantMessage,
  type EntrantSchema,
  type Pairing as PairingMessage,
  PairingPhase,
  PairingSchema,
} from "./stubs/referee_api/v1/contest_pb.js";
import {
  type Ladder as LadderMessage,
  LadderSchema,
  type LadderEntry as LadderEntryMessage,
  LadderEntrySchema,
  type LadderStanding as LadderStandingMessage,
  LadderStandingSchema,
  type LadderTermsSchema,
} from "./stubs/referee_api/v1/ladder_pb.js";
import type { Rating as RatingMessage, RatingChange as RatingChangeMessage } from "./stubs/referee_api/v1/rating_pb.js";
import {
  TieBreak,
  type Tournament as TournamentMessage,
  type TournamentEntry as TournamentEntryMessage,
  TournamentEntrySchema,
  TournamentPhase,
  TournamentSchema,
  type TournamentStanding as TournamentStandingMessage,
  TournamentTermsSchema,
} from "./stubs/referee_api/v1/tournament_pb.js";

/** Converts an entrant. One that is a text has the name of its bot. */
export function entrantMessage(entrant: NewEntrant): MessageInitShape<typeof EntrantSchema> {
  const { name, bots } = typeof entrant === "string" ? { name: "", bots: [entrant] } : entrant;
  return {
    name,
    bots: bots.map((text) => {
      const [bot = "", ...version] = text.split("/");
      return { bot, version: version.join("/") };
    }),
  };
}

export function entrantFromMessage(message: EntrantMessage | undefined): Entrant {
  const bots = message?.bots.map(({ bot, version }) => (version ? `${bot}/${version}` : bot)) ?? [];
  return { name: message?.name || (bots[0] ?? ""), bots };
}

export function pairingFromMessage(message: PairingMessage = create(PairingSchema)): Pairing {
  const { id, round, board, entrants, phase, matchIds, points, absentEntrants: absent } = message;
  return { id, round, board, entrants, phase: word(PairingPhase, phase), matchIds, points, absent };
}

export function tournamentTermsMessage(terms: TournamentTerms): MessageInitShape<typeof TournamentTermsSchema> {
  const { match, format, ladder = "", maxConcurrentMatches = 0, noShowMs } = terms;
  return {
    matchTerms: matchTermsMessage(match),
    format: formatMessage(format),
    ladder,
    maxConcurrentMatches,
    ...(noShowMs === undefined ? {} : { noShowMs }),
  };
}

type FormatMessage = NonNullable<MessageInitShape<typeof TournamentTermsSchema>["format"]>;

function formatMessage(format: TournamentFormat): FormatMessage {
  if ("roundRobin" in format) {
    return { case: "roundRobin", value: { cycles: format.roundRobin.cycles ?? 0 } };
  }
  if ("swiss" in format) {
    return { case: "swiss", value: { rounds: format.swiss.rounds } };
  }
  if ("elimination" in format) {
    const { doubleElimination = false, matchesPerPairing = 0, thirdPlaceMatch = false } = format.elimination;
    return { case: "elimination", value: { doubleElimination, matchesPerPairing, thirdPlaceMatch } };
  }
  if ("gauntlet" in format) {
    const { challengers, cycles = 0 } = format.gauntlet;
    return { case: "gauntlet", value: { challengers: [...challengers], cycles } };
  }
  return { case: "pools", value: { rounds: format.pools.rounds } };
}

export function tournamentFromMessage(message: TournamentMessage = create(TournamentSchema)): Tournament {
  const { name, title, terms, currentRound, totalRounds, completedPairings, totalPairings } = message;
  const format = terms?.format.case;
  return {
    ...{ name, title, currentRound, totalRounds, completedPairings, totalPairings },
    game: terms?.matchTerms?.rules?.game ?? "",
    format: format ? TournamentTermsSchema.field[format].name : "",
    phase: word(TournamentPhase, message.phase),
    entrants: message.entrants.map(entrantFromMessage),
    withdrawn: message.withdrawnEntrants,
    startTime: dateFromMessage(message.startTime),
    endTime: dateFromMessage(message.endTime),
  };
}

export function tournamentStandingFromMessage(message: TournamentStandingMessage): TournamentStanding {
  const { rank, entrant, points, tieBreaks, wins, draws, losses, forfeits, byes } = message;
  const named = tieBreaks.map(({ tieBreak, value }) => ({ name: word(TieBreak, tieBreak), value }));
  return { rank, entrant, points, tieBreaks: named, wins, draws, losses, forfeits, byes };
}

export function tournamentEntryFromMessage({ number, createTime, event }: TournamentEntryMessage): TournamentEntry {
  return {
    number: Number(number),
    time: dateFromMessage(createTime) ?? new Date(0),
    kind: event.case ? TournamentEntrySchema.field[event.case].name : "",
    entrant: entrantOf(event),
    round: event.case === "roundStarted" ? event.value.round : undefined,
    pairings: pairingsOf(event).map(pairingFromMessage),
    standings: standingsOf(event).map(tournamentStandingFromMessage),
    message: messageOf(event),
  };
}

type ContestEvent = TournamentEntryMessage["event"] | LadderEntryMessage["event"];

function entrantOf(event: ContestEvent): string | undefined {
  switch (event.case) {
    case "entrantJoined":
      return entrantFromMessage(event.value.entrant).name;
    case "entrantLeft":
      return event.value.entrant;
    default:
      return undefined;
  }
}

function pairingsOf(event: ContestEvent): PairingMessage[] {
  switch (event.case) {
    case "pairing":
      return [event.value];
    case "pairingsPlanned":
    case "pairingsReplaced":
    case "roundStarted":
      return event.value.pairings;
    case "entrantsAbsent":
    case "pairingPostponed":
    case "pairingReopened":
    case "scoreCorrected":
      return event.value.pairing ? [event.value.pairing] : [];
    default:
      return [];
  }
}

function standingsOf(event: TournamentEntryMessage["event"]): TournamentStandingMessage[] {
  return event.case === "roundStarted" || event.case === "ended" ? event.value.standings : [];
}

function messageOf({ case: kind, value }: ContestEvent): string {
  if (kind === "scoreCorrected") {
    return value.correction?.message ?? "";
  }
  return value && "message" in value ? value.message : "";
}

export function ladderTermsMessage(terms: LadderTerms): MessageInitShape<typeof LadderTermsSchema> {
  return {
    matchTerms: terms.matches.map(matchTermsMessage),
    maxConcurrentMatches: terms.maxConcurrentMatches ?? 0,
    ...(terms.maxMatchesPerHour !== undefined && { maxMatchesPerHour: terms.maxMatchesPerHour }),
    ...(terms.rematchAfter !== undefined && { rematchAfter: terms.rematchAfter }),
    ...(terms.provisionalMatches !== undefined && { provisionalMatches: terms.provisionalMatches }),
    pauseAfterFaults: terms.pauseAfterFaults ?? 0,
  };
}

export function ladderFromMessage(message: LadderMessage = create(LadderSchema)): Ladder {
  const { name, title, terms, closed, paused, season, entrantCount } = message;
  const games = terms?.matchTerms.map(({ rules }) => rules?.game ?? "") ?? [];
  return { name, title, games, closed, paused, season, entrantCount };
}

function ratingFromMessage(message: RatingMessage | undefined): Rating {
  const { value = 0, deviation = 0, matches = 0, provisional = false } = message ?? {};
  return { value, deviation, matches, provisional };
}

function ratingChangeFromMessage({ seat, bot, version, before, after }: RatingChangeMessage): RatingChange {
  return { seat, bot, version, before: ratingFromMessage(before), after: ratingFromMessage(after) };
}

export function ladderStandingFromMessage(
  message: LadderStandingMessage = create(LadderStandingSchema),
): LadderStanding {
  const { rank, version, lowerBound, wins, draws, losses, forfeits, idle } = message;
  const [entrant, rating] = [entrantFromMessage(message.entrant), ratingFromMessage(message.rating)];
  return { rank, entrant, version, rating, lowerBound, wins, draws, losses, forfeits, idle };
}

export function ladderEntryFromMessage({ number, createTime, event }: LadderEntryMessage): LadderEntry {
  const concernsMatch = event.case === "matchRated" || event.case === "matchCorrected";
  return {
    number: Number(number),
    time: dateFromMessage(createTime) ?? new Date(0),
    kind: event.case ? LadderEntrySchema.field[event.case].name : "",
    entrant: entrantOf(event),
    pairing: event.case === "pairing" ? pairingFromMessage(event.value) : undefined,
    matchId: concernsMatch ? event.value.matchId : undefined,
    ratings: event.case === "matchRated" ? event.value.ratings.map(ratingChangeFromMessage) : [],
    message: messageOf(event),
  };
}
