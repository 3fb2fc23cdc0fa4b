package referee

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

const defaultMatchesAtMost = 1

// settings come from the environment: the address of the referee, and the identity of the bot.
type settings struct {
	referee     string // HOST:PORT.
	credentials credentials.TransportCredentials
	token       string
	version     string
	maxMatches  uint32
	// verdictsWithTurns asks for the verdict on an accepted move together with the next turn.
	verdictsWithTurns bool
}

// settingsFrom reads the environment variables. The error says what is wrong with them.
func settingsFrom(environment func(string) string) (settings, error) {
	read := settings{
		referee:           environment("BOT_REFEREE"),
		version:           environment("BOT_VERSION"),
		maxMatches:        defaultMatchesAtMost,
		verdictsWithTurns: environment("BOT_VERDICTS_WITH_TURNS") == "1",
	}
	if read.referee == "" {
		return read, fmt.Errorf("BOT_REFEREE is not set")
	}
	var err error
	if read.token, err = tokenFrom(environment); err != nil {
		return read, err
	}
	if text := environment("BOT_MAX_MATCHES"); text != "" {
		number, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return read, fmt.Errorf("BOT_MAX_MATCHES is no number: %s", text)
		}
		read.maxMatches = uint32(number)
	}
	read.credentials, err = credentialsFor(read.referee, environment("BOT_CA"), environment("BOT_PLAINTEXT") == "1")
	return read, err
}

// tokenFrom returns BOT_TOKEN, or else the content of the file that BOT_TOKEN_FILE names.
func tokenFrom(environment func(string) string) (string, error) {
	token, file := environment("BOT_TOKEN"), environment("BOT_TOKEN_FILE")
	if token == "" && file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("BOT_TOKEN_FILE: %w", err)
		}
		token = strings.TrimSpace(string(text))
	}
	if token == "" {
		return "", fmt.Errorf("BOT_TOKEN is not set")
	}
	return token, nil
}

// credentialsFor returns TLS credentials, except if the host is this machine or plaintext is permitted. With a file of
// root certificates, it is always TLS.
func credentialsFor(referee, roots string, plaintext bool) (credentials.TransportCredentials, error) {
	host, port, err := net.SplitHostPort(referee)
	if _, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil || host == "" {
		return nil, fmt.Errorf("BOT_REFEREE is not HOST:PORT: %s", referee)
	}
	if roots != "" {
		pool, err := poolOf(roots)
		return credentials.NewTLS(&tls.Config{RootCAs: pool}), err
	}
	if plaintext || host == "localhost" || net.ParseIP(host).IsLoopback() {
		return insecure.NewCredentials(), nil
	}
	return credentials.NewTLS(&tls.Config{}), nil // The system's root certificates.
}

func poolOf(roots string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(roots)
	if err != nil {
		return nil, fmt.Errorf("BOT_CA: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("BOT_CA: there is no certificate in %s", roots)
	}
	return pool, nil
}
