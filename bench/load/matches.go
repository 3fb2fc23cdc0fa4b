package main

import (
	"fmt"

	"referee.example/referee/refereev1"
)

// An hour for each seat: long enough for any run, and a clock that runs.
const hour = 3_600_000

// makeMatches makes so many more, spread over all bots, and returns when every first turn is held.
func (c *crowd) makeMatches(count int) (any, error) {
	numbers := make([]int, count)
	for place := range numbers {
		numbers[place] = place
	}
	c.mu.Lock()
	begun := c.begun
	c.mu.Unlock()
	c.dry.Store(false)
	first := c.made
	c.made += count
	return timed(func() error {
		if err := each(numbers, func(number int) error { return c.makeMatch(first, number) }); err != nil {
			return err
		}
		return c.wait(func() bool { return c.begun >= begun+count })
	})
}

func (c *crowd) makeMatch(first, number int) error {
	tables := len(c.bots) / c.games.Seats
	table, game := number%tables, number%len(c.games.Recorded)
	request := &refereev1.CreateMatchRequest{
		RequestId: fmt.Sprintf("match %d", first+number),
		Title:     fmt.Sprint(game),
		Seed:      c.games.Recorded[game].seed(),
		Terms: &refereev1.MatchTerms{
			Rules: &refereev1.Rules{Game: c.games.Game},
			TimeControl: &refereev1.TimeControl{Rule: &refereev1.ClockRule{
				Kind: &refereev1.ClockRule_SuddenDeath{SuddenDeath: &refereev1.SuddenDeath{MainMs: hour}},
			}},
		},
	}
	for seat := range c.games.Seats {
		request.Seats = append(request.Seats, &refereev1.BotRef{Bot: c.bots[table*c.games.Seats+seat].name, Version: version})
	}
	_, err := c.organising().CreateMatch(c.organiser, request)
	return err
}

// leave calls off all matches that are not over, and returns when every seat has heard it.
func (c *crowd) leave() (any, error) {
	c.mu.Lock()
	var going []*match
	for _, m := range c.matches {
		if !m.over {
			going = append(going, m)
		}
	}
	c.mu.Unlock()
	return timed(func() error {
		if err := each(going, c.abort); err != nil {
			return err
		}
		return c.allOver()
	})
}

func (c *crowd) abort(m *match) error {
	_, err := c.organising().AbortMatch(
		c.organiser, &refereev1.AbortMatchRequest{RequestId: "abort " + m.id, MatchId: m.id},
	)
	return err
}

// allOver waits for the end of all matches, and forgets them.
func (c *crowd) allOver() error {
	return c.wait(func() bool {
		over := c.ended >= len(c.matches)*c.games.Seats
		if over {
			clear(c.matches)
			c.ended = 0
		}
		return over
	})
}
