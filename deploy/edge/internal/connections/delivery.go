package connections

import (
	"context"
	"encoding/binary"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc/credentials"
)

// Types and flags of HTTP/2 frames (RFC 9113).
const (
	preface     = len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	frameHeader = 9
	data        = 0
	headers     = 1
	reset       = 3
	endStream   = 1
)

// progressBytes is what a client must read of an answer in each timeout.
const progressBytes = 16 << 10

// delivery knows which calls of a connection have ended here, but not on the wire, because the client does not read
// their answers. gRPC keeps such answers, and does not tell. The connection is closed if one makes no progress in time.
type delivery struct {
	timeout time.Duration
	tooLate func()
	mutex   sync.Mutex
	wire    map[uint32]*progress
	last    uint32
	running int
	late    *time.Timer
}

// progress is how much of an answer was sent since that moment.
type progress struct {
	since time.Time
	bytes int
}

// begin notes the first frame of a call.
func (d *delivery) begin(stream uint32) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if stream > d.last {
		d.last = stream
		d.wire[stream] = &progress{since: time.Now()}
		d.check()
	}
}

// pass notes a part of the answer of a call.
func (d *delivery) pass(stream uint32, size int) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if answer := d.wire[stream]; answer != nil {
		if answer.bytes += size; answer.bytes >= progressBytes {
			*answer = progress{since: time.Now()}
		}
	}
}

// end notes the last frame of a call.
func (d *delivery) end(stream uint32) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	delete(d.wire, stream)
	d.check()
}

// run notes that a handler has begun (1) or ended (-1).
func (d *delivery) run(change int) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.running += change
	d.check()
}

func (d *delivery) check() {
	switch waits := len(d.wire) > d.running; {
	case waits && d.late == nil:
		d.late = time.AfterFunc(d.timeout, d.expire)
	case !waits && d.late != nil:
		d.late.Stop()
		d.late = nil
	}
}

// expire closes the connection unless its client reads. It cannot know which calls are running, only how many.
func (d *delivery) expire() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.late = nil
	stalled := 0
	for _, answer := range d.wire {
		if time.Since(answer.since) >= d.timeout {
			stalled++
		}
	}
	if stalled > d.running {
		go d.tooLate() // It needs the mutex.
	} else {
		d.check()
	}
}

// stop notes that the connection is closed.
func (d *delivery) stop() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	clear(d.wire)
	d.check()
}

// Watched returns credentials whose connections notice which answers are delivered.
func Watched(inner credentials.TransportCredentials) credentials.TransportCredentials {
	return watching{inner}
}

type watching struct {
	credentials.TransportCredentials
}

func (w watching) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := w.TransportCredentials.ServerHandshake(raw)
	if peer, ok := raw.RemoteAddr().(*Peer); ok && err == nil {
		conn = &watchedConn{Conn: conn, delivery: &peer.delivery, in: frames{skip: preface}}
	}
	return conn, info, err
}

// ClientHandshake is not of a server.
func (w watching) ClientHandshake(context.Context, string, net.Conn) (net.Conn, credentials.AuthInfo, error) {
	panic("a door accepts connections only")
}

// watchedConn sees frames as they are read and written, in one goroutine each.
type watchedConn struct {
	net.Conn
	delivery *delivery
	in, out  frames
}

func (c *watchedConn) Read(data []byte) (int, error) {
	n, err := c.Conn.Read(data)
	c.in.scan(data[:n], func(kind, _ byte, stream uint32, _ int) {
		switch kind {
		case headers:
			c.delivery.begin(stream)
		case reset:
			c.delivery.end(stream)
		}
	})
	return n, err
}

func (c *watchedConn) Write(written []byte) (int, error) {
	n, err := c.Conn.Write(written)
	c.out.scan(written[:n], func(kind, flags byte, stream uint32, size int) {
		if kind == data {
			c.delivery.pass(stream, size)
		}
		if kind == reset || kind <= headers && flags&endStream != 0 {
			c.delivery.end(stream)
		}
	})
	return n, err
}

// frames finds the frames in parts of a connection.
type frames struct {
	skip   int
	header [frameHeader]byte
	have   int
}

func (f *frames) scan(data []byte, found func(kind, flags byte, stream uint32, size int)) {
	for len(data) > 0 {
		if f.skip > 0 {
			skipped := min(f.skip, len(data))
			f.skip -= skipped
			data = data[skipped:]
			continue
		}
		copied := copy(f.header[f.have:], data)
		f.have += copied
		data = data[copied:]
		if f.have == frameHeader {
			f.have = 0
			f.skip = int(f.header[0])<<16 | int(f.header[1])<<8 | int(f.header[2])
			found(f.header[3], f.header[4], binary.BigEndian.Uint32(f.header[5:])&(1<<31-1), f.skip)
		}
	}
}
