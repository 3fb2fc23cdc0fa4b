package forward_test

import (
	"context"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"referee.example/edge/internal/connections"
	"referee.example/edge/internal/forward"
)

const method = "/some.Service/Method"

// door runs a server with this handler behind a door, and returns a connection to the door.
func door(t *testing.T, readTimeout time.Duration, handler grpc.StreamHandler) *grpc.ClientConn {
	t.Helper()
	server := connect(t, serve(t, listen(t), grpc.UnknownServiceHandler(handler)))
	limiter := connections.NewLimiter(connections.Limits{Total: 9, PerAddress: 9, FirstCall: time.Hour, Read: time.Hour, Idle: 9})
	return connect(t, pass(t, limiter, forward.New(server, server, readTimeout)))
}

// pass starts a door with this forwarder, and returns its address.
func pass(t *testing.T, limiter *connections.Limiter, forwarder *forward.Forwarder) string {
	t.Helper()
	return serve(t, limiter.Limit(listen(t)), grpc.InTapHandle(forwarder.Admit),
		grpc.UnknownServiceHandler(forwarder.Handle), grpc.ForceServerCodecV2(forward.Codec{}), grpc.MaxRecvMsgSize(1000))
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

func serve(t *testing.T, listener net.Listener, options ...grpc.ServerOption) string {
	server := grpc.NewServer(options...)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

func connect(t *testing.T, address string) *grpc.ClientConn {
	t.Helper()
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return connection
}

func start(t *testing.T, ctx context.Context, connection *grpc.ClientConn) grpc.ClientStream {
	t.Helper()
	both := &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}
	stream, err := connection.NewStream(ctx, both, method)
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

func echo(_ any, stream grpc.ServerStream) error {
	for {
		var text wrapperspb.StringValue
		if err := stream.RecvMsg(&text); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := stream.SendMsg(&text); err != nil {
			return err
		}
	}
}

func TestMessagesPassInBothDirections(t *testing.T) {
	stream := start(t, t.Context(), door(t, time.Hour, echo))
	for _, text := range []string{"a", "", strings.Repeat("b", 900)} {
		if err := stream.SendMsg(wrapperspb.String(text)); err != nil {
			t.Fatal(err)
		}
		var answer wrapperspb.StringValue
		if err := stream.RecvMsg(&answer); err != nil || answer.Value != text {
			t.Fatalf("%q came back as %q, %v", text, answer.Value, err)
		}
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if err := stream.RecvMsg(&wrapperspb.StringValue{}); err != io.EOF {
		t.Fatalf("the call ended with %v", err)
	}
}

func TestAnErrorKeepsItsDetailsAndTrailers(t *testing.T) {
	refused, _ := status.New(codes.NotFound, "no such bot").WithDetails(wrapperspb.String("detail"))
	stream := start(t, t.Context(), door(t, time.Hour, func(_ any, stream grpc.ServerStream) error {
		stream.SetTrailer(metadata.Pairs("reason", "NO_SUCH_BOT", "bytes-bin", "\x00\xff"))
		return refused.Err()
	}))
	err := stream.RecvMsg(&wrapperspb.StringValue{})
	got := status.Convert(err)
	if got.Code() != codes.NotFound || got.Message() != "no such bot" || len(got.Details()) != 1 {
		t.Fatal(err)
	}
	trailer := stream.Trailer()
	if !slices.Equal(trailer["reason"], []string{"NO_SUCH_BOT"}) || !slices.Equal(trailer["bytes-bin"], []string{"\x00\xff"}) {
		t.Fatal(trailer)
	}
}

func TestTheServerSeesMetadataDeadlineAndTheAddressThatTheDoorKnows(t *testing.T) {
	seen := make(chan metadata.MD, 1)
	connection := door(t, time.Hour, func(_ any, stream grpc.ServerStream) error {
		received, _ := metadata.FromIncomingContext(stream.Context())
		if deadline, ok := stream.Context().Deadline(); ok {
			received.Set("left", time.Until(deadline).Round(time.Hour).String())
		}
		seen <- received
		return stream.SendHeader(metadata.Pairs("first", "header"))
	})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Hour)
	defer cancel()
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer a", "some-bin", "\x01", forward.PeerHeader, "10.0.0.1")
	stream := start(t, ctx, connection)
	received := <-seen
	expected := map[string]string{"authorization": "Bearer a", "some-bin": "\x01", "left": "5h0m0s", forward.PeerHeader: "127.0.0.1"}
	for name, value := range expected {
		if !slices.Equal(received[name], []string{value}) {
			t.Errorf("%s: %q", name, received[name])
		}
	}
	if header, err := stream.Header(); err != nil || !slices.Equal(header["first"], []string{"header"}) {
		t.Errorf("%v, %v", header, err)
	}
}

func TestACancellationReachesTheServer(t *testing.T) {
	began, ended := make(chan bool, 1), make(chan error, 1)
	connection := door(t, time.Hour, func(_ any, stream grpc.ServerStream) error {
		began <- true
		<-stream.Context().Done()
		ended <- stream.Context().Err()
		return nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	start(t, ctx, connection)
	<-began
	cancel()
	if err := <-ended; err != context.Canceled {
		t.Fatal(err)
	}
}

func TestAMessageAboveTheLimitIsRefused(t *testing.T) {
	stream := start(t, t.Context(), door(t, time.Hour, echo))
	if err := stream.SendMsg(wrapperspb.String(strings.Repeat("b", 2000))); err != nil {
		t.Fatal(err)
	}
	if err := stream.RecvMsg(&wrapperspb.StringValue{}); status.Code(err) != codes.ResourceExhausted {
		t.Fatal(err)
	}
}

func TestAConnectionIsClosedWhoseClientDoesNotRead(t *testing.T) {
	ended := make(chan error, 1)
	connection := door(t, time.Millisecond, func(_ any, stream grpc.ServerStream) error {
		var err error
		for err == nil {
			err = stream.SendMsg(wrapperspb.String(strings.Repeat("b", 10_000)))
		}
		ended <- err
		return err
	})
	start(t, t.Context(), connection)
	<-ended
}

func TestAMethodWithStrangeCharactersIsUnknown(t *testing.T) {
	connection := door(t, time.Hour, echo)
	for _, strange := range []string{"/some.Service/\xff", "/some.Service/ a", "/some.Service/" + strings.Repeat("a", 256)} {
		err := connection.Invoke(t.Context(), strange, wrapperspb.String(""), &wrapperspb.StringValue{})
		if status.Code(err) != codes.Unimplemented {
			t.Errorf("%q: %v", strange, err)
		}
	}
}

func TestACallFailsWhileTheServerCannotBeReached(t *testing.T) {
	nowhere := listen(t)
	nowhere.Close()
	limiter := connections.NewLimiter(connections.Limits{Total: 9, PerAddress: 9, FirstCall: time.Hour, Read: time.Hour, Idle: 9})
	forwarder := forward.New(connect(t, nowhere.Addr().String()), nil, time.Hour)
	err := connect(t, pass(t, limiter, forwarder)).Invoke(t.Context(), method, wrapperspb.String(""), &wrapperspb.StringValue{})
	if status.Code(err) != codes.Unavailable {
		t.Fatal(err)
	}
}

func TestARefusedCallKeepsNoDeadline(t *testing.T) {
	limiter := connections.NewLimiter(connections.Limits{Total: 9, PerAddress: 1, FirstCall: time.Hour, Read: time.Hour, Idle: 9})
	server := connect(t, serve(t, listen(t), grpc.UnknownServiceHandler(echo)))
	forwarder, admitted := forward.New(server, server, time.Hour), make(chan context.Context, 1)
	address := serve(t, limiter.Limit(listen(t)), grpc.UnknownServiceHandler(forwarder.Handle), grpc.InTapHandle(
		func(ctx context.Context, call *tap.Info) (context.Context, error) {
			admitted <- ctx
			return forwarder.Admit(ctx, call)
		},
	))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Hour)
	defer cancel()
	err := start(t, ctx, connect(t, address)).RecvMsg(&wrapperspb.StringValue{})
	if status.Code(err) != codes.ResourceExhausted || len(status.Convert(err).Details()) != 2 || forwarder.Refused.Load() != 1 {
		t.Fatal(err)
	}
	select {
	case <-(<-admitted).Done():
	case <-time.After(10 * time.Second):
		t.Fatal("its deadline is kept")
	}
}
