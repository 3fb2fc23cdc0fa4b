package main

import (
	"encoding/hex"
	"encoding/json"
	"os"
)

// games are recorded games of one kind, to be played again.
type games struct {
	Game     string     `json:"game"`
	Seats    int        `json:"seats"`
	Recorded []recorded `json:"recorded"`
}

type recorded struct {
	Seed  string     `json:"seed"`  // Hexadecimal.
	Moves [][]string `json:"moves"` // What each seat played, in order.
	Whole bool       `json:"whole"` // To its end; else it stops somewhere, and the match goes on for ever.
}

// anything is what is played where no game is: against an echo.
const anything = "c2-c3"

func readGames(path string) (*games, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	read := new(games)
	return read, json.Unmarshal(text, read)
}

func (r recorded) seed() []byte {
	seed, err := hex.DecodeString(r.Seed)
	if err != nil {
		panic(err) // We wrote it ourselves.
	}
	return seed
}
