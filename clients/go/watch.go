package referee

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

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
	return func(yield func(*Entry, error) bool) {
		var pauses backoff
		for {
			before := after
			err := c.watch(ctx, matchID, &after, func(entry *Entry) bool { return yield(entry, nil) })
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
			if after > before {
				pauses = backoff{}
			}
			select {
			case <-time.After(pauses.next(time.Now(), c.random())):
			case <-ctx.Done():
			}
		}
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

// watch makes one call. It returns nil when the match is over, or when yield returns false.
func (c *Client) watch(ctx context.Context, matchID string, after *uint64, yield func(*Entry) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	request := &refereev1.WatchMatchRequest{MatchId: matchID, AfterNumber: proto.Uint64(*after)}
	stream, err := refereev1.NewMatchServiceClient(c.conn).WatchMatch(ctx, request)
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
		for _, item := range response.GetItems() {
			if entry := item.GetEntry(); entry != nil {
				*after = entry.GetNumber()
				if !yield(newEntry(entry)) {
					return nil
				}
			}
		}
	}
}

func newEntry(message *refereev1.Entry) *Entry {
	entry := &Entry{Number: message.GetNumber(), Time: message.GetCreateTime().AsTime()}
	reflected := message.ProtoReflect()
	if event := reflected.WhichOneof(reflected.Descriptor().Oneofs().ByName("event")); event != nil {
		entry.Kind = string(event.Name())
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
