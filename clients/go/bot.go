package referee

import "context"

// Bot chooses the answers to turns.
//
// Choose is called once for each turn, on a goroutine of its own. Calls for one seat of a match are made one after the
// other, calls for different seats at the same time. The context is cancelled when the answer is no longer needed. If
// Choose returns an error or panics, the seat resigns; other matches continue.
//
// A Bot that also implements [Starter] or [Ender] is told of the start and the end of each match.
type Bot interface {
	Choose(ctx context.Context, turn *Turn) (Answer, error)
}

// BotFunc is a function that is a [Bot].
type BotFunc func(ctx context.Context, turn *Turn) (Answer, error)

// Choose calls the function.
func (f BotFunc) Choose(ctx context.Context, turn *Turn) (Answer, error) { return f(ctx, turn) }

// Starter is implemented by bots that are told of the start of each match, before its first turn. A bot that holds
// several seats is told for each of them. After a restart of the bot, running matches are not announced again.
type Starter interface {
	Started(ctx context.Context, match *Match, seat int)
}

// Ender is implemented by bots that are told of the end of each match, after its last turn.
type Ender interface {
	Ended(ctx context.Context, end *End)
}

// PerSeat returns a bot that creates one bot for each seat in each match, which may keep what it knows about this match
// without locks: its methods are never called at the same time.
func PerSeat(create func() Bot) Bot { return perSeat(create) }

type perSeat func() Bot

// Choose is never called: the player asks for a bot for the seat first.
func (create perSeat) Choose(ctx context.Context, turn *Turn) (Answer, error) {
	return create().Choose(ctx, turn)
}

// botForSeat returns the bot that plays a seat.
func botForSeat(bot Bot) Bot {
	if create, ok := bot.(perSeat); ok {
		return create()
	}
	return bot
}
