/** Messages about contests as values of this client, and its terms as messages. */

import type { MessageInitShape } from "@bufbuild/protobuf";

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
} from "./stubs/referee_api/v1/contest_pb.js";
import {
  type Ladder as LadderMessage,
  type LadderEntry as LadderEntryMessage,
  LadderEntrySchema,
  type LadderStanding as LadderStandingMessage,
  type LadderTermsSchema,
} from "./stubs/referee_api/v1/ladder_pb.js";
import type { Rating as RatingMessage, RatingChange as RatingChangeMessage } from "./stubs/referee_api/v1/rating_pb.js";
import {
  TieBreak,
  type Tournament as TournamentMessage,
  type TournamentEntry as TournamentEntryMessage,
  TournamentEntrySchema,
  TournamentPhase,
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

export function pairingFromMessage(message: PairingMessage | undefined): Pairing {
  return {
    id: message?.id ?? "",
    round: message?.round ?? 0,
    board: message?.board ?? 0,
    entrants: message?.entrants ?? [],
    phase: word(PairingPhase, message?.phase ?? 0),
    matchIds: message?.matchIds ?? [],
    points: message?.points ?? [],
    absent: message?.absentEntrants ?? [],
  };
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

export function tournamentFromMessage(message: TournamentMessage | undefined): Tournament {
  const format = message?.terms?.format.case;
  return {
    name: message?.name ?? "",
    title: message?.title ?? "",
    game: message?.terms?.matchTerms?.rules?.game ?? "",
    format: format ? TournamentTermsSchema.field[format].name : "",
    phase: word(TournamentPhase, message?.phase ?? 0),
    entrants: message?.entrants.map(entrantFromMessage) ?? [],
    withdrawn: message?.withdrawnEntrants ?? [],
    currentRound: message?.currentRound ?? 0,
    totalRounds: message?.totalRounds ?? 0,
    completedPairings: message?.completedPairings ?? 0,
    totalPairings: message?.totalPairings ?? 0,
    startTime: dateFromMessage(message?.startTime),
    endTime: dateFromMessage(message?.endTime),
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
    rematchAfter: terms.rematchAfter ?? 0,
    provisionalMatches: terms.provisionalMatches ?? 0,
    pauseAfterFaults: terms.pauseAfterFaults ?? 0,
  };
}

export function ladderFromMessage(message: LadderMessage | undefined): Ladder {
  return {
    name: message?.name ?? "",
    title: message?.title ?? "",
    games: message?.terms?.matchTerms.map(({ rules }) => rules?.game ?? "") ?? [],
    closed: message?.closed ?? false,
    paused: message?.paused ?? false,
    season: message?.season ?? 0,
    entrantCount: message?.entrantCount ?? 0,
  };
}

function ratingFromMessage(message: RatingMessage | undefined): Rating {
  const { value = 0, deviation = 0, matches = 0, provisional = false } = message ?? {};
  return { value, deviation, matches, provisional };
}

function ratingChangeFromMessage({ seat, bot, version, before, after }: RatingChangeMessage): RatingChange {
  return { seat, bot, version, before: ratingFromMessage(before), after: ratingFromMessage(after) };
}

export function ladderStandingFromMessage(message: LadderStandingMessage | undefined): LadderStanding {
  return {
    rank: message?.rank ?? 0,
    entrant: entrantFromMessage(message?.entrant),
    version: message?.version ?? "",
    rating: ratingFromMessage(message?.rating),
    lowerBound: message?.lowerBound ?? 0,
    wins: message?.wins ?? 0,
    draws: message?.draws ?? 0,
    losses: message?.losses ?? 0,
    forfeits: message?.forfeits ?? 0,
    idle: message?.idle ?? false,
  };
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
