export const options = { maxLegalMoves: 1 };

export default ({ game, legalMoves, rejection }) => {
  if (game !== "trox") return legalMoves[0];
  return rejection ? "\ud800" : "x".repeat(2_000_000);
};
