package referee

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

func settingsOf(given map[string]string) (settings, error) {
	all := map[string]string{"BOT_TOKEN": "secret"}
	maps.Copy(all, given)
	return settingsFrom(func(name string) string { return all[name] })
}

func expectProtocol(t *testing.T, want string, given map[string]string) {
	t.Helper()
	settings, err := settingsOf(given)
	if err != nil {
		t.Fatal(err)
	}
	if got := settings.credentials.Info().SecurityProtocol; got != want {
		t.Errorf("it speaks %s, not %s: %v", got, want, given)
	}
}

func TestOnlyThisMachineIsSpokenToInPlaintext(t *testing.T) {
	for _, near := range []string{"localhost:1", "127.0.0.1:1", "127.9.9.9:1", "[::1]:1"} {
		expectProtocol(t, "insecure", map[string]string{"BOT_REFEREE": near})
	}
	for _, far := range []string{"referee.example:443", "10.0.0.1:1", "[2001:db8::1]:1", "127.0.0.1.evil.example:1", "localhost.evil.example:1"} {
		expectProtocol(t, "tls", map[string]string{"BOT_REFEREE": far})
	}
}

func TestPlaintextElsewhereHasToBePermitted(t *testing.T) {
	far := "referee.example:443"
	expectProtocol(t, "insecure", map[string]string{"BOT_REFEREE": far, "BOT_PLAINTEXT": "1"})
	expectProtocol(t, "tls", map[string]string{"BOT_REFEREE": far, "BOT_PLAINTEXT": "0"})
}

func TestOnlyOneTurnsOnVerdictsWithTurns(t *testing.T) {
	for value, want := range map[string]bool{"": false, "0": false, "true": false, "1": true} {
		read, err := settingsOf(map[string]string{"BOT_REFEREE": "localhost:1", "BOT_VERDICTS_WITH_TURNS": value})
		if err != nil || read.verdictsWithTurns != want {
			t.Errorf("BOT_VERDICTS_WITH_TURNS=%q sets it to %v (%v), not %v", value, read.verdictsWithTurns, err, want)
		}
	}
}

func TestTheTokenIsReadFromAFileWhereItIsNotGiven(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, token := range map[string]string{"from-a-file": "", "given": "given"} {
		read, err := settingsOf(map[string]string{"BOT_REFEREE": "localhost:1", "BOT_TOKEN": token, "BOT_TOKEN_FILE": file})
		if err != nil || read.token != want {
			t.Errorf("the token is %q (%v), not %q", read.token, err, want)
		}
	}
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	near := "localhost:1"
	for want, given := range map[string]map[string]string{
		"BOT_REFEREE is not set": {},
		"BOT_TOKEN is not set":   {"BOT_REFEREE": near, "BOT_TOKEN": ""},
		"BOT_TOKEN_FILE: open /no/such: no such file or directory":    {"BOT_REFEREE": near, "BOT_TOKEN": "", "BOT_TOKEN_FILE": "/no/such"},
		"BOT_REFEREE is not HOST:PORT: here":                          {"BOT_REFEREE": "here"},
		"BOT_REFEREE is not HOST:PORT: here:65536":                    {"BOT_REFEREE": "here:65536"},
		"BOT_MAX_MATCHES is no number: many":                          {"BOT_REFEREE": near, "BOT_MAX_MATCHES": "many"},
		"BOT_CA: open /no/such.pem: no such file or directory":        {"BOT_REFEREE": near, "BOT_CA": "/no/such.pem"},
		"BOT_CA: there is no certificate in " + filepath.Clean(empty): {"BOT_REFEREE": near, "BOT_CA": empty},
	} {
		if _, err := settingsOf(given); err == nil || err.Error() != want {
			t.Errorf("it says %q, not %q", err, want)
		}
	}
}
