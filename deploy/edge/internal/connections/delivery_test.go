package connections

import (
	"slices"
	"testing"
	"time"
)

func frame(kind, flags, stream byte, payload string) []byte {
	return append([]byte{0, 0, byte(len(payload)), kind, flags, 0, 0, 0, stream}, payload...)
}

func TestFramesAreFoundHoweverTheyAreCut(t *testing.T) {
	sent := slices.Concat([]byte("abc"), frame(1, 4, 1, "fields"), frame(0, 1, 3, ""), frame(3, 0, 5, "code"))
	for size := 1; size <= len(sent); size++ {
		scanner, found := frames{skip: 3}, []byte{}
		for part := range slices.Chunk(sent, size) {
			scanner.scan(part, func(kind, flags byte, stream uint32, _ int) { found = append(found, kind, flags, byte(stream)) })
		}
		if !slices.Equal(found, []byte{1, 4, 1, 0, 1, 3, 3, 0, 5}) {
			t.Fatalf("in parts of %d bytes: %v", size, found)
		}
	}
}

func TestAConnectionIsTooLateWhileAnswersWaitForItsClient(t *testing.T) {
	late := make(chan bool, 1)
	d := delivery{timeout: time.Hour, tooLate: func() { late <- true }, wire: map[uint32]*progress{}}
	d.begin(1)
	d.run(1)
	d.begin(1) // Trailers of the client.
	if d.late != nil {
		t.Fatal("it waits for a call that is running")
	}
	d.run(-1)
	if d.late == nil {
		t.Fatal("it does not wait for a call that has ended here only")
	}
	d.end(1)
	if d.late != nil {
		t.Fatal("it waits for a call that has ended")
	}
	d.timeout = time.Millisecond
	d.begin(3)
	<-late
}

func TestAClientThatReadsOverlappingAnswersIsNotTooLate(t *testing.T) {
	late := make(chan bool, 1)
	d := delivery{timeout: time.Hour, tooLate: func() { late <- true }, wire: map[uint32]*progress{}}
	d.begin(1)
	d.begin(3)
	begun := time.Now().Add(-2 * time.Hour)
	d.wire[1].since, d.wire[3].since = begun, begun
	for range 2 {
		d.pass(1, progressBytes/2)
		d.pass(3, progressBytes/2)
	}
	d.expire()
	if d.late == nil || len(late) > 0 {
		t.Fatal("a client that reads all answers is too late")
	}
	d.wire[3].since = begun
	d.pass(3, progressBytes-1)
	d.expire()
	<-late
}
