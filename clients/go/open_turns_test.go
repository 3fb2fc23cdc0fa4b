package referee

import (
	"encoding/json"
	"slices"
	"testing"
)

// Steps as in the vectors.
const (
	turnArrives     = `{"receive": [{"turn": {"match": "m1", "token": "t1"}}]}`
	botAnswers      = `{"answer": {"match": "m1", "token": "t1", "move": "c2-c3"}}`
	answerIsDelayed = `{"receive": [{"verdict": {"match": "m1", "token": "t1",
		"rejected": {"message": "no", "metadata": {"retry_after_ms": "250"}}}}]}`
	delayPasses  = `{"advance_ms": 250}`
	streamBreaks = `{"stream": "ends"}`
	streamOpens  = `{"stream": "opens"}`
)

// countSent runs steps, and returns how many items each of them has sent.
func countSent(t *testing.T, steps ...string) []int {
	t.Helper()
	h := newTurnHarness(t)
	var counts []int
	for _, text := range steps {
		var step turnStep
		if err := json.Unmarshal([]byte(text), &step); err != nil {
			t.Fatal(err)
		}
		counts = append(counts, len(h.run(t, step)))
	}
	return counts
}

func TestAnAnswerWaitsUntilItsTurnHasArrivedAgainInANewSession(t *testing.T) {
	got := countSent(t, turnArrives, streamBreaks, streamOpens, botAnswers, turnArrives)
	if want := []int{0, 0, 0, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("sent %v, want %v", got, want)
	}
}

func TestARetryWaitsUntilItsTurnHasArrivedAgainInANewSession(t *testing.T) {
	got := countSent(t, turnArrives, botAnswers, answerIsDelayed, streamBreaks, streamOpens, delayPasses, turnArrives)
	if want := []int{0, 1, 0, 0, 0, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("sent %v, want %v", got, want)
	}
}
