package certificates

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// write writes a new pair of files with this serial number.
func write(t *testing.T, files Files, serial int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{{127, 0, 0, 1}},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{
		files.Cert: {Type: "CERTIFICATE", Bytes: cert},
		files.Key:  {Type: "PRIVATE KEY", Bytes: bytes},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func shown(t *testing.T, watcher *Watcher) int64 {
	t.Helper()
	config, err := watcher.Config().GetConfigForClient(&tls.ClientHelloInfo{})
	if err != nil {
		t.Fatal(err)
	}
	return config.Certificates[0].Leaf.SerialNumber.Int64()
}

func newFiles(t *testing.T) Files {
	folder := t.TempDir()
	files := Files{Cert: filepath.Join(folder, "cert.pem"), Key: filepath.Join(folder, "key.pem")}
	write(t, files, 1)
	return files
}

func watch(t *testing.T, files Files, interval time.Duration) *Watcher {
	watcher, err := Watch(files, interval)
	if err != nil {
		t.Fatal(err)
	}
	return watcher
}

func TestChangedFilesAreShownToTheNextClient(t *testing.T) {
	files := newFiles(t)
	watcher := watch(t, files, 0)
	write(t, files, 2)
	if serial := shown(t, watcher); serial != 2 {
		t.Fatalf("the certificate is %d", serial)
	}
}

func TestFilesThatCannotBeUsedChangeNothing(t *testing.T) {
	files := newFiles(t)
	watcher := watch(t, files, 0)
	if err := os.WriteFile(files.Key, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if serial := shown(t, watcher); serial != 1 {
		t.Fatalf("the certificate is %d", serial)
	}
}

func TestFilesAreNotReadAgainBeforeTheInterval(t *testing.T) {
	files := newFiles(t)
	watcher := watch(t, files, time.Hour)
	write(t, files, 2)
	if serial := shown(t, watcher); serial != 1 {
		t.Fatalf("the certificate is %d", serial)
	}
}

func TestAClientCADemandsACertificate(t *testing.T) {
	files := newFiles(t)
	files.CA = files.Cert
	watcher := watch(t, files, 0)
	if watcher.current().ClientAuth != tls.RequireAndVerifyClientCert {
		t.Fatal("clients need no certificate")
	}
	files.CA = files.Key
	if _, err := Watch(files, 0); err == nil {
		t.Fatal("a file without a certificate was accepted")
	}
}

func TestDialShowsTheCertificateOfTheFilesAsTheyAreAndTrustsTheCA(t *testing.T) {
	own, server := newFiles(t), newFiles(t)
	own.CA, server.CA = server.Cert, own.Cert
	write(t, own, 2)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", watch(t, server, 0).Config())
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	shown := make(chan int64)
	go func() {
		for {
			accepted, err := listener.Accept()
			if err != nil {
				return
			}
			if accepted.(*tls.Conn).Handshake() == nil {
				shown <- accepted.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber.Int64()
			}
		}
	}()
	for serial := range int64(2) {
		write(t, own, serial+3)
		connection, err := own.Dial(context.Background(), listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		if found := <-shown; found != serial+3 {
			t.Fatalf("the certificate is %d", found)
		}
	}
	own.CA = own.Cert
	if _, err := own.Dial(context.Background(), listener.Addr().String()); err == nil {
		t.Fatal("a server of another authority is trusted")
	}
}
