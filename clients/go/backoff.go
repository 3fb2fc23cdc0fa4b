package referee

import "time"

const (
	firstPause   = 750 * time.Millisecond
	longestPause = 10 * time.Second
	// longestPauseWithOpenTurn is the limit while a clock of the bot may run.
	longestPauseWithOpenTurn = 3 * time.Second
	// maxDrainingJitter is the longest time that is added to the delay after draining.
	maxDrainingJitter = 500 * time.Millisecond
	// stableAfter is the time after its Welcome at which a session resets the backoff.
	stableAfter = 10 * time.Second
)

// backoff computes the pauses before the client reconnects: their limit doubles after each failure, up to ten seconds.
//
// A Welcome alone does not reset it: otherwise a bot whose own message breaks the stream would reconnect at full speed
// for ever.
type backoff struct {
	failures int
	// stableAt is zero while there is no session.
	stableAt time.Time
}

// next returns the next pause, for a random number from 0 to 1. It is between a third of its limit and all of it, so
// that the bots of a referee that was down do not all reconnect at the same moment.
func (b *backoff) next(now time.Time, hasOpenTurn bool, random float64) time.Duration {
	if !b.stableAt.IsZero() && !now.Before(b.stableAt) {
		b.failures = 0
	}
	b.stableAt = time.Time{}
	pause := longestPause
	if doubled := firstPause << b.failures; doubled < longestPause {
		pause = doubled
		b.failures++
	}
	if hasOpenTurn {
		pause = min(pause, longestPauseWithOpenTurn)
	}
	return time.Duration(float64(pause) * (1 + 2*random) / 3)
}

// afterDraining returns the pause after a stream that a draining referee has ended, which is not a failure.
func (b *backoff) afterDraining(reconnectDelay time.Duration, random float64) time.Duration {
	return reconnectDelay + time.Duration(float64(maxDrainingJitter)*random)
}

// onWelcome must be called when a Welcome has arrived.
func (b *backoff) onWelcome(now time.Time) {
	b.stableAt = now.Add(stableAfter)
}
