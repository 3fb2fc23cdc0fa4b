/** Tournaments and ladders: their terms, what is known about them, and what happens in them. */

import type { MatchTerms } from "./terms.js";

/** A participant of a contest: a bot, or several bots that play as partners or as a team. */
export interface Entrant {
  /** Its name in tables. */
  readonly name: string;
  /** Its bots in the order of seats, or of a team in the order of boards: `anna`, or `anna/1.4` for one version. */
  readonly bots: readonly string[];
}

/** A participant that joins: a bot, such as `anna` or `anna/1.4`, or several bots with a name. */
export type NewEntrant = string | Entrant;

/** The terms of the matches of a contest. */
export type ContestMatchTerms = Omit<MatchTerms, "title">;

/** How a tournament pairs its entrants. */
export type TournamentFormat =
  /** Every entrant plays every other one, in each cycle once. Default: one cycle. */
  | { readonly roundRobin: { readonly cycles?: number | undefined } }
  /** Entrants with equal points play each other, without rematches. */
  | { readonly swiss: { readonly rounds: number } }
  /** A knock-out: losers drop out, of a double elimination after two losses. */
  | {
      readonly elimination: {
        readonly doubleElimination?: boolean | undefined;
        readonly matchesPerPairing?: number | undefined;
        readonly thirdPlaceMatch?: boolean | undefined;
      };
    }
  /** Challengers play all other entrants, who do not play each other. */
  | { readonly gauntlet: { readonly challengers: readonly string[]; readonly cycles?: number | undefined } }
  /** Several entrants play at each table, for games of more than two sides. */
  | { readonly pools: { readonly rounds: number } };

/** The terms of a new tournament. */
export interface TournamentTerms {
  readonly match: ContestMatchTerms;
  readonly format: TournamentFormat;
  /** The ladder whose ratings seed the entrants and that rates the matches. Default: none. */
  readonly ladder?: string | undefined;
  /** How many matches are in play at once. Default: as many as possible. */
  readonly maxConcurrentMatches?: number | undefined;
  /** How long a pairing waits for an entrant that is absent; 0: for ever. Default: ten minutes. */
  readonly noShowMs?: number | undefined;
}

/** The phase of a tournament. A phase that is newer than this client is a number. */
export type TournamentPhase = "entry" | "playing" | "finished" | "cancelled";

/** What is known about a tournament. */
export interface Tournament {
  readonly name: string;
  readonly title: string;
  /** Name of the game. */
  readonly game: string;
  /** The format in the words of the contract, such as "round_robin". */
  readonly format: string;
  readonly phase: TournamentPhase | (string & {});
  /** By seed once it has started, before that in the order of entry. */
  readonly entrants: readonly Entrant[];
  /** Names of entrants that have withdrawn. */
  readonly withdrawn: readonly string[];
  /** Counted from 1; 0 before the start. */
  readonly currentRound: number;
  /** 0 if it is not known in advance. */
  readonly totalRounds: number;
  readonly completedPairings: number;
  /** 0 if it is not known in advance. */
  readonly totalPairings: number;
  /** Undefined until it has started. */
  readonly startTime: Date | undefined;
  /** Undefined until it is over. */
  readonly endTime: Date | undefined;
}

/** Entrants that play each other. */
export interface Pairing {
  readonly id: string;
  /** Counted from 1; 0 on a ladder. */
  readonly round: number;
  /** Number of the board within the round, from 1; 0 on a ladder. */
  readonly board: number;
  /** Names of the entrants, in the order of seats of the first match. Only one: a bye. */
  readonly entrants: readonly string[];
  readonly phase: "planned" | "playing" | "done" | (string & {});
  /** Ids of its matches in order, with those that were void and played again. */
  readonly matchIds: readonly string[];
  /** Points of each entrant. Empty until it is done. */
  readonly points: readonly number[];
  /** Names of entrants that lost it by absence. */
  readonly absent: readonly string[];
}

/** A row of the standings of a tournament. */
export interface TournamentStanding {
  /** Counted from 1. Entrants that no tie-break separates share a rank. */
  readonly rank: number;
  /** Name of the entrant. */
  readonly entrant: string;
  readonly points: number;
  /** In the order of precedence, by names such as "buchholz". */
  readonly tieBreaks: readonly { readonly name: string; readonly value: number }[];
  readonly wins: number;
  readonly draws: number;
  readonly losses: number;
  /** How many of the losses were forfeits. */
  readonly forfeits: number;
  readonly byes: number;
}

/** One numbered entry of the log of a tournament. */
export interface TournamentEntry {
  /** Counted from 1, without gaps. */
  readonly number: number;
  readonly time: Date;
  /** The event in the words of the contract, such as "round_started" or "ended". Empty if it is newer than this client. */
  readonly kind: string;
  /** Name of the entrant that joined or left. */
  readonly entrant: string | undefined;
  /** The round that started. */
  readonly round: number | undefined;
  /** The pairings that are new, or in which something happened, as they are after it. */
  readonly pairings: readonly Pairing[];
  /** The final standings, if the kind is "ended"; those before the round, if it is "round_started". */
  readonly standings: readonly TournamentStanding[];
  /** The reason, for people. */
  readonly message: string;
}

/** A file format of tournaments: the standings, the whole tournament, or FIDE's tournament report file. */
export type ExportFormat = "csv" | "json" | "trf";

/** The terms of a new ladder. */
export interface LadderTerms {
  /** The terms of its matches, used in turn if there are several. */
  readonly matches: readonly ContestMatchTerms[];
  /** How many matches are in play at once. Default: as many as possible. */
  readonly maxConcurrentMatches?: number | undefined;
  /** How many matches start in an hour; 0: as many as possible. Default: 120. */
  readonly maxMatchesPerHour?: number | undefined;
  /** How many other opponents come before a rematch. Default: 1. */
  readonly rematchAfter?: number | undefined;
  /** For how many matches a rating is provisional. Default: 20. */
  readonly provisionalMatches?: number | undefined;
  /** After how many faults in succession a bot is paused. Default: 3. */
  readonly pauseAfterFaults?: number | undefined;
}

/** What is known about a ladder. */
export interface Ladder {
  readonly name: string;
  readonly title: string;
  /** Names of the games of its matches, in the order of its terms. */
  readonly games: readonly string[];
  /** Whether it starts no more matches. */
  readonly closed: boolean;
  /** Whether it starts no matches until it is resumed. */
  readonly paused: boolean;
  /** Number of the season, from 1. */
  readonly season: number;
  readonly entrantCount: number;
}

/** The estimated strength of a bot. */
export interface Rating {
  /** Higher is better. */
  readonly value: number;
  /** Standard deviation: the true strength is within two of them in 95 of 100 cases. */
  readonly deviation: number;
  /** How many matches were rated. */
  readonly matches: number;
  /** Whether there are too few matches to be ranked by it. */
  readonly provisional: boolean;
}

/** The effect of a match on the rating of a bot. */
export interface RatingChange {
  readonly seat: number;
  readonly bot: string;
  readonly version: string;
  readonly before: Rating;
  readonly after: Rating;
}

/** A row of the standings of a ladder. */
export interface LadderStanding {
  /** Counted from 1. */
  readonly rank: number;
  readonly entrant: Entrant;
  /** The version that the rating is for. Empty for partners. */
  readonly version: string;
  readonly rating: Rating;
  /** The rating less two deviations, by which the ladder ranks. */
  readonly lowerBound: number;
  readonly wins: number;
  readonly draws: number;
  readonly losses: number;
  /** How many of the losses were forfeits. */
  readonly forfeits: number;
  /** Whether it gets no matches because one of its bots is paused or offline. */
  readonly idle: boolean;
}

/** One numbered entry of the log of a ladder. */
export interface LadderEntry {
  /** Counted from 1, without gaps. */
  readonly number: number;
  readonly time: Date;
  /** The event in the words of the contract, such as "match_rated" or "closed". Empty if it is newer than this client. */
  readonly kind: string;
  /** Name of the entrant that joined or left. */
  readonly entrant: string | undefined;
  /** The pairing that is new, or in which something happened, as it is after it. */
  readonly pairing: Pairing | undefined;
  /** Id of the match that was rated or corrected. */
  readonly matchId: string | undefined;
  /** The effect of the match that was rated, in the order of seats. */
  readonly ratings: readonly RatingChange[];
  /** The reason, for people. */
  readonly message: string;
}
