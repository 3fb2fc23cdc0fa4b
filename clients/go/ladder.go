package referee

import (
	"time"

	"google.golang.org/protobuf/proto"

	"referee.example/referee/refereev1"
)

// LadderTerms are the terms of a new ladder.
type LadderTerms struct {
	// Title is the title; the default is the name.
	Title string
	// Matches are the terms of its matches, which are used in turn. At least one is required.
	Matches []MatchTerms
	// FixedPartners lets an entrant have one bot for each seat of its side. By default each seat is an entrant.
	FixedPartners bool
	// DuplicatePlay plays each pairing as a set of matches with the same start and seed and exchanged seats.
	DuplicatePlay bool
	// MaxConcurrentMatches is how many matches are in play at most; the default is as many as the server can hold.
	MaxConcurrentMatches int
	// MaxMatchesPerHour is how many matches start in an hour at most, up to 3600. The default is no limit.
	MaxMatchesPerHour int
}

func (t LadderTerms) message() *refereev1.LadderTerms {
	return &refereev1.LadderTerms{
		MatchTerms:           convert(t.Matches, MatchTerms.message),
		PartnerRule:          partnerRule(t.FixedPartners),
		DuplicatePlay:        duplicatePlay(t.DuplicatePlay),
		MaxConcurrentMatches: uint32(t.MaxConcurrentMatches),
		MaxMatchesPerHour:    proto.Uint32(uint32(t.MaxMatchesPerHour)),
	}
}

// Ladder is a ladder.
type Ladder struct {
	Name, Title string
	// Games has the name of the game of each of its terms, which are used in turn.
	Games []string
	// Organiser is the holder of the token that created it.
	Organiser string
	// Closed says that it starts no more matches, Paused that it starts none until it is resumed.
	Closed, Paused bool
	// Season is counted from 1.
	Season int
	// EntrantCount is the number of entrants.
	EntrantCount int
	Created      time.Time
}

func newLadder(message *refereev1.Ladder) *Ladder {
	return &Ladder{
		Name:  message.GetName(),
		Title: message.GetTitle(),
		Games: convert(message.GetTerms().GetMatchTerms(), func(terms *refereev1.MatchTerms) string {
			return terms.GetRules().GetGame()
		}),
		Organiser:    message.GetOrganiser(),
		Closed:       message.GetClosed(),
		Paused:       message.GetPaused(),
		Season:       int(message.GetSeason()),
		EntrantCount: int(message.GetEntrantCount()),
		Created:      newTime(message.GetCreateTime()),
	}
}

// Rating is the estimated strength of a version of a bot.
type Rating struct {
	// Value is higher for a stronger bot. The true strength is within two deviations in 95 of 100 cases.
	Value, Deviation float64
	// Matches is the number of rated matches.
	Matches int
	// Provisional says that there are too few matches to be ranked by it.
	Provisional bool
}

func newRating(message *refereev1.Rating) Rating {
	return Rating{message.GetValue(), message.GetDeviation(), int(message.GetMatches()), message.GetProvisional()}
}

// RatingChange is what a match did to a rating.
type RatingChange struct {
	Seat          int
	Bot, Version  string
	Before, After Rating
}

func newRatingChange(message *refereev1.RatingChange) RatingChange {
	return RatingChange{
		Seat:    int(message.GetSeat()),
		Bot:     message.GetBot(),
		Version: message.GetVersion(),
		Before:  newRating(message.GetBefore()),
		After:   newRating(message.GetAfter()),
	}
}

// LadderStanding is a row of a ladder's standings.
type LadderStanding struct {
	// Rank is counted from 1, by LowerBound. Entrants with provisional ratings rank after all others.
	Rank    int
	Entrant Entrant
	// Version is what the rating is for, "" for partners.
	Version string
	Rating  Rating
	// LowerBound is the value of the rating less two deviations.
	LowerBound float64
	// Wins, Draws and Losses count matches of this season. Forfeits are also losses.
	Wins, Draws, Losses, Forfeits int
	// Idle says that it gets no matches because one of its bots is paused or offline.
	Idle bool
}

func newLadderStanding(message *refereev1.LadderStanding) LadderStanding {
	return LadderStanding{
		Rank:       int(message.GetRank()),
		Entrant:    newEntrant(message.GetEntrant()),
		Version:    message.GetVersion(),
		Rating:     newRating(message.GetRating()),
		LowerBound: message.GetLowerBound(),
		Wins:       int(message.GetWins()),
		Draws:      int(message.GetDraws()),
		Losses:     int(message.GetLosses()),
		Forfeits:   int(message.GetForfeits()),
		Idle:       message.GetIdle(),
	}
}

// LadderEntry is one numbered entry of the log of a ladder.
type LadderEntry struct {
	// Number is counted from 1, without gaps.
	Number uint64
	Time   time.Time
	// Kind is the event in the words of the contract, such as "match_rated" or "closed". It is "" if it is newer than
	// this client.
	Kind string
	// Entrant is who joined or left, of whom only the name is known then.
	Entrant *Entrant
	// Pairing is a pairing that was planned, or of which a match started, ended or became void.
	Pairing *Pairing
	// MatchID is the match that was rated, and Ratings has the change of each seat.
	MatchID string
	Ratings []RatingChange
	// Season is the number of a season that started.
	Season int
}

func newLadderEntry(message *refereev1.LadderEntry) *LadderEntry {
	entry := &LadderEntry{
		Number: message.GetNumber(),
		Time:   newTime(message.GetCreateTime()),
		Kind:   eventName(message.ProtoReflect()),
	}
	switch event := message.GetEvent().(type) {
	case *refereev1.LadderEntry_EntrantJoined:
		entrant := newEntrant(event.EntrantJoined.GetEntrant())
		entry.Entrant = &entrant
	case *refereev1.LadderEntry_EntrantLeft:
		entry.Entrant = &Entrant{Name: event.EntrantLeft.GetEntrant()}
	case *refereev1.LadderEntry_Pairing:
		pairing := newPairing(event.Pairing)
		entry.Pairing = &pairing
	case *refereev1.LadderEntry_MatchRated:
		entry.MatchID = event.MatchRated.GetMatchId()
		entry.Ratings = convert(event.MatchRated.GetRatings(), newRatingChange)
	case *refereev1.LadderEntry_SeasonStarted:
		entry.Season = int(event.SeasonStarted.GetSeason())
	}
	return entry
}
