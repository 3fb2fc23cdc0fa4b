package main

import (
	"context"
	"os"
	"strings"

	"referee"
	"referee/refereev1"
)

func choose(_ context.Context, asked referee.Asked) (string, error) {
	switch {
	case asked.Turn.GetRules().GetGame() != "trox":
		return asked.Turn.GetLegalMoves()[0], nil
	case asked.Refused != nil:
		return "\xff\xfe", nil
	default:
		return strings.Repeat("x", 2_000_000), nil
	}
}

func main() {
	os.Exit(referee.Run(choose, &refereev1.TurnOptions{MaxLegalMoves: 1}))
}
