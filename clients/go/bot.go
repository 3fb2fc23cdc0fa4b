// Package referee lets a bot play: say how to [Choose], and [Run] does the rest.
//
// The rest is to find the referee by the environment, to open the stream, to answer pings while the bot thinks, to
// think about several matches at once, and to come back after a break without losing a turn or answering one twice.
package referee

//go:generate go run ./internal/generate

import (
	"context"

	"referee/refereev1"
)

// Choose is a bot: it gives the move to play, in the game's notation.
//
// It is called on a goroutine of its own for each turn, so that turns of different matches are thought about at the
// same time. The context ends when the answer is not wanted any more. An error or a panic resigns the seat; the other
// matches go on.
type Choose func(ctx context.Context, asked Asked) (string, error)

// Asked is a turn as the bot is asked it.
type Asked struct {
	Turn *refereev1.Turn
	// Refused says why the last answer was refused, if this is another attempt at the same move. Else nil.
	Refused *refereev1.Refusal
}
