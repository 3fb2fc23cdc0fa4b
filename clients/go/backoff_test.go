package referee

import (
	"slices"
	"testing"
	"time"
)

func waits(b *backoff, breaks int, chance float64) []time.Duration {
	waits := make([]time.Duration, breaks)
	for i := range waits {
		waits[i] = b.next(time.Time{}, chance)
	}
	return waits
}

func TestWaitsDoubleUpToTenSeconds(t *testing.T) {
	ms := time.Millisecond
	want := []time.Duration{500 * ms, 1000 * ms, 2000 * ms, 4000 * ms, 8000 * ms, 10000 * ms, 10000 * ms}
	if got := waits(&backoff{}, 7, 0.5); !slices.Equal(got, want) {
		t.Errorf("it waits %v, not %v", got, want)
	}
}

func TestChanceTakesAwayOrAddsUpToAHalf(t *testing.T) {
	for chance, want := range map[float64]time.Duration{0: 250 * time.Millisecond, 1: 750 * time.Millisecond} {
		if got := (&backoff{}).next(time.Time{}, chance); got != want {
			t.Errorf("with chance %v it waits %v, not %v", chance, got, want)
		}
	}
}

func TestOnlyASessionThatHasLastedTenSecondsMakesTheFirstWaitShortAgain(t *testing.T) {
	start := time.Now()
	for lasted, want := range map[time.Duration]time.Duration{stableAfter - 1: 4 * firstWait, stableAfter: firstWait} {
		var b backoff
		waits(&b, 2, 0.5)
		b.welcomed(start)
		if got := b.next(start.Add(lasted), 0.5); got != want {
			t.Errorf("after %v it waits %v, not %v", lasted, got, want)
		}
		if got := b.next(start.Add(time.Hour), 0.5); got != 2*want {
			t.Errorf("without another session it waits %v, not %v", got, 2*want)
		}
	}
}

func TestAfterDrainingNobodyComesEarlierThanAskedFor(t *testing.T) {
	var b backoff
	if got := b.afterDraining(2*time.Second, 0); got != 2*time.Second {
		t.Errorf("it waits %v", got)
	}
	if got := b.next(time.Time{}, 0.5); got != firstWait {
		t.Errorf("it counts as a failure: then it waits %v", got)
	}
}
