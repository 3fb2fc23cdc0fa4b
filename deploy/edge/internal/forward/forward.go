// Package forward passes calls on to the server, as they are: messages stay bytes, and metadata, deadlines,
// cancellations and statuses keep their meaning.
package forward

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip" // Clients may compress.
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"
	"google.golang.org/protobuf/types/known/durationpb"

	"referee.example/edge/internal/connections"
)

// PeerHeader is the header that tells the server the address of a caller.
const PeerHeader = "referee-peer"

// PlayMethod has the streams on which bots play.
const PlayMethod = "/referee_api.v1.PlayService/Play"

const maxMethodBytes = 256

// ofConnection has the headers that belong to a connection, and which gRPC sets anew.
var ofConnection = []string{":authority", "content-type", "grpc-accept-encoding", "user-agent", PeerHeader}

var streams = &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}

// Forwarder handles all calls of a gRPC server.
type Forwarder struct {
	server      grpc.ClientConnInterface
	play        grpc.ClientConnInterface
	readTimeout time.Duration // Only while an answer cannot be queued: Limits.Read is for those that are.
	// Calls counts all calls, Open those that have not ended, and Refused those above the limit of calls that wait for
	// the server.
	Calls, Open, Refused atomic.Int64
}

// New returns a Forwarder to a server, which has Play streams on a connection of their own. The connection of a client
// is closed if it takes longer than readTimeout to read an answer.
func New(server, play grpc.ClientConnInterface, readTimeout time.Duration) *Forwarder {
	return &Forwarder{server: server, play: play, readTimeout: readTimeout}
}

// answeredKey is the key of the function that notes that the server has answered a call.
type answeredKey struct{}

// Admit is a tap.ServerInHandle, which decides about a call before it costs more than its headers.
func (f *Forwarder) Admit(ctx context.Context, call *tap.Info) (context.Context, error) {
	from, ok := connections.PeerOf(ctx)
	if !ok {
		return ctx, status.Error(codes.Internal, "the connection is unknown")
	}
	answered, ok := from.BeginCall(sizeOf(call.Header))
	if !ok {
		if _, timed := ctx.Deadline(); !timed {
			from.EndCall()
			return ctx, f.refuse()
		}
		answered = nil // Handle refuses it: gRPC would keep the deadline of a call that is refused here.
	}
	context.AfterFunc(ctx, func() {
		if answered != nil {
			answered()
		}
		from.EndCall()
	})
	return context.WithValue(ctx, answeredKey{}, answered), nil
}

// Handle is a grpc.StreamHandler for methods of all kinds, for calls that were admitted.
func (f *Forwarder) Handle(_ any, caller grpc.ServerStream) error {
	from, known := connections.PeerOf(caller.Context())
	answered, admitted := caller.Context().Value(answeredKey{}).(func())
	if !known || !admitted {
		return status.Error(codes.Internal, "the call was not admitted")
	}
	if answered == nil {
		return f.refuse()
	}
	f.Calls.Add(1)
	f.Open.Add(1)
	defer f.Open.Add(-1)
	method, ok := grpc.MethodFromServerStream(caller)
	if !ok || !isPrintable(method) {
		return status.Error(codes.Unimplemented, "unknown method")
	}
	ctx, cancel := context.WithCancelCause(metadata.NewOutgoingContext(caller.Context(), headers(caller.Context(), from)))
	defer cancel(nil)
	to := f.server
	if method == PlayMethod {
		to = f.play
	}
	server, err := to.NewStream(ctx, streams, method, grpc.ForceCodecV2(Codec{}))
	if err != nil {
		return err
	}
	go passRequests(caller, server, cancel)
	header, _ := server.Header() // None if the call has ended without.
	answered()
	err = f.passAnswers(header, server, caller, from)
	if cause := context.Cause(ctx); cause != nil && caller.Context().Err() == nil {
		return cause // The request could not be read.
	}
	return err
}

// refuse returns the error of the server that means the same.
func (f *Forwarder) refuse() error {
	f.Refused.Add(1)
	refused, err := status.New(codes.ResourceExhausted, "too many calls in flight; retry when one of them has completed").WithDetails(
		&errdetails.ErrorInfo{Reason: "TOO_MANY_CALLS_IN_FLIGHT", Domain: "referee"},
		&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Second)},
	)
	if err != nil {
		return err
	}
	return refused.Err()
}

// headers returns the headers for the server.
func headers(ctx context.Context, from *connections.Peer) metadata.MD {
	received, _ := metadata.FromIncomingContext(ctx)
	passed := received.Copy()
	for _, name := range ofConnection {
		delete(passed, name)
	}
	passed.Set(PeerHeader, from.Address.String())
	return passed
}

// sizeOf returns the size of headers as HTTP/2 counts it.
func sizeOf(headers metadata.MD) int {
	size := 0
	for name, values := range headers {
		for _, value := range values {
			size += len(name) + len(value) + 32
		}
	}
	return size
}

// isPrintable keeps from the server what its library might refuse together with the connection of all callers.
func isPrintable(method string) bool {
	return len(method) <= maxMethodBytes && !strings.ContainsFunc(method, func(r rune) bool { return r <= ' ' || r > '~' })
}

func passRequests(caller grpc.ServerStream, server grpc.ClientStream, cancel context.CancelCauseFunc) {
	for {
		var message mem.BufferSlice
		switch err := caller.RecvMsg(&message); err {
		case nil:
		case io.EOF:
			_ = server.CloseSend()
			return
		default:
			cancel(err)
			return
		}
		if server.SendMsg(&message) != nil {
			return // The status of the call tells why.
		}
	}
}

func (f *Forwarder) passAnswers(
	header metadata.MD, server grpc.ClientStream, caller grpc.ServerStream, to *connections.Peer,
) error {
	if header != nil {
		if err := caller.SendHeader(header); err != nil {
			return err
		}
	}
	unread := time.AfterFunc(f.readTimeout, to.CloseUnread)
	defer unread.Stop()
	for {
		unread.Stop()
		var message mem.BufferSlice
		if err := server.RecvMsg(&message); err != nil {
			caller.SetTrailer(server.Trailer())
			if err == io.EOF {
				return nil
			}
			return err
		}
		unread.Reset(f.readTimeout)
		if err := caller.SendMsg(&message); err != nil {
			return err
		}
	}
}

// Codec leaves messages encoded.
type Codec struct{}

// Marshal returns the bytes of a message that Unmarshal has read.
func (Codec) Marshal(message any) (mem.BufferSlice, error) { return *message.(*mem.BufferSlice), nil }

// Unmarshal keeps the bytes of a message.
func (Codec) Unmarshal(data mem.BufferSlice, message any) error {
	data.Ref()
	*message.(*mem.BufferSlice) = data
	return nil
}

// Name is that of the codec for which a message is meant.
func (Codec) Name() string { return "proto" }
