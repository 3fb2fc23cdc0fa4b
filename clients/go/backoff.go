package referee

import "time"

const (
	firstWait   = 500 * time.Millisecond
	longestWait = 10 * time.Second
)

// backoff says how long to stay away after a break: twice as long each time, up to ten seconds.
type backoff struct {
	breaks int
}

// next is the next wait. Chance, from 0 to 1, makes it half as long up to half as long again, so that the bots of a
// referee that was away do not all come back in the same moment.
func (b *backoff) next(chance float64) time.Duration {
	wait := longestWait
	if doubled := firstWait << b.breaks; doubled < longestWait {
		wait = doubled
		b.breaks++
	}
	return time.Duration(float64(wait) * (0.5 + chance))
}

// welcomed by the referee: the next break is the first again.
func (b *backoff) welcomed() {
	b.breaks = 0
}
