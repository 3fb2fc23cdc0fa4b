package referee

import (
	"fmt"
	"strings"

	"referee.example/referee/refereev1"
)

// Match is what is known about a match.
type Match struct {
	ID string
	// Game is the name of the game, and Options has the value of each of its options.
	Game    string
	Options map[string]string
	// SeatNames has the name of each seat, such as "white", and Sides the seats of each side.
	SeatNames []string
	Sides     [][]int
	// Bots has the bot of each seat, "" if the seat is open.
	Bots  []string
	Title string
	// Ladder and Tournament are the contest that the match belongs to, or "".
	Ladder, Tournament string
	// Result is nil until the match is over.
	Result *Result
}

// ResultKind says in which of three ways a match ended.
type ResultKind string

// The kinds of results. A void match is not scored.
const (
	Played    ResultKind = "played"
	Forfeited ResultKind = "forfeited"
	Void      ResultKind = "void"
)

// Result is how a match ended.
type Result struct {
	Kind ResultKind
	// Reason is, for a match that was played, a reason of its game, or "resignation", "draw_agreed", "draw_claimed" or
	// "adjudication"; for a forfeit its cause, such as "time" or "illegal_move"; otherwise the cause of the void match.
	Reason string
	// Scores and Ranks have the score of each seat in the game's own points, and its rank, where 1 is best. They are
	// empty if the match is void.
	Scores []float64
	Ranks  []int
}

// End is the end of a match, as it is told to one of its seats.
type End struct {
	MatchID string
	Seat    int
	Result  Result
}

func newMatch(message *refereev1.Match) *Match {
	match := &Match{
		ID:         message.GetId(),
		Game:       message.GetTerms().GetRules().GetGame(),
		Options:    message.GetTerms().GetRules().GetOptions(),
		SeatNames:  message.GetSeatLayout().GetSeatNames(),
		Title:      message.GetTitle(),
		Ladder:     message.GetLadder(),
		Tournament: message.GetTournament(),
	}
	for _, side := range message.GetSeatLayout().GetSides() {
		match.Sides = append(match.Sides, ints(side.GetSeats()))
	}
	for _, seat := range message.GetSeats() {
		match.Bots = append(match.Bots, seat.GetBot())
	}
	if message.GetResult() != nil {
		result := newResult(message.GetResult())
		match.Result = &result
	}
	return match
}

func newResult(message *refereev1.Result) Result {
	var result Result
	switch kind := message.GetKind().(type) {
	case *refereev1.Result_Voided:
		return Result{Kind: Void, Reason: enumWord(kind.Voided.GetCause(), "VOID_CAUSE_")}
	case *refereev1.Result_Forfeited:
		result.Kind = Forfeited
		if forfeits := kind.Forfeited.GetForfeits(); len(forfeits) > 0 {
			result.Reason = enumWord(forfeits[0].GetCause(), "FORFEIT_CAUSE_")
		}
	case *refereev1.Result_Played:
		result.Kind = Played
		if result.Reason = kind.Played.GetReason(); result.Reason == "" {
			result.Reason = enumWord(kind.Played.GetEnding(), "ENDING_")
		}
	}
	for _, seat := range message.GetSeats() {
		result.Scores = append(result.Scores, seat.GetScore())
		result.Ranks = append(result.Ranks, int(seat.GetRank()))
	}
	return result
}

// enumWord returns the word for a value: FORFEIT_CAUSE_TIME is "time". Values that are unknown here stay numbers.
func enumWord(value fmt.Stringer, prefix string) string {
	return strings.ToLower(strings.TrimPrefix(value.String(), prefix))
}
