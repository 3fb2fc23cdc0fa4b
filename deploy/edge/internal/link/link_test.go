package link

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// server is the other end of a link.
type server struct {
	t        *testing.T
	listener net.Listener
	socket   net.Conn
	reader   *bufio.Reader
}

func connect(t *testing.T) (*Link, *server) { return connectAndExpect(t, 0) }

func connectAndExpect(t *testing.T, silence time.Duration) (*Link, *server) {
	path := filepath.Join(t.TempDir(), "link")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	l, s := New(), &server{t: t, listener: listener}
	dial := func(context.Context) (net.Conn, error) { return net.Dial("unix", path) }
	go l.Connect(dial, silence, func() []byte { return []byte("counts") })
	s.accept()
	return l, s
}

func (s *server) accept() {
	socket, err := s.listener.Accept()
	if err != nil {
		s.t.Fatal(err)
	}
	s.socket, s.reader = socket, bufio.NewReader(socket)
}

func (s *server) send(number uint32, kind byte, body []byte) {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(len(body))), number)
	if _, err := s.socket.Write(append(append(head, kind), body...)); err != nil {
		s.t.Fatal(err)
	}
}

// receive returns the next frame that is no beat.
func (s *server) receive() (number uint32, kind byte, body []byte) {
	for {
		if number, kind, body = s.next(); kind != beat {
			return number, kind, body
		}
	}
}

func (s *server) next() (number uint32, kind byte, body []byte) {
	var head [headBytes]byte
	if _, err := io.ReadFull(s.reader, head[:]); err != nil {
		s.t.Fatal(err)
	}
	body = make([]byte, binary.BigEndian.Uint32(head[:]))
	if _, err := io.ReadFull(s.reader, body); err != nil {
		s.t.Fatal(err)
	}
	return binary.BigEndian.Uint32(head[4:]), head[8], body
}

func open(t *testing.T, ctx context.Context, l *Link) grpc.ClientStream {
	s, err := l.NewStream(ctx, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func say(t *testing.T, s grpc.ClientStream, text string) {
	if err := s.SendMsg(&mem.BufferSlice{mem.SliceBuffer(text)}); err != nil {
		t.Fatal(err)
	}
}

func TestAStreamCarriesItsMetadataItsMessagesAndTheirArrival(t *testing.T) {
	l, to := connect(t)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer x", "trace-bin", "\xff")
	s := open(t, ctx, l)
	number, kind, body := to.receive()
	var pairs [][2]string
	if err := json.Unmarshal(body, &pairs); err != nil || kind != opened || len(pairs) != 1 || pairs[0][1] != "Bearer x" {
		t.Fatalf("kind %d, %s", kind, body)
	}
	before := monotonicNanoseconds()
	say(t, s, "hello")
	_, kind, body = to.receive()
	stamp := int64(binary.BigEndian.Uint64(body))
	if kind != message || string(body[stampBytes:]) != "hello" || stamp < before || stamp > monotonicNanoseconds() {
		t.Fatalf("kind %d, %q, at %d after %d", kind, body, stamp, before)
	}
	to.send(number, message, []byte("welcome"))
	if _, err := s.Header(); err != nil {
		t.Fatal(err)
	}
	var received mem.BufferSlice
	if err := s.RecvMsg(&received); err != nil || string(received.Materialize()) != "welcome" {
		t.Fatal(err, received)
	}
	if err := s.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, kind, _ = to.receive(); kind != closed {
		t.Fatal(kind)
	}
}

func TestAStreamEndsWithTheStatusOfTheServer(t *testing.T) {
	l, to := connect(t)
	for _, expected := range []struct {
		body string
		code codes.Code
	}{
		{`{"code": 0, "sentence": "", "details": ""}`, codes.OK},
		{`{"code": 5, "sentence": "no such bot", "details": ""}`, codes.NotFound},
		{`{"code": 5, "sentence": "", "details": "CAkSAXg="}`, codes.FailedPrecondition},
		{`?`, codes.Internal},
	} {
		s := open(t, t.Context(), l)
		number, _, _ := to.receive()
		to.send(number, ended, []byte(expected.body))
		var none mem.BufferSlice
		if err := s.RecvMsg(&none); status.Code(err) != expected.code && (expected.code != codes.OK || err != io.EOF) {
			t.Errorf("%s: %v", expected.body, err)
		}
	}
}

func TestCreditIsGivenForWhatWasTakenAndNeededForWhatIsSent(t *testing.T) {
	l, to := connect(t)
	ctx, cancel := context.WithCancel(t.Context())
	s := open(t, ctx, l)
	number, _, _ := to.receive()
	for range window {
		say(t, s, "x")
		to.receive()
		to.send(number, message, nil)
	}
	for range window {
		var received mem.BufferSlice
		if err := s.RecvMsg(&received); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, kind, body := to.receive(); kind != credit || binary.BigEndian.Uint32(body) != window/2 {
			t.Fatalf("kind %d, %v", kind, body)
		}
	}
	to.send(number, credit, binary.BigEndian.AppendUint32(nil, 1))
	say(t, s, "one more")
	if _, _, body := to.receive(); string(body[stampBytes:]) != "one more" {
		t.Fatal(body)
	}
	cancel()
	if err := s.SendMsg(&mem.BufferSlice{}); err != io.EOF {
		t.Fatal(err)
	}
	if of, kind, _ := to.receive(); of != number || kind != gone {
		t.Fatal(of, kind)
	}
}

func TestOneLongMessageIsOnItsWayAtATime(t *testing.T) {
	l, to := connect(t)
	s := open(t, t.Context(), l)
	number, _, _ := to.receive()
	long := string(make([]byte, window*costBytes))
	say(t, s, long)
	to.receive()
	if left := len(s.(*stream).credit); left >= int(costOf(len(long))) {
		t.Fatal("there is credit for another one", left)
	}
	go func() { _ = s.SendMsg(&mem.BufferSlice{mem.SliceBuffer(long)}) }()
	to.send(number, credit, binary.BigEndian.AppendUint32(nil, costOf(len(long))))
	if _, kind, body := to.receive(); kind != message || len(body) != stampBytes+len(long) {
		t.Fatal(kind, len(body))
	}
	to.send(number, message, []byte(long))
	var received mem.BufferSlice
	if err := s.RecvMsg(&received); err != nil {
		t.Fatal(err)
	}
	if _, kind, body := to.receive(); kind != credit || binary.BigEndian.Uint32(body) != costOf(len(long)) {
		t.Fatal(kind, body)
	}
}

func TestStreamsOfALostLinkEndAndTheNextOneIsUsedAfterwards(t *testing.T) {
	l, to := connect(t)
	s := open(t, t.Context(), l)
	to.receive()
	to.socket.Close()
	var none mem.BufferSlice
	if err := s.RecvMsg(&none); status.Code(err) != codes.Unavailable {
		t.Fatal(err)
	}
	to.accept()
	open(t, t.Context(), l)
	if _, kind, _ := to.receive(); kind != opened {
		t.Fatal(kind)
	}
}

func TestAStreamFailsWithoutAConnection(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New().NewStream(ctx, nil, ""); status.Code(err) != codes.Canceled {
		t.Fatal(err)
	}
}

func TestWhatTheServerHasSentBeforeItsEndIsDelivered(t *testing.T) {
	l, to := connect(t)
	s := open(t, t.Context(), l)
	number, _, _ := to.receive()
	to.send(number, message, []byte("last"))
	to.send(number, ended, []byte(`{"code": 14, "sentence": "draining", "details": ""}`))
	to.socket.Close()
	<-s.(*stream).link.lost
	var received mem.BufferSlice
	if err := s.RecvMsg(&received); err != nil || string(received.Materialize()) != "last" {
		t.Fatal(err, received)
	}
	if err := s.RecvMsg(&received); status.Convert(err).Message() != "draining" {
		t.Fatal(err)
	}
}

func TestALinkBeatsWithoutStreamsAndTellsTheTimeAndWhatItsDoorCounts(t *testing.T) {
	_, to := connect(t)
	before := int64(0)
	for range 2 {
		_, kind, body := to.next()
		at := int64(binary.BigEndian.Uint64(body))
		if kind != beat || string(body[stampBytes:]) != "counts" || at <= before || at > monotonicNanoseconds() {
			t.Fatal(kind, body)
		}
		before = at
	}
}

func TestAConnectionOnWhichNothingArrivesIsMadeAnew(t *testing.T) {
	_, to := connectAndExpect(t, 10*time.Millisecond)
	to.accept()
}
