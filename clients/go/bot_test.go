package referee

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"referee.example/referee/refereev1"
)

func TestABotThatPanicsOrReturnsAnErrorResigns(t *testing.T) {
	turn := &Turn{MatchID: "m1", Seat: 2, Ply: 7, Token: "t1"}
	for name, choose := range map[string]BotFunc{
		"panics":           func(context.Context, *Turn) (Answer, error) { panic("no idea") },
		"returns an error": func(context.Context, *Turn) (Answer, error) { return Answer{}, errors.New("no idea") },
	} {
		logger, messages := recordedLogs()
		got := newSeats(choose, logger).chooseAnswer(t.Context(), choose, turn)
		if !proto.Equal(got, Resign().item(turn, logger)) {
			t.Errorf("a bot that %s answers %v", name, got)
		}
		if !slices.Equal(messages(), []string{"match m1, seat 2, ply 7: the bot failed and resigns: no idea"}) {
			t.Errorf("a bot that %s is reported as %q", name, messages())
		}
	}
}

func TestAnErrorAfterTheCallWasCancelledIsNotReported(t *testing.T) {
	logger, messages := recordedLogs()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	bot := BotFunc(func(ctx context.Context, _ *Turn) (Answer, error) { return Answer{}, ctx.Err() })
	newSeats(bot, logger).chooseAnswer(ctx, bot, &Turn{})
	if len(messages()) > 0 {
		t.Errorf("reported: %q", messages())
	}
}

// diary is a bot that writes down its calls without a lock: it relies on calls that are made one after the other.
type diary struct {
	entries []string
	ended   chan []string
}

func (d *diary) Started(_ context.Context, match *Match, seat int) {
	d.entries = append(d.entries, fmt.Sprintf("started %s.%d", match.ID, seat))
}

func (d *diary) Choose(_ context.Context, turn *Turn) (Answer, error) {
	d.entries = append(d.entries, "chose for "+turn.Token)
	return Move("c2-c3"), nil
}

func (d *diary) Ended(_ context.Context, end *End) {
	d.ended <- append(d.entries, "ended "+end.MatchID)
}

func TestABotPerSeatIsToldEverythingInOrder(t *testing.T) {
	logger, _ := recordedLogs()
	ended := make(chan []string)
	s := newSeats(PerSeat(func() Bot { return &diary{ended: ended} }), logger)
	for seat := range uint32(2) {
		s.onMatchStarted(t.Context(), &refereev1.MatchStarted{Match: &refereev1.Match{Id: "m1"}, Seat: seat})
		for turn := range 50 {
			open := &openTurn{turn: &Turn{MatchID: "m1", Seat: int(seat), Token: fmt.Sprint(turn)}, ctx: t.Context()}
			s.choose(open, func(*refereev1.BotItem) {})
		}
		s.onMatchEnded(t.Context(), &refereev1.MatchEnded{MatchId: "m1", Seat: seat})
		entries := <-ended
		want := []string{fmt.Sprintf("started m1.%d", seat)}
		for turn := range 50 {
			want = append(want, fmt.Sprintf("chose for %d", turn))
		}
		if want = append(want, "ended m1"); !slices.Equal(entries, want) {
			t.Errorf("seat %d was told %q", seat, entries)
		}
	}
	if len(s.byKey) > 0 {
		t.Errorf("%d seats are left", len(s.byKey))
	}
}

func TestACallThatWasCancelledBeforeItBeganIsNotMade(t *testing.T) {
	logger, _ := recordedLogs()
	s := newSeats(BotFunc(func(context.Context, *Turn) (Answer, error) { panic("called") }), logger)
	s.start = func(_ *callQueue, call func()) { call() }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.choose(&openTurn{turn: &Turn{}, ctx: ctx}, func(*refereev1.BotItem) { t.Error("answered") })
}

func TestAPanicInAHookIsReported(t *testing.T) {
	logger, messages := recordedLogs()
	s := newSeats(panics{}, logger)
	s.start = func(_ *callQueue, call func()) { call() }
	s.onMatchStarted(t.Context(), &refereev1.MatchStarted{Match: &refereev1.Match{Id: "m1"}, Seat: 2})
	s.onMatchEnded(t.Context(), &refereev1.MatchEnded{MatchId: "m1", Seat: 2})
	if want := []string{"match m1, seat 2: Started of the bot failed: oh", "match m1, seat 2: Ended of the bot failed: oh"}; !slices.Equal(messages(), want) {
		t.Errorf("reported: %q", messages())
	}
}

type panics struct{}

func (panics) Choose(context.Context, *Turn) (Answer, error) { panic("oh") }
func (panics) Started(context.Context, *Match, int)          { panic("oh") }
func (panics) Ended(context.Context, *End)                   { panic("oh") }

func TestATurnHasWhatTheRefereeSent(t *testing.T) {
	message := &refereev1.Turn{
		MatchId: "m1", Seat: 1, TurnToken: "t1", Ply: 7, Position: "p", ViewJson: "{}", LegalMoves: []string{"a", "b"},
		LegalMovesTruncated: true, TimeLeftMs: proto.Int64(1500), AttemptsLeft: 2, DrawOfferSeats: []uint32{0},
		MoveHistory: []*refereev1.SeatMove{{Seat: 0, Move: "x"}}, Simultaneous: true, Repeated: true,
		Clocks: []*refereev1.Clock{{Seat: 0}, {Seat: 1, Running: true, TimeLeftUs: proto.Int64(1_500_000), MainUs: 1_000_000, PeriodUs: 500_000, PeriodsLeft: 3, MovesLeft: 4}},
	}
	rules := &refereev1.Rules{Game: "troke", Options: map[string]string{"huff": "true"}}
	got := fmt.Sprintf("%+v", *newTurn(message, rules, &Error{Reason: "ILLEGAL_MOVE", Message: "no"}))
	want := "{MatchID:m1 Seat:1 Token:t1 Game:troke Options:map[huff:true] Ply:7 Position:p View:[123 125] " +
		"History:[{Seat:0 Move:x}] LegalMoves:[a b] LegalMovesTruncated:true " +
		"Clocks:[{Seat:0 Running:false Timed:false Left:0s Main:0s Period:0s PeriodsLeft:0 MovesLeft:0} " +
		"{Seat:1 Running:true Timed:true Left:1.5s Main:1s Period:500ms PeriodsLeft:3 MovesLeft:4}] " +
		"Timed:true TimeLeft:1.5s AttemptsLeft:2 DrawOffers:[0] Simultaneous:true Repeated:true Rejection:no (ILLEGAL_MOVE)}"
	if got != want {
		t.Errorf("the turn is\n%s, want\n%s", got, want)
	}
}

func TestAResultIsReadFromEachKind(t *testing.T) {
	seats := []*refereev1.SeatResult{{Seat: 0, Score: 1, Rank: 1}, {Seat: 1, Score: 0, Rank: 2}}
	for want, result := range map[string]*refereev1.Result{
		"{played no_moves [1 0] [1 2]}": {Kind: &refereev1.Result_Played{Played: &refereev1.PlayedResult{Reason: "no_moves"}}, Seats: seats},
		"{played resignation [] []}":    {Kind: &refereev1.Result_Played{Played: &refereev1.PlayedResult{Ending: refereev1.Ending_ENDING_RESIGNATION}}},
		"{forfeited illegal_move [] []}": {Kind: &refereev1.Result_Forfeited{Forfeited: &refereev1.ForfeitedResult{
			Forfeits: []*refereev1.Forfeit{{Cause: refereev1.ForfeitCause_FORFEIT_CAUSE_ILLEGAL_MOVE}}}}},
		"{void aborted [] []}": {Kind: &refereev1.Result_Voided{Voided: &refereev1.VoidResult{Cause: refereev1.VoidCause_VOID_CAUSE_ABORTED}}, Seats: seats},
	} {
		if got := fmt.Sprint(newResult(result)); got != want {
			t.Errorf("the result is %s, want %s", got, want)
		}
	}
}

func TestPlayReturnsTheErrorOfAnInvalidSettingAtOnce(t *testing.T) {
	err := Play(t.Context(), BotFunc(nil), WithAddress("localhost"), WithToken("secret"))
	if setting := (*SettingError)(nil); !errors.As(err, &setting) || setting.Variable != "BOT_REFEREE" {
		t.Errorf("the error is %v", err)
	}
}

func TestPlayReturnsTheErrorOfTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Play(ctx, BotFunc(nil), WithAddress("localhost:1"), WithToken("secret")); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
