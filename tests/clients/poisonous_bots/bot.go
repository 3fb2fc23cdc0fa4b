package main

import (
	"context"
	"strings"

	"referee.example/referee"
	"referee.example/referee/program"
)

func choose(_ context.Context, turn *referee.Turn) (referee.Answer, error) {
	switch {
	case turn.Game != "trox":
		return referee.Move(turn.LegalMoves[0]), nil
	case turn.Rejection != nil:
		return referee.Move("\xff\xfe"), nil
	default:
		return referee.Move(strings.Repeat("x", 2_000_000)), nil
	}
}

func main() { program.Main(referee.BotFunc(choose), referee.WithMaxLegalMoves(1)) }
