// Command go_fingers is an engine of Referee: it reads requests and writes answers, one line of JSON each.
//
// This file is the protocol, and can be copied for another game; fingers.go has the rules, and chance.go the draws.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"log"
	"os"
)

// A request has the fields that its kind of question needs.
type request struct {
	ID       int             `json:"id"`
	Ask      string          `json:"ask"`
	Settings settings        `json:"settings"`
	Seed     string          `json:"seed"`
	Position string          `json:"position"`
	Seat     int             `json:"seat"`
	Move     string          `json:"move"`
	Viewer   json.RawMessage `json:"viewer"`
}

// An answer has either ok or error.
type answer struct {
	ID    int      `json:"id"`
	OK    any      `json:"ok,omitempty"`
	Error *refusal `json:"error,omitempty"`
}

// A refusal is an error that the sender of the request has caused.
type refusal struct {
	Kind     string `json:"kind"`
	Sentence string `json:"sentence"`
	Rule     string `json:"rule,omitempty"`
}

func (refused *refusal) Error() string { return refused.Sentence }

// A state is everything that the referee needs to know of a position.
type state struct {
	Position string     `json:"position"`
	Owing    []int      `json:"owing"`
	Moves    [][]string `json:"moves"`
	Standing []int      `json:"standing"`
	View     any        `json:"view"`
	Outcome  *outcome   `json:"outcome"`
	Seen     viewers    `json:"seen"`
	Shown    *viewers   `json:"shown,omitempty"`
}

type outcome struct {
	Reason     string `json:"reason"`
	Scores     []int  `json:"scores"`
	SideScores []int  `json:"side_scores"`
}

// Viewers have what the spectator and each seat may see, of a position or of a move.
type viewers struct {
	Spectator any   `json:"spectator"`
	Seats     []any `json:"seats"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			log.Fatal(err)
		}
		told, err := respond(asked)
		written := answer{ID: asked.ID, OK: told}
		if err != nil {
			written.OK = nil
			if !errors.As(err, &written.Error) {
				log.Fatal(err)
			}
		}
		if err := answers.Encode(written); err != nil {
			log.Fatal(err)
		}
	}
}

func respond(asked request) (any, error) {
	switch asked.Ask {
	case "describe":
		return description, nil
	case "table":
		return tableOf(asked.Settings), nil
	case "start":
		start, err := newPosition(asked.Settings, asked.Seed)
		return start.state(), err
	case "imagine":
		imagined, err := imagine(asked.Position, asked.Settings, asked.Seed)
		return imagined.state(), err
	}
	at, err := read(asked.Position, asked.Settings)
	if err != nil {
		return nil, err
	}
	switch asked.Ask {
	case "read":
		return at.state(), nil
	case "play":
		after, err := at.play(asked.Seat, asked.Move)
		if err != nil {
			return nil, err
		}
		told, shown := after.state(), at.visibleMove(asked.Seat, asked.Move)
		told.Shown = &shown
		return told, nil
	case "visible_move":
		return at.visibleMove(asked.Seat, asked.Move), nil
	case "revealed_move":
		return at.forAll(func(int) any { return asked.Move }), nil
	}
	return nil, errors.New("unknown request " + asked.Ask)
}
