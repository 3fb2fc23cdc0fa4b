/** Matches, and what happens in them. */

import type { PlayedMove } from "./turn.js";

/** What is known about a match. */
export interface Match {
  readonly id: string;
  /** Name of the game. */
  readonly game: string;
  /** The value of each of the game's options. */
  readonly options: Readonly<Record<string, string>>;
  /** The name of each seat, such as "white". */
  readonly seatNames: readonly string[];
  /** The seats of each side. */
  readonly sides: readonly (readonly number[])[];
  /** The bot of each seat, empty if the seat is open. */
  readonly bots: readonly string[];
  readonly title: string;
  /** The ladder that the match belongs to, or empty. */
  readonly ladder: string;
  /** The tournament that the match belongs to, or empty. */
  readonly tournament: string;
  /** Undefined until the match is over. */
  readonly result: Result | undefined;
}

/** The result of a match. */
export interface Result {
  /** The players finished the game, a side lost by a fault, or the match does not count. */
  readonly kind: "played" | "forfeited" | "void";
  /**
   * For a match that was played, a reason of its game, or "resignation", "draw_agreed", "draw_claimed" or
   * "adjudication"; for a forfeit its cause, such as "time" or "illegal_move"; otherwise the cause of the void match.
   */
  readonly reason: string;
  /** The score of each seat in the game's own points. Empty if the match is void. */
  readonly scores: readonly number[];
  /** The rank of each seat, where 1 is best. Empty if the match is void. */
  readonly ranks: readonly number[];
}

/** The end of a match, as it is told to one of its seats. */
export interface End extends Result {
  readonly matchId: string;
  /** Number of the seat, from 0. */
  readonly seat: number;
}

/** One numbered entry of the log of a match. */
export interface Entry {
  /** Counted from 1, without gaps. */
  readonly number: number;
  readonly time: Date;
  /** The event in the words of the contract, such as "move_played". Empty if the watcher may not see it. */
  readonly kind: string;
  /** What was played, if the kind is "move_played". */
  readonly move: PlayedMove | undefined;
  /** The position after the move, if the kind is "move_played". */
  readonly position: string | undefined;
  /** The result of the match, if the kind is "play_ended". */
  readonly result: Result | undefined;
}
