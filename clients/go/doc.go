// Package referee is a client for Referee, a match referee for bots.
//
// A bot is a function, or an object per seat, that chooses a move. [Play] connects it to a server: it answers pings
// while the bot computes, plays several matches at the same time, and reconnects after the connection was lost, without
// losing a turn or answering one twice.
//
//	func choose(_ context.Context, turn *referee.Turn) (referee.Answer, error) {
//		return referee.Move(turn.LegalMoves[0]), nil
//	}
//
//	err := referee.Play(ctx, referee.BotFunc(choose), referee.WithAddress("localhost:7700"), referee.WithToken(token))
//
// Play handles no signals, does not read the environment unless [WithEnvironment] is given, logs to a [log/slog.Logger],
// and never ends the process. The package program turns a bot into a program that does these things.
//
// [Client] is a connection for organisers and watchers: the stubs of the package refereev1 have all calls, and [Pages],
// [Watch] and [ReadAll] read what arrives in parts. What a bot is called with has types of this package.
package referee

//go:generate go -C generate run .
