/** Calls of organisers about tournaments. */

import { randomUUID } from "node:crypto";

import { type Calls, joinText, PAGE_SIZE, pages, watchEntries } from "./calls.js";
import {
  entrantMessage,
  pairingFromMessage,
  tournamentEntryFromMessage,
  tournamentFromMessage,
  tournamentStandingFromMessage,
  tournamentTermsMessage,
} from "./contest-messages.js";
import type {
  ExportFormat,
  NewEntrant,
  Pairing,
  Tournament,
  TournamentEntry,
  TournamentPhase,
  TournamentStanding,
  TournamentTerms,
} from "./contests.js";
import type { ListOptions, WatchOptions } from "./options.js";
import { TournamentPhase as PhaseNumber } from "./stubs/referee_api/v1/tournament_pb.js";
import { ExportFormat as FormatNumber, TournamentService } from "./stubs/referee_api/v1/tournament_service_pb.js";

const PHASES: Readonly<Record<TournamentPhase, PhaseNumber>> = {
  entry: PhaseNumber.ENTRY,
  playing: PhaseNumber.PLAYING,
  finished: PhaseNumber.FINISHED,
  cancelled: PhaseNumber.CANCELLED,
};
const FORMATS: Readonly<Record<ExportFormat, FormatNumber>> = {
  csv: FormatNumber.CSV,
  json: FormatNumber.JSON,
  trf: FormatNumber.TRF,
};

/** Which tournaments a list has. Default: all. */
export interface TournamentListOptions extends ListOptions {
  readonly game?: string | undefined;
  /** Only those of this bot. */
  readonly bot?: string | undefined;
  readonly phase?: TournamentPhase | undefined;
}

/** Which pairings a list has. Default: all. */
export interface PairingListOptions extends ListOptions {
  readonly round?: number | undefined;
  /** Only those of the entrant with this name. */
  readonly entrant?: string | undefined;
}

/** Creates tournaments, runs and watches them. The calls throw CallError. */
export class Tournaments {
  readonly #calls: Calls;

  /** @internal */
  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Creates a tournament. Further entrants can enter until it is started. */
  async create(
    name: string,
    terms: TournamentTerms,
    {
      title = "",
      entrants = [],
    }: { readonly title?: string | undefined; readonly entrants?: readonly NewEntrant[] | undefined } = {},
  ): Promise<Tournament> {
    const { tournament } = await this.#calls.unary(TournamentService.method.createTournament, {
      requestId: randomUUID(),
      name,
      title,
      terms: tournamentTermsMessage(terms),
      entrants: entrants.map(entrantMessage),
    });
    return tournamentFromMessage(tournament);
  }

  /** Adds an entrant. Default: the bot of this token. */
  async enter(name: string, entrant?: NewEntrant): Promise<Tournament> {
    const request =
      entrant === undefined ? { tournament: name } : { tournament: name, entrant: entrantMessage(entrant) };
    const { tournament } = await this.#calls.unary(TournamentService.method.enterTournament, request);
    return tournamentFromMessage(tournament);
  }

  /** Withdraws an entrant by name; an empty name is the bot of this token. After the start its results are kept. */
  async withdraw(name: string, entrant = "", why = ""): Promise<Tournament> {
    const request = { tournament: name, entrant, message: why };
    const { tournament } = await this.#calls.unary(TournamentService.method.withdrawEntrant, request);
    return tournamentFromMessage(tournament);
  }

  /** Starts a tournament: the entrants are seeded, and nobody can enter any more. */
  async start(name: string): Promise<Tournament> {
    const { tournament } = await this.#calls.unary(TournamentService.method.startTournament, { name });
    return tournamentFromMessage(tournament);
  }

  /** Cancels a tournament. Its matches in play become void. */
  async cancel(name: string, why = ""): Promise<Tournament> {
    const { tournament } = await this.#calls.unary(TournamentService.method.cancelTournament, { name, message: why });
    return tournamentFromMessage(tournament);
  }

  /** Returns a tournament as it is now. */
  async get(name: string): Promise<Tournament> {
    const { tournament } = await this.#calls.unary(TournamentService.method.getTournament, { name });
    return tournamentFromMessage(tournament);
  }

  /** Yields tournaments, the newest first. */
  list(options: TournamentListOptions = {}): AsyncGenerator<Tournament, void, void> {
    const { game = "", bot = "", phase, signal } = options;
    const request = { game, bot, phase: phase ? PHASES[phase] : PhaseNumber.UNSPECIFIED, pageSize: PAGE_SIZE };
    const { listTournaments } = TournamentService.method;
    return pages(
      (pageToken) => this.#calls.unary(listTournaments, { ...request, pageToken }, signal),
      ({ tournaments }) => tournaments.map(tournamentFromMessage),
    );
  }

  /** Yields pairings by round and board. */
  pairings(name: string, options: PairingListOptions = {}): AsyncGenerator<Pairing, void, void> {
    const { round = 0, entrant = "", signal } = options;
    const request = { tournament: name, round, entrant, pageSize: PAGE_SIZE };
    const { listPairings } = TournamentService.method;
    return pages(
      (pageToken) => this.#calls.unary(listPairings, { ...request, pageToken }, signal),
      ({ pairings }) => pairings.map(pairingFromMessage),
    );
  }

  /** Returns the standings, the best first: the current ones, or those after a round. */
  async standings(name: string, afterRound = 0): Promise<TournamentStanding[]> {
    const request = { tournament: name, afterRound };
    const { standings } = await this.#calls.unary(TournamentService.method.getTournamentStandings, request);
    return standings.map(tournamentStandingFromMessage);
  }

  /**
   * Yields the entries of a tournament, once and in order, until it is over. After an interruption it continues with the
   * next entry.
   */
  watch(name: string, options: WatchOptions = {}): AsyncGenerator<TournamentEntry, void, void> {
    const { watchTournament } = TournamentService.method;
    const open = (afterNumber: bigint) =>
      this.#calls.stream(watchTournament, { tournament: name, afterNumber }, options.signal);
    return watchEntries(open, tournamentEntryFromMessage, options);
  }

  /** Returns the tournament as the text of a file. */
  export(name: string, format: ExportFormat): Promise<string> {
    const request = { tournament: name, format: FORMATS[format] };
    return joinText(this.#calls.all(TournamentService.method.exportTournament, request));
  }

  /** Returns the signed record of a tournament that is over, which `referee verify` checks. */
  record(name: string): Promise<string> {
    return joinText(this.#calls.all(TournamentService.method.getTournamentRecord, { tournament: name }));
  }
}
