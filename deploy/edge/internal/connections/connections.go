// Package connections limits the connections of strangers: how many there are at once, in all and of each address, and
// how long one may stay without a call.
package connections

import (
	"container/list"
	"context"
	"math"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/peer"
)

// ipv6Prefix is the length of the networks that count as one address, because a customer has at least that much.
const ipv6Prefix = 64

// Calls that the server has not answered yet use memory here and there. They are limited, for each connection that an
// address may have, so that calls of strangers, which the server rejects, cannot pile up before it has seen them.
const (
	callBytes        = 4 << 10  // The cost of a call besides its headers.
	waitingBytes     = 4 << 10  // For each connection.
	waitingAddresses = 4        // Addresses that can use all of theirs at once.
	waitingShare     = 64 << 10 // What an address can use even then.
)

// Limits of all listeners together.
type Limits struct {
	Total, PerAddress int
	// Idle is the number of connections without an open call. Above it, the one is closed that is idle for longest,
	// first of those that never had a call.
	Idle int
	// FirstCall is the time in which a connection must begin a call, and Read that in which it must read an answer.
	FirstCall, Read time.Duration
}

// Limiter counts the open connections of several listeners, and what their calls use.
type Limiter struct {
	limits        Limits
	open, waiting budget
	idle          *idlers
	// Accepted counts all connections, Refused those that were closed at once, Silent those that began no call in
	// time, Idle those that were closed because too many were idle, and Unread those that did not read.
	Accepted, Refused, Silent, Idle, Unread atomic.Int64
}

// NewLimiter returns a Limiter that counts no connection yet.
func NewLimiter(limits Limits) *Limiter {
	waiting := min(limits.PerAddress, math.MaxInt32) * waitingBytes
	return &Limiter{
		limits:  limits,
		idle:    &idlers{most: limits.Idle},
		open:    newBudget(limits.Total, limits.PerAddress, 0),
		waiting: newBudget(waitingAddresses*waiting, waiting, waitingShare),
	}
}

// Open returns the number of open connections.
func (l *Limiter) Open() int { return l.open.used() }

// Limit returns a listener whose Accept closes connections above the limits.
func (l *Limiter) Limit(listener net.Listener) net.Listener {
	return &limitedListener{listener, l}
}

type limitedListener struct {
	net.Listener
	limiter *Limiter
}

func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		l.limiter.Accepted.Add(1)
		address := addressOf(inner.RemoteAddr())
		release, ok := l.limiter.open.take(networkOf(address), 1)
		if !ok {
			l.limiter.Refused.Add(1)
			inner.Close()
			continue
		}
		accepted := newConnection(inner, address, release, l.limiter)
		l.limiter.rest(accepted.peer)
		return accepted, nil
	}
}

// rest notes that a connection has no open call.
func (l *Limiter) rest(peer *Peer) {
	if oldest := l.idle.add(peer); oldest != nil {
		l.Idle.Add(1)
		oldest.conn.Close()
	}
}

func addressOf(remote net.Addr) netip.Addr {
	if tcp, ok := remote.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap().WithZone("")
	}
	return netip.Addr{}
}

func networkOf(address netip.Addr) netip.Prefix {
	bits := address.BitLen()
	if address.Is6() {
		bits = ipv6Prefix
	}
	network, _ := address.Prefix(bits)
	return network
}

type connection struct {
	net.Conn
	peer    *Peer
	release func()
}

func newConnection(inner net.Conn, address netip.Addr, release func(), limiter *Limiter) *connection {
	c := &connection{Conn: inner, release: release}
	c.peer = &Peer{Addr: inner.RemoteAddr(), Address: address, limiter: limiter, conn: c}
	c.peer.delivery = delivery{
		timeout: limiter.limits.Read, tooLate: c.peer.CloseUnread, wire: map[uint32]*progress{},
	}
	c.peer.silence = time.AfterFunc(limiter.limits.FirstCall, func() {
		limiter.Silent.Add(1)
		c.end()
	})
	return c
}

func (c *connection) RemoteAddr() net.Addr { return c.peer }

func (c *connection) Close() error {
	c.peer.silence.Stop()
	c.peer.delivery.stop()
	c.peer.limiter.idle.forget(c.peer)
	return c.end()
}

func (c *connection) end() error {
	c.release()
	return c.Conn.Close()
}

// Peer is the other end of a connection. It is the remote address by which gRPC knows the connection.
type Peer struct {
	net.Addr
	// Address is that of the other end, without its port.
	Address  netip.Addr
	limiter  *Limiter
	conn     *connection
	silence  *time.Timer
	delivery delivery
	// What follows is of idlers.
	calls       int
	resting     *list.Element
	known, gone bool
}

// BeginCall notes that the connection has begun a call with so many bytes of headers. It returns what must be called
// when the server has answered, or false if too many calls of this address, or in all, wait for that. EndCall must be
// called in any case.
func (p *Peer) BeginCall(headerBytes int) (answered func(), ok bool) {
	p.silence.Stop()
	p.delivery.run(1)
	p.limiter.idle.remove(p)
	return p.limiter.waiting.take(networkOf(p.Address), callBytes+headerBytes)
}

// EndCall notes that a call of the connection has ended.
func (p *Peer) EndCall() {
	p.delivery.run(-1)
	p.limiter.rest(p)
}

// CloseUnread closes the connection at once, because its client has not read an answer in time.
func (p *Peer) CloseUnread() {
	p.limiter.Unread.Add(1)
	p.conn.Close()
}

// PeerOf returns the peer of the call with this context.
func PeerOf(ctx context.Context) (*Peer, bool) {
	of, ok := peer.FromContext(ctx)
	if !ok {
		return nil, false
	}
	known, ok := of.Addr.(*Peer)
	return known, ok
}
