package referee

import (
	"slices"
	"testing"
	"time"
)

func nextPauses(b *backoff, count int, random float64) []time.Duration {
	pauses := make([]time.Duration, count)
	for i := range pauses {
		pauses[i] = b.next(time.Time{}, false, random)
	}
	return pauses
}

func TestPausesDoubleUpToTenSeconds(t *testing.T) {
	ms := time.Millisecond
	want := []time.Duration{750 * ms, 1500 * ms, 3000 * ms, 6000 * ms, 10000 * ms, 10000 * ms}
	if got := nextPauses(&backoff{}, 6, 1); !slices.Equal(got, want) {
		t.Errorf("the pauses are %v, want %v", got, want)
	}
}

func TestAPauseIsBetweenAThirdOfItsLimitAndAllOfIt(t *testing.T) {
	for random, want := range map[float64]time.Duration{0: 250 * time.Millisecond, 1: 750 * time.Millisecond} {
		if got := (&backoff{}).next(time.Time{}, false, random); got != want {
			t.Errorf("with random %v the pause is %v, want %v", random, got, want)
		}
	}
}

func TestOnlyASessionOfTenSecondsResetsTheBackoff(t *testing.T) {
	start := time.Now()
	for duration, want := range map[time.Duration]time.Duration{stableAfter - 1: 4 * firstPause, stableAfter: firstPause} {
		var b backoff
		nextPauses(&b, 2, 0.5)
		b.onWelcome(start)
		if got := b.next(start.Add(duration), false, 1); got != want {
			t.Errorf("after a session of %v the pause is %v, want %v", duration, got, want)
		}
		if got := b.next(start.Add(time.Hour), false, 1); got != 2*want {
			t.Errorf("without another session the pause is %v, want %v", got, 2*want)
		}
	}
}

func TestThePauseAfterDrainingIsAtLeastTheReconnectDelay(t *testing.T) {
	var b backoff
	if got := b.afterDraining(2*time.Second, 0); got != 2*time.Second {
		t.Errorf("the pause is %v", got)
	}
	if got := b.next(time.Time{}, false, 1); got != firstPause {
		t.Errorf("draining counted as a failure: the next pause is %v", got)
	}
}
