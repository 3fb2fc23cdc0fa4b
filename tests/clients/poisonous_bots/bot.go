package main

import (
	"context"
	"os"
	"strings"

	"referee"
	"referee/refereev1"
)

func choose(_ context.Context, request referee.TurnRequest) (string, error) {
	switch {
	case request.Turn.GetRules().GetGame() != "trox":
		return request.Turn.GetLegalMoves()[0], nil
	case request.Rejection != nil:
		return "\xff\xfe", nil
	default:
		return strings.Repeat("x", 2_000_000), nil
	}
}

func main() {
	os.Exit(referee.Run(choose, &refereev1.TurnOptions{MaxLegalMoves: 1}))
}
