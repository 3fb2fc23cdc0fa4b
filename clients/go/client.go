package referee

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"iter"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

const maxAttempts = 5

// callTimeout is the deadline of a call with all its attempts, unless its context has one.
const callTimeout = 5 * time.Minute

// Client is a connection for organisers and watchers, for the stubs of the package refereev1, which have all calls:
//
//	matches := refereev1.NewMatchServiceClient(client)
//	match, err := matches.GetMatch(ctx, &refereev1.GetMatchRequest{MatchId: id})
//
// It adds the token to each call, a new request id to a request without one, and a deadline to a call without one. While
// the server cannot be reached or asks for a pause, a call with one response is made up to five times, with the same
// request id, so that nothing is created twice, and its error is an [*Error] with the reason. [Watch] and [ReadAll] make
// the calls with a stream of responses. A client is safe for concurrent use.
type Client struct {
	conn   *grpc.ClientConn
	random func() float64
	sleep  func(context.Context, time.Duration)
}

// NewClient returns a client with the token of an organiser, author or spectator. It connects with its first call. The
// options that are about bots have no effect.
func NewClient(options ...Option) (*Client, error) {
	config, err := newConfig(options)
	if err != nil {
		return nil, err
	}
	conn, err := connect(config, grpc.WithKeepaliveParams(pings))
	if err != nil {
		return nil, err
	}
	return &Client{conn, config.random, sleep}, nil
}

// pings find a connection that is dead while a call is open, since a stream may be silent for hours.
var pings = keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 10 * time.Second}

// Close closes the connection.
func (c *Client) Close() error { return c.conn.Close() }

// Invoke makes a call with one response. It is for the stubs.
func (c *Client) Invoke(ctx context.Context, method string, request, response any, options ...grpc.CallOption) error {
	if _, limited := ctx.Deadline(); !limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, callTimeout)
		defer cancel()
	}
	request = withRequestID(request)
	return c.repeat(ctx, func() error { return c.conn.Invoke(ctx, method, request, response, options...) })
}

// NewStream makes a call with a stream of responses, once. It is for the stubs.
func (c *Client) NewStream(
	ctx context.Context, description *grpc.StreamDesc, method string, options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	return c.conn.NewStream(ctx, description, method, options...)
}

// Pages returns the items of all pages of a list: call is a method of a stub, and items returns those of a page. An error is
// the last element.
func Pages[Q proto.Message, R interface{ GetNextPageToken() string }, I any](
	ctx context.Context, call func(context.Context, Q, ...grpc.CallOption) (R, error), request Q, items func(R) []I,
) iter.Seq2[I, error] {
	return func(yield func(I, error) bool) {
		request := proto.Clone(request).(Q)
		for {
			page, err := call(ctx, request)
			if err != nil {
				var none I
				yield(none, err)
				return
			}
			for _, item := range items(page) {
				if !yield(item, nil) {
					return
				}
			}
			token := page.GetNextPageToken()
			if token == "" {
				return
			}
			message := request.ProtoReflect()
			message.Set(field(message, "page_token"), protoreflect.ValueOfString(token))
		}
	}
}

// Stream is a method of a stub whose responses are a stream.
type Stream[Q proto.Message, R any] func(context.Context, Q, ...grpc.CallOption) (grpc.ServerStreamingClient[R], error)

// Watch returns the items of a match or contest that is watched: call is a method of a stub, and items returns those of a
// response, which are snapshots and numbered entries. After an interruption it goes on after the last entry, and the next
// item is then another snapshot: each entry comes once and in order. An error is the last element.
func Watch[Q proto.Message, R any, I proto.Message](
	ctx context.Context, client *Client, call Stream[Q, R], request Q, items func(*R) []I,
) iter.Seq2[I, error] {
	return func(yield func(I, error) bool) {
		request := proto.Clone(request).(Q)
		var pauses backoff
		for {
			err := read(ctx, call, request, func(response *R) bool {
				for _, item := range items(response) {
					if continueAfter(request.ProtoReflect(), item.ProtoReflect()) {
						pauses = backoff{}
					}
					if !yield(item, nil) {
						return false
					}
				}
				return true
			})
			if err == nil {
				return
			}
			if !isInterruption(err) || ctx.Err() != nil {
				var none I
				yield(none, newCallError(err))
				return
			}
			client.sleep(ctx, pauses.afterError(err, client.random()))
		}
	}
}

// ReadAll returns all responses of a call for a file, such as a record: call is a method of a stub. The file is read again
// from its beginning if that breaks.
func ReadAll[Q proto.Message, R any](ctx context.Context, client *Client, call Stream[Q, R], request Q) ([]*R, error) {
	var all []*R
	err := client.repeat(ctx, func() error {
		all = nil
		return read(ctx, call, request, func(response *R) bool {
			all = append(all, response)
			return true
		})
	})
	return all, err
}

// read makes a call, and returns nil at the end of its stream, or when receive returns false.
func read[Q proto.Message, R any](ctx context.Context, call Stream[Q, R], request Q, receive func(*R) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := call(ctx, request)
	for err == nil {
		var response *R
		if response, err = stream.Recv(); err == nil && !receive(response) {
			return nil
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// continueAfter lets a request continue after an item, and tells whether this is an entry. A snapshot tells where a watch
// of new entries began.
func continueAfter(request, item protoreflect.Message) bool {
	after := field(request, "after_number")
	if name := field(item, "entry"); item.Has(name) {
		entry := item.Get(name).Message()
		request.Set(after, entry.Get(field(entry, "number")))
		return true
	}
	snapshot := item.Get(field(item, "snapshot")).Message()
	if state := field(snapshot, "state"); state != nil { // That of a match.
		snapshot = snapshot.Get(state).Message()
	}
	if !request.Has(after) && snapshot.IsValid() {
		request.Set(after, snapshot.Get(field(snapshot, "entry_number")))
	}
	return false
}

// repeat makes five attempts at most, and returns the last error.
func (c *Client) repeat(ctx context.Context, attempt func() error) error {
	var pauses backoff
	for attempts := 1; ; attempts++ {
		err := attempt()
		if err == nil {
			return nil
		}
		_, temporary := retryAfter(newCallError(err))
		if attempts == maxAttempts || !temporary && status.Code(err) != codes.Unavailable {
			return newCallError(err)
		}
		c.sleep(ctx, pauses.afterError(err, c.random()))
		if ctx.Err() != nil {
			return newCallError(status.FromContextError(ctx.Err()).Err())
		}
	}
}

// afterError returns the pause after an error of a call: what the server asks for, or else the next one.
func (b *backoff) afterError(err error, random float64) time.Duration {
	if delay, _ := retryAfter(newCallError(err)); delay > 0 {
		return delay
	}
	return b.next(time.Now(), false, random)
}

// isInterruption tells whether a watch may go on. A watcher that is too slow gets RESOURCE_EXHAUSTED.
func isInterruption(err error) bool {
	interruptions := []codes.Code{codes.Unavailable, codes.Unknown, codes.Internal, codes.ResourceExhausted}
	return slices.Contains(interruptions, status.Code(err))
}

// withRequestID returns a copy of a request with a new request id, if it can have one and has none.
func withRequestID(request any) any {
	message := proto.Clone(request.(proto.Message))
	reflected := message.ProtoReflect()
	if id := field(reflected, "request_id"); id != nil && !reflected.Has(id) {
		reflected.Set(id, protoreflect.ValueOfString(rand.Text()))
	}
	return message
}

func field(message protoreflect.Message, name protoreflect.Name) protoreflect.FieldDescriptor {
	return message.Descriptor().Fields().ByName(name)
}

// sleep waits until the time has passed or the context is cancelled.
func sleep(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
