package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"referee.example/referee/refereev1"
)

// atOnce is how many calls are under way while things are made ready.
const atOnce = 64

// patience is for a machine that is busy with something else.
const patience = 3 * time.Minute

// crowd is all bots of one run, what they play, and how far they are.
type crowd struct {
	addresses   []string // Those of the nodes.
	dial        func(address string) (*grpc.ClientConn, error)
	connections []*grpc.ClientConn
	calls       *grpc.ClientConn // For the calls of the organiser, so that streams leave room for them.
	organiser   context.Context
	games       *games // nil: no game, but an echo.
	wishes      command
	bots        []*bot
	made        int // Matches, since the beginning.

	mu      sync.Mutex
	matches map[string]*match // Those that are not known to be over for all seats.
	held    int               // Turns that are held.
	begun   int               // Matches of which turns are held.
	ended   int               // Seats that have heard the end of their match.
	news    *sync.Cond        // Something here has changed, or all moves have their verdicts.

	playing atomic.Bool
	dry     atomic.Bool // A match came to the end of what is recorded of it.
	whole   atomic.Bool // Recorded to their end: nobody stops because one match has nothing more to play.
	goal    int64
	done    chan struct{} // Closed when the goal is reached, or a match has come to the end of what is recorded.
	once    *sync.Once
	due     chan asked // Turns that wait for their moment, when moves come at a rate; else nil.

	sent, judged, refused atomic.Int64
	items, messages       atomic.Int64 // Heard.
	bytes                 atomic.Int64 // Of the messages heard.
	entries               atomic.Int64 // Seen by watchers.
	untold                atomic.Int64 // Moves that watchers have not seen yet, each as often as it is watched.
	watching              func()       // Ends it.
}

// match is what the seats of a match have in common.
type match struct {
	id       string
	sentAt   atomic.Int64 // When the last move went out, in nanoseconds.
	watchers int64
	held     int  // Turns of it that are held. Guarded by the crowd's lock, as what follows.
	over     bool // Some seat has heard the end.
}

// streamsPerConnection is less than the referee permits on one connection.
const streamsPerConnection = 200

func connect(addresses []string, roots string, connections int) (*crowd, error) {
	safe, err := transport(roots)
	if err != nil {
		return nil, err
	}
	c := &crowd{addresses: addresses, matches: map[string]*match{}, watching: func() {}}
	c.news = sync.NewCond(&c.mu)
	c.dial = func(address string) (*grpc.ClientConn, error) {
		return grpc.NewClient(
			address,
			grpc.WithTransportCredentials(safe),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20), grpc.WaitForReady(true)),
		)
	}
	if c.calls, err = c.dial(addresses[0]); err != nil {
		return nil, err
	}
	return c, c.connect(connections)
}

// connect opens connections until there are that many, and the same number to each node.
func (c *crowd) connect(count int) error {
	for len(c.connections) < count || len(c.connections)%len(c.addresses) != 0 {
		connection, err := c.dial(c.addresses[len(c.connections)%len(c.addresses)])
		if err != nil {
			return err
		}
		c.connections = append(c.connections, connection)
	}
	return nil
}

func transport(roots string) (credentials.TransportCredentials, error) {
	if roots == "" {
		return insecure.NewCredentials(), nil
	}
	pem, err := os.ReadFile(roots)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	return credentials.NewTLS(&tls.Config{RootCAs: pool}), nil
}

// open has every bot registered and there.
func (c *crowd) open(told command) (any, error) {
	c.wishes, c.organiser = told, as(told.Organiser)
	if told.Games != "" {
		read, err := readGames(told.Games)
		if err != nil {
			return nil, err
		}
		c.games = read
		c.whole.Store(read.Recorded[0].Whole)
	}
	return c.enlist(told.Bots)
}

// enlist has so many more bots registered and there.
func (c *crowd) enlist(count int) (any, error) {
	if err := c.connect((len(c.bots) + count) / streamsPerConnection); err != nil {
		return nil, err
	}
	var recruits []*bot
	for range count {
		number := len(c.bots)
		recruit := &bot{crowd: c, number: number, name: fmt.Sprintf("bot-%d", number), held: map[string]asked{}}
		c.bots, recruits = append(c.bots, recruit), append(recruits, recruit)
	}
	if c.wishes.Organiser != "" {
		if err := each(recruits, (*bot).register); err != nil {
			return nil, err
		}
	}
	return timed(func() error { return each(recruits, (*bot).open) })
}

// reopen has every bot come back after the referee was away, and tells when the first and the last of the turns that
// were held are asked again.
func (c *crowd) reopen() (any, error) {
	owed := 0
	for _, b := range c.bots {
		owed += b.forget()
	}
	if err := each(c.bots, (*bot).open); err != nil {
		return nil, err
	}
	first, last := 0.0, 0.0
	err := c.wait(func() bool {
		if c.held > 0 && first == 0 {
			first = now()
		}
		last = now()
		return c.held >= owed
	})
	return map[string]any{"owed": owed, "first_at": first, "last_at": last}, err
}

// wait returns when the condition holds. It is looked at under the lock, at all news.
func (c *crowd) wait(holds func() bool) error {
	late := time.AfterFunc(patience, c.news.Broadcast)
	defer late.Stop()
	until := time.Now().Add(patience)
	c.mu.Lock()
	defer c.mu.Unlock()
	for !holds() {
		if time.Now().After(until) {
			return fmt.Errorf("waited in vain: %d sent, %d judged, %d refused", c.sent.Load(), c.judged.Load(), c.refused.Load())
		}
		c.news.Wait()
	}
	return nil
}

// match is the one of that id, new or known.
func (c *crowd) match(id string) *match {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, there := c.matches[id]
	if !there {
		known = &match{id: id}
		c.matches[id] = known
	}
	return known
}

// hold notes that so many more turns of a match are held, or fewer.
func (c *crowd) hold(m *match, more int) {
	c.change(func() {
		before := m.held
		c.held, m.held = c.held+more, m.held+more
		if before == 0 {
			c.begun++
		} else if m.held == 0 {
			c.begun--
		}
	})
}

// end notes that a seat has heard the end of its match. When matches are played to their end, the last one ends play.
func (c *crowd) end(m *match) {
	c.change(func() {
		c.ended++
		m.over = true
	})
	if c.whole.Load() && c.playing.Load() && c.allEnded() {
		c.finish()
	}
}

func (c *crowd) allEnded() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended >= len(c.matches)*c.games.Seats
}

func (c *crowd) change(change func()) {
	c.mu.Lock()
	change()
	c.mu.Unlock()
	c.news.Broadcast()
}

func as(secret string) context.Context {
	return metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+secret)
}

func now() float64 { return float64(time.Now().UnixNano()) / 1e9 }

func timed(work func() error) (any, error) {
	begun := time.Now()
	err := work()
	return map[string]float64{"seconds": time.Since(begun).Seconds()}, err
}

// each does the work for all, several at once. The first error counts.
func each[T any](all []T, work func(T) error) error {
	var group sync.WaitGroup
	room, failed := make(chan struct{}, atOnce), make(chan error, 1)
	for _, one := range all {
		room <- struct{}{}
		group.Go(func() {
			if err := work(one); err != nil {
				select {
				case failed <- err:
				default:
				}
			}
			<-room
		})
	}
	group.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

func (c *crowd) organising() refereev1.MatchServiceClient {
	return refereev1.NewMatchServiceClient(c.calls)
}
