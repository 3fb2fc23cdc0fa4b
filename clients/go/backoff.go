package referee

import "time"

const (
	firstWait   = 500 * time.Millisecond
	longestWait = 10 * time.Second
	// stableAfter is the time after its Welcome at which a session resets the backoff.
	stableAfter = 10 * time.Second
)

// backoff is the exponential backoff after broken sessions: it doubles each time, up to ten seconds.
//
// A Welcome alone does not reset it: otherwise a bot whose own message breaks the stream would reconnect at full speed
// for ever.
type backoff struct {
	breaks int
	// stableAt is zero while there is no session.
	stableAt time.Time
}

// next returns the next pause. Chance, from 0 to 1, scales it by a factor from 0.5 to 1.5, so that the bots of a
// referee that was away do not all reconnect at the same moment.
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

// afterDraining returns the pause after a stream that a draining referee has ended, which is not a failure.
func (b *backoff) afterDraining(away time.Duration, chance float64) time.Duration {
	return away + time.Duration(float64(firstWait)*chance)
}

// welcomed notes that the referee has sent its Welcome.
func (b *backoff) welcomed(now time.Time) {
	b.stableAt = now.Add(stableAfter)
}
