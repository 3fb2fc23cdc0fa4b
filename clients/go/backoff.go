package referee

import "time"

const (
	firstPause   = 500 * time.Millisecond
	longestPause = 10 * time.Second
	// stableAfter is the time after its Welcome at which a session resets the backoff.
	stableAfter = 10 * time.Second
)

// backoff computes the pauses before the client reconnects: they double after each failure, up to ten seconds.
//
// A Welcome alone does not reset it: otherwise a bot whose own message breaks the stream would reconnect at full speed
// for ever.
type backoff struct {
	failures int
	// stableAt is zero while there is no session.
	stableAt time.Time
}

// next returns the next pause. Random, from 0 to 1, scales it by a factor from 0.5 to 1.5, so that the bots of a
// referee that was down do not all reconnect at the same moment.
func (b *backoff) next(now time.Time, random float64) time.Duration {
	if !b.stableAt.IsZero() && !now.Before(b.stableAt) {
		b.failures = 0
	}
	b.stableAt = time.Time{}
	pause := longestPause
	if doubled := firstPause << b.failures; doubled < longestPause {
		pause = doubled
		b.failures++
	}
	return time.Duration(float64(pause) * (0.5 + random))
}

// afterDraining returns the pause after a stream that a draining referee has ended, which is not a failure.
func (b *backoff) afterDraining(reconnectDelay time.Duration, random float64) time.Duration {
	return reconnectDelay + time.Duration(float64(firstPause)*random)
}

// onWelcome must be called when a Welcome has arrived.
func (b *backoff) onWelcome(now time.Time) {
	b.stableAt = now.Add(stableAfter)
}
