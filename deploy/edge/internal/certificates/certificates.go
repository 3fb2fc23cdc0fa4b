// Package certificates reads TLS files, and reads them again when they have changed.
package certificates

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"
)

// Files are paths of PEM files. With a CA, the other side must show a certificate that it has signed.
type Files struct{ Cert, Key, CA string }

// Watcher has the configuration that follows from the files.
type Watcher struct {
	files    Files
	interval time.Duration
	mutex    sync.Mutex
	next     time.Time
	contents [][]byte
	config   *tls.Config
}

// Watch reads the files; later it checks them at most once in an interval.
func Watch(files Files, interval time.Duration) (*Watcher, error) {
	w := &Watcher{files: files, interval: interval, next: time.Now().Add(interval)}
	return w, w.read()
}

// Config returns the configuration of a server, which follows the files.
func (w *Watcher) Config() *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		NextProtos:         []string{"h2"},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return w.current(), nil },
	}
}

// current reads the files if it is time to. Files that cannot be used change nothing.
func (w *Watcher) current() *tls.Config {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if now := time.Now(); !now.Before(w.next) {
		w.next = now.Add(w.interval)
		if err := w.read(); err != nil {
			slog.Warn("TLS files are invalid; the earlier ones stay in use", "why", err)
		}
	}
	return w.config
}

func (w *Watcher) read() error {
	contents := make([][]byte, 3)
	for at, path := range []string{w.files.Cert, w.files.Key, w.files.CA} {
		var err error
		if path == "" {
			continue
		}
		if contents[at], err = os.ReadFile(path); err != nil {
			return err
		}
	}
	if w.config != nil && bytes.Equal(bytes.Join(contents, nil), bytes.Join(w.contents, nil)) {
		return nil
	}
	config, err := newConfig(contents[0], contents[1], contents[2])
	if err != nil {
		return err
	}
	if w.config != nil {
		slog.Info("TLS files reloaded")
	}
	w.contents, w.config = contents, config
	return nil
}

// Dial connects to a server over TLS, by the files as they are now.
func (f Files) Dial(ctx context.Context, address string) (net.Conn, error) {
	w := &Watcher{files: f}
	if err := w.read(); err != nil {
		return nil, err
	}
	dialer := tls.Dialer{Config: w.config}
	return dialer.DialContext(ctx, "tcp", address)
}

func newConfig(cert, key, ca []byte) (*tls.Config, error) {
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"}, Certificates: []tls.Certificate{pair}}
	if ca != nil {
		config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		config.RootCAs = config.ClientCAs
		if !config.ClientCAs.AppendCertsFromPEM(ca) {
			return nil, errors.New("the CA file contains no certificate in PEM format")
		}
	}
	return config, nil
}
