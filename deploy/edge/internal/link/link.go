// Package link passes Play streams on to the server as frames on one connection, which costs the server much less than
// HTTP/2. The other end, which describes the frames, is referee/transport/door_link.py.
package link

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

const (
	stampBytes = 8
	// window is the cost of the messages of one stream in each direction that its receiver has not taken yet.
	window = 16
	// costBytes is the size up to which a message costs 1.
	costBytes = 4096
	retry     = 50 * time.Millisecond
	maxRetry  = time.Second
	// dialTimeout is for the connection and its handshake.
	dialTimeout = 5 * time.Second
	// patience is how long a stream that begins waits for the connection.
	patience = time.Second
)

// Link is a grpc.ClientConnInterface for streams of bytes. Its connection is made anew whenever it is lost.
type Link struct {
	mutex   sync.Mutex
	current *connection
	// changed is closed when current changes.
	changed chan struct{}
}

// New returns a Link that is not connected.
func New() *Link { return &Link{changed: make(chan struct{})} }

// Dial opens a connection to the server.
type Dial func(context.Context) (net.Conn, error)

// Connect keeps the link connected. Each beat carries what counts returns. A connection on which nothing arrives for
// the time of silence is lost; 0: none is.
func (l *Link) Connect(dial Dial, silence time.Duration, counts func() []byte) {
	logged := ""
	for wait := retry; ; wait = min(2*wait, maxRetry) {
		begun := time.Now()
		if why := l.serve(dial, silence, counts).Error(); why != logged {
			slog.Info("there is no link to the server", "why", why)
			logged = why
		}
		if time.Since(begun) > dialTimeout {
			wait = retry
		}
		time.Sleep(wait)
	}
}

// serve returns why there is no connection, or why it has ended.
func (l *Link) serve(dial Dial, silence time.Duration, counts func() []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
	defer cancel()
	socket, err := dial(ctx)
	if err != nil {
		return err
	}
	c := newConnection(socket, silence, counts)
	l.set(c)
	return c.run(func() { l.set(nil) })
}

func (l *Link) set(c *connection) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.current = c
	close(l.changed)
	l.changed = make(chan struct{})
}

// connected returns the connection; nil: there is none in time.
func (l *Link) connected(ctx context.Context) *connection {
	impatient := time.After(patience)
	for {
		l.mutex.Lock()
		c, changed := l.current, l.changed
		l.mutex.Unlock()
		if c != nil {
			return c
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		case <-impatient:
			return nil
		}
	}
}

// Invoke fails: a link has only streams.
func (l *Link) Invoke(context.Context, string, any, any, ...grpc.CallOption) error {
	return status.Error(codes.Unimplemented, "a link has only streams")
}

// NewStream begins a stream, which ends with its context.
func (l *Link) NewStream(ctx context.Context, _ *grpc.StreamDesc, _ string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
	c := l.connected(ctx)
	if ctx.Err() != nil {
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	if c == nil {
		return nil, errNotThere
	}
	s := &stream{ctx: ctx, link: c, answers: make(chan frame, window+1), credit: make(chan struct{}, window)}
	for range window {
		s.credit <- struct{}{}
	}
	c.add(s)
	s.send(opened, openedBody(ctx))
	context.AfterFunc(ctx, func() {
		if c.remove(s.number) != nil {
			s.send(gone, nil)
		}
	})
	return s, nil
}

var errNotThere = status.Error(codes.Unavailable, "the server cannot be reached")

func openedBody(ctx context.Context) []byte {
	pairs := [][2]string{}
	sent, _ := metadata.FromOutgoingContext(ctx)
	for name, values := range sent {
		for _, value := range values {
			if !strings.HasSuffix(name, "-bin") { // The server uses none of those.
				pairs = append(pairs, [2]string{name, value})
			}
		}
	}
	body, _ := json.Marshal(pairs)
	return body
}

type stream struct {
	ctx    context.Context
	link   *connection
	number uint32
	// answers has room for all that the server may send before it gets more credit, and for the end.
	answers chan frame
	first   *frame
	taken   uint32
	// credit has one element for each cost of 1 that the server can take.
	credit chan struct{}
}

func (s *stream) Context() context.Context { return s.ctx }

func (s *stream) Trailer() metadata.MD { return nil }

// Header waits for the first answer.
func (s *stream) Header() (metadata.MD, error) {
	if s.first == nil {
		first, err := s.next()
		if err != nil {
			return nil, err
		}
		s.first = &first
	}
	return nil, nil
}

func (s *stream) CloseSend() error {
	s.send(closed, nil)
	return nil
}

// SendMsg stamps the message with the time of its arrival, so that nothing that follows is its bot's time.
func (s *stream) SendMsg(sent any) error {
	received := *sent.(*mem.BufferSlice)
	body := make([]byte, stampBytes+received.Len())
	binary.BigEndian.PutUint64(body, uint64(monotonicNanoseconds()))
	received.CopyTo(body[stampBytes:])
	received.Free()
	for range costOf(len(body) - stampBytes) {
		select {
		case <-s.credit:
		case <-s.ctx.Done():
			return io.EOF // RecvMsg tells why.
		case <-s.link.lost:
			return io.EOF
		}
	}
	s.send(message, body)
	return nil
}

// costOf returns what a message costs of the window; at most what is there when its receiver has taken everything.
func costOf(size int) uint32 { return min(window/2+1, 1+uint32(size)/costBytes) }

func (s *stream) RecvMsg(received any) error {
	answer, err := s.next()
	if err != nil {
		return err
	}
	if answer.kind == ended {
		return statusOf(answer.body)
	}
	if s.taken += costOf(len(answer.body)); 2*s.taken >= window {
		s.send(credit, binary.BigEndian.AppendUint32(nil, s.taken))
		s.taken = 0
	}
	*received.(*mem.BufferSlice) = mem.BufferSlice{mem.SliceBuffer(answer.body)}
	return nil
}

func (s *stream) next() (frame, error) {
	if first := s.first; first != nil {
		s.first = nil
		return *first, nil
	}
	err := errNotThere
	select {
	case answer := <-s.answers:
		return answer, nil
	case <-s.ctx.Done():
		err = status.FromContextError(s.ctx.Err()).Err()
	case <-s.link.lost:
	}
	select {
	case answer := <-s.answers: // It came before the end.
		return answer, nil
	default:
		return frame{}, err
	}
}

func (s *stream) send(kind byte, body []byte) { s.link.send(s.number, kind, body) }

func (s *stream) receive(received frame) {
	if received.kind != credit {
		s.answers <- received
		return
	}
	for range binary.BigEndian.Uint32(received.body) {
		s.credit <- struct{}{}
	}
}

// statusOf returns the error of a body of kind `ended`; io.EOF: it has none.
func statusOf(body []byte) error {
	var end struct {
		Code     codes.Code `json:"code"`
		Sentence string     `json:"sentence"`
		Details  []byte     `json:"details"`
	}
	if err := json.Unmarshal(body, &end); err != nil {
		return status.Error(codes.Internal, "the server has sent no status")
	}
	var details spb.Status
	switch {
	case end.Code == codes.OK:
		return io.EOF
	case len(end.Details) > 0 && proto.Unmarshal(end.Details, &details) == nil:
		return status.FromProto(&details).Err()
	}
	return status.Error(end.Code, end.Sentence)
}

// monotonicNanoseconds returns the time of the clock by which the server measures.
func monotonicNanoseconds() int64 {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
	return now.Nano()
}
