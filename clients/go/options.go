package referee

import (
	"context"
	"crypto/tls"
	"log/slog"
	"math/rand/v2"
	"net"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"referee.example/referee/refereev1"
)

// Version is the version of this package, which the referee is told.
const Version = "0.1.0"

const (
	defaultMaxMatches    = 1
	defaultMaxLegalMoves = 5000
	maxPort              = 65535
)

// Option is a setting of [Play] or [NewClient]. Later options replace earlier ones.
type Option func(*config)

// NonceFunc returns what the bot adds to the seed of a match: up to 64 bytes that nobody can guess.
type NonceFunc func(matchID string, seat int) []byte

// config is the effective settings.
type config struct {
	address           string // HOST:PORT.
	token             string
	tls               *tls.Config // Nil: no TLS for this machine or with plaintext, else that of the system.
	plaintext         bool
	version           string
	games             []string
	maxMatches        uint32
	turnOptions       *refereev1.TurnOptions
	verdictsWithTurns bool
	nonce             NonceFunc
	logger            *slog.Logger
	random            func() float64
	err               error // The first error of an option.
}

// newConfig applies the options. The error is a SettingError.
func newConfig(options []Option) (*config, error) {
	c := &config{
		maxMatches:  defaultMaxMatches,
		turnOptions: &refereev1.TurnOptions{MaxLegalMoves: defaultMaxLegalMoves},
		nonce:       randomNonce,
		logger:      slog.Default(),
		random:      rand.Float64,
	}
	for _, option := range options {
		option(c)
	}
	if c.err != nil {
		return nil, c.err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *config) fail(variable, problem string) {
	if c.err == nil {
		c.err = &SettingError{variable, problem}
	}
}

// A host is a name, an IPv4 address, or an IPv6 address in brackets.
var hostPort = regexp.MustCompile(`^(?:[^\s:/\[\]]+|\[[^\s/\[\]]+\]):([0-9]+)$`)

func (c *config) check() error {
	if c.address == "" {
		return &SettingError{"BOT_REFEREE", "is not set: it is the address of the referee, HOST:PORT"}
	}
	found := hostPort.FindStringSubmatch(c.address)
	if found == nil {
		return &SettingError{"BOT_REFEREE", "is not HOST:PORT: " + c.address}
	}
	if port, err := strconv.ParseUint(found[1], 10, 32); err != nil || port == 0 || port > maxPort {
		return &SettingError{"BOT_REFEREE", "has no port from 1 to 65535: " + c.address}
	}
	if c.token == "" {
		return &SettingError{"BOT_TOKEN", "is not set"}
	}
	if strings.ContainsFunc(c.token, func(char rune) bool { return char < ' ' || char > '~' }) {
		return &SettingError{"BOT_TOKEN", "has characters that no token has, such as the end of a line"}
	}
	return nil
}

// usesTLS tells whether the connection uses TLS.
func (c *config) usesTLS() bool {
	return c.tls != nil || !c.plaintext && !isLoopback(c.address)
}

func (c *config) credentials() credentials.TransportCredentials {
	switch {
	case !c.usesTLS():
		return insecure.NewCredentials()
	case c.tls == nil:
		return credentials.NewTLS(&tls.Config{}) // Trusts the certificate authorities of the system.
	}
	return credentials.NewTLS(c.tls.Clone())
}

// isLoopback tells whether the host is this machine. A name that only begins like an address may be another one.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && (host == "localhost" || net.ParseIP(host).IsLoopback())
}

// bearer adds the token to each call.
type bearer string

func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

// RequireTransportSecurity is false, since the referee may be on the same machine.
func (b bearer) RequireTransportSecurity() bool { return false }

// WithAddress sets the address of the server, HOST:PORT. It is required.
func WithAddress(address string) Option { return func(c *config) { c.address = address } }

// WithToken sets the token of the bot or organiser. It is required.
func WithToken(token string) Option { return func(c *config) { c.token = token } }

// WithTLS connects by TLS with this configuration. Without it, TLS is used with the certificate authorities of the
// system, except for addresses of this machine.
func WithTLS(configuration *tls.Config) Option { return func(c *config) { c.tls = configuration } }

// WithPlaintext permits connections to other machines without TLS.
func WithPlaintext() Option { return func(c *config) { c.plaintext = true } }

// WithVersion sets the version that the bot plays as. The default is the last one that was registered.
func WithVersion(version string) Option { return func(c *config) { c.version = version } }

// WithGames sets the games that the bot plays. The default is all games.
func WithGames(games ...string) Option { return func(c *config) { c.games = games } }

// WithMaxMatches sets how many matches the bot plays at once. The default is 1, because concurrent matches share the CPU
// while all of their clocks run. With 0 the bot gets no new matches.
func WithMaxMatches(matches uint32) Option { return func(c *config) { c.maxMatches = matches } }

// WithMaxLegalMoves sets how many legal moves a turn lists at most. The default is 5000, and with 0 it lists none.
func WithMaxLegalMoves(moves uint32) Option {
	return func(c *config) { c.turnOptions.MaxLegalMoves = moves }
}

// WithView requests the position as JSON in each turn.
func WithView() Option { return func(c *config) { c.turnOptions.IncludeView = true } }

// WithFullHistory requests all moves of the match in each turn, instead of those since the last turn of the seat.
func WithFullHistory() Option { return func(c *config) { c.turnOptions.FullMoveHistory = true } }

// WithVerdictsWithTurns lets the verdict on an accepted move arrive with the next turn, which saves messages.
func WithVerdictsWithTurns() Option { return func(c *config) { c.verdictsWithTurns = true } }

// WithNonce lets the bot choose its nonces itself. The default is 32 random bytes.
func WithNonce(nonce NonceFunc) Option { return func(c *config) { c.nonce = nonce } }

// WithLogger sets the logger. The default is [slog.Default].
func WithLogger(logger *slog.Logger) Option { return func(c *config) { c.logger = logger } }
