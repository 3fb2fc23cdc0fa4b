//go:build unix

// Referee-bridge connects a program that reads and writes lines to the referee, in any language and without gRPC.
//
//	BOT_REFEREE=127.0.0.1:7700 BOT_TOKEN=... referee-bridge -- ./mybot
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"referee.example/referee"
	"referee.example/referee/program"
)

const mib = 1 << 20

func main() {
	if len(os.Args) > 4 && os.Args[1] == launchArgument {
		os.Exit(launch(os.Args[2:]))
	}
	os.Exit(run(os.Args[1:], os.Stderr))
}

// settings are those of the command line.
type settings struct {
	words             []string
	tcp               string
	perMatch          bool
	restart           string
	view              bool
	stderrDir         string
	cpuSeconds        uint64
	memoryMB          uint64
	sandbox           bool
	version           string
	games             []string
	maxMatches        uint64
	verdictsWithTurns bool
}

// run returns the exit status.
func run(arguments []string, stderr io.Writer) int {
	settings, err := parse(arguments, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return program.Stopped
	}
	var bridged bridgedProgram
	if err == nil {
		bridged, err = settings.program()
	}
	if err == nil && settings.stderrDir != "" {
		if mkdirErr := os.MkdirAll(settings.stderrDir, 0o777); mkdirErr != nil {
			err = fmt.Errorf("standard error cannot be stored: %w", mkdirErr)
		}
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return program.Misconfigured
	}
	logger := program.NewLogger(stderr)
	bot := newLineBot(playerOptions{
		program:   bridged,
		maxStarts: maxStarts[settings.restart],
		view:      settings.view,
		stderrDir: settings.stderrDir,
		logger:    logger,
	}, settings.perMatch)
	defer bot.stop()
	return play(bot, settings, stderr)
}

// play returns the exit status.
func play(bot *lineBot, settings *settings, stderr io.Writer) int {
	stopped, ignoreSignals := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer ignoreSignals()
	if err := bot.checkStart(); err != nil {
		fmt.Fprintf(stderr, "the program cannot be started: %v\n", err)
		return program.Misconfigured
	}
	playing, stopPlaying := context.WithCancel(stopped)
	defer stopPlaying()
	unusable := make(chan string, 1)
	go func() {
		select {
		case description := <-bot.unusable:
			unusable <- description
			stopPlaying()
		case <-playing.Done():
		}
	}()
	status := program.Run(playing, bot, os.Getenv, stderr, settings.options()...)
	select {
	case description := <-unusable:
		fmt.Fprintf(stderr, "the program never wrote anything: %s\n", description)
		return program.Misconfigured
	default:
		return status
	}
}

// options are those of the library; what is not on the command line is read from the environment.
func (s *settings) options() []referee.Option {
	var options []referee.Option
	if s.version != "" {
		options = append(options, referee.WithVersion(s.version))
	}
	if len(s.games) > 0 {
		options = append(options, referee.WithGames(s.games...))
	}
	if s.maxMatches > 0 {
		options = append(options, referee.WithMaxMatches(uint32(min(s.maxMatches, 1<<32-1))))
	}
	if s.verdictsWithTurns {
		options = append(options, referee.WithVerdictsWithTurns())
	}
	if s.view {
		options = append(options, referee.WithView())
	}
	return options
}

// program returns the program that the command line describes.
func (s *settings) program() (bridgedProgram, error) {
	if (len(s.words) > 0) == (s.tcp != "") {
		return nil, errors.New("specify a program either by its command, after --, or by --tcp HOST:PORT")
	}
	if s.tcp != "" {
		host, port, err := net.SplitHostPort(s.tcp)
		if _, numberErr := strconv.ParseUint(port, 10, 16); err != nil || numberErr != nil || host == "" {
			return nil, fmt.Errorf("--tcp takes HOST:PORT, not '%s'", s.tcp)
		}
		return tcpProgram{s.tcp}, nil
	}
	words := s.words
	if _, err := exec.LookPath(words[0]); err != nil {
		if info, statErr := os.Stat(words[0]); statErr == nil && info.Mode().IsRegular() {
			return nil, fmt.Errorf("'%s' is not executable; run `chmod +x %s`", words[0], words[0])
		}
		return nil, fmt.Errorf("there is no program '%s'", words[0])
	}
	if s.sandbox {
		folder, err := filepath.Abs(".")
		if err != nil {
			return nil, err
		}
		if words, err = sandboxed(words, folder); err != nil {
			return nil, err
		}
	}
	return command{words, limits{s.cpuSeconds, s.memoryMB * mib}}, nil
}

func parse(arguments []string, stderr io.Writer) (*settings, error) {
	var parsed settings
	arguments, parsed.games = takeGames(arguments)
	flags := flag.NewFlagSet("referee-bridge", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&parsed.tcp, "tcp", "", "connect to a program that listens at `HOST:PORT`")
	flags.BoolVar(&parsed.perMatch, "per-match", false, "run one program per match and seat (default: one for all)")
	flags.StringVar(&parsed.restart, "restart", "always",
		"start a program that has ended again: `POLICY` is never, once or always (default)")
	flags.BoolVar(&parsed.view, "view", false, "add the position as JSON to every turn")
	flags.StringVar(&parsed.stderrDir, "stderr-dir", "", "write its standard error into `DIR`, one file per match")
	flags.Uint64Var(&parsed.cpuSeconds, "cpu-seconds", 0, "limit the CPU time of a program to `N` seconds")
	flags.Uint64Var(&parsed.memoryMB, "memory-mb", 0, "limit the memory of a program to `N` MiB")
	flags.BoolVar(&parsed.sandbox, "sandbox", false, "without network and private files (needs bubblewrap)")
	flags.StringVar(&parsed.version, "version", "", "play as `VERSION` (default: BOT_VERSION)")
	flags.Uint64Var(&parsed.maxMatches, "max-matches", 0,
		"play `N` matches at the same time (default: BOT_MAX_MATCHES, or 1)")
	flags.BoolVar(&parsed.verdictsWithTurns, "verdicts-with-turns", false,
		"get the verdict on a move with the next turn (default: BOT_VERDICTS_WITH_TURNS)")
	err := flags.Parse(arguments)
	if errors.Is(err, flag.ErrHelp) {
		printUsage(flags, stderr)
	}
	parsed.words = flags.Args()
	if err == nil && maxStarts[parsed.restart] == 0 {
		err = fmt.Errorf("--restart takes never, once or always, not '%s'", parsed.restart)
	}
	return &parsed, err
}

// takeGames takes --games and the names after it out of the arguments.
func takeGames(arguments []string) (others, games []string) {
	inGames := false
	for i, argument := range arguments {
		switch {
		case argument == "--":
			return append(others, arguments[i:]...), games
		case argument == "--games":
			inGames = true
		case inGames && !strings.HasPrefix(argument, "-"):
			games = append(games, argument)
		default:
			inGames = false
			others = append(others, argument)
		}
	}
	return others, games
}

func printUsage(flags *flag.FlagSet, stderr io.Writer) {
	fmt.Fprint(stderr, `Usage: referee-bridge [OPTIONS] -- COMMAND...

Connects a program that reads and writes lines to the referee. BOT_REFEREE is the address of the referee, BOT_TOKEN the
bot's token; the program itself does not get them.

`)
	flags.VisitAll(func(option *flag.Flag) {
		value, usage := flag.UnquoteUsage(option)
		fmt.Fprintf(stderr, "  %-24s %s\n", strings.TrimSpace("--"+option.Name+" "+value), usage)
	})
	fmt.Fprintf(stderr, "  %-24s %s\n", "--games GAME...", "the games to play (default: all)")
}
