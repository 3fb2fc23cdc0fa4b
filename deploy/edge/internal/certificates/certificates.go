// Package certificates reads the files of a TLS server, and reads them again when they have changed.
package certificates

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Files are paths of PEM files. With a ClientCA, clients must show a certificate that it has signed.
type Files struct{ Cert, Key, ClientCA string }

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
	for at, path := range []string{w.files.Cert, w.files.Key, w.files.ClientCA} {
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

func newConfig(cert, key, clientCA []byte) (*tls.Config, error) {
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"}, Certificates: []tls.Certificate{pair}}
	if clientCA != nil {
		config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		if !config.ClientCAs.AppendCertsFromPEM(clientCA) {
			return nil, errors.New("the client CA file contains no certificate in PEM format")
		}
	}
	return config, nil
}
