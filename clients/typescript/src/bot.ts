/** What a bot is. */

import type { MessageInitShape } from "@bufbuild/protobuf";

import type { Turn, TurnWishesSchema } from "./stubs/referee_api/v1/play_pb.js";
import type { Refusal } from "./stubs/referee_api/v1/refusal_pb.js";

/** A turn as the bot is asked it. */
export interface Asked {
  readonly turn: Turn;
  /** Why the last answer was refused, if this is another attempt at the same move. */
  readonly refused: Refusal | undefined;
  /** Whether an answer is still wanted. A bot that thinks for long may look now and then, and stop. */
  wanted(): boolean;
}

/** The move to play, in the game's notation. What is thrown resigns the seat; the other matches go on. */
export type Choose = (asked: Asked) => string | Promise<string>;

/** What each turn should carry beyond the position. */
export type Wishes = MessageInitShape<typeof TurnWishesSchema>;

/**
 * A bot is a module that exports this.
 *
 * It is loaded into several threads, as it may think about several matches at once; which one is asked is not said.
 * So it is best without a memory: a turn stands on its own.
 */
export interface Bot {
  default: Choose;
  wishes?: Wishes;
}
