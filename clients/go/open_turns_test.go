package referee

import (
	"slices"
	"testing"
	"time"

	"referee/refereev1"
)

// recorder has open turns, and records their callbacks.
type recorder struct {
	openTurns
	turns  []*openTurn
	sent   []*refereev1.BotItem
	delays []time.Duration
	events []func()
}

func newRecorder() *recorder {
	r := &recorder{}
	r.openTurns = openTurns{
		choose: func(open *openTurn) { r.turns = append(r.turns, open) },
		send:   func(item *refereev1.BotItem) { r.sent = append(r.sent, item) },
		schedule: func(delay time.Duration, event func()) {
			r.delays = append(r.delays, delay)
			r.events = append(r.events, event)
		},
		bySeat: map[seatKey]*openTurn{},
	}
	return r
}

func (r *recorder) receiveTurn(matchID string, seat uint32, token string) {
	r.onTurn(&refereev1.Turn{MatchId: matchID, Seat: seat, TurnToken: token})
}

// answer answers the turn with this index, in the order of the calls of the bot.
func (r *recorder) answer(index int, move string) {
	open := r.turns[index]
	r.setAnswer(open, moveItem(open.request.Turn, move))
}

func (r *recorder) runScheduled() {
	for _, event := range r.events {
		event()
	}
}

func (r *recorder) reject(index int, message string, metadata map[string]string) {
	detail := &refereev1.ErrorDetail{Message: message, Metadata: metadata}
	rejected := &refereev1.Verdict_Rejected{Rejected: &refereev1.Rejection{Error: detail}}
	turn := r.turns[index].request.Turn
	r.onVerdict(&refereev1.Verdict{MatchId: turn.GetMatchId(), TurnToken: turn.GetTurnToken(), Outcome: rejected})
}

func (r *recorder) expectSent(t *testing.T, want ...string) {
	t.Helper()
	var moves []string
	for _, item := range r.sent {
		moves = append(moves, item.GetMove().GetMove())
	}
	if !slices.Equal(moves, want) {
		t.Errorf("the moves %q were sent, want %q", moves, want)
	}
}

// expectRejections compares the messages of the rejections that were passed to the bot, one for each turn.
func (r *recorder) expectRejections(t *testing.T, want ...string) {
	t.Helper()
	var messages []string
	for _, open := range r.turns {
		messages = append(messages, open.request.Rejection.GetMessage())
	}
	if !slices.Equal(messages, want) {
		t.Errorf("the bot got the rejections %q, want %q", messages, want)
	}
}

// expectCancelled compares, for each turn, whether it is cancelled.
func (r *recorder) expectCancelled(t *testing.T, want ...bool) {
	t.Helper()
	var cancelled []bool
	for _, open := range r.turns {
		cancelled = append(cancelled, open.ctx.Err() != nil)
	}
	if !slices.Equal(cancelled, want) {
		t.Errorf("the turns are cancelled: %v, want %v", cancelled, want)
	}
}

func TestARepeatedTurnGetsTheSameAnswer(t *testing.T) {
	r := newRecorder()
	r.receiveTurn("m1", 0, "t1")
	r.answer(0, "c2-c3")
	r.onVerdict(&refereev1.Verdict{ItemId: 1, MatchId: "m1", TurnToken: "t1", Outcome: &refereev1.Verdict_Accepted{}})
	r.receiveTurn("m1", 0, "t1")
	r.expectCancelled(t, false)
	r.expectSent(t, "c2-c3", "c2-c3")
	if r.sent[0] != r.sent[1] {
		t.Errorf("%v was sent, and then %v", r.sent[0], r.sent[1])
	}
}

func TestTheBotIsCalledOnceForARepeatedTurn(t *testing.T) {
	r := newRecorder()
	r.receiveTurn("m1", 0, "t1")
	r.receiveTurn("m1", 0, "t1")
	r.expectCancelled(t, false)
	r.expectSent(t)
}

func TestTheSameTokenInAnotherMatchIsAnotherTurn(t *testing.T) {
	r := newRecorder()
	r.receiveTurn("m1", 0, "t1")
	r.receiveTurn("m2", 0, "t1")
	r.onTurnExpired("m2", "t1")
	r.expectCancelled(t, false, true)
	r.answer(0, "c2-c3")
	r.expectSent(t, "c2-c3")
}

func TestOnlyTheFirstAnswerToATurnIsSent(t *testing.T) {
	r := newRecorder()
	r.receiveTurn("m1", 0, "t1")
	r.answer(0, "c2-c3")
	r.answer(0, "d2-d3")
	r.receiveTurn("m1", 0, "t1")
	r.expectSent(t, "c2-c3", "c2-c3")
}

func TestTheNextAttemptHasTheRejectionOfThePreviousOne(t *testing.T) {
	r := newRecorder()
	r.receiveTurn("m1", 0, "t1")
	r.answer(0, "c9-c9")
	r.reject(0, "there is no c9", nil)
	r.receiveTurn("m1", 0, "t2")
	r.receiveTurn("m1", 0, "t3")
	r.expectRejections(t, "", "there is no c9", "")
}

func TestAnAnswerThatIsRejectedTemporarilyIsSentAgainAfterTheDelay(t *testing.T) {
	r := newRecorder()
	r.receiveTurn("m1", 0, "t1")
	r.answer(0, "c2-c3")
	r.reject(0, "the log is unavailable", map[string]string{"retry_after_ms": "250"})
	if want := []time.Duration{250 * time.Millisecond}; !slices.Equal(r.delays, want) {
		t.Errorf("the delays are %v, want %v", r.delays, want)
	}
	r.expectSent(t, "c2-c3")
	r.runScheduled()
	r.expectSent(t, "c2-c3", "c2-c3")
}

func TestAResignationThatIsRejectedTemporarilyIsSentAgain(t *testing.T) {
	r := newRecorder()
	r.receiveTurn("m1", 0, "t1")
	r.setAnswer(r.turns[0], resignationItem(r.turns[0].request.Turn))
	detail := &refereev1.ErrorDetail{Metadata: map[string]string{"retry_after_ms": "250"}}
	rejected := &refereev1.Verdict_Rejected{Rejected: &refereev1.Rejection{Error: detail}}
	r.onVerdict(&refereev1.Verdict{ItemId: r.sent[0].GetItemId(), MatchId: "m1", Outcome: rejected})
	r.runScheduled()
	if len(r.sent) != 2 || r.sent[0] != r.sent[1] {
		t.Errorf("these were sent: %v", r.sent)
	}
}

func TestATurnThatIsStaleExpiredOrReplacedIsCancelled(t *testing.T) {
	r := newRecorder()
	r.receiveTurn("m1", 0, "t1")
	r.receiveTurn("m1", 1, "t2")
	r.receiveTurn("m1", 2, "t3")
	r.onVerdict(&refereev1.Verdict{MatchId: "m1", TurnToken: "t1", Outcome: &refereev1.Verdict_Stale{}})
	r.onTurnExpired("m1", "t2")
	r.receiveTurn("m1", 2, "t4")
	r.expectCancelled(t, true, true, true, false)
	for index := range 3 {
		r.answer(index, "c2-c3")
	}
	r.expectSent(t)
}

func TestTheEndOfAMatchCancelsItsTurnsOnly(t *testing.T) {
	r := newRecorder()
	r.receiveTurn("m1", 0, "t1")
	r.receiveTurn("m1", 1, "t2")
	r.receiveTurn("m2", 0, "t3")
	r.onMatchEnded("m1")
	r.onMatchEnded("m1")
	r.expectCancelled(t, true, true, false)
}
