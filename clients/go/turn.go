package referee

import (
	"encoding/json"
	"time"

	"referee.example/referee/refereev1"
)

// Turn is a request for a move. It is self-contained: a bot may forget everything between two turns. Tests may create
// turns with any of its fields.
type Turn struct {
	MatchID string
	// Seat is the number of the seat that has to move, from 0.
	Seat int
	// Token identifies the turn within its match.
	Token string
	// Game is the name of the game, and Options has the value of each of its options.
	Game    string
	Options map[string]string
	// Ply is the number of moves played.
	Ply int
	// Position is in the game's notation, with "?" for what this seat may not know.
	Position string
	// View is the position as JSON in the game's view schema, if it was requested by [WithView].
	View json.RawMessage
	// History has the moves since the last turn of this seat, or all moves with [WithFullHistory].
	History []PlayedMove
	// LegalMoves is sorted. It has no more moves than [WithMaxLegalMoves] permits.
	LegalMoves []string
	// LegalMovesTruncated tells whether there are more legal moves than listed.
	LegalMovesTruncated bool
	// Clocks has the clock of each seat.
	Clocks []Clock
	// Timed tells whether this seat has a clock. If so, TimeLeft is the time until its flag falls, when the turn was
	// sent.
	Timed    bool
	TimeLeft time.Duration
	// AttemptsLeft is the number of answers that may still be given, including the next one.
	AttemptsLeft int
	// DrawOffers has the seats with an open draw offer. A move declines it.
	DrawOffers []int
	// Simultaneous tells whether other seats choose at the same time, without seeing this move.
	Simultaneous bool
	// Repeated tells whether this turn was sent before, for example to an earlier process of the bot.
	Repeated bool
	// Rejection is the error of the previous answer, if this is another attempt at the same move.
	Rejection *Error
}

// PlayedMove is a move of a seat, as the reader may see it.
type PlayedMove struct {
	Seat int
	Move string
}

// Clock is the clock of a seat when the turn was sent.
type Clock struct {
	Seat    int
	Running bool
	// Timed tells whether the seat has a clock. If so, Left is the time until its flag falls, including everything.
	Timed bool
	Left  time.Duration
	// Main is the part of Left that is main time or bank, and Period that of the current period, delay or move.
	Main, Period time.Duration
	// PeriodsLeft counts byo-yomi periods, and MovesLeft the moves until the next period; 0 if there are none.
	PeriodsLeft, MovesLeft int
}

// newTurn converts a turn. Rules are those of the match if the turn has none.
func newTurn(message *refereev1.Turn, rules *refereev1.Rules, rejection *Error) *Turn {
	turn := &Turn{
		MatchID:             message.GetMatchId(),
		Seat:                int(message.GetSeat()),
		Token:               message.GetTurnToken(),
		Game:                rules.GetGame(),
		Options:             rules.GetOptions(),
		Ply:                 int(message.GetPly()),
		Position:            message.GetPosition(),
		View:                json.RawMessage(message.GetViewJson()),
		LegalMoves:          message.GetLegalMoves(),
		LegalMovesTruncated: message.GetLegalMovesTruncated(),
		Timed:               message.TimeLeftMs != nil,
		TimeLeft:            time.Duration(message.GetTimeLeftMs()) * time.Millisecond,
		AttemptsLeft:        int(message.GetAttemptsLeft()),
		DrawOffers:          ints(message.GetDrawOfferSeats()),
		Simultaneous:        message.GetSimultaneous(),
		Repeated:            message.GetRepeated(),
		Rejection:           rejection,
	}
	for _, played := range message.GetMoveHistory() {
		turn.History = append(turn.History, PlayedMove{int(played.GetSeat()), played.GetMove()})
	}
	for _, clock := range message.GetClocks() {
		turn.Clocks = append(turn.Clocks, Clock{
			Seat:        int(clock.GetSeat()),
			Running:     clock.GetRunning(),
			Timed:       clock.TimeLeftUs != nil,
			Left:        time.Duration(clock.GetTimeLeftUs()) * time.Microsecond,
			Main:        time.Duration(clock.GetMainUs()) * time.Microsecond,
			Period:      time.Duration(clock.GetPeriodUs()) * time.Microsecond,
			PeriodsLeft: int(clock.GetPeriodsLeft()),
			MovesLeft:   int(clock.GetMovesLeft()),
		})
	}
	return turn
}

func ints(numbers []uint32) []int {
	var converted []int
	for _, number := range numbers {
		converted = append(converted, int(number))
	}
	return converted
}
