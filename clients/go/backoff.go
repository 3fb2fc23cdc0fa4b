package referee

import "time"

const (
	firstWait   = 500 * time.Millisecond
	longestWait = 10 * time.Second
	// stableAfter is how long a session lasts, from its Welcome, that resets the backoff.
	stableAfter = 10 * time.Second
)

// backoff says how long to stay away after a break: twice as long each time, up to ten seconds.
//
// A Welcome alone does not reset it: else a bot whose own message breaks the stream would reconnect at full speed for
// ever.
type backoff struct {
	breaks int
	// stableAt is zero while there is no session.
	stableAt time.Time
}

// next is the next wait. Chance, from 0 to 1, makes it half as long up to half as long again, so that the bots of a
// referee that was away do not all come back in the same moment.
func (b *backoff) next(now time.Time, chance float64) time.Duration {
	if !b.stableAt.IsZero() && !now.Before(b.stableAt) {
		b.breaks = 0
	}
	b.stableAt = time.Time{}
	wait := longestWait
	if doubled := firstWait << b.breaks; doubled < longestWait {
		wait = doubled
		b.breaks++
	}
	return time.Duration(float64(wait) * (0.5 + chance))
}

// afterDraining is the wait after a stream that the referee has ended to go away for so long. That is no failure.
func (b *backoff) afterDraining(away time.Duration, chance float64) time.Duration {
	return away + time.Duration(float64(firstWait)*chance)
}

// welcomed by the referee.
func (b *backoff) welcomed(now time.Time) {
	b.stableAt = now.Add(stableAfter)
}
