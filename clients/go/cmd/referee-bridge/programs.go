//go:build unix

package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// terminationTimeout is how long a program may take to end after SIGTERM.
const terminationTimeout = 2 * time.Second

// bridgedProgram can be started or connected to repeatedly.
type bridgedProgram interface {
	// start returns an unavailableError if it cannot.
	start(stderr *stderrLog, logger *slog.Logger) (runningProgram, error)
}

type runningProgram interface {
	lines() *conversation
	// describeExit says how the program has ended: its name, its status, and its last lines on standard error.
	describeExit() string
	stop()
}

// command is a program of which each start runs a new process.
type command struct {
	words  []string
	limits limits
}

type process struct {
	conversation *conversation
	command      *exec.Cmd
	name         string
	stderr       *stderrLog
	files        []*os.File
	exited       chan struct{}
	stderrRead   chan struct{}
}

func (c command) start(stderr *stderrLog, logger *slog.Logger) (runningProgram, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, &unavailableError{err.Error()}
	}
	arguments := append([]string{
		launchArgument,
		strconv.FormatUint(c.limits.cpuSeconds, 10),
		strconv.FormatUint(c.limits.memoryBytes, 10),
	}, c.words...)
	cmd := exec.Command(executable, arguments...)
	cmd.Env = environmentWithoutSettings()
	cmd.SysProcAttr = processAttributes()
	// Pipes of our own: those of exec.Cmd are closed when the program exits, before all of its output is read.
	pipes, err := openPipes(cmd)
	if err != nil {
		return nil, &unavailableError{err.Error()}
	}
	defer pipes.closeTheirs()
	if err := onLastingThread(cmd.Start); err != nil {
		pipes.closeOurs()
		return nil, &unavailableError{err.Error()}
	}
	started := &process{
		conversation: startConversation(pipes.stdout, pipes.stdin, logger),
		command:      cmd,
		name:         shellCommand(c.words),
		stderr:       stderr,
		files:        pipes.ours,
		exited:       make(chan struct{}),
		stderrRead:   make(chan struct{}),
	}
	go func() {
		defer close(started.exited)
		_ = cmd.Wait() // Its status is in ProcessState.
	}()
	go func() {
		defer close(started.stderrRead)
		stderr.read(pipes.stderr)
	}()
	return started, nil
}

func (p *process) lines() *conversation { return p.conversation }

func (p *process) describeExit() string {
	// The output of a program ends a moment before the program; its children may keep its standard error open.
	timeout := time.After(terminationTimeout)
	for _, done := range []chan struct{}{p.exited, p.stderrRead} {
		select {
		case <-done:
		case <-timeout:
		}
	}
	lines := []string{fmt.Sprintf("`%s`: %s, %s", p.name, p.conversation.endReason(), p.status())}
	for _, line := range p.stderr.lastLines() {
		lines = append(lines, "  "+line)
	}
	return strings.Join(lines, "\n")
}

func (p *process) status() string {
	select {
	case <-p.exited:
	default:
		return "but is still running"
	}
	if status, ok := p.command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return fmt.Sprintf("ended by signal %d", int(status.Signal()))
	}
	return fmt.Sprintf("exit status %d", p.command.ProcessState.ExitCode())
}

// stop ends the program and all other processes of its group.
func (p *process) stop() {
	p.signal(syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(terminationTimeout):
	}
	// Children that are left keep the process group alive; once it is empty, its number is free.
	p.signal(syscall.SIGKILL)
	<-p.exited
	p.conversation.end("it was stopped")
	for _, file := range p.files {
		file.Close()
	}
}

func (p *process) signal(signal syscall.Signal) {
	_ = syscall.Kill(-p.command.Process.Pid, signal) // The group may be empty already.
}

// pipes are the standard streams of a process.
type pipes struct {
	stdin, stdout, stderr *os.File
	ours, theirs          []*os.File
}

func openPipes(cmd *exec.Cmd) (*pipes, error) {
	var opened pipes
	pipe := func() (read, write *os.File) {
		read, write, err := os.Pipe()
		if err != nil {
			return nil, nil
		}
		return read, write
	}
	theirInput, ourInput := pipe()
	ourOutput, theirOutput := pipe()
	ourErrors, theirErrors := pipe()
	opened.ours = []*os.File{ourInput, ourOutput, ourErrors}
	opened.theirs = []*os.File{theirInput, theirOutput, theirErrors}
	for _, file := range append(opened.ours, opened.theirs...) {
		if file == nil {
			opened.closeOurs()
			opened.closeTheirs()
			return nil, errors.New("no pipe can be opened")
		}
	}
	opened.stdin, opened.stdout, opened.stderr = ourInput, ourOutput, ourErrors
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirInput, theirOutput, theirErrors
	return &opened, nil
}

func (p *pipes) closeOurs() { closeAll(p.ours) }

func (p *pipes) closeTheirs() { closeAll(p.theirs) }

func closeAll(files []*os.File) {
	for _, file := range files {
		file.Close()
	}
}

// tcpProgram is a program that runs elsewhere and accepts connections.
type tcpProgram struct{ address string }

type connection struct {
	conversation *conversation
	socket       net.Conn
	address      string
}

func (t tcpProgram) start(_ *stderrLog, logger *slog.Logger) (runningProgram, error) {
	socket, err := net.Dial("tcp", t.address)
	if err != nil {
		return nil, &unavailableError{fmt.Sprintf("cannot connect to %s: %v", t.address, errors.Unwrap(err))}
	}
	return &connection{startConversation(socket, socket, logger), socket, t.address}, nil
}

func (c *connection) lines() *conversation { return c.conversation }

func (c *connection) describeExit() string { return c.address + ": " + c.conversation.endReason() }

func (c *connection) stop() {
	c.conversation.end("it was stopped")
	c.socket.Close()
}

// environmentWithoutSettings leaves out the settings of the bot, which include its token.
func environmentWithoutSettings() []string {
	var environment []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "BOT_") {
			environment = append(environment, variable)
		}
	}
	return environment
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shellCommand returns the command as a shell would read it.
func shellCommand(words []string) string {
	var quoted []string
	for _, word := range words {
		if !plainWord.MatchString(word) {
			word = "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
		}
		quoted = append(quoted, word)
	}
	return strings.Join(quoted, " ")
}

var starts = make(chan func())

func init() {
	go func() {
		runtime.LockOSThread()
		for start := range starts {
			start()
		}
	}()
}

// onLastingThread calls start on a thread that lasts: Linux kills a process when the thread that started it ends.
func onLastingThread(start func() error) error {
	result := make(chan error, 1)
	starts <- func() { result <- start() }
	return <-result
}
