// Package referee runs a bot: the bot implements [Choose], and [Run] does everything else.
//
// It finds the referee by the environment, opens the stream, answers pings while the bot thinks, runs several matches
// at the same time, and reconnects after a break without losing a turn or answering one twice.
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
type Choose func(ctx context.Context, asked Asked) (string, error)

// Asked is a turn as it is passed to the bot.
type Asked struct {
	Turn *refereev1.Turn
	// Refused is the error of the last answer, if this is another attempt at the same move. Otherwise nil.
	Refused *refereev1.ErrorDetail
}
