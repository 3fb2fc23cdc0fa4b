package referee

import (
	"context"
	"crypto/rand"
	"iter"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"referee.example/referee/refereev1"
)

// CreateLadder creates a ladder. It starts matches as soon as there are enough entrants. The name has 1 to 40 lower-case
// letters, digits and hyphens, and begins with a letter.
func (c *Client) CreateLadder(ctx context.Context, name string, terms LadderTerms) (*Ladder, error) {
	request := &refereev1.CreateLadderRequest{
		RequestId: rand.Text(), Name: name, Title: terms.Title, Terms: terms.message(),
	}
	return newLadderOf(c.ladders().CreateLadder(ctx, request))
}

// JoinLadder adds an entrant, and returns its first standing.
func (c *Client) JoinLadder(ctx context.Context, name string, entrant Entrant) (*LadderStanding, error) {
	request := &refereev1.JoinLadderRequest{Ladder: name, Entrant: entrant.message()}
	response, err := c.ladders().JoinLadder(ctx, request)
	if err != nil {
		return nil, newCallError(err)
	}
	standing := newLadderStanding(response.GetStanding())
	return &standing, nil
}

// LeaveLadder removes the entrant of this name. Its matches in play continue, and its ratings are kept in case it
// returns.
func (c *Client) LeaveLadder(ctx context.Context, name, entrant string) error {
	request := &refereev1.LeaveLadderRequest{Ladder: name, Entrant: entrant}
	if _, err := c.ladders().LeaveLadder(ctx, request); err != nil {
		return newCallError(err)
	}
	return nil
}

// Challenge plans a rated pairing of entrants, of which the first is the challenger. It starts as soon as all have room.
func (c *Client) Challenge(ctx context.Context, name string, entrants ...string) (*Pairing, error) {
	request := &refereev1.ChallengeRequest{RequestId: rand.Text(), Ladder: name, Entrants: entrants}
	response, err := c.ladders().Challenge(ctx, request)
	if err != nil {
		return nil, newCallError(err)
	}
	pairing := newPairing(response.GetPairing())
	return &pairing, nil
}

// PauseLadder pauses a ladder: it starts no matches until it is resumed. Why is for the entrants, and may be empty.
func (c *Client) PauseLadder(ctx context.Context, name, why string) (*Ladder, error) {
	return newLadderOf(c.ladders().PauseLadder(ctx, &refereev1.PauseLadderRequest{Ladder: name, Message: why}))
}

// ResumeLadder resumes a paused ladder.
func (c *Client) ResumeLadder(ctx context.Context, name string) (*Ladder, error) {
	return newLadderOf(c.ladders().ResumeLadder(ctx, &refereev1.ResumeLadderRequest{Ladder: name}))
}

// CloseLadder closes a ladder permanently. Matches in play continue and are rated. Why is for the entrants, and may be
// empty.
func (c *Client) CloseLadder(ctx context.Context, name, why string) (*Ladder, error) {
	return newLadderOf(c.ladders().CloseLadder(ctx, &refereev1.CloseLadderRequest{Ladder: name, Message: why}))
}

// Ladder returns a ladder.
func (c *Client) Ladder(ctx context.Context, name string) (*Ladder, error) {
	return newLadderOf(c.ladders().GetLadder(ctx, &refereev1.GetLadderRequest{Name: name}))
}

// LadderFilter is which ladders to list; the zero value is all that are not closed. All fields that are set apply.
type LadderFilter struct {
	Game, Bot     string
	IncludeClosed bool
}

// Ladders returns ladders by name. After an error it ends.
func (c *Client) Ladders(ctx context.Context, filter LadderFilter) iter.Seq2[*Ladder, error] {
	return pages(ctx, newLadder, func(ctx context.Context, token string) ([]*refereev1.Ladder, string, error) {
		page, err := c.ladders().ListLadders(ctx, &refereev1.ListLaddersRequest{
			Game:          filter.Game,
			Bot:           filter.Bot,
			IncludeClosed: filter.IncludeClosed,
			PageSize:      pageSize,
			PageToken:     token,
		})
		return page.GetLadders(), page.GetNextPageToken(), err
	})
}

// LadderStandings returns the standings of a ladder in the current season, the best first. After an error it ends.
func (c *Client) LadderStandings(ctx context.Context, name string) iter.Seq2[LadderStanding, error] {
	return pages(ctx, newLadderStanding,
		func(ctx context.Context, token string) ([]*refereev1.LadderStanding, string, error) {
			request := &refereev1.ListLadderStandingsRequest{Ladder: name, PageSize: pageSize, PageToken: token}
			page, err := c.ladders().ListLadderStandings(ctx, request)
			return page.GetStandings(), page.GetNextPageToken(), err
		})
}

// WatchLadder returns the entries of a ladder after a number, once and in order, until it is closed and its last match is
// over, or the context is cancelled. It goes on and ends as [Client.Watch] does.
func (c *Client) WatchLadder(ctx context.Context, name string, after uint64) iter.Seq2[*LadderEntry, error] {
	type Response = refereev1.WatchLadderResponse
	return watch(ctx, after, c.retries, newLadderEntry, logStream[Response, *refereev1.LadderEntry]{
		open: func(ctx context.Context, after uint64) (grpc.ServerStreamingClient[Response], error) {
			request := &refereev1.WatchLadderRequest{Ladder: name, AfterNumber: proto.Uint64(after)}
			return c.ladders().WatchLadder(ctx, request)
		},
		entries: func(response *Response) []*refereev1.LadderEntry {
			return convert(response.GetItems(), (*refereev1.WatchLadderItem).GetEntry)
		},
	})
}

// LadderRecord returns the signed record of a ladder that is closed and whose last match is over, with which anyone can
// verify its pairings, ratings and standings.
func (c *Client) LadderRecord(ctx context.Context, name string) (string, error) {
	request := &refereev1.GetLadderRecordRequest{Ladder: name}
	return readText(ctx, c.retries, c.ladders().GetLadderRecord, request, (*refereev1.GetLadderRecordResponse).GetText)
}

func (c *Client) ladders() refereev1.LadderServiceClient {
	return refereev1.NewLadderServiceClient(c.conn)
}

// newLadderOf converts the response of a call, or its error.
func newLadderOf(response interface{ GetLadder() *refereev1.Ladder }, err error) (*Ladder, error) {
	if err != nil {
		return nil, newCallError(err)
	}
	return newLadder(response.GetLadder()), nil
}
