//go:build unix

package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// launchArgument makes this program replace itself with a bot's program:
//
//	referee-bridge --launch CPU_SECONDS MEMORY_BYTES COMMAND...        (0: no limit)
const launchArgument = "--launch"

const notFound = 127

const shell = "/bin/sh"

// limitMemory is the script that sets a limit, given in KiB as its name, and becomes the program.
const limitMemory = `ulimit -v "$0" && exec "$@"`

// limits are those of the resources of a program; 0: no limit.
type limits struct {
	cpuSeconds  uint64
	memoryBytes uint64
}

// launch sets the limits and becomes the program. It returns the exit status if it cannot.
func launch(arguments []string) int {
	var limits limits
	var err error
	if limits.cpuSeconds, err = strconv.ParseUint(arguments[0], 10, 64); err == nil {
		limits.memoryBytes, err = strconv.ParseUint(arguments[1], 10, 64)
	}
	program, command := arguments[2], arguments[2:]
	path, lookErr := exec.LookPath(program)
	if err == nil {
		err = lookErr
	}
	if err == nil {
		err = limits.apply()
	}
	if limits.memoryBytes > 0 {
		// A Go process reserves more memory than most limits allow, and dies if it needs a thread after it has set
		// one. A shell sets it.
		path = shell
		command = append([]string{shell, "-c", limitMemory, strconv.FormatUint(limits.memoryBytes/1024, 10)}, command...)
	}
	if err == nil {
		err = syscall.Exec(path, command, os.Environ())
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", program, err)
	return notFound
}

// apply sets all limits but that of the memory.
func (l limits) apply() error {
	set := func(resource int, soft, hard uint64) error {
		return syscall.Setrlimit(resource, &syscall.Rlimit{Cur: soft, Max: hard})
	}
	if err := set(syscall.RLIMIT_CORE, 0, 0); err != nil {
		return err
	}
	if l.cpuSeconds > 0 {
		return set(syscall.RLIMIT_CPU, l.cpuSeconds, min(l.cpuSeconds, math.MaxUint64-1)+1)
	}
	return nil
}
