/** What a bot is: a function, or a class whose objects play a seat each. */

import type { End, Match } from "./match.js";
import type { Turn } from "./turn.js";

/**
 * What a bot does in its turn: a text is a move in the game's notation. If a draw that is accepted or claimed is not to
 * be had, the bot is called again for the same turn, with the error in `turn.rejection`.
 *
 * `score` is what the bot expects for its side, an integer in hundredths of a point of the game; positive: it is ahead.
 * Others find it only in the record of the finished match.
 */
export type Answer =
  | string
  | { readonly move: string; readonly offerDraw?: boolean | undefined; readonly score?: number | undefined }
  | { readonly resign: true }
  | { readonly acceptDraw: true }
  | { readonly claimDraw: true };

/**
 * Returns the answer to a turn. The signal is aborted when the answer is no longer needed. An exception resigns the seat;
 * other matches continue.
 */
export type Choose = (turn: Turn, signal: AbortSignal) => Answer | Promise<Answer>;

/**
 * Plays one seat of one match, and may keep what it knows about it. Its methods are called one after the other; a
 * method that returns a promise has ended when this is settled.
 */
export interface Bot {
  /**
   * Is told of the start of the match, before the first turn. After a restart of the program, matches in play are not
   * announced again.
   */
  started?(match: Match, seat: number): void | Promise<void>;
  choose: Choose;
  /** Is told of the end of the match, after the last turn. */
  ended?(end: End): void | Promise<void>;
}

/** A class whose objects are bots: one is made for each seat of each match. */
export type BotClass = new () => Bot;

/** Bots that a function makes. */
export class PerSeat {
  /** @param create - Makes the bot of a seat. */
  constructor(readonly create: () => Bot) {}
}

/** What can play. */
export type Bots = Choose | BotClass | PerSeat;

/** Returns bots that a function makes, one for each seat of each match: `perSeat(() => new MyBot(book))`. */
export function perSeat(create: () => Bot): PerSeat {
  return new PerSeat(create);
}

/** Returns the function that makes the bot of another seat. */
export function botFactory(bots: Bots): () => Bot {
  if (bots instanceof PerSeat) {
    return bots.create;
  }
  if (typeof bots !== "function") {
    throw new TypeError("a bot is a function, a class with a method `choose`, or `perSeat(...)`");
  }
  return isClass(bots) ? () => new bots() : () => ({ choose: bots });
}

function isClass(bots: Choose | BotClass): bots is BotClass {
  const prototype: unknown = bots.prototype;
  return typeof prototype === "object" && prototype !== null && "choose" in prototype;
}
