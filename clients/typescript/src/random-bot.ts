/** Plays a random legal move in every game. */

import type { TurnOptions, TurnRequest } from "./index.js";

export const turnOptions: TurnOptions = { maxLegalMoves: 5000 };

export default function choose({ turn }: TurnRequest): string {
  const moves = turn.legalMoves; // Your strategy goes here; see turn.position.
  return moves[Math.floor(Math.random() * moves.length)]!;
}
