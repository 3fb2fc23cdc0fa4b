package referee

import (
	"slices"
	"testing"
	"time"
)

func waits(b *backoff, breaks int, chance float64) []time.Duration {
	waits := make([]time.Duration, breaks)
	for i := range waits {
		waits[i] = b.next(chance)
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
		if got := (&backoff{}).next(chance); got != want {
			t.Errorf("with chance %v it waits %v, not %v", chance, got, want)
		}
	}
}

func TestAfterAWelcomeTheFirstWaitIsShortAgain(t *testing.T) {
	var b backoff
	waits(&b, 40, 0.5)
	b.welcomed()
	if got := b.next(0.5); got != firstWait {
		t.Errorf("it waits %v, not %v", got, firstWait)
	}
}
