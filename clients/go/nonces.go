package referee

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"log/slog"

	"referee.example/referee/refereev1"
)

const (
	nonceBytes    = 32
	maxNonceBytes = 64
)

// randomNonce is the default.
func randomNonce(string, int) []byte {
	nonce := make([]byte, nonceBytes)
	_, _ = rand.Read(nonce) // It never fails.
	return nonce
}

// nonces holds the nonces of the bot, and checks at the end of each match that the referee used them.
//
// Before a match the referee commits to its seed, and at the end it publishes the seed and the nonces from which all
// draws follow. If they do not fit, somebody has chosen the draws, which nobody but the bot can notice.
type nonces struct {
	choose  NonceFunc
	logger  *slog.Logger
	byMatch map[string]*contribution
}

// contribution is what is known about the seed of one match before its end.
type contribution struct {
	commitment []byte
	// nonces of this bot, by the seat of the request.
	nonces map[uint32][]byte
}

func newNonces(choose NonceFunc, logger *slog.Logger) *nonces {
	return &nonces{choose: choose, logger: logger, byMatch: map[string]*contribution{}}
}

// onRequest returns the nonce. A repeated request gets the same one, since the referee may have it already.
func (n *nonces) onRequest(request *refereev1.NonceRequest) *refereev1.BotItem {
	known := n.keepCommitment(request.GetMatchId(), request.GetCommitment())
	seat := request.GetSeat()
	if _, repeated := known.nonces[seat]; !repeated {
		known.nonces[seat] = n.chosen(request)
	}
	nonce := &refereev1.Nonce{MatchId: request.GetMatchId(), Seat: seat, Nonce: known.nonces[seat]}
	return &refereev1.BotItem{Item: &refereev1.BotItem_Nonce{Nonce: nonce}}
}

func (n *nonces) onMatchStarted(match *refereev1.Match) {
	n.keepCommitment(match.GetId(), match.GetSeedCommitment().GetCommitment())
}

// onMatchEnded checks the seed once for each match: a bot in several seats is told of the end for each of them.
func (n *nonces) onMatchEnded(matchID string, published *refereev1.SeedCommitment) {
	known := n.byMatch[matchID]
	delete(n.byMatch, matchID)
	if known == nil || len(published.GetCommitment()) == 0 {
		return
	}
	for _, problem := range known.problems(published) {
		n.report(matchID, problem)
	}
}

// keepCommitment returns what is known about the match. The first commitment counts.
func (n *nonces) keepCommitment(matchID string, commitment []byte) *contribution {
	known := n.byMatch[matchID]
	if known == nil {
		known = &contribution{commitment, map[uint32][]byte{}}
		n.byMatch[matchID] = known
	}
	if !bytes.Equal(known.commitment, commitment) {
		n.report(matchID, "the referee has replaced its commitment to the seed")
	}
	return known
}

func (n *nonces) report(matchID, problem string) {
	n.logger.Error(fmt.Sprintf("match %s: %s", matchID, problem), "match", matchID)
}

func (n *nonces) chosen(request *refereev1.NonceRequest) (nonce []byte) {
	matchID, seat := request.GetMatchId(), int(request.GetSeat())
	defer func() {
		if reason := recover(); reason != nil {
			n.report(matchID, fmt.Sprintf("the bot failed to choose a nonce, and a random one is sent: %v", reason))
			nonce = randomNonce(matchID, seat)
		}
	}()
	nonce = n.choose(matchID, seat)
	if len(nonce) > maxNonceBytes {
		panic(fmt.Sprintf("it has %d bytes, the limit is %d", len(nonce), maxNonceBytes))
	}
	return nonce
}

// problems returns what does not fit. The seed is checked if it is published, which duplicate play delays.
func (c *contribution) problems(published *refereev1.SeedCommitment) []string {
	var problems []string
	if !bytes.Equal(published.GetCommitment(), c.commitment) {
		problems = append(problems, "the referee has replaced its commitment to the seed")
	}
	if seed := published.GetSeed(); len(seed) > 0 {
		if hash := sha256.Sum256(seed); !bytes.Equal(hash[:], c.commitment) {
			problems = append(problems, "the seed of the referee does not match its commitment")
		}
	}
	used := map[uint32][]byte{}
	for _, nonce := range published.GetNonces() {
		used[nonce.GetSeat()] = nonce.GetNonce()
	}
	for seat, nonce := range c.nonces {
		switch {
		case bytes.Equal(used[seat], nonce):
		case len(used[seat]) == 0:
			problems = append(problems, fmt.Sprintf(
				"the seed was made without the nonce of seat %d: it was late, or the referee ignored it", seat))
		default:
			problems = append(problems, fmt.Sprintf(
				"the seed was made with another nonce of seat %d than the one that was sent", seat))
		}
	}
	return problems
}
