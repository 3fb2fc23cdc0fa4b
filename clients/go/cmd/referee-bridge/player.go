//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"referee.example/referee"
)

const (
	// startsPerTurn limits restarts: a program that ends this often during the same turn would do so again.
	startsPerTurn = 3
	// startCheck is how long a program is watched at first: one that cannot run here has usually ended within this time.
	startCheck = 500 * time.Millisecond
)

// maxStarts has the number of starts that each --restart permits.
var maxStarts = map[string]int{"never": 1, "once": 2, "always": 1 << 30}

// playerOptions are the same for all players.
type playerOptions struct {
	program   bridgedProgram
	maxStarts int
	view      bool
	stderrDir string
	logger    *slog.Logger
}

// player is one program, for one seat or for all seats. It is started again when it has ended.
type player struct {
	playerOptions
	stderr *stderrLog
	// turn is held while a turn is answered: turns are sent one at a time, so that the clock of each is current.
	turn chan struct{}

	mutex           sync.Mutex
	running         runningProgram
	starts          int
	hadOutput       bool
	exitDescription string
}

func newPlayer(options playerOptions) *player {
	return &player{playerOptions: options, stderr: newStderrLog(options.stderrDir), turn: make(chan struct{}, 1)}
}

// hasOutput tells whether the program has ever written anything.
func (p *player) hasOutput() bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.hadOutput || (p.running != nil && p.running.lines().wrote())
}

// checkStart starts the program, and returns how it has ended if it cannot be started or ends immediately.
func (p *player) checkStart() error {
	running, err := p.ensureRunning("")
	if err != nil {
		return err
	}
	select {
	case <-running.lines().ended:
		return &unavailableError{running.describeExit()}
	case <-time.After(startCheck):
		return nil
	}
}

// describeExit says how a program that has never written anything has ended; "" if there is none.
func (p *player) describeExit() string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.cleanUp()
	return p.exitDescription
}

// choose answers a turn. It returns an unavailableError if the program cannot be started again.
func (p *player) choose(ctx context.Context, turn *referee.Turn) (referee.Answer, error) {
	arrived := time.Now()
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return referee.Answer{}, ctx.Err()
	}
	reason := ""
	for range startsPerTurn {
		running, err := p.ensureRunning(reason)
		if err != nil {
			return referee.Answer{}, err
		}
		p.stderr.startMatch(turn.MatchID, turn.Seat)
		answer := running.lines().choose(turn, p.view, arrived)
		select {
		case chosen := <-answer:
			return chosen, nil
		case <-ctx.Done():
			return referee.Answer{}, ctx.Err()
		case <-running.lines().ended:
		}
		select {
		case chosen := <-answer: // It was the last thing that the program wrote.
			return chosen, nil
		default:
		}
		reason = running.lines().endReason()
		p.logger.Warn(fmt.Sprintf("match %s, ply %d: the program has ended: %s", turn.MatchID, turn.Ply, reason),
			"match", turn.MatchID)
	}
	return referee.Answer{}, &unavailableError{
		fmt.Sprintf("%s; it has ended %d times during the same turn", reason, startsPerTurn),
	}
}

// started tells the program of the start of a match, if it can be started; otherwise the first turn reports the error.
func (p *player) started(match *referee.Match, seat int) {
	if running, err := p.ensureRunning(""); err == nil {
		running.lines().send(newStartedLine(match, seat))
	}
}

// ended tells the program of the end of a match, if it runs.
func (p *player) ended(end *referee.End) {
	p.mutex.Lock()
	if p.running != nil {
		p.running.lines().send(newEndedLine(end))
	}
	p.mutex.Unlock()
	p.stderr.endMatch(end.MatchID, end.Seat)
}

func (p *player) stop() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.stopLocked()
}

func (p *player) stopLocked() {
	if p.running != nil {
		p.running.stop()
		p.running = nil
	}
}

// ensureRunning returns the running program, and starts it if necessary. `reason` is why it ended before.
func (p *player) ensureRunning(reason string) (runningProgram, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.cleanUp()
	if p.running != nil {
		return p.running, nil
	}
	if p.starts >= p.maxStarts {
		if reason == "" {
			reason = "it has ended"
		}
		return nil, &unavailableError{reason + ", and is not started again"}
	}
	p.starts++
	running, err := p.program.start(p.stderr, p.logger)
	if err != nil {
		return nil, err
	}
	running.lines().send(newHelloLine())
	p.running = running
	return running, nil
}

// cleanUp stops a program that has ended, and keeps a description if it has never written anything.
func (p *player) cleanUp() {
	if p.running == nil || p.running.lines().endReason() == "" {
		return
	}
	p.hadOutput = p.hadOutput || p.running.lines().wrote()
	if !p.hadOutput {
		p.exitDescription = p.running.describeExit()
	}
	p.stopLocked()
}

func isUnavailable(err error) bool { return errors.As(err, new(*unavailableError)) }
