// Command referee-edge is the front door of the referee: it ends the connections of bots, with TLS and HTTP/2, and
// passes their calls on to a server. If the server has started it, it ends when its standard input ends. With -listen it
// is the door of a server on another machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	"referee.example/edge/internal/certificates"
	"referee.example/edge/internal/connections"
	"referee.example/edge/internal/forward"
	"referee.example/edge/internal/link"
)

// windowBytes is how much of a call may be on its way. gRPC would let it grow to megabytes.
const (
	windowBytes           = 64 << 10
	connectionWindowBytes = 1 << 20
	serverWindowBytes     = 16 << 20
	readBufferBytes       = 4 << 10
	writeBufferBytes      = 16 << 10
)

// version is set by the build of a release.
var version = "unreleased"

var (
	showsVersion = flag.Bool("version", false, "print the version and end")

	listeners = flag.String("listeners", "", "descriptors of the sockets that listen, with commas between them")
	listen    = flag.String("listen", "", "HOST:PORT where bots connect, if the server is on another machine")
	server    = flag.String("server", "", "path of the Unix socket of the server; with -listen, its edge_listen")
	linked    = flag.String("link", "", "path of the Unix socket of the server for Play streams")
	own       certificates.Files
	files     certificates.Files
	limits    connections.Limits

	reload       = flag.Duration("tls-reload-interval", 10*time.Second, "how often the TLS files are checked for changes")
	maxCalls     = flag.Uint("max-calls-per-connection", 256, "open calls of a connection")
	maxHeader    = flag.Uint("max-header-bytes", 16<<10, "size of the headers of a call")
	maxMessage   = flag.Int("max-message-bytes", 4<<20, "size of a message")
	handshake    = flag.Duration("handshake-timeout", 10*time.Second, "time for the handshakes of TLS and HTTP/2")
	idle         = flag.Duration("idle-timeout", 30*time.Second, "time without a call after which a connection is closed")
	read         = flag.Duration("read-timeout", 30*time.Second, "time for a client to read an answer")
	ping         = flag.Duration("keepalive-interval", time.Minute, "interval of keepalive pings on an idle connection")
	pong         = flag.Duration("keepalive-timeout", 20*time.Second, "timeout of a keepalive ping")
	minPing      = flag.Duration("min-client-ping-interval", 5*time.Second, "shortest interval of a client's pings")
	drain        = flag.Duration("drain-timeout", 2*time.Second, "time for calls to end before the process does")
	gcPercent    = flag.Int("gc-percent", 50, "garbage in percent of what is in use, at which it is collected")
	memoryTarget = flag.Int64("memory-limit", 512<<20, "memory in bytes above which garbage is collected more often")
)

func init() {
	flag.StringVar(&files.Cert, "tls-cert", "", "certificate chain (PEM); empty: no TLS")
	flag.StringVar(&files.Key, "tls-key", "", "private key of the certificate (PEM)")
	flag.StringVar(&own.CA, "server-ca", "", "CA of the certificate of a server on another machine (PEM)")
	flag.StringVar(&own.Cert, "server-cert", "", "certificate chain that is shown to that server (PEM)")
	flag.StringVar(&own.Key, "server-key", "", "private key of that certificate (PEM)")
	flag.StringVar(&files.CA, "tls-client-ca", "", "CA of client certificates (PEM); empty: they need none")
	flag.IntVar(&limits.Total, "max-connections", math.MaxInt, "connections at once")
	flag.IntVar(&limits.PerAddress, "max-connections-per-address", 256, "connections of an address (IPv6: a /64 network)")
	flag.IntVar(&limits.Idle, "max-idle-connections", 1000, "connections without an open call")
	flag.DurationVar(&limits.FirstCall, "first-call-timeout", 15*time.Second, "time for a connection to begin a call")
}

func main() {
	flag.Parse()
	if *showsVersion {
		fmt.Println(version)
		return
	}
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{ReplaceAttr: asServer})))
	debug.SetGCPercent(*gcPercent)
	debug.SetMemoryLimit(*memoryTarget)
	if err := run(); err != nil {
		slog.Error("the front door cannot start", "why", err.Error())
		os.Exit(1)
	}
}

// asServer names the parts of a log line as the server does.
func asServer(_ []string, part slog.Attr) slog.Attr {
	switch part.Key {
	case slog.TimeKey:
		return slog.Time("timestamp", part.Value.Time().UTC())
	case slog.LevelKey:
		return slog.String("level", strings.ToLower(part.Value.String()))
	case slog.MessageKey:
		part.Key = "event"
	}
	return part
}

// mustEnd returns a channel that is closed when this process must end: the server wants it, or was killed.
func mustEnd() <-chan struct{} {
	if *listen != "" {
		ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
		return ctx.Done()
	}
	// A supervisor sends it to all processes of a service at once, but the server still needs its door to drain.
	signal.Ignore(syscall.SIGTERM)
	ends := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ends)
	}()
	return ends
}

func run() error {
	ends := mustEnd()
	transport := insecure.NewCredentials()
	if files.Cert != "" {
		watcher, err := certificates.Watch(files, *reload)
		if err != nil {
			return err
		}
		transport = credentials.NewTLS(watcher.Config())
	}
	toServer, toLink, silence := unix(*server), unix(*linked), time.Duration(0)
	if *listen != "" {
		toServer = func(ctx context.Context) (net.Conn, error) { return own.Dial(ctx, *server) }
		toLink, silence = toServer, *ping+*pong
	}
	connection, err := connect(toServer)
	if err != nil {
		return err
	}
	limits.Read = *read
	play := link.New()
	limiter, forwarder := connections.NewLimiter(limits), forward.New(connection, play, *read)
	go play.Connect(toLink, silence, func() []byte { return counts(limiter, forwarder) })
	passing := []grpc.ServerOption{
		grpc.Creds(connections.Watched(transport)), grpc.InTapHandle(forwarder.Admit), grpc.UnknownServiceHandler(forwarder.Handle),
	}
	door := grpc.NewServer(append(options(), passing...)...)
	failed := make(chan error, 9)
	opened, err := open()
	if err != nil {
		return err
	}
	for _, listener := range opened {
		go func() { failed <- door.Serve(limiter.Limit(listener)) }()
	}
	select {
	case err := <-failed:
		return err
	case <-ends:
	}
	time.AfterFunc(*drain, door.Stop)
	door.GracefulStop()
	return nil
}

// open returns the sockets that listen.
func open() (opened []net.Listener, err error) {
	if *listen != "" {
		listener, err := net.Listen("tcp", *listen)
		if err != nil {
			return nil, err
		}
		if files.Cert == "" && !listener.Addr().(*net.TCPAddr).IP.IsLoopback() {
			return nil, errors.New("-tls-cert is required, unless -listen is a loopback address")
		}
		slog.Info("listening", "address", listener.Addr().String())
		return []net.Listener{listener}, nil
	}
	for _, text := range strings.Split(*listeners, ",") {
		listener, err := inherit(text)
		if err != nil {
			return nil, err
		}
		opened = append(opened, listener)
	}
	return opened, nil
}

func inherit(descriptor string) (net.Listener, error) {
	number, err := strconv.Atoi(descriptor)
	if err != nil {
		return nil, fmt.Errorf("%q is no descriptor of a socket", descriptor)
	}
	file := os.NewFile(uintptr(number), "listener")
	defer file.Close()
	return net.FileListener(file)
}

func unix(path string) link.Dial {
	return func(context.Context) (net.Conn, error) { return net.Dial("unix", path) }
}

// connect returns the one connection to the server, on which a call costs no handshake.
func connect(dial link.Dial) (*grpc.ClientConn, error) {
	retry := backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 2, Jitter: 0.2, MaxDelay: time.Second}
	return grpc.NewClient(
		"passthrough:server",
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return dial(ctx) }),
		grpc.WithTransportCredentials(insecure.NewCredentials()), // What it dials has TLS if it needs that.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: *ping, Timeout: *pong}),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: retry, MinConnectTimeout: 5 * time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)),
		grpc.WithDisableRetry(),
		grpc.WithDisableServiceConfig(),
		grpc.WithIdleTimeout(0),
		grpc.WithStaticStreamWindowSize(windowBytes),
		grpc.WithStaticConnWindowSize(serverWindowBytes),
	)
}

func options() []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.ForceServerCodecV2(forward.Codec{}),
		grpc.MaxConcurrentStreams(uint32(*maxCalls)),
		grpc.MaxHeaderListSize(uint32(*maxHeader)),
		grpc.MaxRecvMsgSize(*maxMessage),
		grpc.ConnectionTimeout(*handshake),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: *idle, Time: *ping, Timeout: *pong}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: *minPing, PermitWithoutStream: true}),
		grpc.StaticStreamWindowSize(windowBytes),
		grpc.StaticConnWindowSize(connectionWindowBytes),
		grpc.ReadBufferSize(readBufferBytes),
		grpc.WriteBufferSize(writeBufferBytes),
	}
}
