export const turnOptions = { maxLegalMoves: 1 };

export default ({ turn, rejection }) => {
  if (turn.rules.game !== "trox") return turn.legalMoves[0];
  return rejection ? "\ud800" : "x".repeat(2_000_000);
};
