package referee

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

func settingsFor(variables map[string]string) (settings, error) {
	environment := map[string]string{"BOT_TOKEN": "secret"}
	maps.Copy(environment, variables)
	return readSettings(func(name string) string { return environment[name] })
}

func expectProtocol(t *testing.T, want string, variables map[string]string) {
	t.Helper()
	settings, err := settingsFor(variables)
	if err != nil {
		t.Fatal(err)
	}
	if got := settings.credentials.Info().SecurityProtocol; got != want {
		t.Errorf("the protocol is %s, want %s: %v", got, want, variables)
	}
}

func TestPlaintextIsTheDefaultForLoopbackAddressesOnly(t *testing.T) {
	for _, loopback := range []string{"localhost:1", "127.0.0.1:1", "127.9.9.9:1", "[::1]:1"} {
		expectProtocol(t, "insecure", map[string]string{"BOT_REFEREE": loopback})
	}
	for _, remote := range []string{"referee.example:443", "10.0.0.1:1", "[2001:db8::1]:1", "127.0.0.1.evil.example:1", "localhost.evil.example:1"} {
		expectProtocol(t, "tls", map[string]string{"BOT_REFEREE": remote})
	}
}

func TestPlaintextToOtherMachinesMustBeAllowed(t *testing.T) {
	remote := "referee.example:443"
	expectProtocol(t, "insecure", map[string]string{"BOT_REFEREE": remote, "BOT_PLAINTEXT": "1"})
	expectProtocol(t, "tls", map[string]string{"BOT_REFEREE": remote, "BOT_PLAINTEXT": "0"})
}

func TestVerdictsWithTurnsAreRequestedByTheValue1Only(t *testing.T) {
	for value, want := range map[string]bool{"": false, "0": false, "true": false, "1": true} {
		settings, err := settingsFor(map[string]string{"BOT_REFEREE": "localhost:1", "BOT_VERDICTS_WITH_TURNS": value})
		if err != nil || settings.verdictsWithTurns != want {
			t.Errorf("BOT_VERDICTS_WITH_TURNS=%q sets %v (%v), want %v", value, settings.verdictsWithTurns, err, want)
		}
	}
}

func TestTheTokenIsReadFromAFileIfBotTokenIsNotSet(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, token := range map[string]string{"from-a-file": "", "given": "given"} {
		settings, err := settingsFor(map[string]string{"BOT_REFEREE": "localhost:1", "BOT_TOKEN": token, "BOT_TOKEN_FILE": file})
		if err != nil || settings.token != want {
			t.Errorf("the token is %q (%v), want %q", settings.token, err, want)
		}
	}
}

func TestErrorsNameTheInvalidVariable(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	loopback := "localhost:1"
	for want, variables := range map[string]map[string]string{
		"BOT_REFEREE is not set": {},
		"BOT_TOKEN is not set":   {"BOT_REFEREE": loopback, "BOT_TOKEN": ""},
		"BOT_TOKEN_FILE: open /no/such: no such file or directory":    {"BOT_REFEREE": loopback, "BOT_TOKEN": "", "BOT_TOKEN_FILE": "/no/such"},
		"BOT_REFEREE is not HOST:PORT: here":                          {"BOT_REFEREE": "here"},
		"BOT_REFEREE is not HOST:PORT: here:65536":                    {"BOT_REFEREE": "here:65536"},
		"BOT_MAX_MATCHES is not a number: many":                       {"BOT_REFEREE": loopback, "BOT_MAX_MATCHES": "many"},
		"BOT_CA: open /no/such.pem: no such file or directory":        {"BOT_REFEREE": loopback, "BOT_CA": "/no/such.pem"},
		"BOT_CA: there is no certificate in " + filepath.Clean(empty): {"BOT_REFEREE": loopback, "BOT_CA": empty},
	} {
		if _, err := settingsFor(variables); err == nil || err.Error() != want {
			t.Errorf("the error is %q, want %q", err, want)
		}
	}
}
