// Package referee runs a bot: the bot implements [Choose], and [Run] does everything else.
//
// It reads the address of the referee from the environment, opens the stream, answers pings while the bot computes,
// plays several matches at the same time, and reconnects after the connection was lost without losing a turn or
// answering one twice.
package referee

//go:generate go -C generate run .

import (
	"context"

	"referee/refereev1"
)

// Choose is a bot: it returns the move to play, in the game's notation.
//
// It is called on a new goroutine for each turn, so that turns of different matches are computed at the same time. The
// context is cancelled when the answer is no longer needed. An error or a panic resigns the seat; other matches
// continue.
type Choose func(ctx context.Context, request TurnRequest) (string, error)

// TurnRequest is a turn as it is passed to the bot.
type TurnRequest struct {
	Turn *refereev1.Turn
	// Rejection is the error of the previous answer, if this is another attempt at the same move. Otherwise nil.
	Rejection *refereev1.ErrorDetail
}
