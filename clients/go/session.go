package referee

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"referee/refereev1"
)

// A position can have thousands of moves.
const messageAtMostBytes = 64 << 20

// welcomeWithin is the default heartbeat_timeout_ms of a referee.
const welcomeWithin = 15 * time.Second

var errTakenOver = errors.New("another copy of this bot has taken its seats")

// refusedError ends a stream for a reason that also ends the next one, unless something is changed.
type refusedError struct{ error }

// session is one stream from Hello to its end, over its own connection. It belongs to one goroutine.
type session struct {
	heard  chan *refereev1.PlayResponse // Closed at the end.
	end    error                        // Why it ended, once heard is closed.
	toSay  chan []*refereev1.BotItem
	hangUp func()
	// silence ends the session when it fires: the connection may be dead without either end having noticed.
	silence    *time.Timer
	maxSilence atomic.Int64 // A time.Duration.
}

// silentError is the time for which nothing was received.
type silentError time.Duration

func (e silentError) Error() string {
	return fmt.Sprintf("nothing was received for %v s", time.Duration(e).Seconds())
}

// open sends the Hello. The session must be closed in every case.
func open(ctx context.Context, settings settings, hello *refereev1.Hello) (*session, error) {
	conn, err := grpc.NewClient(
		settings.referee,
		grpc.WithTransportCredentials(settings.credentials),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(messageAtMostBytes)),
	)
	if err != nil {
		return nil, err
	}
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+settings.token)
	ctx, cancel := context.WithCancelCause(ctx)
	opened := &session{
		heard: make(chan *refereev1.PlayResponse),
		toSay: make(chan []*refereev1.BotItem, 1),
	}
	opened.maxSilence.Store(int64(welcomeWithin))
	opened.silence = time.AfterFunc(welcomeWithin, func() { cancel(silentError(opened.maxSilence.Load())) })
	opened.hangUp = func() {
		opened.silence.Stop()
		cancel(nil)
		_ = conn.Close() // It can only have been closed already.
	}
	stream, err := refereev1.NewPlayServiceClient(conn).Play(ctx)
	if err != nil {
		opened.hangUp()
		return nil, endOf(ctx, err)
	}
	opened.say(&refereev1.BotItem{Item: &refereev1.BotItem_Hello{Hello: hello}})
	go opened.listen(ctx, stream)
	go opened.write(ctx, stream)
	return opened, nil
}

// welcomed sets the longest time for which the referee may be silent.
func (s *session) welcomed(maxSilence time.Duration) {
	if maxSilence > 0 {
		s.maxSilence.Store(int64(maxSilence))
		s.silence.Reset(maxSilence)
	}
}

// say never blocks: items that are queued while a message is being sent go into one message.
func (s *session) say(item *refereev1.BotItem) {
	var waiting []*refereev1.BotItem
	select {
	case waiting = <-s.toSay:
	default:
	}
	s.toSay <- append(waiting, item)
}

func (s *session) listen(ctx context.Context, stream refereev1.PlayService_PlayClient) {
	defer close(s.heard)
	for {
		response, err := stream.Recv()
		if err != nil {
			s.end = endOf(ctx, err)
			return
		}
		s.silence.Reset(time.Duration(s.maxSilence.Load()))
		select {
		case s.heard <- response:
		case <-ctx.Done():
			s.end = endOf(ctx, ctx.Err())
			return
		}
	}
}

func (s *session) write(ctx context.Context, stream refereev1.PlayService_PlayClient) {
	for {
		select {
		case items := <-s.toSay:
			if stream.Send(&refereev1.PlayRequest{Items: items}) != nil {
				return // The receiver learns the reason.
			}
		case <-ctx.Done():
			return
		}
	}
}

// endOf separates temporary errors from permanent ones.
func endOf(ctx context.Context, err error) error {
	if silent := (silentError)(0); errors.As(context.Cause(ctx), &silent) {
		return silent
	}
	if errors.Is(err, io.EOF) {
		return errors.New("the stream has ended")
	}
	switch status.Code(err) {
	case codes.Aborted: // The contract uses this code for one reason only: SESSION_TAKEN_OVER.
		return errTakenOver
	case codes.Unauthenticated, codes.PermissionDenied, codes.InvalidArgument:
		return refusedError{err}
	}
	return err
}
