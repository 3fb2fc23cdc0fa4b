package main

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

// played is what became of one stretch of play.
type played struct {
	Moves    int64   `json:"moves"`
	Refused  int64   `json:"refused"`
	Seconds  float64 `json:"seconds"`
	CPU      float64 `json:"cpu_s"` // Ours.
	Items    int64   `json:"items"`
	Messages int64   `json:"messages"`
	Bytes    int64   `json:"bytes"`
	Entries  int64   `json:"entries"`
	P50      float64 `json:"p50_us"` // From a move to the turn that follows from it.
	P99      float64 `json:"p99_us"`
	P999     float64 `json:"p999_us"`
	Dry      bool    `json:"dry"` // A match came to the end of what is recorded.
}

// play answers turns until enough moves are played, the time is over, or a match has come to the end of what is
// recorded. When it returns, every move has its verdict, and the turns that followed are held.
func (c *crowd) play(told command) (any, error) {
	before, cpu, begun := c.counts(), ourCPU(), time.Now()
	c.goal, c.done, c.once, c.due = before.Moves+told.Moves, make(chan struct{}), new(sync.Once), nil
	pacing := make(chan struct{})
	if told.Rate > 0 {
		c.due = make(chan asked, len(c.bots)*max(1, c.wishes.Room))
		go c.pace(told.Rate, pacing)
	} else {
		close(pacing)
	}
	c.playing.Store(true)
	for _, b := range c.bots {
		b.release()
	}
	select {
	case <-c.done:
	case <-time.After(time.Duration(told.Seconds * float64(time.Second))):
	}
	c.playing.Store(false)
	c.finish()
	<-pacing
	if err := c.quiet(); err != nil {
		return nil, err
	}
	seconds := time.Since(begun).Seconds()
	answer := c.counts().since(before)
	answer.Seconds, answer.CPU, answer.Dry = seconds, ourCPU()-cpu, c.dry.Load()
	answer.P50, answer.P99, answer.P999 = c.delays()
	return answer, nil
}

// quiet returns when all that was said has its verdict, all watchers have seen it, and what was due is held again.
func (c *crowd) quiet() error {
	if err := c.wait(func() bool { return c.judged.Load() >= c.sent.Load() && c.untold.Load() <= 0 }); err != nil {
		return err
	}
	if c.due == nil {
		return nil
	}
	for _, b := range c.bots { // Wait until each bot that saw the run going on has left its critical section.
		b.mu.Lock()
		b.mu.Unlock()
	}
	for {
		select {
		case turn := <-c.due:
			turn.bot.mu.Lock()
			if s := turn.bot.seats[turn.match]; s != nil {
				turn.bot.hold(turn, s)
			}
			turn.bot.mu.Unlock()
		default:
			return nil
		}
	}
}

// pace answers what is due at an even rate, until play is done.
func (c *crowd) pace(rate float64, ended chan struct{}) {
	defer close(ended)
	begun, said := time.Now(), 0.0
	for tick := time.NewTicker(time.Millisecond); ; {
		select {
		case <-c.done:
			tick.Stop()
			return
		case <-tick.C:
		}
		for ; said < time.Since(begun).Seconds()*rate; said++ {
			select {
			case turn := <-c.due:
				turn.bot.play(turn)
			default: // No turn is due. The rate is missed, and later moves do not make up for it.
			}
		}
	}
}

// verdict counts what became of one move.
func (c *crowd) verdict(taken bool, text func() string) {
	if !taken && c.refused.Add(1) == 1 {
		fmt.Fprintln(os.Stderr, text())
	}
	judged := c.judged.Add(1)
	if judged >= c.goal {
		c.finish()
	}
	if judged >= c.sent.Load() && !c.playing.Load() {
		c.change(func() {})
	}
}

func (c *crowd) finish() { c.once.Do(func() { close(c.done) }) }

func (c *crowd) counts() played {
	return played{
		Moves: c.judged.Load(), Refused: c.refused.Load(), Items: c.items.Load(), Messages: c.messages.Load(),
		Bytes: c.bytes.Load(), Entries: c.entries.Load(),
	}
}

func (p played) since(before played) played {
	return played{
		Moves: p.Moves - before.Moves, Refused: p.Refused - before.Refused, Items: p.Items - before.Items,
		Messages: p.Messages - before.Messages, Bytes: p.Bytes - before.Bytes, Entries: p.Entries - before.Entries,
	}
}

// delays gives the median, and what 99 and 99.9 of 100 stay under, in microseconds.
func (c *crowd) delays() (p50, p99, p999 float64) {
	var all []time.Duration
	for _, b := range c.bots {
		b.mu.Lock()
		all = append(all, b.delays...)
		b.delays = nil
		b.mu.Unlock()
	}
	if len(all) == 0 {
		return 0, 0, 0
	}
	slices.Sort(all)
	under := func(share float64) float64 {
		return float64(all[min(len(all)-1, int(share*float64(len(all))))]) / 1e3
	}
	return under(0.5), under(0.99), under(0.999)
}

func ourCPU() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // There is nothing to be refused.
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}
