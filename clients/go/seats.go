package referee

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"referee.example/referee/refereev1"
)

// seats holds the bot of each seat, and calls it: one call after the other for each seat.
type seats struct {
	bot    Bot
	logger *slog.Logger
	// start runs the calls of one seat on another goroutine, in order.
	start func(queue *callQueue, call func())
	byKey map[seatKey]*seat
}

type seat struct {
	bot Bot
	// rules are those that arrived last for this seat: turns omit large ones.
	rules *refereev1.Rules
	calls callQueue
}

// callQueue runs calls one after the other.
type callQueue struct {
	// last is closed when the last call is done; nil if there was none.
	last <-chan struct{}
}

func (q *callQueue) start(call func()) {
	previous, done := q.last, make(chan struct{})
	q.last = done
	go func() {
		defer close(done)
		if previous != nil {
			<-previous
		}
		call()
	}()
}

func newSeats(bot Bot, logger *slog.Logger) *seats {
	return &seats{bot: bot, logger: logger, start: (*callQueue).start, byKey: map[seatKey]*seat{}}
}

// get returns the seat, and whether it was known.
func (s *seats) get(key seatKey) (*seat, bool) {
	known, ok := s.byKey[key]
	if !ok {
		known = &seat{bot: botForSeat(s.bot)}
		s.byKey[key] = known
	}
	return known, ok
}

// onMatchStarted tells the bot, once for each seat.
func (s *seats) onMatchStarted(ctx context.Context, message *refereev1.MatchStarted) {
	number := int(message.GetSeat())
	seat, known := s.get(seatKey{message.GetMatch().GetId(), number})
	seat.rules = message.GetMatch().GetTerms().GetRules()
	if starter, ok := seat.bot.(Starter); ok && !known {
		match := newMatch(message.GetMatch())
		s.start(&seat.calls, func() {
			defer s.recoverFrom("Started", match.ID, number)
			starter.Started(ctx, match, number)
		})
	}
}

// rulesOf returns the rules of a turn, which may be those that arrived before.
func (s *seats) rulesOf(turn *refereev1.Turn) *refereev1.Rules {
	seat, _ := s.get(seatKey{turn.GetMatchId(), int(turn.GetSeat())})
	if turn.Rules != nil {
		seat.rules = turn.Rules
	}
	return seat.rules
}

// onMatchEnded tells the bot, once for each seat that is known.
func (s *seats) onMatchEnded(ctx context.Context, message *refereev1.MatchEnded) {
	key := seatKey{message.GetMatchId(), int(message.GetSeat())}
	seat := s.byKey[key]
	if seat == nil {
		return
	}
	delete(s.byKey, key)
	if ender, ok := seat.bot.(Ender); ok {
		end := &End{key.matchID, key.seat, newResult(message.GetResult())}
		s.start(&seat.calls, func() {
			defer s.recoverFrom("Ended", key.matchID, key.seat)
			ender.Ended(ctx, end)
		})
	}
}

// choose computes the answer to a turn, and calls back unless the answer is no longer needed.
func (s *seats) choose(open *openTurn, answered func(*refereev1.BotItem)) {
	seat, _ := s.get(open.key())
	s.start(&seat.calls, func() {
		if open.ctx.Err() == nil {
			answered(s.chooseAnswer(open.ctx, seat.bot, open.turn))
		}
	})
}

// chooseAnswer returns the bot's answer, or its resignation if its code fails.
func (s *seats) chooseAnswer(ctx context.Context, bot Bot, turn *Turn) (item *refereev1.BotItem) {
	report := func(reason any, attributes ...any) {
		text := fmt.Sprintf("match %s, seat %d, ply %d: the bot failed and resigns: %v", turn.MatchID, turn.Seat, turn.Ply, reason)
		s.logger.Error(text, append(attributes, "match", turn.MatchID, "seat", turn.Seat, "ply", turn.Ply)...)
	}
	defer func() {
		if reason := recover(); reason != nil {
			report(reason, "stack", string(debug.Stack()))
			item = Resign().item(turn, s.logger)
		}
	}()
	answer, err := bot.Choose(ctx, turn)
	if err == nil {
		return answer.item(turn, s.logger)
	}
	if ctx.Err() == nil {
		report(err)
	}
	return Resign().item(turn, s.logger)
}

// recoverFrom must be deferred. It reports a panic of the bot.
func (s *seats) recoverFrom(method, matchID string, seat int) {
	if reason := recover(); reason != nil {
		stack := string(debug.Stack())
		text := fmt.Sprintf("match %s, seat %d: %s of the bot failed: %v", matchID, seat, method, reason)
		s.logger.Error(text, "match", matchID, "seat", seat, "stack", stack)
	}
}
