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
// [Client] makes the calls of organisers and watchers: it registers bots, creates matches, tournaments and ladders,
// watches them and reads their standings and records. [Client.Contract] makes all other calls of the contract. The types
// of this package, and of the package contract, are the client's own; the package refereev1 has the generated messages.
package referee

//go:generate go -C generate run .
