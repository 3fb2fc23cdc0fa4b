package referee

import (
	"context"
	"strconv"
	"time"

	"referee/refereev1"
)

// openTurns holds the open turns and their answers.
//
// It is independent of time and network: it receives the messages of the referee and the answers of the bot, and calls
// back when a turn needs an answer or an answer is to be sent. It outlives the stream, so that an answer computed while
// there was no stream is sent when its turn is repeated.
type openTurns struct {
	// choose starts to compute the answer to a turn.
	choose func(*openTurn)
	send   func(*refereev1.BotItem)
	// schedule calls a function after a delay.
	schedule   func(time.Duration, func())
	bySeat     map[seatKey]*openTurn
	lastItemID uint64
}

// seatKey identifies a seat in a match. It has at most one open turn.
type seatKey struct {
	matchID string
	seat    uint32
}

func seatKeyOf(turn *refereev1.Turn) seatKey {
	return seatKey{turn.GetMatchId(), turn.GetSeat()}
}

type openTurn struct {
	request TurnRequest
	// itemID is the item id of the answer.
	itemID uint64
	// answer is nil until the bot has answered.
	answer *refereev1.BotItem
	// rejection is the error of a rejected answer.
	rejection *refereev1.ErrorDetail
	// ctx is cancelled when the turn is no longer open.
	ctx    context.Context
	cancel context.CancelFunc
}

// onTurn handles a turn. A turn with a new token replaces the previous turn of the seat.
func (o *openTurns) onTurn(turn *refereev1.Turn) {
	previous := o.bySeat[seatKeyOf(turn)]
	switch {
	case previous == nil:
		o.open(turn, nil)
	case previous.request.Turn.GetTurnToken() == turn.GetTurnToken():
		o.resend(previous)
	default:
		previous.cancel()
		o.open(turn, previous.rejection)
	}
}

func (o *openTurns) open(turn *refereev1.Turn, rejection *refereev1.ErrorDetail) {
	o.lastItemID++
	ctx, cancel := context.WithCancel(context.Background())
	opened := &openTurn{request: TurnRequest{turn, rejection}, itemID: o.lastItemID, ctx: ctx, cancel: cancel}
	o.bySeat[seatKeyOf(turn)] = opened
	o.choose(opened)
}

// setAnswer handles the bot's answer. Only the first answer to a turn is sent; all others are ignored.
func (o *openTurns) setAnswer(open *openTurn, answer *refereev1.BotItem) {
	if open.answer == nil {
		answer.ItemId = open.itemID
		open.answer = answer
		o.resend(open)
	}
}

// resend sends the answer, if there is one and its turn is still open.
func (o *openTurns) resend(open *openTurn) {
	if open.answer != nil && open.ctx.Err() == nil {
		o.send(open.answer)
	}
}

// onVerdict handles the verdict on an answer. It arrives before the next turn of the seat.
func (o *openTurns) onVerdict(verdict *refereev1.Verdict) {
	for key, open := range o.bySeat {
		if open.matches(verdict) {
			o.applyVerdict(key, open, verdict)
		}
	}
}

func (o *openTurns) applyVerdict(key seatKey, open *openTurn, verdict *refereev1.Verdict) {
	switch outcome := verdict.GetOutcome().(type) {
	case *refereev1.Verdict_Stale:
		o.close(key)
	case *refereev1.Verdict_Rejected:
		rejection := outcome.Rejected.GetError()
		ms, err := strconv.ParseInt(rejection.GetMetadata()["retry_after_ms"], 10, 64)
		if err != nil {
			open.rejection = rejection
			return
		}
		// Temporary (store unavailable, match in transfer): the turn stays open and is not sent again.
		o.schedule(time.Duration(ms)*time.Millisecond, func() { o.resend(open) })
	}
}

// matches returns whether it is the verdict on this turn's answer. Only verdicts on moves contain the token.
func (o *openTurn) matches(verdict *refereev1.Verdict) bool {
	turn := o.request.Turn
	if token := verdict.GetTurnToken(); token != "" {
		return token == turn.GetTurnToken() && verdict.GetMatchId() == turn.GetMatchId()
	}
	return verdict.GetItemId() == o.itemID
}

// onTurnExpired handles a turn that no longer needs an answer. Tokens of different matches may be equal.
func (o *openTurns) onTurnExpired(matchID, token string) {
	for key, open := range o.bySeat {
		if key.matchID == matchID && open.request.Turn.GetTurnToken() == token {
			o.close(key)
		}
	}
}

// onMatchEnded handles the end of a match, whether or not it was known.
func (o *openTurns) onMatchEnded(matchID string) {
	for key := range o.bySeat {
		if key.matchID == matchID {
			o.close(key)
		}
	}
}

func (o *openTurns) close(key seatKey) {
	o.bySeat[key].cancel()
	delete(o.bySeat, key)
}
