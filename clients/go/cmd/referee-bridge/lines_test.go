//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"referee.example/referee"
)

type lineVector struct {
	Name       string
	Rules      []string
	Writes     *writtenLine
	Reads      *readLine
	Line       string
	LineRepeat *repeatedText `json:"line_repeat"`
}

type writtenLine struct {
	Hello   *struct{}
	Started *startedLine
	Turn    *struct {
		turnLine
		TimeLeftMS *int64                            `json:"time_left_ms"`
		WaitedMS   int64                             `json:"waited_ms"`
		Refused    *struct{ Reason, Message string } `json:"refused"`
		View       *string                           `json:"view"`
	}
	Ended *struct {
		Match, Kind, Reason string
		Seat                int
		Ranks               []int
		Scores              []float64
	}
}

type readLine struct {
	ID          int
	Move        string
	MovePattern string        `json:"move_pattern"`
	MoveRepeat  *repeatedText `json:"move_repeat"`
	OfferDraw   bool          `json:"offer_draw"`
	Resigns     bool
	AcceptsDraw bool `json:"accepts_draw"`
	ClaimsDraw  bool `json:"claims_draw"`
}

type repeatedText string

func (r *repeatedText) UnmarshalJSON(text []byte) error {
	var part string
	var times int
	if err := json.Unmarshal(text, &[]any{&part, &times}); err != nil {
		return err
	}
	*r = repeatedText(strings.Repeat(part, times))
	return nil
}

func (w *writtenLine) encode() []byte {
	switch {
	case w.Hello != nil:
		return newHelloLine()
	case w.Started != nil:
		match := referee.Match{ID: w.Started.Match, Game: w.Started.Game, Options: w.Started.Options, Bots: w.Started.Bots}
		return newStartedLine(&match, w.Started.Seat)
	case w.Ended != nil:
		ended := w.Ended
		result := referee.Result{
			Kind: referee.ResultKind(ended.Kind), Reason: ended.Reason, Scores: ended.Scores, Ranks: ended.Ranks,
		}
		return newEndedLine(&referee.End{MatchID: ended.Match, Seat: ended.Seat, Result: result})
	}
	given := w.Turn
	turn := referee.Turn{
		MatchID: given.Match, Seat: given.Seat, Game: given.Game, Options: given.Options, Ply: given.Ply,
		AttemptsLeft: given.AttemptsLeft, Simultaneous: given.Sealed, DrawOffers: given.DrawOffers,
		Position: given.Position, LegalMoves: given.LegalMoves,
	}
	for _, played := range given.MovesSince {
		turn.History = append(turn.History, referee.PlayedMove{Seat: played.Seat, Move: played.Move})
	}
	if given.TimeLeftMS != nil {
		turn.Timed, turn.TimeLeft = true, time.Duration(*given.TimeLeftMS)*time.Millisecond
	}
	if given.Refused != nil {
		turn.Rejection = &referee.Error{Reason: given.Refused.Reason, Message: given.Refused.Message}
	}
	if given.View != nil {
		turn.View = json.RawMessage(*given.View)
	}
	return newTurnLine(given.ID, &turn, given.View != nil, time.Duration(given.WaitedMS)*time.Millisecond)
}

func loadLineVectors(t *testing.T) []lineVector {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "vectors", "bridge.json"))
	if err != nil {
		t.Fatalf("the test vectors are in clients/vectors of the repository: %v", err)
	}
	var loaded struct{ Vectors []lineVector }
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&loaded); err != nil {
		t.Fatal(err)
	}
	return loaded.Vectors
}

func TestLines(t *testing.T) {
	for _, vector := range loadLineVectors(t) {
		t.Run(vector.Name, func(t *testing.T) {
			if vector.Writes != nil {
				if line := string(vector.Writes.encode()); line != vector.Line+"\n" {
					t.Errorf("wrote %s, not %s", line, vector.Line)
				}
				return
			}
			checkRead(t, vector)
		})
	}
}

func checkRead(t *testing.T, vector lineVector) {
	line, expected := vector.Line, vector.Reads
	if vector.LineRepeat != nil {
		line = string(*vector.LineRepeat)
	}
	id, answer := readAnswer(line)
	if id != expected.ID {
		t.Errorf("the id is %d, not %d", id, expected.ID)
	}
	switch {
	case expected.Resigns:
		expectAnswer(t, answer, referee.Resign())
	case expected.AcceptsDraw:
		expectAnswer(t, answer, referee.AcceptDraw())
	case expected.ClaimsDraw:
		expectAnswer(t, answer, referee.ClaimDraw())
	case expected.OfferDraw:
		expectAnswer(t, answer, referee.MoveAndOfferDraw(expected.Move))
	case expected.MoveRepeat != nil:
		expectAnswer(t, answer, referee.Move(string(*expected.MoveRepeat)))
	case expected.MovePattern != "":
		if !regexp.MustCompile("^" + expected.MovePattern + "$").MatchString(answer.String()) {
			t.Errorf("the move is %q, not %s", answer, expected.MovePattern)
		}
	default:
		expectAnswer(t, answer, referee.Move(expected.Move))
	}
}

func expectAnswer(t *testing.T, answer, expected referee.Answer) {
	t.Helper()
	if answer != expected {
		t.Errorf("the answer is %q, not %q", answer, expected)
	}
}
