package referee

import (
	"context"
	"strconv"
	"time"

	"referee/refereev1"
)

// desk holds the open turns and their answers.
//
// It is independent of time and network: it receives the messages of the referee and the answers of the bot, and calls
// back when a turn needs an answer or an answer is to be sent. It outlives the stream, so that an answer found while
// there was no stream is sent when its turn is repeated.
type desk struct {
	think func(*owedTurn)
	say   func(*refereev1.BotItem)
	// later calls a function after a delay.
	later func(time.Duration, func())
	owed  map[place]*owedTurn
	asks  uint64
}

// place is a seat in a match. It has at most one open turn.
type place struct {
	matchID string
	seat    uint32
}

func placeOf(turn *refereev1.Turn) place {
	return place{turn.GetMatchId(), turn.GetSeat()}
}

type owedTurn struct {
	asked Asked
	// itemID is the item id of the answer.
	itemID uint64
	// answer is nil while the bot is thinking.
	answer *refereev1.BotItem
	// refused is the error of a rejected answer.
	refused *refereev1.ErrorDetail
	// wanted is cancelled when the turn is no longer open.
	wanted context.Context
	drop   context.CancelFunc
}

// asked handles a turn. A turn with a new token replaces the previous turn of the seat.
func (d *desk) asked(turn *refereev1.Turn) {
	before := d.owed[placeOf(turn)]
	switch {
	case before == nil:
		d.begin(turn, nil)
	case before.asked.Turn.GetTurnToken() == turn.GetTurnToken():
		d.sayAgain(before)
	default:
		before.drop()
		d.begin(turn, before.refused)
	}
}

func (d *desk) begin(turn *refereev1.Turn, refused *refereev1.ErrorDetail) {
	d.asks++
	wanted, drop := context.WithCancel(context.Background())
	owed := &owedTurn{asked: Asked{turn, refused}, itemID: d.asks, wanted: wanted, drop: drop}
	d.owed[placeOf(turn)] = owed
	d.think(owed)
}

// found handles the bot's answer. Only the first answer to a turn is sent; all others are dropped.
func (d *desk) found(owed *owedTurn, answer *refereev1.BotItem) {
	if owed.answer == nil {
		answer.ItemId = owed.itemID
		owed.answer = answer
		d.sayAgain(owed)
	}
}

// sayAgain sends the answer, if there is one and its turn is still open.
func (d *desk) sayAgain(owed *owedTurn) {
	if owed.answer != nil && owed.wanted.Err() == nil {
		d.say(owed.answer)
	}
}

// judged handles the verdict on an answer. It arrives before the next turn of the seat.
func (d *desk) judged(verdict *refereev1.Verdict) {
	for at, owed := range d.owed {
		if owed.isMeant(verdict) {
			d.heed(at, owed, verdict)
		}
	}
}

func (d *desk) heed(at place, owed *owedTurn, verdict *refereev1.Verdict) {
	switch outcome := verdict.GetOutcome().(type) {
	case *refereev1.Verdict_Stale:
		d.forget(at)
	case *refereev1.Verdict_Rejected:
		refusal := outcome.Rejected.GetError()
		ms, err := strconv.ParseInt(refusal.GetMetadata()["retry_after_ms"], 10, 64)
		if err != nil {
			owed.refused = refusal
			return
		}
		// Temporary (store unavailable, match in transfer): the turn stays open and is not sent again.
		d.later(time.Duration(ms)*time.Millisecond, func() { d.sayAgain(owed) })
	}
}

// isMeant returns whether it is the verdict on this turn's answer. Only verdicts on moves contain the token.
func (o *owedTurn) isMeant(verdict *refereev1.Verdict) bool {
	turn := o.asked.Turn
	if token := verdict.GetTurnToken(); token != "" {
		return token == turn.GetTurnToken() && verdict.GetMatchId() == turn.GetMatchId()
	}
	return verdict.GetItemId() == o.itemID
}

// lapsed handles a turn that no longer needs an answer. Tokens of different matches may be equal.
func (d *desk) lapsed(matchID, token string) {
	for at, owed := range d.owed {
		if at.matchID == matchID && owed.asked.Turn.GetTurnToken() == token {
			d.forget(at)
		}
	}
}

// ended handles the end of a match, whether or not it was known.
func (d *desk) ended(matchID string) {
	for at := range d.owed {
		if at.matchID == matchID {
			d.forget(at)
		}
	}
}

func (d *desk) forget(at place) {
	d.owed[at].drop()
	delete(d.owed, at)
}
