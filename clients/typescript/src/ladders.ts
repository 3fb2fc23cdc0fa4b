/** Calls of organisers about ladders. */

import { randomUUID } from "node:crypto";

import { type Calls, joinText, PAGE_SIZE, pages, watchEntries } from "./calls.js";
import {
  entrantMessage,
  ladderEntryFromMessage,
  ladderFromMessage,
  ladderStandingFromMessage,
  ladderTermsMessage,
  pairingFromMessage,
} from "./contest-messages.js";
import type { Ladder, LadderEntry, LadderStanding, LadderTerms, NewEntrant, Pairing } from "./contests.js";
import type { ListOptions, WatchOptions } from "./options.js";
import { LadderService } from "./stubs/referee_api/v1/ladder_service_pb.js";

/** Which ladders a list has. Default: all that are not closed. */
export interface LadderListOptions extends ListOptions {
  readonly game?: string | undefined;
  /** Only those that this bot has joined. */
  readonly bot?: string | undefined;
  readonly includeClosed?: boolean | undefined;
}

/** Which standings a list has. */
export interface LadderStandingListOptions extends ListOptions {
  /** Number of the season, from 1. Default: the current one. */
  readonly season?: number | undefined;
}

/** Creates ladders, runs and watches them. The calls throw CallError. */
export class Ladders {
  readonly #calls: Calls;

  /** @internal */
  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Creates a ladder. It starts matches as soon as two entrants are online. */
  async create(
    name: string,
    terms: LadderTerms,
    { title = "" }: { readonly title?: string | undefined } = {},
  ): Promise<Ladder> {
    const request = { requestId: randomUUID(), name, title, terms: ladderTermsMessage(terms) };
    const { ladder } = await this.#calls.unary(LadderService.method.createLadder, request);
    return ladderFromMessage(ladder);
  }

  /** Adds an entrant, and returns its first standing. Default: the bot of this token. */
  async join(name: string, entrant?: NewEntrant): Promise<LadderStanding> {
    const request = entrant === undefined ? { ladder: name } : { ladder: name, entrant: entrantMessage(entrant) };
    const { standing } = await this.#calls.unary(LadderService.method.joinLadder, request);
    return ladderStandingFromMessage(standing);
  }

  /** Removes an entrant by name; an empty name is the bot of this token. Its ratings are kept in case it returns. */
  async leave(name: string, entrant = ""): Promise<void> {
    await this.#calls.unary(LadderService.method.leaveLadder, { ladder: name, entrant });
  }

  /** Plans a rated pairing, which starts as soon as all have room. The challenger is the first entrant. */
  async challenge(name: string, entrants: readonly string[]): Promise<Pairing> {
    const request = { requestId: randomUUID(), ladder: name, entrants: [...entrants] };
    const { pairing } = await this.#calls.unary(LadderService.method.challenge, request);
    return pairingFromMessage(pairing);
  }

  /** Pauses a ladder: it starts no matches until it is resumed. Matches in play continue and are rated. */
  async pause(name: string, why = ""): Promise<Ladder> {
    const { ladder } = await this.#calls.unary(LadderService.method.pauseLadder, { ladder: name, message: why });
    return ladderFromMessage(ladder);
  }

  /** Lets a paused ladder start matches again. */
  async resume(name: string): Promise<Ladder> {
    const { ladder } = await this.#calls.unary(LadderService.method.resumeLadder, { ladder: name });
    return ladderFromMessage(ladder);
  }

  /** Closes a ladder for good. Matches in play continue and are rated. */
  async close(name: string, why = ""): Promise<Ladder> {
    const { ladder } = await this.#calls.unary(LadderService.method.closeLadder, { ladder: name, message: why });
    return ladderFromMessage(ladder);
  }

  /** Returns a ladder as it is now. */
  async get(name: string): Promise<Ladder> {
    const { ladder } = await this.#calls.unary(LadderService.method.getLadder, { name });
    return ladderFromMessage(ladder);
  }

  /** Yields ladders by name. */
  list(options: LadderListOptions = {}): AsyncGenerator<Ladder, void, void> {
    const { game = "", bot = "", includeClosed = false, signal } = options;
    const request = { game, bot, includeClosed, pageSize: PAGE_SIZE };
    const { listLadders } = LadderService.method;
    return pages(
      (pageToken) => this.#calls.unary(listLadders, { ...request, pageToken }, signal),
      ({ ladders }) => ladders.map(ladderFromMessage),
    );
  }

  /** Yields the standings, the best first. */
  standings(name: string, options: LadderStandingListOptions = {}): AsyncGenerator<LadderStanding, void, void> {
    const { season = 0, signal } = options;
    const request = { ladder: name, season, pageSize: PAGE_SIZE };
    const { listLadderStandings } = LadderService.method;
    return pages(
      (pageToken) => this.#calls.unary(listLadderStandings, { ...request, pageToken }, signal),
      ({ standings }) => standings.map(ladderStandingFromMessage),
    );
  }

  /**
   * Yields the entries of a ladder, once and in order, until it is closed and its last match is over. After an
   * interruption it continues with the next entry.
   */
  watch(name: string, options: WatchOptions = {}): AsyncGenerator<LadderEntry, void, void> {
    const { watchLadder } = LadderService.method;
    const open = (afterNumber: bigint) =>
      this.#calls.stream(watchLadder, { ladder: name, afterNumber }, options.signal);
    return watchEntries(open, ladderEntryFromMessage, options);
  }

  /** Returns the signed record of a closed ladder whose last match is over. `referee verify` checks it. */
  record(name: string): Promise<string> {
    return joinText(this.#calls.all(LadderService.method.getLadderRecord, { ladder: name }));
  }
}
