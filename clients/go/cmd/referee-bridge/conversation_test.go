//go:build unix

package main

import (
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"referee.example/referee"
)

// answersTo sends two turns to a program that writes these lines, and returns its answers.
func answersTo(t *testing.T, lines string) [2]referee.Answer {
	t.Helper()
	input, writer := io.Pipe()
	output := &delayedReader{text: strings.NewReader(lines), ready: make(chan struct{})}
	go func() { _, _ = io.Copy(io.Discard, input) }()
	conversation := startConversation(output, writer, slog.New(slog.DiscardHandler))
	first := conversation.choose(&referee.Turn{}, false, time.Now())
	second := conversation.choose(&referee.Turn{}, false, time.Now())
	close(output.ready)
	<-conversation.ended
	return [2]referee.Answer{<-first, <-second}
}

// delayedReader has something to read when it is ready.
type delayedReader struct {
	text  io.Reader
	ready chan struct{}
}

func (r *delayedReader) Read(buffer []byte) (int, error) {
	<-r.ready
	return r.text.Read(buffer)
}

func TestAnswersAreAssignedToTurns(t *testing.T) {
	expected := [2]referee.Answer{referee.Move("a"), referee.Move("b")}
	for _, lines := range []string{
		"a\nb\n",
		"{\"id\":2,\"move\":\"b\"}\n{\"id\":1,\"move\":\"a\"}\n",
		"{\"id\":1,\"move\":\"a\"}\n{\"id\":1,\"move\":\"better\"}\n{\"id\":2,\"move\":\"b\"}\n",
	} {
		if answers := answersTo(t, lines); answers != expected {
			t.Errorf("%q: the answers are %v", lines, answers)
		}
	}
}

func TestAProgramThatWritesTooMuchIsGivenUp(t *testing.T) {
	for output, reason := range map[string]string{
		strings.Repeat("x", maxLineBytes+1):                  "it wrote a line of more than 65536 bytes",
		strings.Repeat(strings.Repeat("x", 1023)+"\n", 1100): "it wrote more than 1048576 bytes that answer no turn",
		strings.Repeat(" \n", 1<<20):                         "it wrote more than 1048576 bytes that answer no turn",
		"hello\n":                                            "it closed its output",
	} {
		conversation := startConversation(strings.NewReader(output), io.Discard, slog.New(slog.DiscardHandler))
		<-conversation.ended
		if conversation.endReason() != reason || !conversation.wrote() {
			t.Errorf("the reason is %q, not %q", conversation.endReason(), reason)
		}
	}
}

func TestAProgramThatDoesNotReadIsGivenUp(t *testing.T) {
	never, writer := io.Pipe()
	defer never.Close()
	output, _ := io.Pipe()
	conversation := startConversation(output, writer, slog.New(slog.DiscardHandler))
	line := []byte(strings.Repeat("x", 1<<20))
	for conversation.endReason() == "" { // Some lines may be on their way.
		conversation.send(line)
	}
	if conversation.endReason() != "it does not read its input" {
		t.Errorf("the reason is %q", conversation.endReason())
	}
}
