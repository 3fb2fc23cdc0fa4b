package program

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"referee.example/referee"
)

func TestTheExitStatusIsZeroWhenTheContextIsCancelled(t *testing.T) {
	var stderr bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	options := []referee.Option{referee.WithAddress("localhost:1"), referee.WithToken("secret")}
	status := Run(ctx, referee.BotFunc(nil), func(string) string { return "" }, &stderr, options...)
	if status != Stopped || stderr.Len() > 0 {
		t.Errorf("the exit status is %d: %s", status, stderr.String())
	}
}

func TestALineHasTheMessageAndTheStack(t *testing.T) {
	var stderr bytes.Buffer
	logger := slog.New(lineHandler{&stderr})
	logger.Debug("not shown")
	logger.Info("connected", "referee", "localhost:1")
	logger.Error("the bot failed", "match", "m1", "stack", "goroutine 1\n")
	if want := "referee-client: connected\nreferee-client: the bot failed\ngoroutine 1\n"; stderr.String() != want {
		t.Errorf("written: %s", stderr.String())
	}
}
