package referee

import (
	"fmt"
	"log/slog"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"referee.example/referee/refereev1"
)

// maxMoveChars is more than the length of any move; the referee rejects longer texts.
const maxMoveChars = 1000

// maxScore is the highest score that is sent, and the negative of the lowest.
const maxScore = 1_000_000

type answerKind int

const (
	move answerKind = iota
	resignation
	drawAcceptance
	drawClaim
)

// Answer is what a bot does in its turn. The zero value is an empty move, which the referee rejects.
type Answer struct {
	kind      answerKind
	text      string
	offerDraw bool
	score     int
	hasScore  bool
}

// Move returns the answer that plays a move, in the game's notation.
func Move(text string) Answer { return Answer{text: text} }

// MoveAndOfferDraw returns the answer that plays a move and offers a draw with it.
func MoveAndOfferDraw(text string) Answer { return Answer{text: text, offerDraw: true} }

// WithScore returns the answer with what the bot expects for its side, in hundredths of a point of the game; positive: it is
// ahead. Others find it only in the record of the finished match. It has no effect on answers that are not moves.
func (a Answer) WithScore(score int) Answer {
	a.score, a.hasScore = score, true
	return a
}

// Resign returns the answer that resigns the match.
func Resign() Answer { return Answer{kind: resignation} }

// AcceptDraw returns the answer that accepts a draw offer, which the turn has in DrawOffers. If the offer is no longer
// open, the bot is called again for the same turn, with the error in Rejection.
func AcceptDraw() Answer { return Answer{kind: drawAcceptance} }

// ClaimDraw returns the answer that claims a draw by the rules. If there is none, the bot is called again for the same
// turn, with the error in Rejection.
func ClaimDraw() Answer { return Answer{kind: drawClaim} }

// String returns the answer in words.
func (a Answer) String() string {
	switch a.kind {
	case resignation:
		return "resign"
	case drawAcceptance:
		return "accept the draw"
	case drawClaim:
		return "claim a draw"
	}
	if a.offerDraw {
		return a.text + ", and offer a draw"
	}
	return a.text
}

// item returns the answer as a message of the contract.
func (a Answer) item(turn *Turn, logger *slog.Logger) *refereev1.BotItem {
	matchID, seat := turn.MatchID, proto.Uint32(uint32(turn.Seat))
	switch a.kind {
	case resignation:
		message := &refereev1.Resignation{MatchId: matchID, Seat: seat}
		return &refereev1.BotItem{Item: &refereev1.BotItem_Resignation{Resignation: message}}
	case drawAcceptance:
		message := &refereev1.DrawAnswer{MatchId: matchID, Seat: seat, Accept: true}
		return &refereev1.BotItem{Item: &refereev1.BotItem_DrawAnswer{DrawAnswer: message}}
	case drawClaim:
		message := &refereev1.DrawClaim{MatchId: matchID, Seat: seat}
		return &refereev1.BotItem{Item: &refereev1.BotItem_DrawClaim{DrawClaim: message}}
	}
	message := &refereev1.Move{
		MatchId:   matchID,
		TurnToken: turn.Token,
		Move:      sendable(a.text, turn, logger),
		OfferDraw: a.offerDraw,
	}
	if a.hasScore {
		message.Score = proto.Int32(int32(min(max(a.score, -maxScore), maxScore)))
	}
	return &refereev1.BotItem{Item: &refereev1.BotItem_Move{Move: message}}
}

// sendable returns the move, or a similar one that the referee rejects if the move cannot be sent. Sending it unchanged
// would break the stream, and with it all other matches; this way it costs one attempt.
func sendable(text string, turn *Turn, logger *slog.Logger) string {
	report := func(problem string) {
		logger.Error(fmt.Sprintf("match %s, seat %d: the answer %s; the referee will reject it",
			turn.MatchID, turn.Seat, problem), "match", turn.MatchID, "seat", turn.Seat)
	}
	if !utf8.ValidString(text) {
		report("is not valid UTF-8")
		text = strings.ToValidUTF8(text, string(utf8.RuneError))
	}
	if chars := utf8.RuneCountInString(text); chars > maxMoveChars {
		report(fmt.Sprintf("has %d characters, the limit is %d", chars, maxMoveChars))
		text = string([]rune(text)[:maxMoveChars+1])
	}
	return text
}
