/** The bots of all seats, and their calls: one after the other for each seat. */

import { answerItem, resignationItem } from "./answers.js";
import { type Bot, type Bots, botFactory } from "./bot.js";
import { matchFromMessage, resultFromMessage, turnFromMessage } from "./messages.js";
import type { Logger } from "./options.js";
import type { Rules } from "./stubs/referee_api/v1/game_pb.js";
import type { BotItem, MatchEnded, MatchStarted, Turn as TurnMessage } from "./stubs/referee_api/v1/play_pb.js";
import type { Turn } from "./turn.js";

interface Seat {
  /** Makes a call after all earlier ones have ended. It must not fail; making the bot may. */
  call<T>(call: (getBot: () => Bot) => Promise<T>): Promise<T>;
  /** Those that arrived last for this seat: turns omit large ones. */
  rules: Rules | undefined;
}

export class Seats {
  readonly #create: () => Bot;
  readonly #logger: Logger;
  readonly #byKey = new Map<string, Seat>();

  constructor(bots: Bots, logger: Logger) {
    this.#create = botFactory(bots);
    this.#logger = logger;
  }

  /** Tells the bot, once for each seat. */
  onMatchStarted({ match: message, seat }: MatchStarted): void {
    const match = matchFromMessage(message);
    const isKnown = this.#byKey.has(seatKey({ matchId: match.id, seat }));
    const known = this.#get({ matchId: match.id, seat });
    known.rules = message?.terms?.rules ?? known.rules;
    if (!isKnown) {
      void known.call((bot) => this.#callHook("started", match.id, seat, () => bot().started?.(match, seat)));
    }
  }

  /** Returns the turn as the bot gets it. */
  toTurn(message: TurnMessage): Turn {
    const known = this.#get(message);
    known.rules = message.rules ?? known.rules;
    return turnFromMessage(message, known.rules);
  }

  /** Returns the bot's answer to a turn, or its resignation if its code fails. */
  choose(turn: Turn, signal: AbortSignal): Promise<BotItem> {
    return this.#get(turn).call(async (bot) => {
      try {
        signal.throwIfAborted();
        return answerItem(turn, await bot().choose(turn, signal), this.#logger);
      } catch (error) {
        if (!signal.aborted) {
          const { matchId, seat, ply } = turn;
          this.#logger.error(`match ${matchId}, seat ${seat}, ply ${ply}: the bot failed and resigns: ${stack(error)}`);
        }
        return resignationItem(turn);
      }
    });
  }

  /** Tells the bot, once for each seat that is known. */
  onMatchEnded({ matchId, seat, result }: MatchEnded): void {
    const known = this.#byKey.get(seatKey({ matchId, seat }));
    if (known) {
      this.#byKey.delete(seatKey({ matchId, seat }));
      const end = { matchId, seat, ...resultFromMessage(result) };
      void known.call((bot) => this.#callHook("ended", matchId, seat, () => bot().ended?.(end)));
    }
  }

  #get(of: Pick<Turn, "matchId" | "seat">): Seat {
    const key = seatKey(of);
    const known = this.#byKey.get(key) ?? { call: callsOf(this.#create), rules: undefined };
    this.#byKey.set(key, known);
    return known;
  }

  /** Calls a method of the bot, and reports its failure. */
  async #callHook(name: string, matchId: string, seat: number, call: () => unknown): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.#logger.error(`match ${matchId}, seat ${seat}: ${name} of the bot failed: ${stack(error)}`);
    }
  }
}

/** Returns a function that makes the calls of a new bot one after the other. */
function callsOf(create: () => Bot): Seat["call"] {
  let bot: Bot | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return (call) => {
    const next = last.then(() => call(() => (bot ??= create())));
    last = next;
    return next;
  };
}

function stack(error: unknown): string {
  return (error instanceof Error && error.stack) || String(error);
}

/** A key for a seat in a match. */
export function seatKey({ matchId, seat }: Pick<Turn, "matchId" | "seat">): string {
  return `${seat} ${matchId}`;
}
