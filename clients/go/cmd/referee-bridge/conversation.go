//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"referee.example/referee"
)

const (
	// maxLineBytes is the length of the longest line that a program may write.
	maxLineBytes = 1 << 16
	// maxExtraBytes limits what a program writes between two turns that answers none, such as debugging output or
	// empty lines.
	maxExtraBytes = 1 << 20
	// maxUnreadBytes limits what is buffered for a program that does not read.
	maxUnreadBytes = 4 << 20
)

// unavailableError says why a program has ended, or cannot be reached.
type unavailableError struct{ reason string }

func (e *unavailableError) Error() string { return e.reason }

// conversation is the lines to and from one program, from its start to its end.
type conversation struct {
	logger *slog.Logger
	// ended is closed when the program can no longer be used.
	ended chan struct{}

	mutex sync.Mutex
	// reason is why it can no longer be used; "" if it can.
	reason string
	// pending are the turns without an answer, in order. The program also answers those whose result is not needed.
	pending    []*pendingTurn
	lastID     int
	extraBytes int
	hasOutput  bool
	unsent     []byte
	hasUnsent  *sync.Cond
}

type pendingTurn struct {
	id     int
	answer chan referee.Answer
}

func startConversation(output io.Reader, input io.Writer, logger *slog.Logger) *conversation {
	c := &conversation{logger: logger, ended: make(chan struct{})}
	c.hasUnsent = sync.NewCond(&c.mutex)
	go c.read(output)
	go c.write(input)
	return c
}

// send sends a line that needs no answer. It never waits.
func (c *conversation) send(line []byte) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.sendLocked(line)
}

func (c *conversation) sendLocked(line []byte) {
	if c.reason != "" {
		return
	}
	c.unsent = append(c.unsent, line...)
	c.hasUnsent.Signal()
	if len(c.unsent) > maxUnreadBytes {
		c.endLocked("it does not read its input")
	}
}

// choose sends a turn that arrived at a time, and returns a channel for the answer.
func (c *conversation) choose(turn *referee.Turn, view bool, arrived time.Time) <-chan referee.Answer {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.lastID++
	pending := &pendingTurn{c.lastID, make(chan referee.Answer, 1)}
	c.extraBytes = 0
	if c.reason == "" {
		c.pending = append(c.pending, pending)
	}
	c.sendLocked(newTurnLine(pending.id, turn, view, time.Since(arrived)))
	return pending.answer
}

// end marks the program as unusable. The first reason is kept.
func (c *conversation) end(reason string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.endLocked(reason)
}

func (c *conversation) endLocked(reason string) {
	if c.reason == "" {
		c.reason = reason
		c.pending = nil
		c.hasUnsent.Signal()
		close(c.ended)
	}
}

// endReason returns why the program can no longer be used; "" if it can.
func (c *conversation) endReason() string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.reason
}

// wrote tells whether the program has ever written anything.
func (c *conversation) wrote() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.hasOutput
}

func (c *conversation) write(input io.Writer) {
	for {
		c.mutex.Lock()
		for len(c.unsent) == 0 && c.reason == "" {
			c.hasUnsent.Wait()
		}
		lines := c.unsent
		c.unsent = nil
		over := c.reason != ""
		c.mutex.Unlock()
		if over {
			return
		}
		if _, err := input.Write(lines); err != nil {
			return // The end of its output says why.
		}
	}
}

func (c *conversation) read(output io.Reader) {
	reader := bufio.NewReaderSize(output, maxLineBytes)
	for {
		line, err := reader.ReadSlice('\n')
		if len(line) > 0 {
			c.onOutput()
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			c.end(fmt.Sprintf("it wrote a line of more than %d bytes", maxLineBytes))
			return
		}
		c.onLine(line)
		if err != nil {
			c.end("it closed its output")
			return
		}
	}
}

func (c *conversation) onOutput() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.hasOutput = true
}

func (c *conversation) onLine(line []byte) {
	text := strings.TrimSpace(string(line))
	id, answer := readAnswer(text)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	index := slices.IndexFunc(c.pending, func(turn *pendingTurn) bool { return id == 0 || turn.id == id })
	if text == "" || index < 0 {
		c.discard(len(line), id)
		return
	}
	c.pending[index].answer <- answer
	c.pending = slices.Delete(c.pending, index, index+1)
}

// discard drops a line that answers no pending turn. Used for another turn, it might be a move in the wrong match.
func (c *conversation) discard(size int, id int) {
	if id != 0 {
		c.logger.Warn(fmt.Sprintf(
			"turn %d is not pending, or already has an answer: this answer is discarded", id), "turn", id)
	}
	c.extraBytes += size
	if c.extraBytes > maxExtraBytes {
		c.endLocked(fmt.Sprintf("it wrote more than %d bytes that answer no turn", maxExtraBytes))
	}
}
