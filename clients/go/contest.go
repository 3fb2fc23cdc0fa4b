package referee

import (
	"context"
	"iter"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"referee.example/referee/refereev1"
)

// pageSize is the largest that the contract permits.
const pageSize = 1000

// Entrant is a participant of a contest: a bot, several bots that play as partners, or a team.
type Entrant struct {
	// Name is the name in tables. The default is that of the only bot.
	Name string
	// Bots has the bots in the order of seats or boards, as "anna", or with a version as "anna/1.4".
	Bots []string
}

// SingleBot returns an entrant of one bot, such as "anna", or with a version "anna/1.4".
func SingleBot(bot string) Entrant { return Entrant{Bots: []string{bot}} }

// Pairing is entrants that play each other.
type Pairing struct {
	ID string
	// Round and Board are counted from 1. They are 0 on a ladder.
	Round, Board int
	// Entrants has the names of the entrants, in the order of the seats of the first match. A single one has a bye.
	Entrants []string
	Phase    PairingPhase
	// MatchIDs has its matches in order, including void ones.
	MatchIDs []string
	// Points has the points of each entrant. It is empty until the pairing is done.
	Points []float64
	// Absent has the names of the entrants that lost it by absence.
	Absent []string
}

// PairingPhase says how far a pairing has come.
type PairingPhase string

// The phases of pairings. The first one waits for capacity or for its bots.
const (
	PairingPlanned PairingPhase = "planned"
	PairingPlaying PairingPhase = "playing"
	PairingDone    PairingPhase = "done"
)

func (e Entrant) message() *refereev1.Entrant {
	return &refereev1.Entrant{Name: e.Name, Bots: convert(e.Bots, newBotRef)}
}

// newBotRef reads a bot, such as "anna", or with a version "anna/1.4".
func newBotRef(text string) *refereev1.BotRef {
	bot, version, _ := strings.Cut(text, "/")
	return &refereev1.BotRef{Bot: bot, Version: version}
}

func newEntrant(message *refereev1.Entrant) Entrant {
	entrant := Entrant{Name: message.GetName()}
	for _, bot := range message.GetBots() {
		text := bot.GetBot()
		if bot.GetVersion() != "" {
			text += "/" + bot.GetVersion()
		}
		entrant.Bots = append(entrant.Bots, text)
	}
	return entrant
}

func newPairing(message *refereev1.Pairing) Pairing {
	return Pairing{
		ID:       message.GetId(),
		Round:    int(message.GetRound()),
		Board:    int(message.GetBoard()),
		Entrants: message.GetEntrants(),
		Phase:    PairingPhase(enumWord(message.GetPhase(), "PAIRING_PHASE_")),
		MatchIDs: message.GetMatchIds(),
		Points:   message.GetPoints(),
		Absent:   message.GetAbsentEntrants(),
	}
}

func partnerRule(fixed bool) refereev1.PartnerRule {
	if fixed {
		return refereev1.PartnerRule_PARTNER_RULE_FIXED
	}
	return refereev1.PartnerRule_PARTNER_RULE_UNSPECIFIED
}

func duplicatePlay(on bool) *refereev1.DuplicatePlay {
	if on {
		return &refereev1.DuplicatePlay{}
	}
	return nil
}

// newTime returns the zero time if the message has none.
func newTime(message *timestamppb.Timestamp) time.Time {
	if message == nil {
		return time.Time{}
	}
	return message.AsTime()
}

// eventName returns the name of the event of an entry, "" if it has none that is known here.
func eventName(entry protoreflect.Message) string {
	if event := entry.WhichOneof(entry.Descriptor().Oneofs().ByName("event")); event != nil {
		return string(event.Name())
	}
	return ""
}

// convert returns the values for messages.
func convert[M, V any](messages []M, value func(M) V) []V {
	var values []V
	for _, message := range messages {
		values = append(values, value(message))
	}
	return values
}

// pages returns the items of all pages of a list. Fetch returns the page with a token, and the token of the next one.
func pages[M, V any](
	ctx context.Context, value func(M) V, fetch func(ctx context.Context, token string) ([]M, string, error),
) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		for token, first := "", true; first || token != ""; first = false {
			messages, next, err := fetch(ctx, token)
			if err != nil {
				var none V
				yield(none, newCallError(err))
				return
			}
			for _, message := range messages {
				if !yield(value(message), nil) {
					return
				}
			}
			token = next
		}
	}
}
