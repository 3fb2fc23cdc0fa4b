/** The types of a bot. */

import type { MessageInitShape } from "@bufbuild/protobuf";

import type { NonceRequest, Turn, TurnOptionsSchema } from "./stubs/referee_api/v1/play_pb.js";
import type { ErrorDetail } from "./stubs/referee_api/v1/error_pb.js";

/** A turn as it is passed to the bot. */
export interface TurnRequest {
  readonly turn: Turn;
  /** The error of the previous answer, if this is another attempt at the same move. */
  readonly rejection: ErrorDetail | undefined;
  /** Whether the answer is no longer needed. A long computation may check this regularly, and stop. */
  isCancelled(): boolean;
}

/** Returns the move to play, in the game's notation. An exception resigns the seat; other matches continue. */
export type Choose = (request: TurnRequest) => string | Promise<string>;

/** What each turn should contain besides the position. */
export type TurnOptions = MessageInitShape<typeof TurnOptionsSchema>;

/** Returns what the bot adds to the seed of a match: up to 64 bytes that nobody can guess. */
export type ChooseNonce = (request: NonceRequest) => Uint8Array;

/**
 * A bot is a module that exports this.
 *
 * It is loaded into several threads, because it may play several matches at the same time; any of them may get a turn.
 * So it should not keep state: each turn is self-contained.
 */
export interface Bot {
  default: Choose;
  turnOptions?: TurnOptions;
  /** Called in the main thread, so it must return at once. Default: 32 random bytes. */
  nonce?: ChooseNonce;
}
