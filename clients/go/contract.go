package referee

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"iter"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"referee.example/referee/internal/values"
)

// Contract has a method for each call of the contract but Play, with all fields of its request and response. Their types
// are in the package contract. Methods of [Client] are shorter for what most organisers do.
//
// Calls are repeated as those of a [Client], and fail with an [*Error]. An empty RequestID is replaced by a new one, so
// that nothing is created twice. A watch goes on after an interruption, and then begins with another snapshot. A file
// that is read in parts is read again from its beginning.
type Contract struct{ client *Client }

// Contract returns all calls of the contract, which use the connection of the client.
func (c *Client) Contract() Contract { return Contract{c} }

// callOnce makes a call with one response.
func callOnce[V any, Q, R proto.Message](
	ctx context.Context, _ *Client, request any, message Q, invoke func(context.Context, Q, ...grpc.CallOption) (R, error),
) (*V, error) {
	fill(message, request)
	response, err := invoke(ctx, message)
	if err != nil {
		return nil, newCallError(err)
	}
	return valueOf[V](response), nil
}

// callAll makes a call with a stream of responses, and returns all of them.
func callAll[V any, Q proto.Message, R any](
	ctx context.Context, c *Client, request any, message Q,
	invoke func(context.Context, Q, ...grpc.CallOption) (grpc.ServerStreamingClient[R], error),
) ([]*V, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	fill(message, request)
	var all []*V
	err := c.retries.repeat(ctx, func() error {
		all = nil
		stream, err := invoke(ctx, message)
		for err == nil {
			var response *R
			if response, err = stream.Recv(); err == nil {
				all = append(all, valueOf[V](any(response).(proto.Message)))
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, newCallError(err)
	}
	return all, nil
}

// watchItems makes a call whose responses have items, each of them a snapshot or an entry. After an interruption, it
// makes the call again for the entries after the last one, or after the first snapshot.
func watchItems[V any, Q proto.Message, R any](
	ctx context.Context, c *Client, request any, message Q,
	invoke func(context.Context, Q, ...grpc.CallOption) (grpc.ServerStreamingClient[R], error),
) iter.Seq2[*V, error] {
	return func(yield func(*V, error) bool) {
		message := proto.Clone(message).(Q)
		fill(message, request)
		resume(ctx, c.retries, yield, func(ctx context.Context, yield func(*V) bool) (received bool, err error) {
			stream, err := invoke(ctx, message)
			if err != nil {
				return false, err
			}
			for {
				response, err := stream.Recv()
				if errors.Is(err, io.EOF) {
					return received, nil
				}
				if err != nil {
					return received, err
				}
				for item := range itemsOf(any(response).(proto.Message)) {
					received = continueAfter(message.ProtoReflect(), item) || received
					if !yield(valueOf[V](item.Interface())) {
						return received, nil
					}
				}
			}
		})
	}
}

// itemsOf returns the items of the response of a watch.
func itemsOf(response proto.Message) iter.Seq[protoreflect.Message] {
	return func(yield func(protoreflect.Message) bool) {
		message := response.ProtoReflect()
		items := message.Get(message.Descriptor().Fields().ByName("items")).List()
		for i := range items.Len() {
			if !yield(items.Get(i).Message()) {
				return
			}
		}
	}
}

// continueAfter lets a request continue after an item, and tells whether this is an entry. A snapshot tells where a watch
// of new entries began.
func continueAfter(request, item protoreflect.Message) bool {
	after := request.Descriptor().Fields().ByName("after_number")
	field := func(message protoreflect.Message, name protoreflect.Name) protoreflect.FieldDescriptor {
		return message.Descriptor().Fields().ByName(name)
	}
	if name := field(item, "entry"); item.Has(name) {
		entry := item.Get(name).Message()
		request.Set(after, entry.Get(field(entry, "number")))
		return true
	}
	snapshot := item.Get(field(item, "snapshot")).Message()
	if state := field(snapshot, "state"); state != nil { // That of a match.
		snapshot = snapshot.Get(state).Message()
	}
	if number := field(snapshot, "entry_number"); !request.Has(after) && snapshot.IsValid() {
		request.Set(after, snapshot.Get(number))
	}
	return false
}

// fill sets the fields of a message to those of a request, and its request id to a new one if the request has none.
func fill(message proto.Message, request any) {
	values.Write(request, message)
	reflected := message.ProtoReflect()
	if id := reflected.Descriptor().Fields().ByName("request_id"); id != nil && !reflected.Has(id) {
		reflected.Set(id, protoreflect.ValueOfString(rand.Text()))
	}
}

func valueOf[V any](message proto.Message) *V {
	value := new(V)
	values.Read(message, value)
	return value
}
