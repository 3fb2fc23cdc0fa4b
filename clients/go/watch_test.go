package referee

import (
	"context"
	"errors"
	"io"
	"reflect"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"referee.example/referee/refereev1"
)

var errBroken = status.Error(codes.Unavailable, "no route to host")

// responses is a stream of responses that ends with an error.
type responses struct {
	grpc.ClientStream
	numbers [][]uint64
	end     error
}

func (r *responses) Recv() (*refereev1.WatchLadderResponse, error) {
	if len(r.numbers) == 0 {
		return nil, r.end
	}
	// The first item of a response is a snapshot.
	response := &refereev1.WatchLadderResponse{Items: []*refereev1.WatchLadderItem{{}}}
	for _, number := range r.numbers[0] {
		entry := &refereev1.WatchLadderItem_Entry{Entry: &refereev1.LadderEntry{Number: number}}
		response.Items = append(response.Items, &refereev1.WatchLadderItem{Item: entry})
	}
	r.numbers = r.numbers[1:]
	return response, nil
}

// watchStreams returns a watch that gets one stream after the other, and the numbers after which they were opened.
func watchStreams(ctx context.Context, streams ...*responses) (func(func(*LadderEntry, error) bool), *[]uint64) {
	var opened []uint64
	log := logStream[refereev1.WatchLadderResponse, *refereev1.LadderEntry]{
		open: func(_ context.Context, after uint64) (grpc.ServerStreamingClient[refereev1.WatchLadderResponse], error) {
			opened = append(opened, after)
			stream := streams[0]
			streams = streams[1:]
			if stream == nil {
				return nil, errBroken
			}
			return stream, nil
		},
		entries: func(response *refereev1.WatchLadderResponse) []*refereev1.LadderEntry {
			return convert(response.GetItems(), (*refereev1.WatchLadderItem).GetEntry)
		},
	}
	noPause := retries{func() float64 { return 0 }, func(context.Context, time.Duration) {}}
	return watch(ctx, 3, noPause, newLadderEntry, log), &opened
}

func TestAWatchGoesOnAfterTheLastEntryThatItHasReceived(t *testing.T) {
	slow := status.Error(codes.ResourceExhausted, "too slow")
	entries, opened := watchStreams(context.Background(),
		&responses{numbers: [][]uint64{{}, {4, 5}}, end: errBroken},
		nil,
		&responses{end: slow},
		&responses{numbers: [][]uint64{{6}, {7, 8}}, end: io.EOF},
	)
	var numbers []uint64
	for entry, err := range entries {
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, entry.Number)
	}
	if expected := []uint64{4, 5, 6, 7, 8}; !reflect.DeepEqual(numbers, expected) {
		t.Errorf("entries %v, not %v", numbers, expected)
	}
	if expected := []uint64{3, 5, 5, 5}; !reflect.DeepEqual(*opened, expected) {
		t.Errorf("opened after %v, not %v", *opened, expected)
	}
}

func TestAWatchEndsWithAnErrorAfterWhichNoRetryHelps(t *testing.T) {
	denied := status.Error(codes.PermissionDenied, "not yours")
	entries, _ := watchStreams(context.Background(), &responses{numbers: [][]uint64{{4}}, end: denied})
	var last error
	for _, err := range entries {
		if last != nil {
			t.Fatal("something follows the error")
		}
		last = err
	}
	if refused := (*Error)(nil); !errors.As(last, &refused) || refused.Reason != "PERMISSION_DENIED" {
		t.Errorf("the last item is %v", last)
	}
}

func TestAWatchThatIsLeftIsNotOpenedAgain(t *testing.T) {
	entries, opened := watchStreams(context.Background(), &responses{numbers: [][]uint64{{4, 5}}, end: errBroken})
	for range entries {
		break
	}
	if len(*opened) != 1 {
		t.Errorf("opened after %v", *opened)
	}
}

func TestAListIsReadToItsLastPage(t *testing.T) {
	following := map[string]string{"": "b", "b": "c", "c": ""}
	items := map[string][]int{"": {1, 2}, "b": {}, "c": {3}}
	var asked []string
	list := pages(context.Background(), func(number int) int { return 10 * number },
		func(_ context.Context, token string) ([]int, string, error) {
			asked = append(asked, token)
			return items[token], following[token], nil
		})
	var numbers []int
	for number, err := range list {
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, number)
	}
	if expected := []int{10, 20, 30}; !reflect.DeepEqual(numbers, expected) {
		t.Errorf("items %v, not %v", numbers, expected)
	}
	if expected := []string{"", "b", "c"}; !reflect.DeepEqual(asked, expected) {
		t.Errorf("pages %q, not %q", asked, expected)
	}
}

func TestAListEndsWithTheErrorOfAPage(t *testing.T) {
	list := pages(context.Background(), func(number int) int { return number },
		func(_ context.Context, token string) ([]int, string, error) {
			if token == "" {
				return []int{1}, "b", nil
			}
			return nil, "", errBroken
		})
	var errs []error
	for _, err := range list {
		errs = append(errs, err)
	}
	if refused := (*Error)(nil); len(errs) != 2 || errs[0] != nil || !errors.As(errs[1], &refused) {
		t.Errorf("errors %v", errs)
	}
}

func TestAWordOfAnEnumHasANumber(t *testing.T) {
	for word, expected := range map[string]int32{"": 0, "done": 3, "asleep": -1} {
		if number := enumNumber(refereev1.PairingPhase_value, "PAIRING_PHASE_", word); number != expected {
			t.Errorf("%q is %d, not %d", word, number, expected)
		}
	}
}

func TestEachFormatOfATournamentIsReadAsItWasSent(t *testing.T) {
	formats := []Format{
		RoundRobin{2}, Swiss{5}, Elimination{true}, Gauntlet{[]string{"anna"}, 3}, Pools{4}, SPRT{-1, 2.5, 400}, nil,
	}
	for _, format := range formats {
		if read := newFormat(TournamentTerms{Format: format}.message()); !reflect.DeepEqual(read, format) {
			t.Errorf("%v became %v", format, read)
		}
	}
}
