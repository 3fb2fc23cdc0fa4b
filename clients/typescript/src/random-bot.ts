/** Plays a random legal move in every game. */

import type { Turn } from "./index.js";

export default function choose(turn: Turn): string {
  const moves = turn.legalMoves; // Your strategy goes here; see turn.position.
  return moves[Math.floor(Math.random() * moves.length)] ?? "";
}
