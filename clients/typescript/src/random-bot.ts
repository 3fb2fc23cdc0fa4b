/** Plays a random one of the legal moves: a bot for every game there is. */

import type { Asked, TurnOptions } from "./index.js";

export const turnOptions: TurnOptions = { maxLegalMoves: 5000 };

export default function choose({ turn }: Asked): string {
  const moves = turn.legalMoves; // Your idea goes here; turn.position says how it stands.
  return moves[Math.floor(Math.random() * moves.length)]!;
}
