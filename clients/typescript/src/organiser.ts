/** Calls of organisers and watchers. */

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import type {
  DescMethodServerStreaming,
  DescMethodUnary,
  DescMessage,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import { type Client, status } from "@grpc/grpc-js";

import { Backoff } from "./backoff.js";
import { callUnary, connect, readStream } from "./connection.js";
import { CallError } from "./errors.js";
import type { Entry, Match, Result } from "./match.js";
import { clockRule, entryFromMessage, matchFromMessage } from "./messages.js";
import { checkConnection, type ConnectionOptions, type Target } from "./options.js";
import { BotService } from "./stubs/referee_api/v1/bot_service_pb.js";
import { MatchService } from "./stubs/referee_api/v1/match_service_pb.js";
import type { MatchTerms } from "./terms.js";

/** Statuses after which a watch continues with the next entry. A watcher that is too slow gets RESOURCE_EXHAUSTED. */
const INTERRUPTIONS: (string | undefined)[] = [
  status[status.UNAVAILABLE],
  status[status.UNKNOWN],
  status[status.INTERNAL],
  status[status.RESOURCE_EXHAUSTED],
];

/** What a watch needs. */
export interface WatchOptions {
  /** The number of the entry to continue after. Default: 0, from the beginning. */
  readonly after?: number | undefined;
  /** Ends the watch, which throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes the calls of organisers and watchers. They throw CallError if the server rejects them or cannot be reached.
 *
 *     const organiser = new Organiser({ address: "localhost:7700", token });
 *     const match = await organiser.createMatch({ game: "alquerque" }, ["anna", "bert"]);
 *     for await (const { move } of organiser.watch(match.id)) {
 *       console.log(move);
 *     }
 *     organiser.close();
 */
export class Organiser {
  readonly #target: Target;
  readonly #client: Client;

  /** Connects with the first call. The token is that of an organiser, author or spectator. Throws SettingError. */
  constructor(options: ConnectionOptions) {
    this.#target = checkConnection(options);
    this.#client = connect(this.#target);
  }

  /** Closes the connection. */
  close(): void {
    this.#client.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Registers a bot, and returns its first token, which is shown only once. */
  async registerBot(name: string, description = ""): Promise<string> {
    const { secret } = await this.#call(BotService.method.registerBot, { requestId: randomUUID(), name, description });
    return secret;
  }

  /** Creates a match with a bot for each seat, in order. It begins when all of them are online. */
  async createMatch(terms: MatchTerms, bots: readonly string[]): Promise<Match> {
    const { game, preset = "", options = {}, clock, startTimeoutMs = 0, title = "" } = terms;
    const { match } = await this.#call(MatchService.method.createMatch, {
      requestId: randomUUID(),
      terms: {
        rules: { game, preset, options },
        timeControl: { rule: clockRule(clock) },
        startTimeoutMs: BigInt(startTimeoutMs),
      },
      seats: bots.map((bot) => ({ bot })),
      title,
    });
    return matchFromMessage(match);
  }

  /** Returns a match as it is now. */
  async match(matchId: string): Promise<Match> {
    const { match } = await this.#call(MatchService.method.getMatch, { matchId });
    return matchFromMessage(match);
  }

  /** Ends a match, which is void then. */
  async abortMatch(matchId: string, why = ""): Promise<void> {
    await this.#call(MatchService.method.abortMatch, { requestId: randomUUID(), matchId, message: why });
  }

  /**
   * Yields the entries of a match, once and in order, until it is over. After an interruption it continues with the next
   * entry.
   */
  async *watch(matchId: string, { after = 0, signal }: WatchOptions = {}): AsyncGenerator<Entry, void, void> {
    let backoff = new Backoff();
    for (;;) {
      signal?.throwIfAborted(); // Also after a pause that was cut short.
      try {
        for await (const entry of this.#entries(matchId, after, signal)) {
          after = entry.number;
          backoff = new Backoff();
          yield entry;
          signal?.throwIfAborted();
        }
        return;
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof CallError && INTERRUPTIONS.includes(error.status))) {
          throw error;
        }
      }
      await sleep(backoff.nextMs(performance.now(), Math.random()), undefined, signal && { signal }).catch(() => {});
    }
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
    const lines: string[] = [];
    for await (const response of this.#read(MatchService.method.getRecord, { matchId })) {
      lines.push(...response.lines);
    }
    return lines.map((line) => `${line}\n`).join("");
  }

  /** Yields the entries that come in one call. */
  async *#entries(matchId: string, after: number, signal: AbortSignal | undefined): AsyncGenerator<Entry, void, void> {
    const request = { matchId, afterNumber: BigInt(after) };
    for await (const { items } of this.#read(MatchService.method.watchMatch, request, signal)) {
      for (const { item } of items) {
        if (item.case === "entry") {
          yield entryFromMessage(item.value);
        }
      }
    }
  }

  #call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
  ): Promise<MessageShape<O>> {
    return callUnary(this.#client, this.#target, method, request);
  }

  #read<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    request: MessageInitShape<I>,
    signal?: AbortSignal,
  ): AsyncGenerator<MessageShape<O>, void, void> {
    return readStream(this.#client, this.#target, method, request, signal);
  }
}
