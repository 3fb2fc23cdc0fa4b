// Random-bot plays a random legal move in every game.
package main

import (
	"context"
	"math/rand/v2"

	"referee.example/referee"
	"referee.example/referee/program"
)

func choose(_ context.Context, turn *referee.Turn) (referee.Answer, error) {
	return referee.Move(turn.LegalMoves[rand.IntN(len(turn.LegalMoves))]), nil // Your strategy goes here.
}

func main() { program.Main(referee.BotFunc(choose)) }
