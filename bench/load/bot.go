package main

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"referee.example/referee/refereev1"
)

// bot is one bot: its stream, its seats, and the turns that it holds back while nobody plays.
type bot struct {
	crowd  *crowd
	number int
	name   string
	caller context.Context

	mu     sync.Mutex // Guards what is below, and the writing side of the stream.
	stream grpc.BidiStreamingClient[refereev1.PlayRequest, refereev1.PlayResponse]
	hangUp context.CancelFunc
	seats  map[string]*seat
	held   map[string]asked // By match.
	delays []time.Duration  // From a move to the turn that follows from it.
}

// seat is the bot's part in one match.
type seat struct {
	match *match
	moves []string
}

// version is what every bot says it is, and what is asked for: else the referee writes down who came, seat by seat.
const version = "1"

// asked is a turn that can be answered.
type asked struct {
	bot   *bot
	match string
	token string
}

func (b *bot) connection() *grpc.ClientConn {
	return b.crowd.connections[b.number%len(b.crowd.connections)]
}

func (b *bot) register() error {
	request := &refereev1.RegisterBotRequest{RequestId: "register " + b.name, Name: b.name}
	answer, err := refereev1.NewBotServiceClient(b.connection()).RegisterBot(b.crowd.organiser, request)
	if err != nil {
		return err
	}
	b.caller = as(answer.GetSecret())
	return nil
}

// open says Hello, and returns when the bot is welcome.
func (b *bot) open() error {
	if b.caller == nil {
		b.caller = context.Background()
	}
	ctx, cancel := context.WithCancel(b.caller)
	stream, err := refereev1.NewPlayServiceClient(b.connection()).Play(ctx)
	if err != nil {
		cancel()
		return err
	}
	room := uint32(b.crowd.wishes.Room)
	hello := &refereev1.Hello{
		Version:     version,
		MaxMatches:  &room,
		TurnOptions: &refereev1.TurnOptions{MaxLegalMoves: uint32(b.crowd.wishes.Legal)},
		Client:      "referee-load",

		VerdictsWithTurns: b.crowd.wishes.VerdictsWithTurns,
	}
	b.mu.Lock()
	b.stream, b.hangUp = stream, cancel
	if b.seats == nil {
		b.seats = map[string]*seat{}
	}
	b.send([]*refereev1.BotItem{{Item: &refereev1.BotItem_Hello{Hello: hello}}})
	b.mu.Unlock()
	welcome, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- b.listen(stream, welcome) }()
	select {
	case <-welcome:
		return nil
	case err := <-ended:
		return err
	case <-time.After(patience):
		return fmt.Errorf("%s was not welcome", b.name)
	}
}

// forget leaves the stream, and the turns that were held: the referee will ask them again. So many there were.
func (b *bot) forget() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hangUp()
	owed := len(b.held)
	for id := range b.held {
		b.drop(id)
	}
	return owed
}

// listen returns why the stream has ended.
func (b *bot) listen(stream grpc.BidiStreamingClient[refereev1.PlayRequest, refereev1.PlayResponse], welcome chan struct{}) error {
	for {
		message, err := stream.Recv()
		if err != nil {
			return err
		}
		b.crowd.heard(message)
		b.mu.Lock()
		b.send(b.hear(message, welcome))
		b.mu.Unlock()
	}
}

// send is to be called with the lock held. A stream that has ended takes nothing; its reader is told so.
func (b *bot) send(items []*refereev1.BotItem) {
	if b.crowd.wishes.OneByOne {
		for _, item := range items {
			_ = b.stream.Send(&refereev1.PlayRequest{Items: []*refereev1.BotItem{item}})
		}
	} else if len(items) > 0 {
		_ = b.stream.Send(&refereev1.PlayRequest{Items: items})
	}
}

// hear takes note of all items, and gives what is to be said at once.
func (b *bot) hear(message *refereev1.PlayResponse, welcome chan struct{}) []*refereev1.BotItem {
	var say []*refereev1.BotItem
	for _, item := range message.GetItems() {
		switch item := item.GetItem().(type) {
		case *refereev1.RefereeItem_Turn:
			if answer := b.turn(item.Turn); answer != nil {
				say = append(say, answer)
			}
		case *refereev1.RefereeItem_Verdict:
			b.crowd.verdict(item.Verdict.GetAccepted() != nil, item.Verdict.String)
		case *refereev1.RefereeItem_Ping:
			say = append(say, &refereev1.BotItem{Item: &refereev1.BotItem_Pong{Pong: &refereev1.Pong{Id: item.Ping.GetId()}}})
		case *refereev1.RefereeItem_MatchStarted:
			b.begin(item.MatchStarted)
		case *refereev1.RefereeItem_MatchEnded:
			b.end(item.MatchEnded.GetMatchId())
		case *refereev1.RefereeItem_Welcome:
			close(welcome)
		}
	}
	return say
}

// begin takes the seat. The title of the match is the number of the game that is played again.
func (b *bot) begin(started *refereev1.MatchStarted) {
	id := started.GetMatch().GetId()
	number, err := strconv.Atoi(started.GetMatch().GetTitle())
	if err != nil {
		panic(err) // We gave it ourselves.
	}
	if b.seats[id] == nil {
		b.seats[id] = &seat{match: b.crowd.match(id), moves: b.crowd.games.Recorded[number].Moves[started.GetSeat()]}
	}
}

func (b *bot) end(id string) {
	b.drop(id)
	if seat := b.seats[id]; seat != nil {
		delete(b.seats, id)
		b.crowd.end(seat.match)
	}
}

// turn is the answer to say now, or nil.
func (b *bot) turn(turn *refereev1.Turn) *refereev1.BotItem {
	id := turn.GetMatchId()
	s := b.seats[id]
	if s == nil { // Only an echo asks without a match.
		s = &seat{match: b.echoed(id)}
		b.seats[id] = s
	}
	if at := s.match.sentAt.Swap(0); at != 0 {
		b.delays = append(b.delays, time.Duration(time.Now().UnixNano()-at))
		if b.crowd.games == nil && !b.crowd.wishes.Pairs {
			b.crowd.verdict(true, nil) // The next turn is all that this echo says.
		}
	}
	asked := asked{bot: b, match: id, token: turn.GetTurnToken()}
	if !b.crowd.playing.Load() {
		b.hold(asked, s)
		return nil
	}
	if b.crowd.due != nil {
		b.crowd.due <- asked
		return nil
	}
	return b.answer(asked)
}

// echoed is the match that an echo speaks of: a pair has it in common, and who is alone has the ids that all have.
func (b *bot) echoed(id string) *match {
	if b.crowd.wishes.Pairs {
		return b.crowd.match(id)
	}
	return &match{id: id}
}

func (b *bot) hold(turn asked, s *seat) {
	if _, there := b.held[turn.match]; !there {
		b.crowd.hold(s.match, 1)
	}
	b.held[turn.match] = turn
}

// drop holds the turn of that match no more, if it was held.
func (b *bot) drop(id string) {
	if _, there := b.held[id]; there {
		delete(b.held, id)
		b.crowd.hold(b.seats[id].match, -1)
	}
}

// answer is what the game that is played again says, to be sent; nil: it went another way, or there is nothing more.
func (b *bot) answer(turn asked) *refereev1.BotItem {
	s := b.seats[turn.match]
	if s == nil {
		return nil // The match is over meanwhile.
	}
	move := anything
	if b.crowd.games != nil {
		if len(s.moves) == 0 {
			b.hold(turn, s)
			b.crowd.dry.Store(true)
			b.crowd.finish()
			return nil
		}
		move, s.moves = s.moves[0], s.moves[1:]
	}
	b.crowd.sent.Add(1)
	b.crowd.untold.Add(s.match.watchers)
	s.match.sentAt.Store(time.Now().UnixNano())
	if b.crowd.wishes.Unary {
		go b.submit(turn, move)
		return nil
	}
	played := &refereev1.Move{MatchId: turn.match, TurnToken: turn.token, Move: move}
	return &refereev1.BotItem{Item: &refereev1.BotItem_Move{Move: played}}
}

func (b *bot) submit(turn asked, move string) {
	request := &refereev1.SubmitMoveRequest{RequestId: turn.token, MatchId: turn.match, TurnToken: turn.token, Move: move}
	_, err := refereev1.NewMatchServiceClient(b.connection()).SubmitMove(b.caller, request)
	b.crowd.verdict(err == nil, func() string { return err.Error() })
	if b.crowd.games == nil { // An echo asks nothing: it is told again.
		b.mu.Lock()
		b.again(turn)
		b.mu.Unlock()
	}
}

func (b *bot) again(turn asked) {
	if b.crowd.playing.Load() {
		b.answer(turn)
	} else {
		b.hold(turn, b.seats[turn.match])
	}
}

// release answers all turns that are held.
func (b *bot) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	var say []*refereev1.BotItem
	for id, turn := range b.held {
		b.drop(id)
		if b.crowd.due != nil {
			b.crowd.due <- turn
		} else if answer := b.answer(turn); answer != nil {
			say = append(say, answer)
		}
	}
	b.send(say)
}

// play answers one turn now.
func (b *bot) play(turn asked) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if answer := b.answer(turn); answer != nil {
		b.send([]*refereev1.BotItem{answer})
	}
}

func (c *crowd) heard(message *refereev1.PlayResponse) {
	c.messages.Add(1)
	c.items.Add(int64(len(message.GetItems())))
	c.bytes.Add(int64(proto.Size(message)))
}
