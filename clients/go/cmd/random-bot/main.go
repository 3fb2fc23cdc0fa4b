// Random-bot plays a random one of the legal moves: a bot for every game there is.
package main

import (
	"context"
	"math/rand/v2"
	"os"

	"referee"
	"referee/refereev1"
)

func choose(_ context.Context, asked referee.Asked) (string, error) {
	moves := asked.Turn.GetLegalMoves() // Your idea goes here; asked.Turn.GetPosition() says how it stands.
	return moves[rand.IntN(len(moves))], nil
}

func main() {
	os.Exit(referee.Run(choose, &refereev1.TurnOptions{MaxLegalMoves: 5000}))
}
