package referee

import (
	"context"
	"io"
	"iter"
	"reflect"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/timestamppb"

	"referee.example/referee/contract"
	"referee.example/referee/internal/values"
	"referee.example/referee/refereev1"
)

// calls returns the methods of all services of the contract but the one for bots.
func calls() iter.Seq[protoreflect.MethodDescriptor] {
	return func(yield func(protoreflect.MethodDescriptor) bool) {
		protoregistry.GlobalFiles.RangeFilesByPackage("referee_api.v1", func(file protoreflect.FileDescriptor) bool {
			for i := range file.Services().Len() {
				service := file.Services().Get(i)
				for j := range service.Methods().Len() {
					if service.Name() != "PlayService" && !yield(service.Methods().Get(j)) {
						return false
					}
				}
			}
			return true
		})
	}
}

func TestEachCallOfTheContractHasAMethod(t *testing.T) {
	number := 0
	for call := range calls() {
		number++
		method, found := reflect.TypeFor[Contract]().MethodByName(string(call.Name()))
		if !found {
			t.Errorf("there is no method %s", call.Name())
			continue
		}
		request := method.Type.In(2).Elem().Name()
		if request != string(call.Input().Name()) {
			t.Errorf("%s gets %s", call.Name(), request)
		}
	}
	if number < 70 {
		t.Errorf("the contract has %d calls", number)
	}
}

// A response that is a list of responses or items is tested by one of them.
func valueTypes(method reflect.Type) (request, response reflect.Type) {
	response = method.Out(0)
	switch response.Kind() {
	case reflect.Func:
		response = response.In(0).In(0)
	case reflect.Slice:
		response = response.Elem()
	}
	return method.In(2).Elem(), response.Elem()
}

func TestNoFieldIsLostBetweenMessagesAndValues(t *testing.T) {
	for call := range calls() {
		method, _ := reflect.TypeFor[Contract]().MethodByName(string(call.Name()))
		request, response := valueTypes(method.Type)
		output := call.Output()
		if items := output.Fields().ByName("items"); items != nil {
			output = items.Message()
		}
		for alternative := range 20 {
			checkRoundTrip(t, call.Input(), request, alternative)
			checkRoundTrip(t, output, response, alternative)
		}
	}
}

func checkRoundTrip(t *testing.T, descriptor protoreflect.MessageDescriptor, kind reflect.Type, alternative int) {
	t.Helper()
	generated, err := protoregistry.GlobalTypes.FindMessageByName(descriptor.FullName())
	if err != nil {
		t.Fatal(err)
	}
	message, again := generated.New(), generated.New()
	populate(message, alternative)
	value := reflect.New(kind).Interface()
	values.Read(message.Interface(), value)
	values.Write(value, again.Interface())
	if !proto.Equal(message.Interface(), again.Interface()) {
		t.Errorf("%s became\n%v, not\n%v", kind, again, message)
	}
}

// populate sets all fields of a message, and of each oneof the one with a number.
func populate(message protoreflect.Message, alternative int) {
	fields := message.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		oneof := field.ContainingOneof()
		if oneof != nil && !oneof.IsSynthetic() && oneof.Fields().Get(alternative%oneof.Fields().Len()) != field {
			continue
		}
		switch {
		case field.IsMap():
			message.Mutable(field).Map().Set(protoreflect.ValueOf("key").MapKey(), protoreflect.ValueOf("text"))
		case field.IsList():
			list := message.Mutable(field).List()
			list.Append(example(field, list.NewElement(), alternative))
			list.Append(example(field, list.NewElement(), alternative+1))
		default:
			message.Set(field, example(field, message.NewField(field), alternative))
		}
	}
}

func example(field protoreflect.FieldDescriptor, empty protoreflect.Value, alternative int) protoreflect.Value {
	number := alternative + int(field.Number())
	switch field.Kind() {
	case protoreflect.MessageKind:
		if moment, ok := empty.Message().Interface().(*timestamppb.Timestamp); ok {
			moment.Seconds, moment.Nanos = int64(number), 5
		} else {
			populate(empty.Message(), alternative)
		}
		return empty
	case protoreflect.EnumKind:
		return protoreflect.ValueOf(protoreflect.EnumNumber(number + 100)) // Also values that are unknown here.
	case protoreflect.StringKind:
		return protoreflect.ValueOf(strings.Repeat("é", number))
	case protoreflect.BytesKind:
		return protoreflect.ValueOf([]byte{0, byte(number)})
	case protoreflect.BoolKind:
		return protoreflect.ValueOf(true)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOf(float64(number) + 0.5)
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOf(uint32(number))
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOf(uint64(number) << 40)
	default:
		return protoreflect.ValueOf(int64(-number))
	}
}

func TestAFieldThatIsNotSetIsNoZero(t *testing.T) {
	zero := uint64(0)
	for _, after := range []*uint64{nil, &zero} {
		message, again := &refereev1.WatchLadderRequest{}, &contract.WatchLadderRequest{}
		values.Write(&contract.WatchLadderRequest{AfterNumber: after}, message)
		values.Read(message, again)
		if !reflect.DeepEqual(message.AfterNumber, after) || !reflect.DeepEqual(again.AfterNumber, after) {
			t.Errorf("%v became %v and %v", after, message.AfterNumber, again.AfterNumber)
		}
	}
}

func TestAValueOfAnEnumerationHasTheWordOfTheContract(t *testing.T) {
	if word := contract.TieBreakMedianBuchholz.String(); word != "median_buchholz" {
		t.Errorf("it is %s", word)
	}
	if word := contract.TieBreak(99).String(); word != "99" {
		t.Errorf("an unknown one is %s", word)
	}
}

// quiet returns a client without a connection, whose pauses take no time.
func quiet() *Client {
	return &Client{retries: retries{func() float64 { return 0 }, func(context.Context, time.Duration) {}}}
}

// ladderItems is a stream of items that ends with an error.
type ladderItems struct {
	grpc.ClientStream
	items []*refereev1.WatchLadderItem
	end   error
}

func (s *ladderItems) Recv() (*refereev1.WatchLadderResponse, error) {
	if len(s.items) == 0 {
		return nil, s.end
	}
	items := s.items
	s.items = nil
	return &refereev1.WatchLadderResponse{Items: items}, nil
}

func ladderSnapshot(number uint64) *refereev1.WatchLadderItem {
	snapshot := &refereev1.LadderSnapshot{EntryNumber: number}
	return &refereev1.WatchLadderItem{Item: &refereev1.WatchLadderItem_Snapshot{Snapshot: snapshot}}
}

func ladderEntry(number uint64) *refereev1.WatchLadderItem {
	entry := &refereev1.LadderEntry{Number: number}
	return &refereev1.WatchLadderItem{Item: &refereev1.WatchLadderItem_Entry{Entry: entry}}
}

// watchLadder returns the numbers of snapshots and entries that a watch yields, and those after which it was opened; -1
// is none.
func watchLadder(t *testing.T, after *uint64, streams ...*ladderItems) (numbers []uint64, opened []int64) {
	t.Helper()
	open := func(
		_ context.Context, request *refereev1.WatchLadderRequest, _ ...grpc.CallOption,
	) (grpc.ServerStreamingClient[refereev1.WatchLadderResponse], error) {
		number := int64(-1)
		if request.AfterNumber != nil {
			number = int64(request.GetAfterNumber())
		}
		opened = append(opened, number)
		stream := streams[0]
		streams = streams[1:]
		return stream, nil
	}
	request := &contract.WatchLadderRequest{Ladder: "daily", AfterNumber: after}
	items := watchItems[contract.WatchLadderItem](context.Background(), quiet(), request, new(refereev1.WatchLadderRequest), open)
	for item, err := range items {
		switch {
		case err != nil:
			t.Fatal(err)
		case item.Entry != nil:
			numbers = append(numbers, item.Entry.Number)
		default:
			numbers = append(numbers, item.Snapshot.EntryNumber)
		}
	}
	return numbers, opened
}

func TestAWatchOfNewEntriesGoesOnAfterItsFirstSnapshot(t *testing.T) {
	numbers, opened := watchLadder(t, nil,
		&ladderItems{end: errBroken},
		&ladderItems{items: []*refereev1.WatchLadderItem{ladderSnapshot(7)}, end: errBroken},
		&ladderItems{items: []*refereev1.WatchLadderItem{ladderSnapshot(9), ladderEntry(8)}, end: errBroken},
		&ladderItems{items: []*refereev1.WatchLadderItem{ladderSnapshot(9), ladderEntry(9)}, end: io.EOF},
	)
	if expected := []uint64{7, 9, 8, 9, 9}; !reflect.DeepEqual(numbers, expected) {
		t.Errorf("numbers %v, not %v", numbers, expected)
	}
	if expected := []int64{-1, -1, 7, 8}; !reflect.DeepEqual(opened, expected) {
		t.Errorf("opened after %v, not %v", opened, expected)
	}
}

func TestAWatchAfterANumberDoesNotSkipWhatItsSnapshotContains(t *testing.T) {
	after := uint64(3)
	_, opened := watchLadder(t, &after,
		&ladderItems{items: []*refereev1.WatchLadderItem{ladderSnapshot(9)}, end: errBroken},
		&ladderItems{items: []*refereev1.WatchLadderItem{ladderSnapshot(9), ladderEntry(4)}, end: io.EOF},
	)
	if expected := []int64{3, 3}; !reflect.DeepEqual(opened, expected) {
		t.Errorf("opened after %v, not %v", opened, expected)
	}
}

// recordParts is a stream of parts of a record that ends with an error.
type recordParts struct {
	grpc.ClientStream
	parts []string
	end   error
}

func (s *recordParts) Recv() (*refereev1.GetLadderRecordResponse, error) {
	if len(s.parts) == 0 {
		return nil, s.end
	}
	part := &refereev1.GetLadderRecordResponse{Text: s.parts[0]}
	s.parts = s.parts[1:]
	return part, nil
}

func TestARecordThatBreaksIsReadAgain(t *testing.T) {
	streams := []*recordParts{{parts: []string{"a"}, end: errBroken}, {parts: []string{"a", "b"}, end: io.EOF}}
	open := func(
		context.Context, *refereev1.GetLadderRecordRequest, ...grpc.CallOption,
	) (grpc.ServerStreamingClient[refereev1.GetLadderRecordResponse], error) {
		stream := streams[0]
		streams = streams[1:]
		return stream, nil
	}
	request, message := &contract.GetLadderRecordRequest{Ladder: "daily"}, new(refereev1.GetLadderRecordRequest)
	parts, err := callAll[contract.GetLadderRecordResponse](context.Background(), quiet(), request, message, open)
	expected := []*contract.GetLadderRecordResponse{{Text: "a"}, {Text: "b"}}
	if err != nil || !reflect.DeepEqual(parts, expected) || message.GetLadder() != "daily" {
		t.Errorf("parts %v, error %v", parts, err)
	}
}

func TestARequestHasAnIDOfItsOwnUnlessItNamesOne(t *testing.T) {
	ids := map[string]bool{}
	invoke := func(
		_ context.Context, request *refereev1.StartSeasonRequest, _ ...grpc.CallOption,
	) (*refereev1.StartSeasonResponse, error) {
		ids[request.GetRequestId()] = true
		return nil, status.Error(codes.NotFound, "there is no such ladder")
	}
	for _, id := range []string{"", "", "mine"} {
		request := &contract.StartSeasonRequest{RequestID: id}
		_, err := callOnce[contract.StartSeasonResponse](context.Background(), quiet(), request, new(refereev1.StartSeasonRequest), invoke)
		if reason := err.(*Error).Reason; reason != "NOT_FOUND" {
			t.Errorf("the reason is %s", reason)
		}
	}
	if len(ids) != 3 || !ids["mine"] || ids[""] {
		t.Errorf("the ids are %v", ids)
	}
}
