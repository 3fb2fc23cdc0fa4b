// Two players take one to three from a heap by turns. It lasts longer than anybody measures.
export const heap = {
  name: "heap",
  setup: () => ({ left: 1e9 }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    take: ({ G }, count) => {
      if (!(count >= 1 && count <= 3)) return "INVALID_MOVE";
      G.left -= count;
    },
  },
};
