// Command referee-edge is the front door of the referee: it ends the connections of bots, with TLS and HTTP/2, and
// passes their calls on to the server that has started it. It ends when its standard input ends.
package main

import (
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
	server    = flag.String("server", "", "path of the Unix socket of the server")
	linked    = flag.String("link", "", "path of the Unix socket of the server for Play streams")
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
	flag.StringVar(&files.ClientCA, "tls-client-ca", "", "CA of client certificates (PEM); empty: they need none")
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
	// A supervisor sends it to all processes of a service at once, but the server still needs its door to drain.
	signal.Ignore(syscall.SIGTERM)
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

// serverEnds returns a channel that is closed when the server wants this process to end, or was killed.
func serverEnds() <-chan struct{} {
	ends := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ends)
	}()
	return ends
}

func run() error {
	transport := insecure.NewCredentials()
	if files.Cert != "" {
		watcher, err := certificates.Watch(files, *reload)
		if err != nil {
			return err
		}
		transport = credentials.NewTLS(watcher.Config())
	}
	connection, err := connect(*server)
	if err != nil {
		return err
	}
	limits.Read = *read
	play := link.New()
	limiter, forwarder := connections.NewLimiter(limits), forward.New(connection, play, *read)
	go play.Connect(*linked, func() []byte { return counts(limiter, forwarder) })
	passing := []grpc.ServerOption{
		grpc.Creds(connections.Watched(transport)), grpc.InTapHandle(forwarder.Admit), grpc.UnknownServiceHandler(forwarder.Handle),
	}
	door := grpc.NewServer(append(options(), passing...)...)
	failed := make(chan error, 9)
	for _, text := range strings.Split(*listeners, ",") {
		listener, err := inherit(text)
		if err != nil {
			return err
		}
		go func() { failed <- door.Serve(limiter.Limit(listener)) }()
	}
	select {
	case err := <-failed:
		return err
	case <-serverEnds():
	}
	time.AfterFunc(*drain, door.Stop)
	door.GracefulStop()
	return nil
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

// connect returns the one connection to the server, on which a call costs no handshake.
func connect(path string) (*grpc.ClientConn, error) {
	retry := backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 2, Jitter: 0.2, MaxDelay: time.Second}
	return grpc.NewClient(
		"unix:"+path,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: retry, MinConnectTimeout: time.Second}),
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
