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

// moveChars is more than the length of any move; the referee rejects longer texts.
const moveChars = 1000

const (
	stopped       = 0
	misconfigured = 2
	takenOver     = 3
	refused       = 4
)

// Run plays until the program is stopped, and returns its exit status: 0 after SIGINT or SIGTERM, 2 if the settings in
// the environment are invalid, 3 if another copy of the bot has taken over its seats, 4 if the referee rejects this
// bot. Errors are written to standard error. The options say what each turn should contain besides the position.
func Run(choose Choose, options *refereev1.TurnOptions) int {
	settings, err := settingsFrom(os.Getenv)
	if err != nil {
		complain("%v", err)
		return misconfigured
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err = newPlayer(settings, choose, options).play(ctx)
	if ctx.Err() != nil {
		return stopped
	}
	complain("%v", err)
	if errors.Is(err, errTakenOver) {
		return takenOver
	}
	return refused
}

// player runs one session after the other. It uses a single goroutine, except for the calls of the bot.
type player struct {
	settings settings
	choose   Choose
	hello    *refereev1.Hello
	desk     *desk
	// events are functions to be called on the player's goroutine.
	events  chan func()
	backoff backoff
	// session is nil while there is none.
	session *session
	// away is how long the referee will be away, if it has announced that. Otherwise nil.
	away *time.Duration
}

func newPlayer(settings settings, choose Choose, options *refereev1.TurnOptions) *player {
	made := &player{
		settings: settings,
		choose:   choose,
		hello: &refereev1.Hello{
			Version:           settings.version,
			MaxMatches:        proto.Uint32(settings.maxMatches),
			TurnOptions:       options,
			Client:            client,
			VerdictsWithTurns: settings.verdictsWithTurns,
		},
		events: make(chan func()),
	}
	made.desk = &desk{think: made.think, say: made.say, later: made.later, owed: map[place]*owedTurn{}}
	return made
}

// play returns when the context is cancelled, or with an error after which reconnecting does not help.
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

// wait returns the pause after the session.
func (p *player) wait() time.Duration {
	if p.away == nil {
		return p.backoff.next(time.Now(), rand.Float64())
	}
	wait := p.backoff.afterDraining(*p.away, rand.Float64())
	p.away = nil
	return wait
}

// playSession plays until the stream ends, and returns the reason.
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

func (p *player) hear(said *refereev1.RefereeItem) error {
	switch item := said.GetItem().(type) {
	case *refereev1.RefereeItem_Ping:
		pong := &refereev1.Pong{Id: item.Ping.GetId()}
		p.say(&refereev1.BotItem{Item: &refereev1.BotItem_Pong{Pong: pong}})
	case *refereev1.RefereeItem_Turn:
		p.desk.asked(item.Turn)
	case *refereev1.RefereeItem_Verdict:
		p.desk.judged(item.Verdict)
	case *refereev1.RefereeItem_TurnExpired:
		p.desk.lapsed(item.TurnExpired.GetMatchId(), item.TurnExpired.GetTurnToken())
	case *refereev1.RefereeItem_MatchEnded:
		p.desk.ended(item.MatchEnded.GetMatchId())
	case *refereev1.RefereeItem_Welcome:
		p.welcomed(item.Welcome)
	case *refereev1.RefereeItem_Draining:
		away := time.Duration(item.Draining.GetReconnectDelayMs()) * time.Millisecond
		p.away = &away
	case *refereev1.RefereeItem_SessionTakenOver:
		return errTakenOver
	case *refereev1.RefereeItem_Notice:
		fmt.Fprintln(os.Stderr, "referee:", item.Notice.GetMessage())
	}
	return nil // Nothing to answer, or unknown to this client.
}

func (p *player) welcomed(welcome *refereev1.Welcome) {
	p.backoff.welcomed(time.Now())
	p.session.welcomed(time.Duration(welcome.GetHeartbeatTimeoutMs()) * time.Millisecond)
	// Keep the version for later sessions, even if a newer one is registered: the seats belong to it.
	p.hello.Version = welcome.GetVersion()
	complain("connected to %s as %s, version %s", p.settings.referee, welcome.GetBot(), welcome.GetVersion())
}

// say sends an item if there is a session; otherwise the turn will be sent again.
func (p *player) say(item *refereev1.BotItem) {
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

// answer returns the bot's move, or its resignation if its code fails.
func answer(ctx context.Context, choose Choose, asked Asked) (said *refereev1.BotItem) {
	defer func() {
		if why := recover(); why != nil {
			complain("the bot failed and resigns: %v\n%s", why, debug.Stack())
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

// moveItem returns the move, or a similar one that the referee rejects if the move cannot be sent. Sending it unchanged
// would break the stream, and with it all other matches; this way it costs one attempt.
func moveItem(turn *refereev1.Turn, move string) *refereev1.BotItem {
	where := fmt.Sprintf("match %s, seat %d: the answer", turn.GetMatchId(), turn.GetSeat())
	if !utf8.ValidString(move) {
		complain("%s is not valid UTF-8; the referee will refuse it", where)
		move = strings.ToValidUTF8(move, string(utf8.RuneError))
	}
	if chars := utf8.RuneCountInString(move); chars > moveChars {
		complain("%s has %d characters, the limit is %d; the referee will refuse it", where, chars, moveChars)
		move = string([]rune(move)[:moveChars+1])
	}
	said := &refereev1.Move{MatchId: turn.GetMatchId(), TurnToken: turn.GetTurnToken(), Move: move}
	return &refereev1.BotItem{Item: &refereev1.BotItem_Move{Move: said}}
}

func resignation(turn *refereev1.Turn) *refereev1.BotItem {
	said := &refereev1.Resignation{MatchId: turn.GetMatchId(), Seat: proto.Uint32(turn.GetSeat())}
	return &refereev1.BotItem{Item: &refereev1.BotItem_Resignation{Resignation: said}}
}

func complain(format string, what ...any) {
	fmt.Fprintf(os.Stderr, "referee-client: "+format+"\n", what...)
}
