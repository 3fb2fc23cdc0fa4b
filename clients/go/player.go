package referee

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"referee/refereev1"
)

const client = "referee-client-go/0.1.0"

// moveChars is more than the longest move of any game, and the referee refuses what is longer.
const moveChars = 1000

const (
	stopped       = 0
	misconfigured = 2
	takenOver     = 3
	refused       = 4
)

// Run plays until the program is told to stop, and tells with which status it is to exit: 0 after SIGINT or SIGTERM,
// 2 if the settings in the environment are wrong, 3 if another copy of the bot has taken its seats, 4 if the referee
// refuses this bot. Standard error says why. The wishes say what each turn should carry beyond the position.
func Run(choose Choose, wishes *refereev1.TurnWishes) int {
	settings, err := settingsFrom(os.Getenv)
	if err != nil {
		complain("%v", err)
		return misconfigured
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err = newPlayer(settings, choose, wishes).play(ctx)
	if ctx.Err() != nil {
		return stopped
	}
	complain("%v", err)
	if errors.Is(err, errTakenOver) {
		return takenOver
	}
	return refused
}

// player plays session after session. All of it happens on one goroutine, but for the bot's thoughts.
type player struct {
	settings settings
	choose   Choose
	hello    *refereev1.Hello
	desk     *desk
	// events are what comes up beside the stream, to be done on the player's goroutine.
	events  chan func()
	backoff backoff
	// session is nil while there is none.
	session *session
	// away is how long the referee will be away, if it has said so. Else nil.
	away *time.Duration
}

func newPlayer(settings settings, choose Choose, wishes *refereev1.TurnWishes) *player {
	made := &player{
		settings: settings,
		choose:   choose,
		hello: &refereev1.Hello{
			Version:       settings.version,
			MatchesAtMost: proto.Uint32(settings.matchesAtMost),
			Wishes:        wishes,
			Client:        client,
		},
		events: make(chan func()),
	}
	made.desk = &desk{think: made.think, say: made.say, later: made.later, owed: map[place]*owedTurn{}}
	return made
}

// play ends with the context, or with an error that coming back would not help.
func (p *player) play(ctx context.Context) error {
	for {
		err := p.playSession(ctx)
		if errors.Is(err, errTakenOver) || errors.As(err, &refusedError{}) || ctx.Err() != nil {
			return err
		}
		wait := p.wait()
		complain("%v; back in %.1f s", err, wait.Seconds())
		p.stayAway(ctx, wait)
	}
}

// wait is how long to stay away after the session.
func (p *player) wait() time.Duration {
	if p.away == nil {
		return p.backoff.next(time.Now(), rand.Float64())
	}
	wait := p.backoff.afterDraining(*p.away, rand.Float64())
	p.away = nil
	return wait
}

// playSession plays until the stream ends, and tells why it did.
func (p *player) playSession(ctx context.Context) error {
	session, err := open(ctx, p.settings, p.hello)
	if err != nil {
		return err
	}
	p.session = session
	defer func() {
		p.session.hangUp()
		p.session = nil
	}()
	for {
		select {
		case response, open := <-session.heard:
			if !open {
				return session.end
			}
			for _, said := range response.GetItems() {
				if err := p.hear(said); err != nil {
					return err
				}
			}
		case event := <-p.events:
			event()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (p *player) stayAway(ctx context.Context, wait time.Duration) {
	over := time.After(wait)
	for {
		select {
		case <-over:
			return
		case event := <-p.events:
			event()
		case <-ctx.Done():
			return
		}
	}
}

func (p *player) hear(said *refereev1.FromReferee) error {
	switch item := said.GetItem().(type) {
	case *refereev1.FromReferee_Ping:
		pong := &refereev1.Pong{Id: item.Ping.GetId()}
		p.say(&refereev1.FromBot{Item: &refereev1.FromBot_Pong{Pong: pong}})
	case *refereev1.FromReferee_Turn:
		p.desk.asked(item.Turn)
	case *refereev1.FromReferee_Verdict:
		p.desk.judged(item.Verdict)
	case *refereev1.FromReferee_TurnLapsed:
		p.desk.lapsed(item.TurnLapsed.GetMatchId(), item.TurnLapsed.GetToken())
	case *refereev1.FromReferee_MatchEnded:
		p.desk.ended(item.MatchEnded.GetMatchId())
	case *refereev1.FromReferee_Welcome:
		p.welcomed(item.Welcome)
	case *refereev1.FromReferee_Draining:
		away := time.Duration(item.Draining.GetReturnAfterMs()) * time.Millisecond
		p.away = &away
	case *refereev1.FromReferee_TakenOver:
		return errTakenOver
	case *refereev1.FromReferee_Notice:
		fmt.Fprintln(os.Stderr, "referee:", item.Notice.GetMessage())
	}
	return nil // Nothing to answer, or newer than this client.
}

func (p *player) welcomed(welcome *refereev1.Welcome) {
	p.backoff.welcomed(time.Now())
	p.session.welcomed(time.Duration(welcome.GetGoneAfterMs()) * time.Millisecond)
	// The seats belong to this version, also if a newer one is registered before the next break.
	p.hello.Version = welcome.GetVersion()
	complain("connected to %s as %s, version %s", p.settings.referee, welcome.GetBot(), welcome.GetVersion())
}

// say tells the referee, unless nobody listens; then the turn will be asked again.
func (p *player) say(item *refereev1.FromBot) {
	if p.session != nil {
		p.session.say(item)
	}
}

func (p *player) later(after time.Duration, do func()) {
	time.AfterFunc(after, func() { p.events <- do })
}

func (p *player) think(owed *owedTurn) {
	go func() {
		found := answer(owed.wanted, p.choose, owed.asked)
		p.events <- func() { p.desk.found(owed, found) }
	}()
}

// answer is the bot's move; or, if its code breaks down, its resignation.
func answer(ctx context.Context, choose Choose, asked Asked) (said *refereev1.FromBot) {
	defer func() {
		if why := recover(); why != nil {
			complain("the bot broke down, and resigns: %v\n%s", why, debug.Stack())
			said = resignation(asked.Turn)
		}
	}()
	move, err := choose(ctx, asked)
	if err == nil {
		return moveItem(asked.Turn, move)
	}
	if ctx.Err() == nil {
		complain("the bot failed, and resigns: %v", err)
	}
	return resignation(asked.Turn)
}

// moveItem is the move; or, if it cannot be sent as it is, one like it that the referee refuses. It would break the
// stream, and with it all other matches; so it costs one attempt.
func moveItem(turn *refereev1.Turn, move string) *refereev1.FromBot {
	where := fmt.Sprintf("match %s, seat %d: the answer", turn.GetMatchId(), turn.GetSeat())
	if !utf8.ValidString(move) {
		complain("%s is not valid UTF-8; the referee will refuse it", where)
		move = strings.ToValidUTF8(move, string(utf8.RuneError))
	}
	if chars := utf8.RuneCountInString(move); chars > moveChars {
		complain("%s has %d characters, the limit is %d; the referee will refuse it", where, chars, moveChars)
		move = string([]rune(move)[:moveChars+1])
	}
	said := &refereev1.Move{MatchId: turn.GetMatchId(), Token: turn.GetToken(), Move: move}
	return &refereev1.FromBot{Item: &refereev1.FromBot_Move{Move: said}}
}

func resignation(turn *refereev1.Turn) *refereev1.FromBot {
	said := &refereev1.Resignation{MatchId: turn.GetMatchId(), Seat: proto.Uint32(turn.GetSeat())}
	return &refereev1.FromBot{Item: &refereev1.FromBot_Resignation{Resignation: said}}
}

func complain(format string, what ...any) {
	fmt.Fprintf(os.Stderr, "referee-client: "+format+"\n", what...)
}
