//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"referee.example/referee"
)

const protocol = 1

type helloLine struct {
	Type     string `json:"type"`
	Protocol int    `json:"protocol"`
}

type startedLine struct {
	Type    string            `json:"type"`
	Match   string            `json:"match"`
	Seat    int               `json:"seat"`
	Game    string            `json:"game"`
	Options map[string]string `json:"options"`
	Bots    []string          `json:"bots"`
}

type playedMove struct {
	Seat int    `json:"seat"`
	Move string `json:"move"`
}

type turnLine struct {
	Type         string            `json:"type"`
	ID           int               `json:"id"`
	Match        string            `json:"match"`
	Seat         int               `json:"seat"`
	Game         string            `json:"game"`
	Options      map[string]string `json:"options"`
	Ply          int               `json:"ply"`
	LeftMS       *int64            `json:"left_ms"`
	AttemptsLeft int               `json:"attempts_left"`
	Refused      *string           `json:"refused"`
	Sealed       bool              `json:"sealed"`
	DrawOffers   []int             `json:"draw_offers"`
	MovesSince   []playedMove      `json:"moves_since"`
	Position     string            `json:"position"`
	LegalMoves   []string          `json:"legal_moves"`
	View         json.RawMessage   `json:"view,omitempty"`
}

type endedLine struct {
	Type   string  `json:"type"`
	Match  string  `json:"match"`
	Seat   int     `json:"seat"`
	Kind   string  `json:"kind"`
	Reason string  `json:"reason"`
	Rank   *int    `json:"rank"`
	Score  *score  `json:"score"`
	Ranks  []int   `json:"ranks"`
	Scores []score `json:"scores"`
}

// score is written with a decimal point, so that it is a floating-point number in every language.
type score float64

func (s score) MarshalJSON() ([]byte, error) {
	text := strconv.FormatFloat(float64(s), 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return []byte(text), nil
}

func newHelloLine() []byte { return encodeLine(helloLine{"hello", protocol}) }

func newStartedLine(match *referee.Match, seat int) []byte {
	return encodeLine(startedLine{
		"started", match.ID, seat, match.Game, orEmptyMap(match.Options), orEmpty(match.Bots),
	})
}

// newTurnLine returns the line for a turn that arrived before this time.
func newTurnLine(id int, turn *referee.Turn, view bool, waited time.Duration) []byte {
	line := turnLine{
		Type:         "turn",
		ID:           id,
		Match:        turn.MatchID,
		Seat:         turn.Seat,
		Game:         turn.Game,
		Options:      orEmptyMap(turn.Options),
		Ply:          turn.Ply,
		AttemptsLeft: turn.AttemptsLeft,
		Sealed:       turn.Simultaneous,
		DrawOffers:   orEmpty(turn.DrawOffers),
		MovesSince:   []playedMove{},
		Position:     turn.Position,
		LegalMoves:   orEmpty(turn.LegalMoves),
	}
	if turn.Timed {
		left := max(0, (turn.TimeLeft - waited).Milliseconds())
		line.LeftMS = &left
	}
	if turn.Rejection != nil {
		refused := turn.Rejection.Error()
		line.Refused = &refused
	}
	for _, played := range turn.History {
		line.MovesSince = append(line.MovesSince, playedMove{played.Seat, played.Move})
	}
	if view {
		line.View = json.RawMessage("null")
		if len(turn.View) > 0 {
			line.View = turn.View
		}
	}
	return encodeLine(line)
}

func newEndedLine(end *referee.End) []byte {
	result := end.Result
	line := endedLine{
		Type:   "ended",
		Match:  end.MatchID,
		Seat:   end.Seat,
		Kind:   string(result.Kind),
		Reason: result.Reason,
		Ranks:  orEmpty(result.Ranks),
		Scores: []score{},
	}
	for _, points := range result.Scores {
		line.Scores = append(line.Scores, score(points))
	}
	if end.Seat < len(line.Ranks) {
		line.Rank = &line.Ranks[end.Seat]
	}
	if end.Seat < len(line.Scores) {
		line.Score = &line.Scores[end.Seat]
	}
	return encodeLine(line)
}

// readAnswer returns the answer on a line, and the id of its turn; 0: the first turn that has no answer yet. Text that
// is not understood is a move, so that the referee rejects and explains it.
func readAnswer(line string) (int, referee.Answer) {
	if !strings.HasPrefix(line, "{") {
		return 0, referee.Move(line)
	}
	var fields map[string]any
	decoder := json.NewDecoder(strings.NewReader(line))
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil || decoder.More() {
		return 0, referee.Move(line)
	}
	return turnID(fields), answerOf(fields, line)
}

func turnID(fields map[string]any) int {
	number, _ := fields["id"].(json.Number)
	id, err := strconv.Atoi(string(number))
	if err != nil {
		return 0
	}
	return id
}

func answerOf(fields map[string]any, line string) referee.Answer {
	switch {
	case fields["resign"] == true:
		return referee.Resign()
	case fields["accept_draw"] == true:
		return referee.AcceptDraw()
	case fields["claim_draw"] == true:
		return referee.ClaimDraw()
	}
	move, ok := fields["move"].(string)
	if !ok {
		return referee.Move(line)
	}
	if fields["offer_draw"] == true {
		return referee.MoveAndOfferDraw(move)
	}
	return referee.Move(move)
}

func encodeLine(line any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false) // Moves may contain > and <.
	if err := encoder.Encode(line); err != nil {
		panic(err) // The types above can always be encoded, and the view is JSON by contract.
	}
	return buffer.Bytes()
}

func orEmpty[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

func orEmptyMap(items map[string]string) map[string]string {
	if items == nil {
		return map[string]string{}
	}
	return items
}
