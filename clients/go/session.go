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

// welcomeWithin is as the gone_after_ms of a referee by default.
const welcomeWithin = 15 * time.Second

var errTakenOver = errors.New("another copy of this bot has taken its seats")

// refusedError ends a stream, and another would end like it before something has changed.
type refusedError struct{ error }

// session is one stream from Hello to its end, over a connection of its own. It belongs to one goroutine.
type session struct {
	heard  chan *refereev1.PlayResponse // Closed at the end.
	end    error                        // Why it ended, once heard is closed.
	toSay  chan []*refereev1.FromBot
	hangUp func()
	// silence gives the session up when it fires: the connection may be dead without either end having been told.
	silence    *time.Timer
	maxSilence atomic.Int64 // A time.Duration.
}

// silentError is how long nothing was received.
type silentError time.Duration

func (e silentError) Error() string {
	return fmt.Sprintf("nothing was received for %v s", time.Duration(e).Seconds())
}

// open says Hello. The session is to be hung up, whatever happens.
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
		toSay: make(chan []*refereev1.FromBot, 1),
	}
	opened.maxSilence.Store(int64(welcomeWithin))
	opened.silence = time.AfterFunc(welcomeWithin, func() { cancel(silentError(opened.maxSilence.Load())) })
	opened.hangUp = func() {
		opened.silence.Stop()
		cancel(nil)
		_ = conn.Close() // It can only have been closed before.
	}
	stream, err := refereev1.NewPlayServiceClient(conn).Play(ctx)
	if err != nil {
		opened.hangUp()
		return nil, endOf(ctx, err)
	}
	opened.say(&refereev1.FromBot{Item: &refereev1.FromBot_Hello{Hello: hello}})
	go opened.listen(ctx, stream)
	go opened.write(ctx, stream)
	return opened, nil
}

// welcomed by a referee that is never silent for so long.
func (s *session) welcomed(maxSilence time.Duration) {
	if maxSilence > 0 {
		s.maxSilence.Store(int64(maxSilence))
		s.silence.Reset(maxSilence)
	}
}

// say never blocks: what comes up while the last message is on its way travels together.
func (s *session) say(item *refereev1.FromBot) {
	var waiting []*refereev1.FromBot
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
				return // Who listens is told why.
			}
		case <-ctx.Done():
			return
		}
	}
}

// endOf tells errors that may pass by themselves from those that do not.
func endOf(ctx context.Context, err error) error {
	if silent := (silentError)(0); errors.As(context.Cause(ctx), &silent) {
		return silent
	}
	if errors.Is(err, io.EOF) {
		return errors.New("the stream has ended")
	}
	switch status.Code(err) {
	case codes.Aborted: // The contract ends a stream with it for this reason only: SESSION_TAKEN_OVER.
		return errTakenOver
	case codes.Unauthenticated, codes.PermissionDenied, codes.InvalidArgument:
		return refusedError{err}
	}
	return err
}
