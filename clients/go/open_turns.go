package referee

import (
	"context"
	"time"

	"referee.example/referee/refereev1"
)

// openTurns holds the open turns and their answers.
//
// It is independent of time and network: it receives the messages of the referee and the answers of the bot, and calls
// back when a turn needs an answer or an answer is to be sent. It outlives the stream, so that an answer computed while
// there was no stream is sent when its turn is repeated.
type openTurns struct {
	// ctx is the parent of the contexts of all turns.
	ctx context.Context
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
	seat    int
}

type openTurn struct {
	turn *Turn
	// itemID is the item id of the answer.
	itemID uint64
	// answer is nil until the bot has answered.
	answer *refereev1.BotItem
	// arrived tells whether the turn has arrived in the current session.
	arrived bool
	// rejection is the error of a rejected answer.
	rejection *Error
	// ctx is cancelled when the turn is no longer open.
	ctx    context.Context
	cancel context.CancelFunc
}

func (o *openTurn) key() seatKey { return seatKey{o.turn.MatchID, o.turn.Seat} }

// onSessionStarted handles the start of a session. Until a turn arrives again, its answer waits: otherwise it would be
// sent twice.
func (o *openTurns) onSessionStarted() {
	for _, open := range o.bySeat {
		open.arrived = false
	}
}

// onTurn handles a turn. A turn with a new token replaces the previous turn of the seat.
func (o *openTurns) onTurn(message *refereev1.Turn, rules *refereev1.Rules) {
	previous := o.bySeat[seatKey{message.GetMatchId(), int(message.GetSeat())}]
	switch {
	case previous == nil:
		o.open(newTurn(message, rules, nil))
	case previous.turn.Token == message.GetTurnToken():
		previous.arrived = true
		o.resend(previous)
	default:
		previous.cancel()
		o.open(newTurn(message, rules, previous.rejection))
	}
}

func (o *openTurns) open(turn *Turn) {
	o.lastItemID++
	ctx, cancel := context.WithCancel(o.ctx)
	opened := &openTurn{turn: turn, itemID: o.lastItemID, arrived: true, ctx: ctx, cancel: cancel}
	o.bySeat[opened.key()] = opened
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

// resend sends the answer, if there is one, and its turn is still open and has arrived in this session.
func (o *openTurns) resend(open *openTurn) {
	if open.answer != nil && open.arrived && open.ctx.Err() == nil {
		o.send(open.answer)
	}
}

// onVerdict handles the verdict on an answer. It arrives before the next turn of the seat.
func (o *openTurns) onVerdict(verdict *refereev1.Verdict) {
	for _, open := range o.bySeat {
		if open.matches(verdict) {
			o.applyVerdict(open, verdict)
			return
		}
	}
}

func (o *openTurns) applyVerdict(open *openTurn, verdict *refereev1.Verdict) {
	switch outcome := verdict.GetOutcome().(type) {
	case *refereev1.Verdict_Stale:
		o.close(open)
	case *refereev1.Verdict_Rejected:
		rejection := newDetailError(outcome.Rejected.GetError())
		if delay, temporary := retryAfter(rejection); temporary {
			// The store is unavailable, or the match is moving: the turn stays open and is not sent again.
			o.schedule(delay, func() { o.resend(open) })
			return
		}
		open.rejection = rejection
		if isAboutDraw(open.answer) {
			// It does not answer the turn, which is still open.
			open.cancel()
			again := *open.turn
			again.Rejection = rejection
			o.open(&again)
		}
	}
}

func isAboutDraw(answer *refereev1.BotItem) bool {
	return answer.GetDrawAnswer() != nil || answer.GetDrawClaim() != nil
}

// matches returns whether it is the verdict on this turn's answer. Only verdicts on moves contain the token.
func (o *openTurn) matches(verdict *refereev1.Verdict) bool {
	if token := verdict.GetTurnToken(); token != "" {
		return token == o.turn.Token && verdict.GetMatchId() == o.turn.MatchID
	}
	return verdict.GetItemId() == o.itemID
}

// onTurnExpired handles a turn that no longer needs an answer. Tokens of different matches may be equal.
func (o *openTurns) onTurnExpired(matchID, token string) {
	for _, open := range o.bySeat {
		if open.turn.MatchID == matchID && open.turn.Token == token {
			o.close(open)
		}
	}
}

// onMatchEnded handles the end of a match, whether or not it was known.
func (o *openTurns) onMatchEnded(matchID string) {
	for _, open := range o.bySeat {
		if open.turn.MatchID == matchID {
			o.close(open)
		}
	}
}

func (o *openTurns) close(open *openTurn) {
	open.cancel()
	delete(o.bySeat, open.key())
}
