package referee

import (
	"slices"
	"testing"
	"time"

	"referee/refereev1"
)

// told is a desk, and what it told.
type told struct {
	desk
	thoughts []*owedTurn
	said     []*refereev1.BotItem
	waits    []time.Duration
	deeds    []func()
}

func tellingDesk() *told {
	told := &told{}
	told.desk = desk{
		think: func(owed *owedTurn) { told.thoughts = append(told.thoughts, owed) },
		say:   func(item *refereev1.BotItem) { told.said = append(told.said, item) },
		later: func(after time.Duration, do func()) {
			told.waits = append(told.waits, after)
			told.deeds = append(told.deeds, do)
		},
		owed: map[place]*owedTurn{},
	}
	return told
}

func (t *told) isAsked(matchID string, seat uint32, token string) {
	t.asked(&refereev1.Turn{MatchId: matchID, Seat: seat, TurnToken: token})
}

func (t *told) finds(thought int, move string) {
	owed := t.thoughts[thought]
	t.found(owed, moveItem(owed.asked.Turn, move))
}

func (t *told) waited() {
	for _, do := range t.deeds {
		do()
	}
}

func (t *told) isRefused(thought int, message string, metadata map[string]string) {
	refusal := &refereev1.ErrorDetail{Message: message, Metadata: metadata}
	refused := &refereev1.Verdict_Rejected{Rejected: &refereev1.Rejection{Error: refusal}}
	turn := t.thoughts[thought].asked.Turn
	t.judged(&refereev1.Verdict{MatchId: turn.GetMatchId(), TurnToken: turn.GetTurnToken(), Outcome: refused})
}

func (t *told) expectSaid(test *testing.T, want ...string) {
	test.Helper()
	var moves []string
	for _, item := range t.said {
		moves = append(moves, item.GetMove().GetMove())
	}
	if !slices.Equal(moves, want) {
		test.Errorf("it said %q, not %q", moves, want)
	}
}

// expectWhy says of each thought after which refusal it began.
func (t *told) expectWhy(test *testing.T, want ...string) {
	test.Helper()
	var why []string
	for _, owed := range t.thoughts {
		why = append(why, owed.asked.Refused.GetMessage())
	}
	if !slices.Equal(why, want) {
		test.Errorf("the bot was told %q, not %q", why, want)
	}
}

// expectWanted says of each thought whether it is not in vain.
func (t *told) expectWanted(test *testing.T, want ...bool) {
	test.Helper()
	var wanted []bool
	for _, owed := range t.thoughts {
		wanted = append(wanted, owed.wanted.Err() == nil)
	}
	if !slices.Equal(wanted, want) {
		test.Errorf("of the thoughts these are wanted: %v, not %v", wanted, want)
	}
}

func TestTheSameTurnAgainIsAnsweredWithTheVerySameAnswer(t *testing.T) {
	desk := tellingDesk()
	desk.isAsked("m1", 0, "t1")
	desk.finds(0, "c2-c3")
	desk.judged(&refereev1.Verdict{ItemId: 1, MatchId: "m1", TurnToken: "t1", Outcome: &refereev1.Verdict_Accepted{}})
	desk.isAsked("m1", 0, "t1")
	desk.expectWanted(t, true)
	desk.expectSaid(t, "c2-c3", "c2-c3")
	if desk.said[0] != desk.said[1] {
		t.Errorf("it said %v, and then %v", desk.said[0], desk.said[1])
	}
}

func TestTheSameTurnAgainIsNotThoughtAboutTwice(t *testing.T) {
	desk := tellingDesk()
	desk.isAsked("m1", 0, "t1")
	desk.isAsked("m1", 0, "t1")
	desk.expectWanted(t, true)
	desk.expectSaid(t)
}

func TestTheSameTokenInAnotherMatchIsAnotherTurn(t *testing.T) {
	desk := tellingDesk()
	desk.isAsked("m1", 0, "t1")
	desk.isAsked("m2", 0, "t1")
	desk.lapsed("m2", "t1")
	desk.expectWanted(t, true, false)
	desk.finds(0, "c2-c3")
	desk.expectSaid(t, "c2-c3")
}

func TestATurnNeverHasTwoAnswers(t *testing.T) {
	desk := tellingDesk()
	desk.isAsked("m1", 0, "t1")
	desk.finds(0, "c2-c3")
	desk.finds(0, "d2-d3")
	desk.isAsked("m1", 0, "t1")
	desk.expectSaid(t, "c2-c3", "c2-c3")
}

func TestAfterARefusalTheNewTokenIsThoughtAboutAndSaysWhy(t *testing.T) {
	desk := tellingDesk()
	desk.isAsked("m1", 0, "t1")
	desk.finds(0, "c9-c9")
	desk.isRefused(0, "there is no c9", nil)
	desk.isAsked("m1", 0, "t2")
	desk.isAsked("m1", 0, "t3")
	desk.expectWhy(t, "", "there is no c9", "")
}

func TestARefusalThatNamesATimeIsNoVerdictOnTheAnswer(t *testing.T) {
	desk := tellingDesk()
	desk.isAsked("m1", 0, "t1")
	desk.finds(0, "c2-c3")
	desk.isRefused(0, "the log is away", map[string]string{"retry_after_ms": "250"})
	if want := []time.Duration{250 * time.Millisecond}; !slices.Equal(desk.waits, want) {
		t.Errorf("it says it again after %v, not %v", desk.waits, want)
	}
	desk.waited()
	desk.expectSaid(t, "c2-c3", "c2-c3")
}

func TestAResignationThatTheRefereeCannotTakeNowIsSaidAgain(t *testing.T) {
	desk := tellingDesk()
	desk.isAsked("m1", 0, "t1")
	desk.found(desk.thoughts[0], resignation(desk.thoughts[0].asked.Turn))
	refusal := &refereev1.ErrorDetail{Metadata: map[string]string{"retry_after_ms": "250"}}
	refused := &refereev1.Verdict_Rejected{Rejected: &refereev1.Rejection{Error: refusal}}
	desk.judged(&refereev1.Verdict{ItemId: desk.said[0].GetItemId(), MatchId: "m1", Outcome: refused})
	desk.waited()
	if len(desk.said) != 2 || desk.said[0] != desk.said[1] {
		t.Errorf("it said %v", desk.said)
	}
}

func TestWhatIsStaleOrLapsedOrFollowedByAnotherTurnIsWantedNoMore(t *testing.T) {
	desk := tellingDesk()
	desk.isAsked("m1", 0, "t1")
	desk.isAsked("m1", 1, "t2")
	desk.isAsked("m1", 2, "t3")
	desk.judged(&refereev1.Verdict{MatchId: "m1", TurnToken: "t1", Outcome: &refereev1.Verdict_Stale{}})
	desk.lapsed("m1", "t2")
	desk.isAsked("m1", 2, "t4")
	desk.expectWanted(t, false, false, false, true)
	for thought := range 3 {
		desk.finds(thought, "c2-c3")
	}
	desk.expectSaid(t)
}

func TestAMatchThatEndedIsForgottenAndTheOthersAreNot(t *testing.T) {
	desk := tellingDesk()
	desk.isAsked("m1", 0, "t1")
	desk.isAsked("m1", 1, "t2")
	desk.isAsked("m2", 0, "t3")
	desk.ended("m1")
	desk.ended("m1")
	desk.expectWanted(t, false, false, true)
}
