package referee

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"strconv"
	"strings"
)

// WithEnvironment reads the settings from environment variables, by os.Getenv or a function like it: BOT_REFEREE,
// BOT_TOKEN or BOT_TOKEN_FILE, BOT_CA, BOT_PLAINTEXT, BOT_VERSION, BOT_MAX_MATCHES and BOT_VERDICTS_WITH_TURNS. A variable
// that is empty counts as not set, and does not replace an earlier option. BOT_TOKEN_FILE is read at once; it may be a
// pipe.
func WithEnvironment(getenv func(string) string) Option {
	return func(c *config) {
		if address := getenv("BOT_REFEREE"); address != "" {
			c.address = address
		}
		c.readToken(getenv)
		if file := getenv("BOT_CA"); file != "" {
			c.readRoots(file)
		}
		if getenv("BOT_PLAINTEXT") == "1" {
			c.plaintext = true
		}
		if version := getenv("BOT_VERSION"); version != "" {
			c.version = version
		}
		if text := getenv("BOT_MAX_MATCHES"); text != "" {
			number, err := strconv.ParseUint(text, 10, 32)
			if err != nil {
				c.fail("BOT_MAX_MATCHES", "is not a number of matches: "+text)
			}
			c.maxMatches = uint32(number)
		}
		if getenv("BOT_VERDICTS_WITH_TURNS") == "1" {
			c.verdictsWithTurns = true
		}
	}
}

// readToken reads BOT_TOKEN, or else the file that BOT_TOKEN_FILE names.
func (c *config) readToken(getenv func(string) string) {
	token, file := getenv("BOT_TOKEN"), getenv("BOT_TOKEN_FILE")
	if token == "" && file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			c.fail("BOT_TOKEN_FILE", "cannot be read: "+err.Error())
		}
		token = strings.TrimSpace(string(text))
		if err == nil && token == "" {
			c.fail("BOT_TOKEN_FILE", "is empty: "+file)
		}
	}
	if token != "" {
		c.token = token
	}
}

func (c *config) readRoots(file string) {
	pem, err := os.ReadFile(file)
	if err != nil {
		c.fail("BOT_CA", "cannot be read: "+err.Error())
		return
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		c.fail("BOT_CA", "has no certificate: "+file)
	}
	c.tls = &tls.Config{RootCAs: roots}
}
