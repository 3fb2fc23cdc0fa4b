// Package program makes a program of a bot: settings from the environment, signals, standard error, exit statuses.
package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"referee.example/referee"
)

// The exit statuses of a bot's program.
const (
	Stopped       = 0 // By SIGINT or SIGTERM.
	Misconfigured = 2
	TakenOver     = 3 // By a newer session of the same bot.
	Rejected      = 4 // By the referee, for example because of an invalid token.
)

// Main runs the bot until SIGINT or SIGTERM, and ends the process with an exit status. Settings are read from the
// environment, see [referee.WithEnvironment]; options replace them.
func Main(bot referee.Bot, options ...referee.Option) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := Run(ctx, bot, os.Getenv, os.Stderr, options...)
	stop()
	os.Exit(status)
}

// Run runs the bot until the context is cancelled, and returns the exit status.
func Run(
	ctx context.Context, bot referee.Bot, getenv func(string) string, stderr io.Writer, options ...referee.Option,
) int {
	settings := []referee.Option{
		referee.WithLogger(NewLogger(stderr)),
		referee.WithEnvironment(getenv),
	}
	err := referee.Play(ctx, bot, append(settings, options...)...)
	if ctx.Err() != nil {
		return Stopped
	}
	fmt.Fprintf(stderr, "referee-client: %v\n", err)
	return statusOf(err)
}

// statusOf returns the exit status for an error of [referee.Play].
func statusOf(err error) int {
	switch {
	case errors.As(err, new(*referee.TakenOverError)):
		return TakenOver
	case errors.As(err, new(*referee.RejectedError)):
		return Rejected
	}
	return Misconfigured
}

// NewLogger returns the logger of a bot's program: one line for each message.
func NewLogger(stderr io.Writer) *slog.Logger { return slog.New(lineHandler{stderr}) }

// lineHandler writes the message of each record as one line, and the stack of a failed bot below it. The messages have
// the values of all other attributes.
type lineHandler struct{ writer io.Writer }

func (lineHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (h lineHandler) Handle(_ context.Context, record slog.Record) error {
	text := fmt.Sprintf("referee-client: %s\n", record.Message)
	record.Attrs(func(attribute slog.Attr) bool {
		if attribute.Key == "stack" {
			text += attribute.Value.String()
		}
		return true
	})
	_, err := io.WriteString(h.writer, text) // In one call, so that lines are not mixed.
	return err
}

func (h lineHandler) WithAttrs([]slog.Attr) slog.Handler { return h }

func (h lineHandler) WithGroup(string) slog.Handler { return h }
