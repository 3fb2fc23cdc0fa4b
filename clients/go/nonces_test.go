package referee

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"referee/refereev1"
)

var testSeed = bytes.Repeat([]byte{7}, 32)

func commitmentTo(seed []byte) []byte {
	hash := sha256.Sum256(seed)
	return hash[:]
}

func nonceRequest(seat uint32) *refereev1.NonceRequest {
	return &refereev1.NonceRequest{MatchId: "m1", Seat: seat, Commitment: commitmentTo(testSeed)}
}

// published returns what a referee publishes that committed to one seed and revealed another.
func published(committed, revealed []byte, nonces ...string) *refereev1.SeedCommitment {
	commitment := &refereev1.SeedCommitment{Commitment: commitmentTo(committed), Seed: revealed}
	for seat, nonce := range nonces {
		seatNonce := &refereev1.SeatNonce{Seat: uint32(seat), Nonce: []byte(nonce)}
		commitment.Nonces = append(commitment.Nonces, seatNonce)
	}
	return commitment
}

func TestEachRequestGetsARandomNonceAndARepeatedOneTheSameAgain(t *testing.T) {
	n := newNonces(randomNonce)
	first, again := n.onRequest(nonceRequest(1)).GetNonce(), n.onRequest(nonceRequest(1)).GetNonce()
	other := n.onRequest(nonceRequest(0)).GetNonce()
	if first.GetMatchId() != "m1" || first.GetSeat() != 1 || len(first.GetNonce()) != nonceBytes {
		t.Errorf("the answer is %v", first)
	}
	if !bytes.Equal(first.GetNonce(), again.GetNonce()) || bytes.Equal(first.GetNonce(), other.GetNonce()) {
		t.Errorf("the nonces are %x, %x and %x", first.GetNonce(), again.GetNonce(), other.GetNonce())
	}
}

func TestASeedThatDoesNotFitIsReportedOnceAtTheEnd(t *testing.T) {
	const (
		replaced  = "match m1: the referee has replaced its commitment to the seed"
		wrongSeed = "match m1: the seed of the referee does not match its commitment"
		without   = "match m1: the seed was made without the nonce of seat 0: it was late, or the referee ignored it"
		another   = "match m1: the seed was made with another nonce of seat 0 than the one that was sent"
	)
	other := []byte("other")
	for name, test := range map[string]struct {
		end  *refereev1.SeedCommitment
		want []string
	}{
		"honest":              {published(testSeed, testSeed, "mine", ""), nil},
		"not revealed":        {published(testSeed, nil, "mine", ""), nil},
		"nothing published":   {&refereev1.SeedCommitment{}, nil},
		"another seed":        {published(testSeed, other, "mine", ""), []string{wrongSeed}},
		"another commitment":  {published(other, other, "mine", ""), []string{replaced, wrongSeed}},
		"nonce ignored":       {published(testSeed, testSeed, "", "theirs"), []string{without}},
		"no nonces published": {published(testSeed, testSeed), []string{without}},
		"another nonce":       {published(testSeed, testSeed, "theirs"), []string{another}},
	} {
		var got []string
		n := newNonces(func(*refereev1.NonceRequest) []byte { return []byte("mine") })
		n.report = func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) }
		n.onRequest(nonceRequest(0))
		n.onMatchStarted(&refereev1.Match{Id: "m1", SeedCommitment: published(testSeed, nil)})
		n.onMatchEnded("m1", test.end)
		n.onMatchEnded("m1", test.end)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: reported %q", name, got)
		}
	}
}

func TestTheSeedOfAMatchWithoutNoncesIsCheckedToo(t *testing.T) {
	reports := 0
	n := newNonces(randomNonce)
	n.report = func(string, ...any) { reports++ }
	n.onMatchStarted(&refereev1.Match{Id: "m1", SeedCommitment: published(testSeed, nil)})
	n.onMatchEnded("m1", published(testSeed, []byte("other")))
	if reports != 1 {
		t.Errorf("%d reports", reports)
	}
}

func TestARandomNonceReplacesAnInvalidOneOfTheBot(t *testing.T) {
	for name, choose := range map[string]Nonce{
		"too long": func(*refereev1.NonceRequest) []byte { return make([]byte, maxNonceBytes+1) },
		"panics":   func(*refereev1.NonceRequest) []byte { panic("no idea") },
	} {
		reports := 0
		n := newNonces(choose)
		n.report = func(string, ...any) { reports++ }
		if nonce := n.onRequest(nonceRequest(0)).GetNonce().GetNonce(); len(nonce) != nonceBytes || reports != 1 {
			t.Errorf("%s: sent %x after %d reports", name, nonce, reports)
		}
	}
}
