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

const defaultMaxMatches = 1

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

// readSettings reads the environment variables. The error says what is wrong with them.
func readSettings(getenv func(string) string) (settings, error) {
	s := settings{
		referee:           getenv("BOT_REFEREE"),
		version:           getenv("BOT_VERSION"),
		maxMatches:        defaultMaxMatches,
		verdictsWithTurns: getenv("BOT_VERDICTS_WITH_TURNS") == "1",
	}
	if s.referee == "" {
		return s, fmt.Errorf("BOT_REFEREE is not set")
	}
	var err error
	if s.token, err = readToken(getenv); err != nil {
		return s, err
	}
	if text := getenv("BOT_MAX_MATCHES"); text != "" {
		number, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return s, fmt.Errorf("BOT_MAX_MATCHES is not a number: %s", text)
		}
		s.maxMatches = uint32(number)
	}
	s.credentials, err = transportCredentials(s.referee, getenv("BOT_CA"), getenv("BOT_PLAINTEXT") == "1")
	return s, err
}

// readToken returns BOT_TOKEN, or else the content of the file that BOT_TOKEN_FILE names.
func readToken(getenv func(string) string) (string, error) {
	token, file := getenv("BOT_TOKEN"), getenv("BOT_TOKEN_FILE")
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

// transportCredentials returns TLS credentials, except if the host is this machine or plaintext is permitted. With a
// file of certificate authorities, it is always TLS.
func transportCredentials(referee, caFile string, plaintext bool) (credentials.TransportCredentials, error) {
	host, port, err := net.SplitHostPort(referee)
	if _, portErr := strconv.ParseUint(port, 10, 16); err != nil || portErr != nil || host == "" {
		return nil, fmt.Errorf("BOT_REFEREE is not HOST:PORT: %s", referee)
	}
	if caFile != "" {
		pool, err := readCertPool(caFile)
		return credentials.NewTLS(&tls.Config{RootCAs: pool}), err
	}
	if plaintext || host == "localhost" || net.ParseIP(host).IsLoopback() {
		return insecure.NewCredentials(), nil
	}
	return credentials.NewTLS(&tls.Config{}), nil // Trusts the certificate authorities of the system.
}

func readCertPool(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("BOT_CA: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("BOT_CA: there is no certificate in %s", file)
	}
	return pool, nil
}
