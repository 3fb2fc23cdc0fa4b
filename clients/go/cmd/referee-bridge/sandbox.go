//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

const bubblewrap = "bwrap"

// sandboxed returns the command inside a sandbox without network, private files and writable files, which can read the
// folder. It returns an error if there is no sandbox here.
func sandboxed(words []string, folder string) ([]string, error) {
	if _, err := exec.LookPath(bubblewrap); err != nil {
		return nil, errors.New(
			"a sandbox needs bubblewrap, which is not installed; Debian's package is `bubblewrap`")
	}
	prefix := bubblewrapCommand(folder)
	trial := append(append([]string{}, prefix[1:]...), "true")
	if output, err := exec.Command(prefix[0], trial...).CombinedOutput(); err != nil {
		reason := strings.TrimSpace(string(output))
		if reason == "" {
			reason = err.Error()
		}
		return nil, fmt.Errorf("bubblewrap cannot create a sandbox here (%s); containers often forbid it", reason)
	}
	return append(prefix, words...), nil
}

func bubblewrapCommand(folder string) []string {
	command := []string{
		bubblewrap, "--unshare-all", "--die-with-parent", "--new-session",
		"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run",
	}
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		command = append(command, "--tmpfs", home)
	}
	return append(command, "--ro-bind", folder, folder, "--chdir", folder, "--")
}
