package referee

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"referee.example/referee/refereev1"
)

// Entry is one numbered entry of the log of a match.
type Entry struct {
	// Number is counted from 1, without gaps.
	Number uint64
	Time   time.Time
	// Kind is the event in the words of the contract, such as "move_played". It is "" if the watcher may not see it.
	Kind string
	// Move is what was played, if the kind is "move_played".
	Move *PlayedMove
	// Result is the result of the match, if the kind is "play_ended".
	Result *Result
}

// Watch returns the entries of a match after a number, once and in order, until the match is over or the context is
// cancelled. After an interruption it goes on with the next entry. It ends with an error if the server rejects the call.
func (c *Client) Watch(ctx context.Context, matchID string, after uint64) iter.Seq2[*Entry, error] {
	service := refereev1.NewMatchServiceClient(c.conn)
	return watch(ctx, after, c.retries, newEntry, logStream[refereev1.WatchMatchResponse, *refereev1.Entry]{
		open: func(ctx context.Context, after uint64) (grpc.ServerStreamingClient[refereev1.WatchMatchResponse], error) {
			return service.WatchMatch(ctx, &refereev1.WatchMatchRequest{MatchId: matchID, AfterNumber: proto.Uint64(after)})
		},
		entries: func(response *refereev1.WatchMatchResponse) []*refereev1.Entry {
			return convert(response.GetItems(), (*refereev1.WatchMatchItem).GetEntry)
		},
	})
}

// logStream is how the log of a match or contest is streamed, in responses of type R with entries of type M.
type logStream[R any, M numbered] struct {
	// open makes a call for the entries after a number.
	open func(ctx context.Context, after uint64) (grpc.ServerStreamingClient[R], error)
	// entries returns the entry of each item, without a number for an item that is none.
	entries func(*R) []M
}

type numbered interface{ GetNumber() uint64 }

// watch returns the entries of a log after a number. It makes the call again after an interruption.
func watch[R any, M numbered, E any](
	ctx context.Context, after uint64, retries retries, entry func(M) *E, log logStream[R, M],
) iter.Seq2[*E, error] {
	return func(yield func(*E, error) bool) {
		resume(ctx, retries, yield, func(ctx context.Context, yield func(*E) bool) (received bool, err error) {
			before := after
			err = log.read(ctx, &after, func(message M) bool { return yield(entry(message)) })
			return after > before, err
		})
	}
}

// resume yields what a call reads, and lets it read again after an interruption, until it returns no error. It tells
// whether it has received something.
func resume[E any](
	ctx context.Context, retries retries, yield func(*E, error) bool,
	read func(ctx context.Context, yield func(*E) bool) (received bool, err error),
) {
	var pauses backoff
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for {
		received, err := read(ctx, func(entry *E) bool { return yield(entry, nil) })
		switch {
		case err == nil:
			return
		case ctx.Err() != nil:
			yield(nil, ctx.Err())
			return
		case !isInterruption(err):
			yield(nil, newCallError(err))
			return
		}
		if received {
			pauses = backoff{}
		}
		retries.sleep(ctx, pauses.afterError(newCallError(err), retries.random()))
	}
}

// isInterruption tells whether the call may be made again. A watcher that is too slow gets RESOURCE_EXHAUSTED.
func isInterruption(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.Unknown, codes.Internal, codes.ResourceExhausted:
		return true
	}
	return false
}

// read makes one call. It returns nil when the log is complete, or when yield returns false.
func (l logStream[R, M]) read(ctx context.Context, after *uint64, yield func(M) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := l.open(ctx, *after)
	if err != nil {
		return err
	}
	for {
		response, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, entry := range l.entries(response) {
			if entry.GetNumber() == 0 {
				continue
			}
			*after = entry.GetNumber()
			if !yield(entry) {
				return nil
			}
		}
	}
}

func newEntry(message *refereev1.Entry) *Entry {
	entry := &Entry{
		Number: message.GetNumber(),
		Time:   message.GetCreateTime().AsTime(),
		Kind:   eventName(message.ProtoReflect()),
	}
	if played := message.GetMovePlayed(); played != nil {
		entry.Move = &PlayedMove{int(played.GetPlayed().GetSeat()), played.GetPlayed().GetMove()}
	}
	if ended := message.GetPlayEnded(); ended != nil {
		result := newResult(ended.GetResult())
		entry.Result = &result
	}
	return entry
}
