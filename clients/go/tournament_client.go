package referee

import (
	"context"
	"crypto/rand"
	"iter"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"referee.example/referee/refereev1"
)

// CreateTournament creates a tournament. Entrants can join until it is started. The name has 1 to 40 lower-case letters,
// digits and hyphens, and begins with a letter.
func (c *Client) CreateTournament(
	ctx context.Context, name string, terms TournamentTerms, entrants ...Entrant,
) (*Tournament, error) {
	request := &refereev1.CreateTournamentRequest{
		RequestId: rand.Text(),
		Name:      name,
		Title:     terms.Title,
		Terms:     terms.message(),
		Entrants:  convert(entrants, Entrant.message),
	}
	return newTournamentOf(c.tournaments().CreateTournament(ctx, request))
}

// EnterTournament adds an entrant.
func (c *Client) EnterTournament(ctx context.Context, name string, entrant Entrant) (*Tournament, error) {
	request := &refereev1.EnterTournamentRequest{Tournament: name, Entrant: entrant.message()}
	return newTournamentOf(c.tournaments().EnterTournament(ctx, request))
}

// WithdrawEntrant withdraws the entrant of this name. Before the start it is removed; later its results are kept, and it
// is not paired again. Why is for the other entrants, and may be empty.
func (c *Client) WithdrawEntrant(ctx context.Context, name, entrant, why string) (*Tournament, error) {
	request := &refereev1.WithdrawEntrantRequest{Tournament: name, Entrant: entrant, Message: why}
	return newTournamentOf(c.tournaments().WithdrawEntrant(ctx, request))
}

// StartTournament starts a tournament.
func (c *Client) StartTournament(ctx context.Context, name string) (*Tournament, error) {
	return newTournamentOf(c.tournaments().StartTournament(ctx, &refereev1.StartTournamentRequest{Name: name}))
}

// CancelTournament cancels a tournament; its matches in play become void. Why is for the entrants, and may be empty.
func (c *Client) CancelTournament(ctx context.Context, name, why string) (*Tournament, error) {
	request := &refereev1.CancelTournamentRequest{Name: name, Message: why}
	return newTournamentOf(c.tournaments().CancelTournament(ctx, request))
}

// Tournament returns a tournament.
func (c *Client) Tournament(ctx context.Context, name string) (*Tournament, error) {
	return newTournamentOf(c.tournaments().GetTournament(ctx, &refereev1.GetTournamentRequest{Name: name}))
}

// TournamentFilter is which tournaments to list; the zero value is all. All fields that are set apply.
type TournamentFilter struct {
	Game, Bot string
	Phase     TournamentPhase
}

// Tournaments returns tournaments, the newest first. After an error it ends.
func (c *Client) Tournaments(ctx context.Context, filter TournamentFilter) iter.Seq2[*Tournament, error] {
	phase := enumNumber(refereev1.TournamentPhase_value, "TOURNAMENT_PHASE_", string(filter.Phase))
	return pages(ctx, newTournament, func(ctx context.Context, token string) ([]*refereev1.Tournament, string, error) {
		page, err := c.tournaments().ListTournaments(ctx, &refereev1.ListTournamentsRequest{
			Game:      filter.Game,
			Bot:       filter.Bot,
			Phase:     refereev1.TournamentPhase(phase),
			PageSize:  pageSize,
			PageToken: token,
		})
		return page.GetTournaments(), page.GetNextPageToken(), err
	})
}

// PairingFilter is which pairings to list; the zero value is all. All fields that are set apply.
type PairingFilter struct {
	// Round is counted from 1.
	Round   int
	Entrant string
	Phase   PairingPhase
}

// Pairings returns pairings of a tournament by round and board. After an error it ends.
func (c *Client) Pairings(ctx context.Context, name string, filter PairingFilter) iter.Seq2[Pairing, error] {
	phase := enumNumber(refereev1.PairingPhase_value, "PAIRING_PHASE_", string(filter.Phase))
	return pages(ctx, newPairing, func(ctx context.Context, token string) ([]*refereev1.Pairing, string, error) {
		page, err := c.tournaments().ListPairings(ctx, &refereev1.ListPairingsRequest{
			Tournament: name,
			Round:      uint32(filter.Round),
			Entrant:    filter.Entrant,
			Phase:      refereev1.PairingPhase(phase),
			PageSize:   pageSize,
			PageToken:  token,
		})
		return page.GetPairings(), page.GetNextPageToken(), err
	})
}

// TournamentStandings returns the current standings of a tournament, the best first.
func (c *Client) TournamentStandings(ctx context.Context, name string) ([]TournamentStanding, error) {
	request := &refereev1.GetTournamentStandingsRequest{Tournament: name}
	response, err := c.tournaments().GetTournamentStandings(ctx, request)
	if err != nil {
		return nil, newCallError(err)
	}
	return convert(response.GetStandings(), newTournamentStanding), nil
}

// WatchTournament returns the entries of a tournament after a number, once and in order, until it is over or the context
// is cancelled. It goes on and ends as [Client.Watch] does.
func (c *Client) WatchTournament(ctx context.Context, name string, after uint64) iter.Seq2[*TournamentEntry, error] {
	type Response = refereev1.WatchTournamentResponse
	return watch(ctx, after, c.retries, newTournamentEntry, logStream[Response, *refereev1.TournamentEntry]{
		open: func(ctx context.Context, after uint64) (grpc.ServerStreamingClient[Response], error) {
			request := &refereev1.WatchTournamentRequest{Tournament: name, AfterNumber: proto.Uint64(after)}
			return c.tournaments().WatchTournament(ctx, request)
		},
		entries: func(response *Response) []*refereev1.TournamentEntry {
			return convert(response.GetItems(), (*refereev1.WatchTournamentItem).GetEntry)
		},
	})
}

// ExportFormat is the format of a file about a tournament.
type ExportFormat string

// The formats of files about tournaments. ExportTRF is FIDE's report file, for formats and games of two sides.
const (
	ExportCSV  ExportFormat = "csv"
	ExportJSON ExportFormat = "json"
	ExportTRF  ExportFormat = "trf"
)

// ExportTournament returns a file about a tournament that has started.
func (c *Client) ExportTournament(ctx context.Context, name string, format ExportFormat) (string, error) {
	number := enumNumber(refereev1.ExportFormat_value, "EXPORT_FORMAT_", string(format))
	request := &refereev1.ExportTournamentRequest{Tournament: name, Format: refereev1.ExportFormat(number)}
	return readText(ctx, c.retries, c.tournaments().ExportTournament, request, (*refereev1.ExportTournamentResponse).GetText)
}

// TournamentRecord returns the signed record of a tournament that is over, with which anyone can verify its pairings and
// standings.
func (c *Client) TournamentRecord(ctx context.Context, name string) (string, error) {
	request := &refereev1.GetTournamentRecordRequest{Tournament: name}
	return readText(ctx, c.retries, c.tournaments().GetTournamentRecord, request, (*refereev1.GetTournamentRecordResponse).GetText)
}

func (c *Client) tournaments() refereev1.TournamentServiceClient {
	return refereev1.NewTournamentServiceClient(c.conn)
}

// newTournamentOf converts the response of a call, or its error.
func newTournamentOf(response interface{ GetTournament() *refereev1.Tournament }, err error) (*Tournament, error) {
	if err != nil {
		return nil, newCallError(err)
	}
	return newTournament(response.GetTournament()), nil
}
