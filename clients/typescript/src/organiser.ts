/** Calls of organisers and watchers. */

import { randomUUID } from "node:crypto";

import { Calls, watchEntries } from "./calls.js";
import { Ladders } from "./ladders.js";
import type { Entry, Match, Result } from "./match.js";
import { entryFromMessage, matchFromMessage, matchTermsMessage } from "./messages.js";
import type { ConnectionOptions, WatchOptions } from "./options.js";
import { BotService } from "./stubs/referee_api/v1/bot_service_pb.js";
import { MatchService } from "./stubs/referee_api/v1/match_service_pb.js";
import type { MatchTerms } from "./terms.js";
import { Tournaments } from "./tournaments.js";

/**
 * Makes the calls of organisers and watchers. While the server cannot be reached or asks for a pause, a call is made up to
 * five times. Calls throw CallError if the server rejects them or still cannot be reached then.
 *
 *     const organiser = new Organiser({ address: "localhost:7700", token });
 *     const match = await organiser.createMatch({ game: "alquerque" }, ["anna", "bert"]);
 *     for await (const { move } of organiser.watch(match.id)) {
 *       console.log(move);
 *     }
 *     organiser.close();
 */
export class Organiser {
  /** Calls about tournaments. */
  readonly tournaments: Tournaments;
  /** Calls about ladders. */
  readonly ladders: Ladders;
  readonly #calls: Calls;

  /** Connects with the first call. The token is that of an organiser, author or spectator. Throws SettingError. */
  constructor(options: ConnectionOptions) {
    this.#calls = new Calls(options);
    this.tournaments = new Tournaments(this.#calls);
    this.ladders = new Ladders(this.#calls);
  }

  /** Closes the connection. */
  close(): void {
    this.#calls.close();
  }

  /** Closes the connection at the end of a block with `using`. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** Registers a bot, and returns its first token, which is shown only once. */
  async registerBot(name: string, description = ""): Promise<string> {
    const { secret } = await this.#calls.unary(BotService.method.registerBot, {
      requestId: randomUUID(),
      name,
      description,
    });
    // If the call was repeated, the response that had the token was lost.
    return secret || (await this.#calls.unary(BotService.method.createBotToken, { bot: name })).secret;
  }

  /** Creates a match with a bot for each seat, in order. It begins when all of them are online. */
  async createMatch(terms: MatchTerms, bots: readonly string[]): Promise<Match> {
    const { match } = await this.#calls.unary(MatchService.method.createMatch, {
      requestId: randomUUID(),
      terms: matchTermsMessage(terms),
      seats: bots.map((bot) => ({ bot })),
      title: terms.title ?? "",
    });
    return matchFromMessage(match);
  }

  /** Returns a match as it is now. */
  async match(matchId: string): Promise<Match> {
    const { match } = await this.#calls.unary(MatchService.method.getMatch, { matchId });
    return matchFromMessage(match);
  }

  /** Ends a match, which is void then. */
  async abortMatch(matchId: string, why = ""): Promise<void> {
    await this.#calls.unary(MatchService.method.abortMatch, { requestId: randomUUID(), matchId, message: why });
  }

  /**
   * Yields the entries of a match, once and in order, until it is over. After an interruption it continues with the next
   * entry.
   */
  watch(matchId: string, options: WatchOptions = {}): AsyncGenerator<Entry, void, void> {
    const { watchMatch } = MatchService.method;
    const open = (afterNumber: bigint) => this.#calls.stream(watchMatch, { matchId, afterNumber }, options.signal);
    return watchEntries(open, entryFromMessage, options);
  }

  /** Waits for the end of a match, and returns its result. */
  async result(matchId: string, { signal }: Pick<WatchOptions, "signal"> = {}): Promise<Result> {
    for await (const { result } of this.watch(matchId, { signal })) {
      if (result) {
        return result;
      }
    }
    throw new Error(`match ${matchId} ended without a result`);
  }

  /** Returns the record of a match that is over: a text with one line per entry, which `referee verify` checks. */
  async record(matchId: string): Promise<string> {
    const parts = await this.#calls.all(MatchService.method.getRecord, { matchId });
    return parts
      .flatMap(({ lines }) => lines)
      .map((line) => `${line}\n`)
      .join("");
  }
}
