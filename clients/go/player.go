package referee

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"referee.example/referee/refereev1"
)

// Play plays until the context is cancelled, and reconnects after a session has ended. It returns the context's error
// then, and otherwise a [*SettingError] if a setting is invalid, a [*TakenOverError] if a newer session of the same bot
// has taken over its seats, or a [*RejectedError] if the referee rejects the bot. It does not wait for calls of the bot
// that are still running.
func Play(ctx context.Context, bot Bot, options ...Option) error {
	config, err := newConfig(options)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return newPlayer(ctx, config, bot).play(ctx)
}

// player runs one session after the other. It uses a single goroutine, except for the calls of the bot.
type player struct {
	ctx       context.Context
	config    *config
	hello     *refereev1.Hello
	openTurns *openTurns
	seats     *seats
	nonces    *nonces
	// events are functions to be called on the player's goroutine.
	events  chan func()
	backoff backoff
	// session is nil while there is none.
	session *session
	// outbox has the items that are sent when the current message or event has been handled.
	outbox []*refereev1.BotItem
	// reconnectDelay is the pause that a draining referee has asked for. Otherwise nil.
	reconnectDelay *time.Duration
}

func newPlayer(ctx context.Context, config *config, bot Bot) *player {
	p := &player{
		ctx:    ctx,
		config: config,
		hello: &refereev1.Hello{
			Version:           config.version,
			Games:             config.games,
			MaxMatches:        proto.Uint32(config.maxMatches),
			TurnOptions:       config.turnOptions,
			Client:            "referee-client-go/" + Version,
			VerdictsWithTurns: config.verdictsWithTurns,
		},
		seats:  newSeats(bot, config.logger),
		nonces: newNonces(config.nonce, config.logger),
		events: make(chan func()),
	}
	p.openTurns = &openTurns{
		ctx:      ctx,
		choose:   p.startChoosing,
		send:     p.send,
		schedule: func(delay time.Duration, event func()) { time.AfterFunc(delay, func() { p.post(event) }) },
		bySeat:   map[seatKey]*openTurn{},
	}
	return p
}

// play returns when the context is cancelled, or with an error after which reconnecting does not help.
func (p *player) play(ctx context.Context) error {
	for {
		err := p.playSession(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if isFinal(err) {
			return err
		}
		pause := p.nextPause()
		message := withLikelyCause(err.Error())
		p.config.logger.Warn(fmt.Sprintf("disconnected: %s; reconnecting in %.1f s", message, pause.Seconds()), "error", err)
		p.pause(ctx, pause)
	}
}

// nextPause returns the pause before the client reconnects.
func (p *player) nextPause() time.Duration {
	if p.reconnectDelay == nil {
		return p.backoff.next(time.Now(), len(p.openTurns.bySeat) > 0, p.config.random())
	}
	pause := p.backoff.afterDraining(*p.reconnectDelay, p.config.random())
	p.reconnectDelay = nil
	return pause
}

// playSession plays until the stream ends, and returns the reason.
func (p *player) playSession(ctx context.Context) error {
	session, err := openSession(ctx, p.config, p.hello)
	if err != nil {
		return err
	}
	p.startSession(session)
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
			if err := p.handleAll(response.GetItems()); err != nil {
				return err
			}
		case event := <-p.events:
			event()
			p.flush()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// handleAll handles the items of a message, and sends in one message what is ready then.
func (p *player) handleAll(items []*refereev1.RefereeItem) error {
	defer p.flush()
	for _, item := range items {
		if err := p.handle(item); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) startSession(session *session) {
	p.session, p.outbox = session, nil
	p.openTurns.onSessionStarted()
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
		p.openTurns.onTurn(item.Turn, p.seats.rulesOf(item.Turn))
	case *refereev1.RefereeItem_Verdict:
		p.onVerdict(item.Verdict)
	case *refereev1.RefereeItem_TurnExpired:
		p.openTurns.onTurnExpired(item.TurnExpired.GetMatchId(), item.TurnExpired.GetTurnToken())
	case *refereev1.RefereeItem_MatchEnded:
		p.openTurns.onMatchEnded(item.MatchEnded.GetMatchId())
		p.seats.onMatchEnded(p.ctx, item.MatchEnded)
		p.nonces.onMatchEnded(item.MatchEnded.GetMatchId(), item.MatchEnded.GetSeedCommitment())
	case *refereev1.RefereeItem_NonceRequest:
		p.send(p.nonces.onRequest(item.NonceRequest))
	case *refereev1.RefereeItem_MatchStarted:
		p.seats.onMatchStarted(p.ctx, item.MatchStarted)
		p.nonces.onMatchStarted(item.MatchStarted.GetMatch())
	case *refereev1.RefereeItem_Welcome:
		p.onWelcome(item.Welcome)
	case *refereev1.RefereeItem_Draining:
		delay := time.Duration(item.Draining.GetReconnectDelayMs()) * time.Millisecond
		p.reconnectDelay = &delay
	case *refereev1.RefereeItem_SessionTakenOver:
		return &TakenOverError{}
	case *refereev1.RefereeItem_Notice:
		p.config.logger.Warn("notice of the referee: " + item.Notice.GetMessage())
	}
	return nil // All other items need no answer, or are unknown to this client.
}

func (p *player) onVerdict(verdict *refereev1.Verdict) {
	if rejected := verdict.GetRejected(); rejected != nil {
		matchID, reason := verdict.GetMatchId(), newDetailError(rejected.GetError())
		p.config.logger.Warn(fmt.Sprintf("match %s: rejected: %v", matchID, reason), "match", matchID)
	}
	p.openTurns.onVerdict(verdict)
}

func (p *player) onWelcome(welcome *refereev1.Welcome) {
	p.backoff.onWelcome(time.Now())
	p.session.setHeartbeatTimeout(time.Duration(welcome.GetHeartbeatTimeoutMs()) * time.Millisecond)
	// Keep the version for later sessions, even if a newer one is registered: the seats belong to it.
	p.hello.Version = welcome.GetVersion()
	address, bot, version := p.config.address, welcome.GetBot(), welcome.GetVersion()
	p.config.logger.Info(fmt.Sprintf("connected to %s as %s, version %s", address, bot, version),
		"referee", address, "bot", bot, "version", version)
}

// send sends an item if there is a session; otherwise the turn will be sent again.
func (p *player) send(item *refereev1.BotItem) {
	if p.session != nil {
		p.outbox = append(p.outbox, item)
	}
}

// flush sends the items that are ready.
func (p *player) flush() {
	if p.session != nil && len(p.outbox) > 0 {
		p.session.send(p.outbox...)
	}
	p.outbox = nil
}

// post lets the player's goroutine call the function, unless the player has stopped.
func (p *player) post(event func()) {
	select {
	case p.events <- event:
	case <-p.ctx.Done():
	}
}

// startChoosing calls the bot on another goroutine.
func (p *player) startChoosing(open *openTurn) {
	p.seats.choose(open, func(answer *refereev1.BotItem) {
		p.post(func() { p.openTurns.setAnswer(open, answer) })
	})
}
