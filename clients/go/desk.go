package referee

import (
	"context"
	"strconv"
	"time"

	"referee/refereev1"
)

// desk knows the turns that are owed and the answers that were found.
//
// It knows neither time nor network: it is told what the referee and the bot say, and tells what is to be thought
// about and what is to be said. It outlives the stream, so that an answer found while nobody was there to hear it is
// said when its turn is asked again.
type desk struct {
	think func(*owedTurn)
	say   func(*refereev1.FromBot)
	// later is to do something after a while.
	later func(time.Duration, func())
	owed  map[place]*owedTurn
	asks  uint64
}

// place is a seat in a match. It owes one turn at most.
type place struct {
	matchID string
	seat    uint32
}

func placeOf(turn *refereev1.Turn) place {
	return place{turn.GetMatchId(), turn.GetSeat()}
}

type owedTurn struct {
	asked Asked
	// itemID is its answer's.
	itemID uint64
	// answer is nil while it is thought about.
	answer *refereev1.FromBot
	// refused says what was wrong with it.
	refused *refereev1.Refusal
	// wanted ends when the turn is owed no more.
	wanted context.Context
	drop   context.CancelFunc
}

// asked hears a turn. One with a new token takes the place of the seat's turn before it.
func (d *desk) asked(turn *refereev1.Turn) {
	before := d.owed[placeOf(turn)]
	switch {
	case before == nil:
		d.begin(turn, nil)
	case before.asked.Turn.GetToken() == turn.GetToken():
		d.sayAgain(before)
	default:
		before.drop()
		d.begin(turn, before.refused)
	}
}

func (d *desk) begin(turn *refereev1.Turn, refused *refereev1.Refusal) {
	d.asks++
	wanted, drop := context.WithCancel(context.Background())
	owed := &owedTurn{asked: Asked{turn, refused}, itemID: d.asks, wanted: wanted, drop: drop}
	d.owed[placeOf(turn)] = owed
	d.think(owed)
}

// found hears the bot's answer. The first to a turn is said; nobody hears of another.
func (d *desk) found(owed *owedTurn, answer *refereev1.FromBot) {
	if owed.answer == nil {
		answer.ItemId = owed.itemID
		owed.answer = answer
		d.sayAgain(owed)
	}
}

// sayAgain says the answer, if there is one that is still owed.
func (d *desk) sayAgain(owed *owedTurn) {
	if owed.answer != nil && owed.wanted.Err() == nil {
		d.say(owed.answer)
	}
}

// judged hears what became of an answer. It comes before the seat's next turn.
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
	case *refereev1.Verdict_Refused:
		refusal := outcome.Refused.GetRefusal()
		ms, err := strconv.ParseInt(refusal.GetMetadata()["retry_after_ms"], 10, 64)
		if err != nil {
			owed.refused = refusal
			return
		}
		// A store that is away, or a match on its way elsewhere: the turn stands, and is not asked again.
		d.later(time.Duration(ms)*time.Millisecond, func() { d.sayAgain(owed) })
	}
}

// isMeant says whether it is the verdict on this turn's answer. Only that on a move names the token.
func (o *owedTurn) isMeant(verdict *refereev1.Verdict) bool {
	turn := o.asked.Turn
	if token := verdict.GetToken(); token != "" {
		return token == turn.GetToken() && verdict.GetMatchId() == turn.GetMatchId()
	}
	return verdict.GetItemId() == o.itemID
}

// lapsed hears that a turn needs no answer any more. Tokens of different matches may be the same.
func (d *desk) lapsed(matchID, token string) {
	for at, owed := range d.owed {
		if at.matchID == matchID && owed.asked.Turn.GetToken() == token {
			d.forget(at)
		}
	}
}

// ended hears that a match is over, whether it was known or not.
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
