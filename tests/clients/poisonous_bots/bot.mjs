export const turnOptions = { maxLegalMoves: 1 };

export default ({ turn, refused }) => {
  if (turn.rules.game !== "trox") return turn.legalMoves[0];
  return refused ? "\ud800" : "x".repeat(2_000_000);
};
