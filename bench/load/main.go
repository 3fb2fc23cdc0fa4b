// Load plays many bots against one referee, as cheaply as it can, so that the referee is what is measured.
//
// It knows no rules: it plays recorded games again, move by move, with the seeds they were recorded with. It is told
// what to do by lines of JSON on its standard input, and answers each with one line on its standard output.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
)

// command is one line of the input: what is to be done, and with what. What is not needed is left out.
type command struct {
	Do string `json:"do"`

	Organiser string `json:"organiser"` // The secret of an organiser; empty: bots need no tokens here.
	Games     string `json:"games"`     // The file with the recorded games; empty: whatever is asked, one answer fits.
	Bots      int    `json:"bots"`
	Room      int    `json:"room"`       // Matches that a bot plays at once.
	Legal     int    `json:"legal"`      // Legal moves that are wished for in each turn.
	OneByOne  bool   `json:"one_by_one"` // One item in each message.

	VerdictsWithTurns bool `json:"verdicts_with_turns"` // Verdicts wait for the next turns.
	Unary             bool `json:"unary"`               // Answer by SubmitMove instead of in the stream.
	Pairs             bool `json:"pairs"`               // Two by two the bots are asked by turns: an echo that sends verdicts too.

	Matches  int     `json:"matches"`
	Moves    int64   `json:"moves"`   // Stop after so many.
	Seconds  float64 `json:"seconds"` // Stop after so long.
	Rate     float64 `json:"rate"`    // Moves a second; 0: as fast as the referee takes them.
	Watchers int     `json:"watchers"`
}

func main() {
	referee := flag.String("referee", "", "HOST:PORT, or several of them with commas, over which the bots are spread")
	roots := flag.String("ca", "", "PEM file of the roots to trust; without it nothing is encrypted")
	connections := flag.Int("connections", 8, "connections that all streams share; more are opened for many bots")
	flag.Parse()
	if err := run(*referee, *roots, *connections); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(referee, roots string, connections int) error {
	crowd, err := connect(strings.Split(referee, ","), roots, connections)
	if err != nil {
		return err
	}
	lines, answers := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var told command
		if err := json.Unmarshal(lines.Bytes(), &told); err != nil {
			return err
		}
		answer, err := crowd.do(told)
		if err != nil {
			answer = map[string]string{"error": err.Error()}
		}
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

var errUnknown = errors.New("no such command")

func (c *crowd) do(told command) (any, error) {
	switch told.Do {
	case "open":
		return c.open(told)
	case "more":
		return c.enlist(told.Bots)
	case "make":
		return c.makeMatches(told.Matches)
	case "play":
		return c.play(told)
	case "leave":
		return c.leave()
	case "watch":
		return c.watch(told.Watchers)
	case "unwatch":
		return c.unwatch(), nil
	case "reopen":
		return c.reopen()
	}
	return nil, errUnknown
}
