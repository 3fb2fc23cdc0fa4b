/** Requests for a move. */

import type { RefereeError } from "./errors.js";

/**
 * A request for a move. It is self-contained: a bot may forget everything between two turns.
 *
 * Tests of a bot make turns of their own with {@link makeTurn}.
 */
export interface Turn {
  readonly matchId: string;
  /** Number of the seat that has to move, from 0. */
  readonly seat: number;
  /** Identifies the turn within its match. */
  readonly token: string;
  /** Name of the game. */
  readonly game: string;
  /** The value of each of the game's options. */
  readonly options: Readonly<Record<string, string>>;
  /** Number of moves played. */
  readonly ply: number;
  /** The position in the game's notation, with "?" for what this seat may not know. */
  readonly position: string;
  /** The position as JSON in the game's view schema, empty unless the option `view` asks for it. */
  readonly view: string;
  /** Moves since the last turn of this seat, or all with the option `fullHistory`. */
  readonly history: readonly PlayedMove[];
  /** Legal moves, sorted, and no more than the option `maxLegalMoves`. */
  readonly legalMoves: readonly string[];
  /** Whether there are more legal moves than listed. */
  readonly legalMovesTruncated: boolean;
  /** The clock of each seat. */
  readonly clocks: readonly Clock[];
  /** Time until the flag of this seat falls, when the turn was sent. Undefined if it has no clock. */
  readonly timeLeftMs: number | undefined;
  /** Number of answers that may still be given, including the next one. */
  readonly attemptsLeft: number;
  /** Seats with an open draw offer. A move declines it. */
  readonly drawOffers: readonly number[];
  /** Whether other seats choose at the same time, without seeing this move. */
  readonly simultaneous: boolean;
  /** Whether this turn was sent before, for example to an earlier process of the bot. */
  readonly repeated: boolean;
  /** The error of the previous answer, if this is another attempt at the same move. */
  readonly rejection: RefereeError | undefined;
  /**
   * Whether the answer is no longer needed. A long computation in a worker thread may check this regularly, and stop;
   * code that awaits something can use the signal that it gets with the turn.
   */
  readonly isCancelled: () => boolean;
}

/** A move of a seat, as the reader may see it. */
export interface PlayedMove {
  /** Number of the seat, from 0. */
  readonly seat: number;
  /** The move in the game's notation. */
  readonly move: string;
}

/** The clock of a seat when the turn was sent. */
export interface Clock {
  /** Number of the seat, from 0. */
  readonly seat: number;
  /** Whether the seat has to move. */
  readonly running: boolean;
  /** Time until the flag falls, including everything. Undefined if the seat has no clock. */
  readonly leftMs: number | undefined;
  /** The part of it that is main time or bank. */
  readonly mainMs: number;
  /** The part of it that is the current period, delay or move. */
  readonly periodMs: number;
  /** Byo-yomi periods that are left, including the current one; 0 if there are none. */
  readonly periodsLeft: number;
  /** Moves until the next period; 0 if they do not count. */
  readonly movesLeft: number;
}

/** Returns a turn with these fields, and defaults for all others. It is for tests of a bot. */
export function makeTurn(fields: Partial<Turn> = {}): Turn {
  return {
    matchId: "",
    seat: 0,
    token: "",
    game: "",
    options: {},
    ply: 0,
    position: "",
    view: "",
    history: [],
    legalMoves: [],
    legalMovesTruncated: false,
    clocks: [],
    timeLeftMs: undefined,
    attemptsLeft: 1,
    drawOffers: [],
    simultaneous: false,
    repeated: false,
    rejection: undefined,
    isCancelled: () => false,
    ...fields,
  };
}
