package main

import (
	"context"

	"referee.example/referee/refereev1"
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
	watched := make([]int, count)
	for place := range watched {
		watched[place] = place
		c.matches[ids[place%len(ids)]].watchers++
	}
	c.mu.Unlock()
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
			message, err := stream.Recv()
			if err != nil {
				return
			}
			c.seen(message)
		}
	}()
	return nil
}

// seen counts entries: under load many travel together.
func (c *crowd) seen(message *refereev1.WatchMatchResponse) {
	entries := int64(len(message.GetItems()))
	c.entries.Add(entries)
	if c.untold.Add(-entries) <= 0 && !c.playing.Load() {
		c.change(func() {})
	}
}

// unwatch closes all watchers.
func (c *crowd) unwatch() any {
	c.watching()
	c.watching = func() {}
	for _, m := range c.matches {
		m.watchers = 0
	}
	return map[string]bool{"done": true}
}
