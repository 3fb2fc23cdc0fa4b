package referee

import (
	"time"

	"referee.example/referee/refereev1"
)

// Format is how the entrants of a tournament are paired: [RoundRobin], [Swiss], [Elimination], [Gauntlet], [Pools] or
// [SPRT].
type Format interface {
	apply(*refereev1.TournamentTerms)
}

// RoundRobin is a format in which every entrant plays every other entrant.
type RoundRobin struct {
	// Cycles is how often each pair plays. The default is 1.
	Cycles int
}

// Swiss is a format in which entrants with equal points play each other, without rematches.
type Swiss struct {
	// Rounds is required.
	Rounds int
}

// Elimination is a knock-out: losers drop out.
type Elimination struct {
	// Double lets entrants drop out after two losses instead of one.
	Double bool
}

// Gauntlet is a format in which challengers play all other entrants, who do not play each other.
type Gauntlet struct {
	// Challengers has their names, at least one.
	Challengers []string
	// Cycles is how often each pair plays. The default is 1.
	Cycles int
}

// Pools is a format in which several entrants play at each table, for games of more than two sides.
type Pools struct {
	// Rounds is required.
	Rounds int
}

// SPRT is a format in which two entrants play until a statistical test is decided.
type SPRT struct {
	// Elo0 and Elo1 are the differences of the two hypotheses, in Elo. Elo1 is greater, and required.
	Elo0, Elo1 float64
	// MaxMatches is the number of matches after which the test ends undecided. The default is no limit.
	MaxMatches int
}

func (f RoundRobin) apply(terms *refereev1.TournamentTerms) {
	format := &refereev1.RoundRobin{Cycles: uint32(f.Cycles)}
	terms.Format = &refereev1.TournamentTerms_RoundRobin{RoundRobin: format}
}

func (f Swiss) apply(terms *refereev1.TournamentTerms) {
	terms.Format = &refereev1.TournamentTerms_Swiss{Swiss: &refereev1.Swiss{Rounds: uint32(f.Rounds)}}
}

func (f Elimination) apply(terms *refereev1.TournamentTerms) {
	format := &refereev1.Elimination{DoubleElimination: f.Double}
	terms.Format = &refereev1.TournamentTerms_Elimination{Elimination: format}
}

func (f Gauntlet) apply(terms *refereev1.TournamentTerms) {
	format := &refereev1.Gauntlet{Challengers: f.Challengers, Cycles: uint32(f.Cycles)}
	terms.Format = &refereev1.TournamentTerms_Gauntlet{Gauntlet: format}
}

func (f Pools) apply(terms *refereev1.TournamentTerms) {
	terms.Format = &refereev1.TournamentTerms_Pools{Pools: &refereev1.Pools{Rounds: uint32(f.Rounds)}}
}

func (f SPRT) apply(terms *refereev1.TournamentTerms) {
	format := &refereev1.Sprt{Elo0: f.Elo0, Elo1: f.Elo1, MaxMatches: uint32(f.MaxMatches)}
	terms.Format = &refereev1.TournamentTerms_Sprt{Sprt: format}
}

// newFormat returns nil for a format that is unknown here.
func newFormat(terms *refereev1.TournamentTerms) Format {
	switch format := terms.GetFormat().(type) {
	case *refereev1.TournamentTerms_RoundRobin:
		return RoundRobin{int(format.RoundRobin.GetCycles())}
	case *refereev1.TournamentTerms_Swiss:
		return Swiss{int(format.Swiss.GetRounds())}
	case *refereev1.TournamentTerms_Elimination:
		return Elimination{format.Elimination.GetDoubleElimination()}
	case *refereev1.TournamentTerms_Gauntlet:
		return Gauntlet{format.Gauntlet.GetChallengers(), int(format.Gauntlet.GetCycles())}
	case *refereev1.TournamentTerms_Pools:
		return Pools{int(format.Pools.GetRounds())}
	case *refereev1.TournamentTerms_Sprt:
		return SPRT{format.Sprt.GetElo0(), format.Sprt.GetElo1(), int(format.Sprt.GetMaxMatches())}
	}
	return nil
}

// TournamentTerms are the terms of a new tournament.
type TournamentTerms struct {
	// Title is the title; the default is the name.
	Title string
	// Matches are the terms of its matches.
	Matches MatchTerms
	// Format is required.
	Format Format
	// Ladder is a ladder of the same organiser, which then seeds the entrants and rates the matches.
	Ladder string
	// FixedPartners lets an entrant have one bot for each seat of its side. By default each seat is an entrant.
	FixedPartners bool
	// Boards lets the entrants be teams, with one bot for each of 2 to 8 boards.
	Boards int
	// DuplicatePlay plays each pairing as a set of matches with the same start and seed and exchanged seats.
	DuplicatePlay bool
	// MaxConcurrentMatches is how many matches are in play at most; the default is as many as the server can hold.
	MaxConcurrentMatches int
}

func (t TournamentTerms) message() *refereev1.TournamentTerms {
	terms := &refereev1.TournamentTerms{
		MatchTerms:           t.Matches.message(),
		Ladder:               t.Ladder,
		PartnerRule:          partnerRule(t.FixedPartners),
		Boards:               uint32(t.Boards),
		DuplicatePlay:        duplicatePlay(t.DuplicatePlay),
		MaxConcurrentMatches: uint32(t.MaxConcurrentMatches),
	}
	if t.Format != nil {
		t.Format.apply(terms)
	}
	return terms
}

// TournamentPhase says how far a tournament has come.
type TournamentPhase string

// The phases of tournaments. The first one is open for entrants.
const (
	TournamentOpen      TournamentPhase = "entry"
	TournamentPlaying   TournamentPhase = "playing"
	TournamentFinished  TournamentPhase = "finished"
	TournamentCancelled TournamentPhase = "cancelled"
)

// Tournament is a tournament.
type Tournament struct {
	Name, Title string
	// Game is the name of the game.
	Game string
	// Format is nil if it is newer than this client.
	Format Format
	// Ladder is the ladder that rates its matches, or "".
	Ladder string
	// Organiser is the holder of the token that created it.
	Organiser string
	Phase     TournamentPhase
	// Entrants are in the order of entry, and by seed once the tournament has started.
	Entrants []Entrant
	// Withdrawn has the names of the entrants that have withdrawn.
	Withdrawn []string
	// CurrentRound is counted from 1, and 0 before the start.
	CurrentRound int
	// TotalRounds and TotalPairings are 0 if they are not known in advance.
	TotalRounds, CompletedPairings, TotalPairings int
	// Started and Ended are the zero time before.
	Created, Started, Ended time.Time
}

func newTournament(message *refereev1.Tournament) *Tournament {
	return &Tournament{
		Name:              message.GetName(),
		Title:             message.GetTitle(),
		Game:              message.GetTerms().GetMatchTerms().GetRules().GetGame(),
		Format:            newFormat(message.GetTerms()),
		Ladder:            message.GetTerms().GetLadder(),
		Organiser:         message.GetOrganiser(),
		Phase:             newTournamentPhase(message.GetPhase()),
		Entrants:          convert(message.GetEntrants(), newEntrant),
		Withdrawn:         message.GetWithdrawnEntrants(),
		CurrentRound:      int(message.GetCurrentRound()),
		TotalRounds:       int(message.GetTotalRounds()),
		CompletedPairings: int(message.GetCompletedPairings()),
		TotalPairings:     int(message.GetTotalPairings()),
		Created:           newTime(message.GetCreateTime()),
		Started:           newTime(message.GetStartTime()),
		Ended:             newTime(message.GetEndTime()),
	}
}

func newTournamentPhase(phase refereev1.TournamentPhase) TournamentPhase {
	return TournamentPhase(enumWord(phase, "TOURNAMENT_PHASE_"))
}

// TournamentStanding is a row of a tournament's standings.
type TournamentStanding struct {
	// Rank is counted from 1. Entrants that no tie-break separates share it.
	Rank    int
	Entrant string
	Points  float64
	// TieBreaks are in order of precedence.
	TieBreaks []TieBreak
	// Wins, Draws and Losses count matches. Forfeits are also losses.
	Wins, Draws, Losses, Forfeits int
	Byes                          int
}

// TieBreak is the value of a tie-break, such as "buchholz".
type TieBreak struct {
	Name  string
	Value float64
}

func newTournamentStanding(message *refereev1.TournamentStanding) TournamentStanding {
	return TournamentStanding{
		Rank:    int(message.GetRank()),
		Entrant: message.GetEntrant(),
		Points:  message.GetPoints(),
		TieBreaks: convert(message.GetTieBreaks(), func(row *refereev1.TieBreakValue) TieBreak {
			return TieBreak{enumWord(row.GetTieBreak(), "TIE_BREAK_"), row.GetValue()}
		}),
		Wins:     int(message.GetWins()),
		Draws:    int(message.GetDraws()),
		Losses:   int(message.GetLosses()),
		Forfeits: int(message.GetForfeits()),
		Byes:     int(message.GetByes()),
	}
}

// TournamentEntry is one numbered entry of the log of a tournament.
type TournamentEntry struct {
	// Number is counted from 1, without gaps.
	Number uint64
	Time   time.Time
	// Kind is the event in the words of the contract, such as "round_started" or "ended". It is "" if it is newer than
	// this client.
	Kind string
	// Entrant is who joined or withdrew, of whom only the name is known then.
	Entrant *Entrant
	// Round is the number of the round that started.
	Round int
	// Pairings are those that were planned, or the one that has changed because a match started, ended or became void,
	// or because it was lost by absence, postponed, reopened or corrected.
	Pairings []Pairing
	// Phase and Standings are those of a tournament that ended.
	Phase     TournamentPhase
	Standings []TournamentStanding
}

func newTournamentEntry(message *refereev1.TournamentEntry) *TournamentEntry {
	entry := &TournamentEntry{
		Number: message.GetNumber(),
		Time:   newTime(message.GetCreateTime()),
		Kind:   eventName(message.ProtoReflect()),
	}
	switch event := message.GetEvent().(type) {
	case *refereev1.TournamentEntry_EntrantJoined:
		entrant := newEntrant(event.EntrantJoined.GetEntrant())
		entry.Entrant = &entrant
	case *refereev1.TournamentEntry_EntrantLeft:
		entry.Entrant = &Entrant{Name: event.EntrantLeft.GetEntrant()}
	case *refereev1.TournamentEntry_RoundStarted:
		entry.Round = int(event.RoundStarted.GetRound())
	case *refereev1.TournamentEntry_Ended:
		entry.Phase = newTournamentPhase(event.Ended.GetPhase())
		entry.Standings = convert(event.Ended.GetStandings(), newTournamentStanding)
	}
	entry.Pairings = convert(entryPairings(message), newPairing)
	return entry
}

// entryPairings returns the pairings that an entry has planned or changed.
func entryPairings(message *refereev1.TournamentEntry) []*refereev1.Pairing {
	switch event := message.GetEvent().(type) {
	case *refereev1.TournamentEntry_PairingsPlanned:
		return event.PairingsPlanned.GetPairings()
	case *refereev1.TournamentEntry_PairingsReplaced:
		return event.PairingsReplaced.GetPairings()
	case *refereev1.TournamentEntry_RoundStarted:
		return event.RoundStarted.GetPairings()
	case *refereev1.TournamentEntry_Pairing:
		return []*refereev1.Pairing{event.Pairing}
	case *refereev1.TournamentEntry_EntrantsAbsent:
		return []*refereev1.Pairing{event.EntrantsAbsent.GetPairing()}
	case *refereev1.TournamentEntry_PairingPostponed:
		return []*refereev1.Pairing{event.PairingPostponed.GetPairing()}
	case *refereev1.TournamentEntry_PairingReopened:
		return []*refereev1.Pairing{event.PairingReopened.GetPairing()}
	case *refereev1.TournamentEntry_ScoreCorrected:
		return []*refereev1.Pairing{event.ScoreCorrected.GetPairing()}
	}
	return nil
}
