//go:build unix

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

const (
	// maxLogBytes limits what is kept for each match.
	maxLogBytes = 1 << 20
	// betweenMatches is the name of the file for what is written while no match is being played.
	betweenMatches = "between-matches"
	truncated      = "\n(truncated by the bridge)\n"
	tailBytes      = 2000
	tailLines      = 5
)

// stderrLog stores the standard error of one program: all of it is read, and a limited amount is kept for each match.
type stderrLog struct {
	// folder is where the files are written; "": everything goes to the standard error of the bridge.
	folder string

	mutex sync.Mutex
	name  string
	// stored is the number of bytes stored, by the name of the file.
	stored map[string]int
	tail   []byte
}

func newStderrLog(folder string) *stderrLog {
	return &stderrLog{folder: folder, name: betweenMatches, stored: map[string]int{}}
}

// startMatch assigns to this match what the program writes from now on.
func (l *stderrLog) startMatch(matchID string, seat int) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.name = logName(matchID, seat)
}

// endMatch stops to assign output to this match, which has ended.
func (l *stderrLog) endMatch(matchID string, seat int) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	delete(l.stored, logName(matchID, seat))
	l.name = betweenMatches
}

// lastLines returns the last lines that were written, printable characters only.
func (l *stderrLog) lastLines() []string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	text := strings.TrimSuffix(strings.ToValidUTF8(string(l.tail), "\uFFFD"), "\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	lines = lines[max(0, len(lines)-tailLines):]
	for i, line := range lines {
		lines[i] = strings.Map(func(char rune) rune {
			if unicode.IsPrint(char) {
				return char
			}
			return -1
		}, line)
	}
	return lines
}

// read reads until the program closes its standard error.
func (l *stderrLog) read(stderr io.Reader) {
	chunk := make([]byte, 1<<16)
	for {
		count, err := stderr.Read(chunk)
		l.store(chunk[:count])
		if err != nil {
			return
		}
	}
}

func (l *stderrLog) store(chunk []byte) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.tail = append(l.tail, chunk...)
	l.tail = l.tail[max(0, len(l.tail)-tailBytes):]
	room := maxLogBytes - l.stored[l.name]
	if room <= 0 || len(chunk) == 0 {
		return
	}
	l.stored[l.name] += len(chunk)
	text := string(chunk)
	if len(chunk) >= room {
		text = text[:room] + truncated
	}
	l.write(text)
}

// write ignores errors such as a full disk: if its standard error were not read, the program would stop.
func (l *stderrLog) write(text string) {
	if l.folder == "" {
		_, _ = io.WriteString(os.Stderr, text)
		return
	}
	path := filepath.Join(l.folder, l.name+".log")
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return
	}
	defer file.Close()
	_, _ = file.WriteString(text)
}

var notInFileNames = regexp.MustCompile(`[^A-Za-z0-9._-]`)

// logName returns a name that is valid as the name of a file for every match id.
func logName(matchID string, seat int) string {
	return fmt.Sprintf("%s-seat%d", notInFileNames.ReplaceAllString(matchID, "_"), seat)
}
