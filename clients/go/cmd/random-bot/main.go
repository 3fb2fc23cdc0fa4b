// Random-bot plays a random legal move in every game.
package main

import (
	"context"
	"math/rand/v2"
	"os"

	"referee"
	"referee/refereev1"
)

func choose(_ context.Context, request referee.TurnRequest) (string, error) {
	moves := request.Turn.GetLegalMoves() // Your strategy goes here; see request.Turn.GetPosition().
	return moves[rand.IntN(len(moves))], nil
}

func main() {
	os.Exit(referee.Run(choose, &refereev1.TurnOptions{MaxLegalMoves: 5000}))
}
