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

// maxMoveChars is more than the length of any move; the referee rejects longer texts.
const maxMoveChars = 1000

const (
	exitStopped       = 0
	exitMisconfigured = 2
	exitTakenOver     = 3
	exitRejected      = 4
)

// Run plays until the program is stopped, and returns its exit status: 0 after SIGINT or SIGTERM, 2 if the settings in
// the environment are invalid, 3 if a newer session of the same bot has taken over its matches, 4 if the referee
// rejects this bot. Errors are written to standard error. The options say what each turn should contain besides the
// position.
func Run(choose Choose, options *refereev1.TurnOptions) int {
	return RunWithNonce(choose, randomNonce, options)
}

// RunWithNonce does the same as [Run], with nonces of the bot's own instead of 32 random bytes.
func RunWithNonce(choose Choose, nonce Nonce, options *refereev1.TurnOptions) int {
	settings, err := readSettings(os.Getenv)
	if err != nil {
		logf("%v", err)
		return exitMisconfigured
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err = newPlayer(settings, choose, nonce, options).play(ctx)
	if ctx.Err() != nil {
		return exitStopped
	}
	logf("%v", err)
	if errors.Is(err, errTakenOver) {
		return exitTakenOver
	}
	return exitRejected
}

// player runs one session after the other. It uses a single goroutine, except for the calls of the bot.
type player struct {
	settings  settings
	choose    Choose
	hello     *refereev1.Hello
	openTurns *openTurns
	nonces    *nonces
	// events are functions to be called on the player's goroutine.
	events  chan func()
	backoff backoff
	// session is nil while there is none.
	session *session
	// reconnectDelay is the pause that a draining referee has asked for. Otherwise nil.
	reconnectDelay *time.Duration
}

func newPlayer(settings settings, choose Choose, nonce Nonce, options *refereev1.TurnOptions) *player {
	p := &player{
		settings: settings,
		choose:   choose,
		hello: &refereev1.Hello{
			Version:           settings.version,
			MaxMatches:        proto.Uint32(settings.maxMatches),
			TurnOptions:       options,
			Client:            client,
			VerdictsWithTurns: settings.verdictsWithTurns,
		},
		nonces: newNonces(nonce),
		events: make(chan func()),
	}
	p.openTurns = &openTurns{
		choose:   p.startChoosing,
		send:     p.send,
		schedule: p.schedule,
		bySeat:   map[seatKey]*openTurn{},
	}
	return p
}

// play returns when the context is cancelled, or with an error after which reconnecting does not help.
func (p *player) play(ctx context.Context) error {
	for {
		err := p.playSession(ctx)
		if errors.Is(err, errTakenOver) || errors.As(err, &rejectedError{}) || ctx.Err() != nil {
			return err
		}
		pause := p.nextPause()
		logf("%v; reconnecting in %.1f s", err, pause.Seconds())
		p.pause(ctx, pause)
	}
}

// nextPause returns the pause before the client reconnects.
func (p *player) nextPause() time.Duration {
	if p.reconnectDelay == nil {
		return p.backoff.next(time.Now(), rand.Float64())
	}
	pause := p.backoff.afterDraining(*p.reconnectDelay, rand.Float64())
	p.reconnectDelay = nil
	return pause
}

// playSession plays until the stream ends, and returns the reason.
func (p *player) playSession(ctx context.Context) error {
	session, err := openSession(ctx, p.settings, p.hello)
	if err != nil {
		return err
	}
	p.session = session
	defer func() {
		p.session.close()
		p.session = nil
	}()
	for {
		select {
		case response, ok := <-session.responses:
			if !ok {
				return session.err
			}
			for _, item := range response.GetItems() {
				if err := p.handle(item); err != nil {
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

// pause handles events until the duration has passed: the bot may finish an answer meanwhile.
func (p *player) pause(ctx context.Context, duration time.Duration) {
	over := time.After(duration)
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

func (p *player) handle(refereeItem *refereev1.RefereeItem) error {
	switch item := refereeItem.GetItem().(type) {
	case *refereev1.RefereeItem_Ping:
		pong := &refereev1.Pong{Id: item.Ping.GetId()}
		p.send(&refereev1.BotItem{Item: &refereev1.BotItem_Pong{Pong: pong}})
	case *refereev1.RefereeItem_Turn:
		p.openTurns.onTurn(item.Turn)
	case *refereev1.RefereeItem_Verdict:
		p.openTurns.onVerdict(item.Verdict)
	case *refereev1.RefereeItem_TurnExpired:
		p.openTurns.onTurnExpired(item.TurnExpired.GetMatchId(), item.TurnExpired.GetTurnToken())
	case *refereev1.RefereeItem_MatchEnded:
		p.openTurns.onMatchEnded(item.MatchEnded.GetMatchId())
		p.nonces.onMatchEnded(item.MatchEnded.GetMatchId(), item.MatchEnded.GetSeedCommitment())
	case *refereev1.RefereeItem_NonceRequest:
		p.send(p.nonces.onRequest(item.NonceRequest))
	case *refereev1.RefereeItem_MatchStarted:
		p.nonces.onMatchStarted(item.MatchStarted.GetMatch())
	case *refereev1.RefereeItem_Welcome:
		p.onWelcome(item.Welcome)
	case *refereev1.RefereeItem_Draining:
		delay := time.Duration(item.Draining.GetReconnectDelayMs()) * time.Millisecond
		p.reconnectDelay = &delay
	case *refereev1.RefereeItem_SessionTakenOver:
		return errTakenOver
	case *refereev1.RefereeItem_Notice:
		fmt.Fprintln(os.Stderr, "referee:", item.Notice.GetMessage())
	}
	return nil // All other items need no answer, or are unknown to this client.
}

func (p *player) onWelcome(welcome *refereev1.Welcome) {
	p.backoff.onWelcome(time.Now())
	p.session.setHeartbeatTimeout(time.Duration(welcome.GetHeartbeatTimeoutMs()) * time.Millisecond)
	// Keep the version for later sessions, even if a newer one is registered: the seats belong to it.
	p.hello.Version = welcome.GetVersion()
	logf("connected to %s as %s, version %s", p.settings.referee, welcome.GetBot(), welcome.GetVersion())
}

// send sends an item if there is a session; otherwise the turn will be sent again.
func (p *player) send(item *refereev1.BotItem) {
	if p.session != nil {
		p.session.send(item)
	}
}

func (p *player) schedule(delay time.Duration, event func()) {
	time.AfterFunc(delay, func() { p.events <- event })
}

// startChoosing calls the bot on a new goroutine.
func (p *player) startChoosing(open *openTurn) {
	go func() {
		answer := chooseAnswer(open.ctx, p.choose, open.request)
		p.events <- func() { p.openTurns.setAnswer(open, answer) }
	}()
}

// chooseAnswer returns the bot's move, or its resignation if its code fails.
func chooseAnswer(ctx context.Context, choose Choose, request TurnRequest) (answer *refereev1.BotItem) {
	defer func() {
		if reason := recover(); reason != nil {
			logf("the bot failed and resigns: %v\n%s", reason, debug.Stack())
			answer = resignationItem(request.Turn)
		}
	}()
	move, err := choose(ctx, request)
	if err == nil {
		return moveItem(request.Turn, move)
	}
	if ctx.Err() == nil {
		logf("the bot failed, and resigns: %v", err)
	}
	return resignationItem(request.Turn)
}

// moveItem returns the move, or a similar one that the referee rejects if the move cannot be sent. Sending it unchanged
// would break the stream, and with it all other matches; this way it costs one attempt.
func moveItem(turn *refereev1.Turn, text string) *refereev1.BotItem {
	subject := fmt.Sprintf("match %s, seat %d: the answer", turn.GetMatchId(), turn.GetSeat())
	if !utf8.ValidString(text) {
		logf("%s is not valid UTF-8; the referee will reject it", subject)
		text = strings.ToValidUTF8(text, string(utf8.RuneError))
	}
	if chars := utf8.RuneCountInString(text); chars > maxMoveChars {
		logf("%s has %d characters, the limit is %d; the referee will reject it", subject, chars, maxMoveChars)
		text = string([]rune(text)[:maxMoveChars+1])
	}
	move := &refereev1.Move{MatchId: turn.GetMatchId(), TurnToken: turn.GetTurnToken(), Move: text}
	return &refereev1.BotItem{Item: &refereev1.BotItem_Move{Move: move}}
}

func resignationItem(turn *refereev1.Turn) *refereev1.BotItem {
	resignation := &refereev1.Resignation{MatchId: turn.GetMatchId(), Seat: proto.Uint32(turn.GetSeat())}
	return &refereev1.BotItem{Item: &refereev1.BotItem_Resignation{Resignation: resignation}}
}

func logf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "referee-client: "+format+"\n", args...)
}
