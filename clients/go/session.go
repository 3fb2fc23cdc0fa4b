package referee

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"referee.example/referee/refereev1"
)

// maxMessageBytes is large because a position can have thousands of moves.
const maxMessageBytes = 64 << 20

// welcomeTimeout is the heartbeat timeout until a Welcome says which one the referee uses.
const welcomeTimeout = 5 * time.Second

// session is one stream from Hello to its end, over its own connection. It belongs to one goroutine.
type session struct {
	responses chan *refereev1.PlayResponse // Closed at the end.
	err       error                        // Why it ended, once responses is closed.
	outgoing  chan []*refereev1.BotItem    // Has room for one batch, which holds all items that wait.
	close     func()
	// silenceTimer ends the session when it fires: the connection may be dead without either end having noticed.
	silenceTimer     *time.Timer
	heartbeatTimeout atomic.Int64 // A time.Duration.
}

// openSession connects and sends the Hello. The caller must close the session.
func openSession(ctx context.Context, config *config, hello *refereev1.Hello) (*session, error) {
	conn, err := connect(config)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s := &session{
		responses: make(chan *refereev1.PlayResponse),
		outgoing:  make(chan []*refereev1.BotItem, 1),
	}
	s.watchSilence(cancel)
	s.close = func() {
		s.silenceTimer.Stop()
		cancel(nil)
		_ = conn.Close() // Its only error is that the connection is closed already.
	}
	stream, err := refereev1.NewPlayServiceClient(conn).Play(ctx)
	if err != nil {
		s.close()
		return nil, endOf(ctx, err)
	}
	s.send(&refereev1.BotItem{Item: &refereev1.BotItem_Hello{Hello: hello}})
	go s.readLoop(ctx, stream)
	go s.writeLoop(ctx, stream)
	return s, nil
}

// connect returns a new connection, with the token on each call.
func connect(config *config, options ...grpc.DialOption) (*grpc.ClientConn, error) {
	options = append(options,
		grpc.WithTransportCredentials(config.credentials()),
		grpc.WithPerRPCCredentials(bearer(config.token)),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessageBytes)),
	)
	return grpc.NewClient(config.address, options...)
}

// watchSilence ends the session after the heartbeat timeout without a message.
func (s *session) watchSilence(cancel context.CancelCauseFunc) {
	s.heartbeatTimeout.Store(int64(welcomeTimeout))
	s.silenceTimer = time.AfterFunc(welcomeTimeout, func() { cancel(silenceError(s.heartbeatTimeout.Load())) })
}

// setHeartbeatTimeout sets the longest time for which the referee may be silent.
func (s *session) setHeartbeatTimeout(timeout time.Duration) {
	if timeout > 0 {
		s.heartbeatTimeout.Store(int64(timeout))
		s.silenceTimer.Reset(timeout)
	}
}

// send never blocks: items that are queued while a message is being sent go into one message.
func (s *session) send(items ...*refereev1.BotItem) {
	var waiting []*refereev1.BotItem
	select {
	case waiting = <-s.outgoing:
	default:
	}
	s.outgoing <- append(waiting, items...)
}

func (s *session) readLoop(ctx context.Context, stream refereev1.PlayService_PlayClient) {
	defer close(s.responses)
	for {
		response, err := stream.Recv()
		if err != nil {
			s.err = endOf(ctx, err)
			return
		}
		s.silenceTimer.Reset(time.Duration(s.heartbeatTimeout.Load()))
		select {
		case s.responses <- response:
		case <-ctx.Done():
			s.err = endOf(ctx, ctx.Err())
			return
		}
	}
}

func (s *session) writeLoop(ctx context.Context, stream refereev1.PlayService_PlayClient) {
	for {
		select {
		case items := <-s.outgoing:
			if stream.Send(&refereev1.PlayRequest{Items: items}) != nil {
				return // Recv returns the reason.
			}
		case <-ctx.Done():
			return
		}
	}
}

// endOf returns why the stream has ended.
func endOf(ctx context.Context, err error) error {
	if silence := (silenceError)(0); errors.As(context.Cause(ctx), &silence) {
		return silence
	}
	if errors.Is(err, io.EOF) {
		return errors.New("the stream has ended")
	}
	return classifyError(err)
}
