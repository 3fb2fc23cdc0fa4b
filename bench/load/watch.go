package main

import (
	"context"

	"referee/refereev1"
)

// watch opens so many more watchers, spread over the matches, and returns when each has seen how its match stands.
func (c *crowd) watch(count int) (any, error) {
	ctx, cancel := context.WithCancel(c.organiser)
	before := c.watching
	c.watching = func() { before(); cancel() }
	var ids []string
	c.mu.Lock()
	for id := range c.matches {
		ids = append(ids, id)
	}
	c.mu.Unlock()
	watched := make([]int, count)
	for place := range watched {
		watched[place] = place
	}
	return timed(func() error {
		return each(watched, func(place int) error { return c.watchOne(ctx, place, ids[place%len(ids)]) })
	})
}

func (c *crowd) watchOne(ctx context.Context, place int, id string) error {
	connection := c.connections[place%len(c.connections)]
	stream, err := refereev1.NewMatchServiceClient(connection).WatchMatch(ctx, &refereev1.WatchMatchRequest{MatchId: id})
	if err != nil {
		return err
	}
	if _, err := stream.Recv(); err != nil {
		return err
	}
	go func() {
		for {
			if _, err := stream.Recv(); err != nil {
				return
			}
			c.entries.Add(1)
		}
	}()
	return nil
}

// unwatch closes all watchers.
func (c *crowd) unwatch() any {
	c.watching()
	c.watching = func() {}
	return map[string]bool{"done": true}
}
