package connections

import (
	"net"
	"testing"
	"time"
)

// dialled is a listener whose connections come from these addresses.
type dialled struct {
	from []string
	sent []net.Conn
}

func (d *dialled) Accept() (net.Conn, error) {
	if len(d.from) == 0 {
		return nil, net.ErrClosed
	}
	ours, theirs := net.Pipe()
	address := &net.TCPAddr{IP: net.ParseIP(d.from[0]), Port: 4711}
	d.from, d.sent = d.from[1:], append(d.sent, theirs)
	return &from{ours, address}, nil
}

func (d *dialled) Close() error   { return nil }
func (d *dialled) Addr() net.Addr { return nil }

type from struct {
	net.Conn
	address net.Addr
}

func (f *from) RemoteAddr() net.Addr { return f.address }

func accept(limiter *Limiter, addresses ...string) []net.Conn {
	listener := limiter.Limit(&dialled{from: addresses})
	accepted := []net.Conn{}
	for {
		conn, err := listener.Accept()
		if err != nil {
			return accepted
		}
		accepted = append(accepted, conn)
	}
}

func TestConnectionsAboveTheLimitsAreClosed(t *testing.T) {
	for _, test := range []struct {
		addresses []string
		admitted  int
	}{
		{[]string{"10.0.0.1", "10.0.0.1", "10.0.0.1"}, 2},
		{[]string{"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"}, 3},
		{[]string{"2001:db8::1", "2001:db8::2", "2001:db8::3"}, 2},
		{[]string{"2001:db8::1", "2001:db8::1", "2001:db8:0:1::1"}, 3},
		{[]string{"::ffff:10.0.0.1", "10.0.0.1", "10.0.0.1"}, 2},
	} {
		limiter := NewLimiter(Limits{Total: 3, PerAddress: 2, FirstCall: time.Hour, Read: time.Hour, Idle: 9})
		open := accept(limiter, test.addresses...)
		refused := len(test.addresses) - test.admitted
		if len(open) != test.admitted || limiter.Open() != test.admitted || int(limiter.Refused.Load()) != refused {
			t.Errorf("%v: %d connections are open", test.addresses, len(open))
		}
	}
}

func TestAClosedConnectionMakesRoomOnce(t *testing.T) {
	limiter := NewLimiter(Limits{Total: 2, PerAddress: 2, FirstCall: time.Hour, Read: time.Hour, Idle: 9})
	first := accept(limiter, "10.0.0.1", "10.0.0.1")[0]
	first.Close()
	first.Close()
	if open := accept(limiter, "10.0.0.1", "10.0.0.1"); len(open) != 1 || limiter.Open() != 2 {
		t.Fatalf("%d more connections are open, %d in all", len(open), limiter.Open())
	}
}

func TestAConnectionIsClosedThatBeginsNoCall(t *testing.T) {
	limiter := NewLimiter(Limits{Total: 2, PerAddress: 2, FirstCall: time.Millisecond, Read: time.Hour, Idle: 9})
	silent := accept(limiter, "10.0.0.1")[0]
	if _, err := silent.Read(make([]byte, 1)); err == nil {
		t.Fatal("it was not closed")
	}
	if limiter.Open() != 0 || limiter.Silent.Load() != 1 {
		t.Fatalf("%d connections are open, %d were silent", limiter.Open(), limiter.Silent.Load())
	}
}

func TestTheLongestIdleConnectionIsClosedWhenThereAreTooMany(t *testing.T) {
	limiter := NewLimiter(Limits{Total: 9, PerAddress: 9, FirstCall: time.Hour, Read: time.Hour, Idle: 3})
	open := accept(limiter, "10.0.0.1", "10.0.0.2", "10.0.0.3")
	peers := []*Peer{}
	for _, conn := range open {
		peers = append(peers, conn.RemoteAddr().(*Peer))
	}
	begin := func(at int) {
		if _, ok := peers[at].BeginCall(100); !ok {
			t.Fatal("a call was refused")
		}
	}
	begin(0)
	peers[0].EndCall()
	begin(1)
	begin(1)
	peers[1].EndCall()
	accept(limiter, "10.0.0.4")
	if limiter.Idle.Load() != 0 {
		t.Fatal("a connection was closed although one has a call")
	}
	peers[1].EndCall()
	if !peers[2].gone || limiter.Idle.Load() != 1 {
		t.Fatal("the connection that never had a call stays open")
	}
	accept(limiter, "10.0.0.5")
	begin(0)
	accept(limiter, "10.0.0.6", "10.0.0.7")
	if peers[0].gone || peers[1].gone || limiter.Open() != 4 {
		t.Fatalf("%d connections are open", limiter.Open())
	}
}

func TestCallsThatWaitAreLimitedForEachAddress(t *testing.T) {
	limiter := NewLimiter(Limits{Total: 9, PerAddress: 2, FirstCall: time.Hour, Read: time.Hour, Idle: 9})
	open := accept(limiter, "10.0.0.1", "10.0.0.2")
	one, other := open[0].RemoteAddr().(*Peer), open[1].RemoteAddr().(*Peer)
	answered, ok := one.BeginCall(2*waitingBytes - callBytes)
	if !ok {
		t.Fatal("the first call was refused")
	}
	if _, ok := one.BeginCall(0); ok {
		t.Fatal("the second call was accepted")
	}
	if _, ok := other.BeginCall(0); !ok {
		t.Fatal("the call of another address was refused")
	}
	limiter.waiting.total = 0
	if _, ok := other.BeginCall(0); !ok {
		t.Fatal("a call was refused because of others")
	}
	answered()
	if _, ok := one.BeginCall(0); !ok {
		t.Fatal("a call was refused after the others were answered")
	}
}
