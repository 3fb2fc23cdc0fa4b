package link

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// Kinds of frames.
const (
	opened byte = iota
	message
	closed
	gone
	credit
	ended
	beat
)

const (
	headBytes     = 9
	maxFrameBytes = 64 << 20
	bufferBytes   = 256 << 10
	// beatInterval is what the server expects.
	beatInterval = 50 * time.Millisecond
)

type frame struct {
	kind byte
	body []byte
}

// connection carries the frames of all streams.
type connection struct {
	socket  net.Conn
	silence time.Duration
	counts  func() []byte
	mutex   sync.Mutex
	streams map[uint32]*stream
	number  uint32
	unsent  []byte
	filled  chan struct{}
	// lost is closed when the connection has ended.
	lost chan struct{}
}

func newConnection(socket net.Conn, silence time.Duration, counts func() []byte) *connection {
	c := &connection{
		socket: socket, silence: silence, counts: counts,
		streams: map[uint32]*stream{}, filled: make(chan struct{}, 1), lost: make(chan struct{}),
	}
	c.beat() // Before the first message, so that the server knows this clock.
	return c
}

// run returns why the connection has ended. It calls atEnd before streams see that.
func (c *connection) run(atEnd func()) error {
	go c.write()
	err := c.read()
	atEnd()
	close(c.lost)
	return errors.Join(err, c.socket.Close())
}

func (c *connection) add(s *stream) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.number++
	s.number = c.number
	c.streams[s.number] = s
}

// remove returns the stream of that number; nil: it was removed before.
func (c *connection) remove(number uint32) *stream {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	s := c.streams[number]
	delete(c.streams, number)
	return s
}

func (c *connection) find(number uint32) *stream {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.streams[number]
}

func (c *connection) send(number uint32, kind byte, body []byte) {
	c.mutex.Lock()
	c.unsent = binary.BigEndian.AppendUint32(c.unsent, uint32(len(body)))
	c.unsent = binary.BigEndian.AppendUint32(c.unsent, number)
	c.unsent = append(append(c.unsent, kind), body...)
	c.mutex.Unlock()
	select {
	case c.filled <- struct{}{}:
	default: // It is filled already.
	}
}

func (c *connection) beat() {
	c.send(0, beat, append(binary.BigEndian.AppendUint64(nil, uint64(monotonicNanoseconds())), c.counts()...))
}

// write sends at once what has gathered since the last time, and beats, by which the server knows that nothing waits.
func (c *connection) write() {
	var sending []byte
	beats := time.NewTicker(beatInterval)
	defer beats.Stop()
	for {
		select {
		case <-beats.C:
			c.beat()
			continue
		case <-c.filled:
		case <-c.lost:
			return
		}
		c.mutex.Lock()
		sending, c.unsent = c.unsent, sending[:0]
		c.mutex.Unlock()
		if _, err := c.socket.Write(sending); err != nil {
			_ = c.socket.Close() // Ends `read`.
			return
		}
		if cap(sending) > bufferBytes {
			sending = nil // Its size was unusual.
		}
	}
}

func (c *connection) read() error {
	reader := bufio.NewReaderSize(c.socket, bufferBytes)
	var head [headBytes]byte
	for {
		if c.silence > 0 {
			_ = c.socket.SetReadDeadline(time.Now().Add(c.silence))
		}
		if _, err := io.ReadFull(reader, head[:]); err != nil {
			return err
		}
		size, number, kind := binary.BigEndian.Uint32(head[:]), binary.BigEndian.Uint32(head[4:]), head[8]
		if size > maxFrameBytes {
			return errors.New("a frame is too long")
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(reader, body); err != nil {
			return err
		}
		find := c.find
		if kind == ended {
			find = c.remove
		}
		if s := find(number); s != nil { // Otherwise its caller is gone.
			s.receive(frame{kind, body})
		}
	}
}
