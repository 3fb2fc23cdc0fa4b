package referee

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"referee.example/referee/refereev1"
)

// Client makes the calls of organisers and watchers. It is safe for concurrent use.
//
// While the server cannot be reached or asks for a pause, a call is made up to five times, with the same request id, so
// that nothing is created twice. Its methods return an [*Error] if the server rejects a call, or still cannot be reached.
type Client struct {
	conn    *grpc.ClientConn
	retries retries
}

// NewClient returns a client with the token of an organiser, author or spectator. It connects with its first call. The
// options that are about bots have no effect.
func NewClient(options ...Option) (*Client, error) {
	config, err := newConfig(options)
	if err != nil {
		return nil, err
	}
	retries := retries{config.random, sleep}
	conn, err := connect(config, grpc.WithUnaryInterceptor(retries.interceptCall), grpc.WithKeepaliveParams(pings))
	if err != nil {
		return nil, err
	}
	return &Client{conn, retries}, nil
}

// pings find a connection that is dead while a call is open, since a stream may be silent for hours. The server permits one
// every five seconds.
var pings = keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 10 * time.Second}

// Close closes the connection.
func (c *Client) Close() error { return c.conn.Close() }

// Conn returns the connection, which adds the token to each call, and repeats it as above. It is for the generated stubs
// of the package refereev1; [Client.Contract] has all calls of the contract without them.
func (c *Client) Conn() grpc.ClientConnInterface { return c.conn }

// RegisterBot registers a bot, and returns its first token, which is shown only once.
func (c *Client) RegisterBot(ctx context.Context, name, description string) (token string, err error) {
	request := &refereev1.RegisterBotRequest{RequestId: rand.Text(), Name: name, Description: description}
	service := refereev1.NewBotServiceClient(c.conn)
	response, err := service.RegisterBot(ctx, request)
	if err != nil {
		return "", newCallError(err)
	}
	if token := response.GetSecret(); token != "" {
		return token, nil
	}
	// The call was repeated, and the response that had the token was lost.
	created, err := service.CreateBotToken(ctx, &refereev1.CreateBotTokenRequest{Bot: name})
	if err != nil {
		return "", newCallError(err)
	}
	return created.GetSecret(), nil
}

// TimeControl is the time control of a match. The zero value is no clock.
type TimeControl struct{ rule *refereev1.ClockRule }

// Fischer returns a main time with an increment for each move.
func Fischer(main, increment time.Duration) TimeControl {
	rule := &refereev1.Fischer{MainMs: main.Milliseconds(), IncrementMs: increment.Milliseconds()}
	return TimeControl{&refereev1.ClockRule{Kind: &refereev1.ClockRule_Fischer{Fischer: rule}}}
}

// SuddenDeath returns a main time for all moves.
func SuddenDeath(main time.Duration) TimeControl {
	rule := &refereev1.SuddenDeath{MainMs: main.Milliseconds()}
	return TimeControl{&refereev1.ClockRule{Kind: &refereev1.ClockRule_SuddenDeath{SuddenDeath: rule}}}
}

// PerMove returns a time for each move.
func PerMove(move time.Duration) TimeControl {
	rule := &refereev1.PerMove{MoveMs: move.Milliseconds()}
	return TimeControl{&refereev1.ClockRule{Kind: &refereev1.ClockRule_PerMove{PerMove: rule}}}
}

// MatchTerms are the terms of a new match, or of the matches of a contest.
type MatchTerms struct {
	// Game is the name of the game. Preset and Options are its variant; the defaults are those of the game.
	Game    string
	Preset  string
	Options map[string]string
	// Clock is the time control of all seats.
	Clock TimeControl
	// StartTimeout is the time within which all bots must be online; the default is that of the server.
	StartTimeout time.Duration
	// Title is the title of a match. Contests have titles of their own.
	Title string
}

func (t MatchTerms) message() *refereev1.MatchTerms {
	rule := t.Clock.rule
	if rule == nil {
		rule = &refereev1.ClockRule{Kind: &refereev1.ClockRule_Untimed{Untimed: &refereev1.Untimed{}}}
	}
	return &refereev1.MatchTerms{
		Rules:          &refereev1.Rules{Game: t.Game, Preset: t.Preset, Options: t.Options},
		TimeControl:    &refereev1.TimeControl{Rule: rule},
		StartTimeoutMs: t.StartTimeout.Milliseconds(),
	}
}

// CreateMatch creates a match with a bot for each seat, in order: "anna", or with a version "anna/1.4". It begins when
// all of them are online.
func (c *Client) CreateMatch(ctx context.Context, terms MatchTerms, bots ...string) (*Match, error) {
	request := &refereev1.CreateMatchRequest{
		RequestId: rand.Text(), Terms: terms.message(), Title: terms.Title, Seats: convert(bots, newBotRef),
	}
	response, err := refereev1.NewMatchServiceClient(c.conn).CreateMatch(ctx, request)
	if err != nil {
		return nil, newCallError(err)
	}
	return newMatch(response.GetMatch()), nil
}

// Match returns a match.
func (c *Client) Match(ctx context.Context, id string) (*Match, error) {
	request := &refereev1.GetMatchRequest{MatchId: id}
	response, err := refereev1.NewMatchServiceClient(c.conn).GetMatch(ctx, request)
	if err != nil {
		return nil, newCallError(err)
	}
	return newMatch(response.GetMatch()), nil
}

// AbortMatch ends a match, which is void then.
func (c *Client) AbortMatch(ctx context.Context, id, why string) error {
	request := &refereev1.AbortMatchRequest{RequestId: rand.Text(), MatchId: id, Message: why}
	if _, err := refereev1.NewMatchServiceClient(c.conn).AbortMatch(ctx, request); err != nil {
		return newCallError(err)
	}
	return nil
}

// Result waits for the end of a match, and returns its result.
func (c *Client) Result(ctx context.Context, id string) (*Result, error) {
	for entry, err := range c.Watch(ctx, id, 0) {
		if err != nil {
			return nil, err
		}
		if entry.Result != nil {
			return entry.Result, nil
		}
	}
	return nil, errors.New("the match ended without a result")
}

// Record returns the record of a match that is over: a file with one line per entry, which `referee verify` checks.
func (c *Client) Record(ctx context.Context, id string) (string, error) {
	request := &refereev1.GetRecordRequest{MatchId: id}
	return readText(ctx, c.retries, refereev1.NewMatchServiceClient(c.conn).GetRecord, request,
		func(response *refereev1.GetRecordResponse) string {
			var lines strings.Builder
			for _, line := range response.GetLines() {
				lines.WriteString(line + "\n")
			}
			return lines.String()
		})
}

// readText returns the texts of all responses of a call, which is made again from the beginning if it breaks.
func readText[Q, R any](
	ctx context.Context,
	retries retries,
	call func(context.Context, *Q, ...grpc.CallOption) (grpc.ServerStreamingClient[R], error),
	request *Q,
	text func(*R) string,
) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var whole strings.Builder
	err := retries.repeat(ctx, func() error {
		whole.Reset()
		stream, err := call(ctx, request)
		for err == nil {
			var response *R
			if response, err = stream.Recv(); err == nil {
				whole.WriteString(text(response))
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	})
	if err != nil {
		return "", newCallError(err)
	}
	return whole.String(), nil
}
