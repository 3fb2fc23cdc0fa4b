package referee

import (
	"context"
	"errors"
	"io"
	"net"
	"reflect"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"referee.example/referee/refereev1"
)

var errBroken = status.Error(codes.Unavailable, "no route to host")

func failure(t *testing.T, code codes.Code, retryAfterMs string) error {
	t.Helper()
	info := &errdetails.ErrorInfo{Metadata: map[string]string{"retry_after_ms": retryAfterMs}}
	detailed, err := status.New(code, "not now").WithDetails(info)
	if err != nil {
		t.Fatal(err)
	}
	return detailed.Err()
}

// pausing returns a client without a connection, and its pauses, which take no time.
func pausing() (*Client, *[]time.Duration) {
	var pauses []time.Duration
	return &Client{
		random: func() float64 { return 0.5 },
		sleep:  func(_ context.Context, pause time.Duration) { pauses = append(pauses, pause) },
	}, &pauses
}

func TestCallsAreRepeatedAfterThePauseThatTheServerAsksFor(t *testing.T) {
	final := status.Error(codes.NotFound, "there is no such match")
	unavailable := failure(t, codes.Unavailable, "7")
	cases := map[string]struct {
		failures []error
		pauses   []time.Duration
		end      error
	}{
		"an error with a time": {
			failures: []error{failure(t, codes.Unavailable, "1500"), failure(t, codes.ResourceExhausted, "20000")},
			pauses:   []time.Duration{1500 * time.Millisecond, 20 * time.Second},
		},
		"a time that is no number of milliseconds": {
			failures: []error{failure(t, codes.Unavailable, "soon"), failure(t, codes.Unavailable, "60001")},
			pauses:   []time.Duration{time.Second, time.Second},
		},
		"no time": {
			failures: []error{errBroken, failure(t, codes.Unavailable, "0"), errBroken},
			pauses:   []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second},
		},
		"a rejection": {failures: []error{final}, end: final},
		"five failures": {
			failures: []error{unavailable, unavailable, unavailable, unavailable, unavailable},
			pauses:   []time.Duration{7e6, 7e6, 7e6, 7e6},
			end:      unavailable,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			client, pauses := pausing()
			attempts := 0
			err := client.repeat(context.Background(), func() error {
				if attempts++; attempts <= len(c.failures) {
					return c.failures[attempts-1]
				}
				return nil
			})
			if !errors.Is(err, c.end) {
				t.Errorf("the error is %v, not %v", err, c.end)
			}
			if !reflect.DeepEqual(*pauses, c.pauses) {
				t.Errorf("pauses %v, not %v", *pauses, c.pauses)
			}
		})
	}
}

func TestACallThatIsCancelledInAPauseIsNotRepeated(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	client, _ := pausing()
	client.sleep = sleep
	attempts := 0
	err := client.repeat(ctx, func() error {
		attempts++
		cancel()
		return failure(t, codes.Unavailable, "60000")
	})
	if status.Code(err) != codes.Canceled || attempts != 1 {
		t.Errorf("%v after %d attempts", err, attempts)
	}
}

// bots registers each bot, but loses the response to the first call. It lists one bot on each of three pages.
type bots struct {
	refereev1.UnimplementedBotServiceServer
	ids, pages []string
	hasNoLimit bool
}

func (b *bots) RegisterBot(
	ctx context.Context, request *refereev1.RegisterBotRequest,
) (*refereev1.RegisterBotResponse, error) {
	if _, limited := ctx.Deadline(); !limited {
		b.hasNoLimit = true
	}
	if b.ids = append(b.ids, request.GetRequestId()); len(b.ids) == 1 {
		return nil, status.Error(codes.Unavailable, "lost")
	}
	return &refereev1.RegisterBotResponse{}, nil
}

func (b *bots) ListBots(_ context.Context, request *refereev1.ListBotsRequest) (*refereev1.ListBotsResponse, error) {
	following := map[string]string{"": "b", "b": "c", "c": "d"}
	next, known := following[request.GetPageToken()]
	if !known {
		return nil, status.Error(codes.InvalidArgument, "there is no such page")
	}
	b.pages = append(b.pages, request.GetPageToken())
	page := []*refereev1.Bot{{Name: next}}
	return &refereev1.ListBotsResponse{Bots: page, NextPageToken: next}, nil
}

// connected returns stubs of a client that is connected to a server with the bots.
func connected(t *testing.T, bots *bots) refereev1.BotServiceClient {
	t.Helper()
	server := grpc.NewServer()
	refereev1.RegisterBotServiceServer(server, bots)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	client, err := NewClient(WithAddress(listener.Addr().String()), WithToken("secret"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	client.sleep = func(context.Context, time.Duration) {}
	return refereev1.NewBotServiceClient(client)
}

func TestARepeatedCallHasADeadlineAndTheRequestIDOfTheFirst(t *testing.T) {
	bots := &bots{}
	client := connected(t, bots)
	for _, id := range []string{"", "", "mine"} {
		request := &refereev1.RegisterBotRequest{RequestId: id}
		if _, err := client.RegisterBot(context.Background(), request); err != nil {
			t.Fatal(err)
		}
	}
	ids := bots.ids
	if len(ids) != 4 || ids[0] == "" || ids[0] != ids[1] || ids[1] == ids[2] || ids[3] != "mine" || bots.hasNoLimit {
		t.Errorf("the request ids are %q, no limit: %v", ids, bots.hasNoLimit)
	}
}

func TestAListIsReadPageByPageUntilAnError(t *testing.T) {
	bots := &bots{}
	client := connected(t, bots)
	list := Pages(context.Background(), client.ListBots, &refereev1.ListBotsRequest{},
		(*refereev1.ListBotsResponse).GetBots)
	for range list {
		break
	}
	if expected := []string{""}; !reflect.DeepEqual(bots.pages, expected) {
		t.Errorf("pages %q, not %q", bots.pages, expected)
	}
	var names []string
	var last error
	for bot, err := range list {
		last = err
		names = append(names, bot.GetName())
	}
	if expected := []string{"b", "c", "d", ""}; !reflect.DeepEqual(names, expected) {
		t.Errorf("bots %q, not %q", names, expected)
	}
	if failure := (*Error)(nil); !errors.As(last, &failure) || failure.Reason != "INVALID_ARGUMENT" {
		t.Errorf("the error is %v", last)
	}
}

// ladder is a stream of items that ends with an error. An item is the number of an entry, or negative that of a snapshot.
type ladder struct {
	grpc.ClientStream
	numbers []int
	end     error
}

func (l *ladder) Recv() (*refereev1.WatchLadderResponse, error) {
	if len(l.numbers) == 0 {
		return nil, l.end
	}
	number := l.numbers[0]
	l.numbers = l.numbers[1:]
	item := &refereev1.WatchLadderItem{}
	if number < 0 {
		snapshot := &refereev1.LadderSnapshot{EntryNumber: uint64(-number)}
		item.Item = &refereev1.WatchLadderItem_Snapshot{Snapshot: snapshot}
	} else {
		item.Item = &refereev1.WatchLadderItem_Entry{Entry: &refereev1.LadderEntry{Number: uint64(number)}}
	}
	return &refereev1.WatchLadderResponse{Items: []*refereev1.WatchLadderItem{item}}, nil
}

// watch returns the numbers of the entries of a watch that gets one stream after the other, those after which they were
// opened (-1: new entries), and the last error. It is left after an entry with the number 99.
func watch(after *uint64, streams ...*ladder) (numbers, opened []int, last error) {
	client, _ := pausing()
	call := func(
		_ context.Context, request *refereev1.WatchLadderRequest, _ ...grpc.CallOption,
	) (grpc.ServerStreamingClient[refereev1.WatchLadderResponse], error) {
		if opened = append(opened, -1); request.AfterNumber != nil {
			opened[len(opened)-1] = int(request.GetAfterNumber())
		}
		stream := streams[0]
		if streams = streams[1:]; stream == nil {
			return nil, errBroken
		}
		return stream, nil
	}
	request := &refereev1.WatchLadderRequest{AfterNumber: after}
	items := Watch(context.Background(), client, call, request, (*refereev1.WatchLadderResponse).GetItems)
	for item, err := range items {
		if last = err; item.GetEntry() != nil {
			numbers = append(numbers, int(item.GetEntry().GetNumber()))
		}
		if item.GetEntry().GetNumber() == 99 {
			break
		}
	}
	return numbers, opened, last
}

func TestAWatchGoesOnAfterTheLastEntryThatItHasReceived(t *testing.T) {
	slow := status.Error(codes.ResourceExhausted, "too slow")
	cases := map[string]struct {
		after           *uint64
		streams         []*ladder
		numbers, opened []int
		reason          string
	}{
		"interrupted": {
			proto.Uint64(3),
			[]*ladder{
				{numbers: []int{-3, 4, 5}, end: errBroken}, nil, {end: slow}, {numbers: []int{-5, 6, 7}, end: io.EOF},
			},
			[]int{4, 5, 6, 7}, []int{3, 5, 5, 5}, "",
		},
		"of new entries": {
			nil,
			[]*ladder{{numbers: []int{-8}, end: errBroken}, {numbers: []int{-8, 9}, end: io.EOF}},
			[]int{9}, []int{-1, 8}, "",
		},
		"broken in its first snapshot": {
			proto.Uint64(0),
			[]*ladder{{numbers: []int{-8}, end: errBroken}, {numbers: []int{-8, 1}, end: io.EOF}},
			[]int{1}, []int{0, 0}, "",
		},
		"denied": {
			proto.Uint64(3),
			[]*ladder{{numbers: []int{4}, end: status.Error(codes.PermissionDenied, "not yours")}},
			[]int{4}, []int{3}, "PERMISSION_DENIED",
		},
		"left": {proto.Uint64(98), []*ladder{{numbers: []int{99, 100}, end: errBroken}}, []int{99}, []int{98}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			numbers, opened, err := watch(c.after, c.streams...)
			if !reflect.DeepEqual(numbers, c.numbers) || !reflect.DeepEqual(opened, c.opened) {
				t.Errorf("entries %v, opened after %v", numbers, opened)
			}
			if failure := (*Error)(nil); (err != nil) != (c.reason != "") ||
				err != nil && (!errors.As(err, &failure) || failure.Reason != c.reason) {
				t.Errorf("the last error is %v", err)
			}
		})
	}
}
