//go:build unix

package main

import (
	"context"
	"sync"

	"referee.example/referee"
)

type playerKey struct {
	match string
	seat  int
}

// lineBot forwards turns to programs: one program for all matches, or one for each match and seat.
//
// A program that never writes anything probably cannot run on this machine, rather than playing badly. So the bot does
// not resign for it; the bridge stops with an error for the person who installed it.
type lineBot struct {
	options  playerOptions
	perMatch bool
	// unusable gets how a program has ended, if none has ever written anything.
	unusable chan string

	mutex   sync.Mutex
	players map[playerKey]*player
	// spare was started by checkStart, and has not played yet.
	spare *player
	// hadOutput tells whether a program that is no longer among the players has ever written anything.
	hadOutput bool
}

func newLineBot(options playerOptions, perMatch bool) *lineBot {
	return &lineBot{
		options:  options,
		perMatch: perMatch,
		unusable: make(chan string, 1),
		players:  map[playerKey]*player{},
	}
}

// checkStart starts a program before the bot connects. It returns an error if it ends immediately.
func (b *lineBot) checkStart() error {
	b.spare = newPlayer(b.options)
	return b.spare.checkStart()
}

// Choose lets the program answer a turn.
func (b *lineBot) Choose(ctx context.Context, turn *referee.Turn) (referee.Answer, error) {
	player := b.player(turn.MatchID, turn.Seat)
	answer, err := player.choose(ctx, turn)
	if isUnavailable(err) && !b.hasOutput() {
		select {
		case b.unusable <- player.describeExit():
		default: // Another turn has reported it.
		}
		<-ctx.Done() // The bridge is about to stop.
		return referee.Answer{}, ctx.Err()
	}
	return answer, err
}

// Started tells the program of the start of a match.
func (b *lineBot) Started(_ context.Context, match *referee.Match, seat int) {
	b.player(match.ID, seat).started(match, seat)
}

// Ended tells the program of the end of a match, and stops it if it has played only this seat.
func (b *lineBot) Ended(_ context.Context, end *referee.End) {
	player := b.player(end.MatchID, end.Seat)
	player.ended(end)
	if !b.perMatch {
		return
	}
	b.mutex.Lock()
	delete(b.players, playerKey{end.MatchID, end.Seat})
	b.mutex.Unlock()
	if player.hasOutput() {
		b.mutex.Lock()
		b.hadOutput = true
		b.mutex.Unlock()
	}
	player.stop()
}

// stop ends all programs.
func (b *lineBot) stop() {
	b.mutex.Lock()
	players := make([]*player, 0, len(b.players)+1)
	for _, player := range b.players {
		players = append(players, player)
	}
	if b.spare != nil {
		players = append(players, b.spare)
	}
	b.mutex.Unlock()
	var stopping sync.WaitGroup
	for _, player := range players {
		stopping.Add(1)
		go func() {
			defer stopping.Done()
			player.stop()
		}()
	}
	stopping.Wait()
}

func (b *lineBot) player(match string, seat int) *player {
	var key playerKey // The zero key is that of the program for all matches.
	if b.perMatch {
		key = playerKey{match, seat}
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	known, ok := b.players[key]
	if !ok {
		known, b.spare = b.spare, nil
		if known == nil {
			known = newPlayer(b.options)
		}
		b.players[key] = known
	}
	return known
}

func (b *lineBot) hasOutput() bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for _, player := range b.players {
		if player.hasOutput() {
			return true
		}
	}
	return b.hadOutput
}
