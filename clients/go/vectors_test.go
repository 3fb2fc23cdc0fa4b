package referee

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"referee.example/referee/refereev1"
)

// loadVectors reads a file of the test vectors, which are in the repository but not in this module. Unknown keys fail.
func loadVectors(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "vectors", name+".json"))
	if err != nil {
		t.Fatalf("the test vectors are in clients/vectors of the repository: %v", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		t.Fatal(err)
	}
}

type named struct {
	Name  string
	Rules []string
	Needs []string
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	decoded, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

// recordedLogs returns a logger and the messages that are written to it.
func recordedLogs() (*slog.Logger, func() []string) {
	var buffer bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&buffer, nil))
	return logger, func() []string {
		var messages []string
		decoder := json.NewDecoder(bytes.NewReader(buffer.Bytes()))
		for decoder.More() {
			var record struct{ Msg string }
			if decoder.Decode(&record) == nil {
				messages = append(messages, record.Msg)
			}
		}
		return messages
	}
}

// testPlayer is a player without a connection.
func testPlayer(t *testing.T, getenv func(string) string, options ...Option) *player {
	t.Helper()
	config, err := newConfig(append([]Option{WithEnvironment(getenv)}, options...))
	if err != nil {
		t.Fatal(err)
	}
	p := newPlayer(t.Context(), config, BotFunc(nil))
	p.session = &session{outgoing: make(chan []*refereev1.BotItem, 1), silenceTimer: time.NewTimer(time.Hour)}
	p.session.heartbeatTimeout.Store(int64(welcomeTimeout))
	return p
}

func anyEnvironment(name string) string {
	return map[string]string{"BOT_REFEREE": "localhost:7700", "BOT_TOKEN": "secret"}[name]
}

type key struct {
	Match string
	Seat  int
	Token string
}

type vectorItem struct {
	Turn *struct {
		key
		Game     string
		Repeated bool
	}
	Verdict *struct {
		Match    string
		Token    string
		ItemIDOf *key `json:"item_id_of"`
		Accepted bool
		Stale    bool
		Rejected *struct {
			Message  string
			Metadata map[string]string
		}
	}
	TurnExpired  *key `json:"turn_expired"`
	MatchStarted *struct {
		Match string
		Seat  int
		Game  string
	} `json:"match_started"`
	MatchEnded   *key `json:"match_ended"`
	Ping         *struct{ ID string }
	NonceRequest *struct {
		Match, Commitment string
		Seat              int
	} `json:"nonce_request"`
	Welcome  *struct{ Version string }
	Draining *struct {
		ReconnectDelayMs int64 `json:"reconnect_delay_ms"`
	}
	SessionTakenOver *struct{} `json:"session_taken_over"`
}

// message returns the item of the contract. Item ids of answers are looked up in itemIDs.
func (v vectorItem) message(t *testing.T, itemIDs map[key]uint64) *refereev1.RefereeItem {
	t.Helper()
	switch {
	case v.Turn != nil:
		turn := &refereev1.Turn{MatchId: v.Turn.Match, Seat: uint32(v.Turn.Seat), TurnToken: v.Turn.Token, Repeated: v.Turn.Repeated}
		if v.Turn.Game != "" {
			turn.Rules = &refereev1.Rules{Game: v.Turn.Game}
		}
		return &refereev1.RefereeItem{Item: &refereev1.RefereeItem_Turn{Turn: turn}}
	case v.Verdict != nil:
		verdict := &refereev1.Verdict{MatchId: v.Verdict.Match, TurnToken: v.Verdict.Token}
		if v.Verdict.ItemIDOf != nil {
			verdict.ItemId = itemIDs[*v.Verdict.ItemIDOf]
		}
		switch rejected := v.Verdict.Rejected; {
		case rejected != nil:
			detail := &refereev1.ErrorDetail{Message: rejected.Message, Metadata: rejected.Metadata}
			verdict.Outcome = &refereev1.Verdict_Rejected{Rejected: &refereev1.Rejection{Error: detail}}
		case v.Verdict.Stale:
			verdict.Outcome = &refereev1.Verdict_Stale{Stale: &refereev1.StaleAnswer{}}
		case v.Verdict.Accepted:
			verdict.Outcome = &refereev1.Verdict_Accepted{Accepted: &refereev1.Acceptance{}}
		}
		return &refereev1.RefereeItem{Item: &refereev1.RefereeItem_Verdict{Verdict: verdict}}
	case v.TurnExpired != nil:
		expired := &refereev1.TurnExpired{MatchId: v.TurnExpired.Match, TurnToken: v.TurnExpired.Token}
		return &refereev1.RefereeItem{Item: &refereev1.RefereeItem_TurnExpired{TurnExpired: expired}}
	case v.MatchStarted != nil:
		match := &refereev1.Match{Id: v.MatchStarted.Match, Terms: &refereev1.MatchTerms{Rules: &refereev1.Rules{Game: v.MatchStarted.Game}}}
		started := &refereev1.MatchStarted{Match: match, Seat: uint32(v.MatchStarted.Seat)}
		return &refereev1.RefereeItem{Item: &refereev1.RefereeItem_MatchStarted{MatchStarted: started}}
	case v.MatchEnded != nil:
		ended := &refereev1.MatchEnded{MatchId: v.MatchEnded.Match, Seat: uint32(v.MatchEnded.Seat)}
		return &refereev1.RefereeItem{Item: &refereev1.RefereeItem_MatchEnded{MatchEnded: ended}}
	case v.Ping != nil:
		id, err := strconv.ParseUint(v.Ping.ID, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return &refereev1.RefereeItem{Item: &refereev1.RefereeItem_Ping{Ping: &refereev1.Ping{Id: id}}}
	case v.NonceRequest != nil:
		commitment := unhex(t, v.NonceRequest.Commitment)
		request := &refereev1.NonceRequest{MatchId: v.NonceRequest.Match, Seat: uint32(v.NonceRequest.Seat), Commitment: commitment}
		return &refereev1.RefereeItem{Item: &refereev1.RefereeItem_NonceRequest{NonceRequest: request}}
	case v.Welcome != nil:
		return &refereev1.RefereeItem{Item: &refereev1.RefereeItem_Welcome{Welcome: &refereev1.Welcome{Version: v.Welcome.Version}}}
	case v.Draining != nil:
		draining := &refereev1.Draining{ReconnectDelayMs: v.Draining.ReconnectDelayMs}
		return &refereev1.RefereeItem{Item: &refereev1.RefereeItem_Draining{Draining: draining}}
	case v.SessionTakenOver != nil:
		return &refereev1.RefereeItem{Item: &refereev1.RefereeItem_SessionTakenOver{SessionTakenOver: &refereev1.SessionTakenOver{}}}
	}
	t.Fatal("an item of the vectors is unknown here")
	return nil
}

type turnStep struct {
	Receive []vectorItem
	Answer  *struct {
		key
		Move        string
		OfferDraw   bool `json:"offer_draw"`
		Resigns     bool
		AcceptsDraw bool `json:"accepts_draw"`
		ClaimsDraw  bool `json:"claims_draw"`
		Fails       bool
	}
	Stream    string
	AdvanceMs int64 `json:"advance_ms"`

	Sends []any
	Calls []struct {
		key
		Rejection *string
		Game      string
	}
	Cancels []key
	Tells   []any
}

// turnHarness runs the steps of a vector: the bot's answers and the time come from the steps.
type turnHarness struct {
	*player
	logger  *slog.Logger
	session *session
	calls   []*openTurn
	tells   []any
	now     time.Duration
	timers  []timer
	itemIDs map[key]uint64
	// cancelled has the calls that are known to be cancelled.
	cancelled map[*openTurn]bool
	current   []*openTurn // The calls of this step.
}

type timer struct {
	at    time.Duration
	event func()
}

func newTurnHarness(t *testing.T) *turnHarness {
	logger, _ := recordedLogs()
	h := &turnHarness{
		player:    testPlayer(t, anyEnvironment, WithLogger(logger)),
		logger:    logger,
		itemIDs:   map[key]uint64{},
		cancelled: map[*openTurn]bool{},
	}
	h.session = h.player.session
	h.seats.bot = hooks{&h.tells}
	// Calls of hooks run at once, and turns are only recorded.
	h.seats.start = func(_ *callQueue, call func()) { call() }
	h.openTurns.choose = func(open *openTurn) {
		h.calls = append(h.calls, open)
		h.current = append(h.current, open)
	}
	h.openTurns.schedule = func(delay time.Duration, event func()) {
		h.timers = append(h.timers, timer{h.now + delay, event})
	}
	return h
}

// hooks records what a bot is told.
type hooks struct{ tells *[]any }

func (hooks) Choose(context.Context, *Turn) (Answer, error) { return Answer{}, nil }

func (h hooks) Started(_ context.Context, match *Match, seat int) {
	*h.tells = append(*h.tells, map[string]any{"started": map[string]any{"match": match.ID, "seat": float64(seat)}})
}

func (h hooks) Ended(_ context.Context, end *End) {
	*h.tells = append(*h.tells, map[string]any{"ended": map[string]any{"match": end.MatchID, "seat": float64(end.Seat)}})
}

func (h *turnHarness) run(t *testing.T, step turnStep) (sent []*refereev1.BotItem) {
	t.Helper()
	h.current, h.tells = nil, nil
	switch {
	case step.Receive != nil:
		var items []*refereev1.RefereeItem
		for _, item := range step.Receive {
			items = append(items, item.message(t, h.itemIDs))
		}
		if err := h.handleAll(items); err != nil {
			t.Fatal(err)
		}
	case step.Answer != nil:
		h.answer(step)
	case step.Stream == "ends":
		h.player.session = nil
	case step.Stream == "opens":
		h.startSession(h.session)
	default:
		h.advance(time.Duration(step.AdvanceMs) * time.Millisecond)
	}
	h.flush()
	select {
	case sent = <-h.session.outgoing:
	default:
	}
	if step.Answer != nil && len(sent) > 0 {
		h.itemIDs[step.Answer.key] = sent[0].GetItemId()
	}
	return sent
}

// answer lets the bot answer its last call for a turn.
func (h *turnHarness) answer(step turnStep) {
	given := step.Answer
	for _, open := range slices.Backward(h.calls) {
		if open.turn.MatchID != given.Match || open.turn.Seat != given.Seat || open.turn.Token != given.Token {
			continue
		}
		choose := func(context.Context, *Turn) (Answer, error) {
			switch {
			case given.Fails:
				return Answer{}, errors.New("no idea")
			case given.Resigns:
				return Resign(), nil
			case given.AcceptsDraw:
				return AcceptDraw(), nil
			case given.ClaimsDraw:
				return ClaimDraw(), nil
			case given.OfferDraw:
				return MoveAndOfferDraw(given.Move), nil
			}
			return Move(given.Move), nil
		}
		h.openTurns.setAnswer(open, h.seats.chooseAnswer(open.ctx, BotFunc(choose), open.turn))
		return
	}
}

func (h *turnHarness) advance(duration time.Duration) {
	h.now += duration
	timers := h.timers
	h.timers = nil
	for _, timer := range timers {
		if timer.at <= h.now {
			timer.event()
		} else {
			h.timers = append(h.timers, timer)
		}
	}
}

// newlyCancelled returns the calls without an answer that are cancelled now and were not before, in order.
func (h *turnHarness) newlyCancelled() []key {
	var keys []key
	for _, open := range h.calls {
		if open.ctx.Err() != nil && !h.cancelled[open] {
			h.cancelled[open] = true
			if open.answer == nil {
				keys = append(keys, key{open.turn.MatchID, open.turn.Seat, open.turn.Token})
			}
		}
	}
	return keys
}

// sentForm returns an item as the vectors have it.
func sentForm(item *refereev1.BotItem) any {
	seat := func(message interface {
		GetMatchId() string
		GetSeat() uint32
	}) map[string]any {
		return map[string]any{"match": message.GetMatchId(), "seat": float64(message.GetSeat())}
	}
	switch sent := item.GetItem().(type) {
	case *refereev1.BotItem_Move:
		move := map[string]any{"match": sent.Move.GetMatchId(), "token": sent.Move.GetTurnToken(), "move": sent.Move.GetMove()}
		if sent.Move.GetOfferDraw() {
			move["offer_draw"] = true
		}
		return map[string]any{"move": move}
	case *refereev1.BotItem_Resignation:
		return map[string]any{"resignation": seat(sent.Resignation)}
	case *refereev1.BotItem_DrawClaim:
		return map[string]any{"draw_claim": seat(sent.DrawClaim)}
	case *refereev1.BotItem_DrawAnswer:
		answer := seat(sent.DrawAnswer)
		answer["accept"] = sent.DrawAnswer.GetAccept()
		return map[string]any{"draw_answer": answer}
	case *refereev1.BotItem_Nonce:
		return map[string]any{"nonce": seat(sent.Nonce)}
	case *refereev1.BotItem_Pong:
		return map[string]any{"pong": map[string]any{"id": strconv.FormatUint(sent.Pong.GetId(), 10)}}
	}
	return item.String()
}

func TestVectorsTurns(t *testing.T) { runTurnVectors(t, "turns") }

func TestVectorsOpenTurns(t *testing.T) { runTurnVectors(t, "open_turns") }

func runTurnVectors(t *testing.T, name string) {
	var file struct {
		Vectors []struct {
			named
			Steps []turnStep
		}
	}
	loadVectors(t, name, &file)
	for _, vector := range file.Vectors {
		t.Run(vector.Name, func(t *testing.T) {
			for _, need := range vector.Needs {
				if !slices.Contains([]string{"draws", "hooks", "rules"}, need) {
					t.Errorf("the need %q is unknown here", need)
				}
			}
			h := newTurnHarness(t)
			itemIDs := map[string]uint64{}
			for number, step := range vector.Steps {
				var forms []any
				for _, item := range h.run(t, step) {
					forms = append(forms, sentForm(item))
					checkItemID(t, itemIDs, item)
				}
				check(t, number, "sent", forms, step.Sends)
				check(t, number, "cancelled", h.newlyCancelled(), step.Cancels)
				if slices.Contains(vector.Needs, "hooks") {
					check(t, number, "told", h.tells, step.Tells)
				}
				h.checkCalls(t, number, step)
			}
		})
	}
}

func check[T any](t *testing.T, step int, what string, got, want []T) {
	t.Helper()
	if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("step %d: %s: %v, want %v", step, what, got, want)
	}
}

// checkItemID checks that the same answer has the same item id again, and each other answer another one.
func checkItemID(t *testing.T, itemIDs map[string]uint64, item *refereev1.BotItem) {
	t.Helper()
	if item.GetPong() != nil || item.GetNonce() != nil {
		return
	}
	form := fmt.Sprint(sentForm(item))
	for other, id := range itemIDs {
		if (other == form) != (id == item.GetItemId()) {
			t.Errorf("%s has the item id %d, %s has %d", form, item.GetItemId(), other, id)
		}
	}
	if itemIDs[form] = item.GetItemId(); item.GetItemId() == 0 {
		t.Errorf("%s has no item id", form)
	}
}

func (h *turnHarness) checkCalls(t *testing.T, number int, step turnStep) {
	t.Helper()
	if len(h.current) != len(step.Calls) {
		t.Fatalf("step %d: the bot was called for %d turns, want %d", number, len(h.current), len(step.Calls))
	}
	for i, want := range step.Calls {
		turn := h.current[i].turn
		if got := (key{turn.MatchID, turn.Seat, turn.Token}); got != want.key {
			t.Errorf("step %d: called for %v, want %v", number, got, want.key)
		}
		if (turn.Rejection == nil) != (want.Rejection == nil) ||
			turn.Rejection != nil && turn.Rejection.Message != *want.Rejection {
			t.Errorf("step %d: the rejection is %v", number, turn.Rejection)
		}
		if want.Game != "" && turn.Game != want.Game {
			t.Errorf("step %d: the game is %q, want %q", number, turn.Game, want.Game)
		}
	}
}

func TestVectorsSettings(t *testing.T) {
	type effective struct {
		Referee           string
		TLS               bool
		OwnRoots          bool `json:"own_roots"`
		Token, Version    string
		MaxMatches        uint32 `json:"max_matches"`
		VerdictsWithTurns bool   `json:"verdicts_with_turns"`
	}
	var file struct {
		Certificate string
		Vectors     []struct {
			named
			Environment map[string]string
			Files       map[string]string
			Settings    *effective
			Error       string
			Secret      string
			Exit        int
		}
	}
	loadVectors(t, "settings", &file)
	for _, vector := range file.Vectors {
		t.Run(vector.Name, func(t *testing.T) {
			folder := t.TempDir()
			files := map[string]string{"certificate.pem": file.Certificate}
			for name, content := range vector.Files {
				files[name] = content
			}
			replacements := []string{"{missing}", filepath.Join(folder, "missing")}
			for name, content := range files {
				path := filepath.Join(folder, name)
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
				replacements = append(replacements, "{"+name+"}", path)
			}
			replacer := strings.NewReplacer(replacements...)
			getenv := func(name string) string { return replacer.Replace(vector.Environment[name]) }
			config, err := newConfig([]Option{WithEnvironment(getenv)})
			if vector.Settings == nil {
				if setting := (*SettingError)(nil); !errors.As(err, &setting) || !strings.Contains(err.Error(), vector.Error) {
					t.Fatalf("the error is %v, want one about %s", err, vector.Error)
				}
				if vector.Secret != "" && strings.Contains(err.Error(), vector.Secret) {
					t.Errorf("the error has the token: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := effective{
				config.address, config.credentials().Info().SecurityProtocol == "tls", config.tls != nil,
				config.token, config.version, config.maxMatches, config.verdictsWithTurns,
			}
			if got != *vector.Settings {
				t.Errorf("the settings are %+v, want %+v", got, *vector.Settings)
			}
		})
	}
}

func TestVectorsAnswers(t *testing.T) {
	var file struct {
		Vectors []struct {
			named
			Text        *string
			Repeat      []any
			UTF8        string
			UTF16       []uint16
			Sent        *string
			SentRepeat  []any  `json:"sent_repeat"`
			SentPattern string `json:"sent_pattern"`
			SentChars   int    `json:"sent_chars"`
			Score       *int
			SentScore   *int32 `json:"sent_score"`
			Reports     int
		}
	}
	loadVectors(t, "answers", &file)
	repeated := func(parts []any) string { return strings.Repeat(parts[0].(string), int(parts[1].(float64))) }
	for _, vector := range file.Vectors {
		if vector.UTF16 != nil {
			continue // Text in Go is UTF-8.
		}
		t.Run(vector.Name, func(t *testing.T) {
			text := string(unhex(t, vector.UTF8))
			if vector.Text != nil {
				text = *vector.Text
			} else if vector.Repeat != nil {
				text = repeated(vector.Repeat)
			}
			logger, messages := recordedLogs()
			answer := Move(text)
			if vector.Score != nil {
				answer = answer.WithScore(*vector.Score)
			}
			message := answer.item(&Turn{MatchID: "m1"}, logger).GetMove()
			sent := message.GetMove()
			if !reflect.DeepEqual(message.Score, vector.SentScore) {
				t.Errorf("the score %v was sent", message.Score)
			}
			switch {
			case vector.SentPattern != "":
				if !regexp.MustCompile(vector.SentPattern).MatchString(sent) {
					t.Errorf("%.40q was sent", sent)
				}
			case vector.SentRepeat != nil && sent != repeated(vector.SentRepeat), vector.Sent != nil && sent != *vector.Sent:
				t.Errorf("%.40q was sent", sent)
			}
			if chars := utf8.RuneCountInString(sent); vector.SentChars != 0 && chars != vector.SentChars {
				t.Errorf("%d characters were sent", chars)
			}
			if len(messages()) != vector.Reports {
				t.Errorf("reported: %q", messages())
			}
		})
	}
}

// problems are the texts of the reports.
var problems = map[string]string{
	"commitment replaced": "the referee has replaced its commitment to the seed",
	"seed does not match": "the seed of the referee does not match its commitment",
	"nonce missing":       "the seed was made without the nonce of seat",
	"nonce replaced":      "the seed was made with another nonce of seat",
	"random nonce":        "a random one is sent",
}

func TestVectorsNonces(t *testing.T) {
	var file struct {
		Vectors []struct {
			named
			Own      *string
			Requests []struct {
				Match, Commitment string
				Seat              uint32
			}
			Nonces []struct {
				Nonce  string
				SameAs *int `json:"same_as"`
			}
			Started *struct{ Match, Commitment string }
			Ended   []struct {
				Match, Commitment, Seed string
				Nonces                  []string
			}
			Reports []string
		}
	}
	loadVectors(t, "nonces", &file)
	for _, vector := range file.Vectors {
		t.Run(vector.Name, func(t *testing.T) {
			logger, messages := recordedLogs()
			n := newNonces(randomNonce, logger)
			if vector.Own != nil {
				n.choose = func(string, int) []byte {
					switch *vector.Own {
					case "fails":
						panic("no idea")
					case "large":
						return make([]byte, 65)
					}
					return unhex(t, *vector.Own)
				}
			}
			var sent [][]byte
			random := map[string]bool{}
			for i, request := range vector.Requests {
				item := n.onRequest(&refereev1.NonceRequest{
					MatchId: request.Match, Seat: request.Seat, Commitment: unhex(t, request.Commitment),
				})
				nonce := item.GetNonce().GetNonce()
				sent = append(sent, nonce)
				switch want := vector.Nonces[i]; {
				case want.SameAs != nil:
					if !bytes.Equal(nonce, sent[*want.SameAs]) {
						t.Errorf("the nonces of request %d and %d differ", i, *want.SameAs)
					}
				case want.Nonce == "random":
					if len(nonce) != nonceBytes || random[string(nonce)] {
						t.Errorf("the nonce is %x", nonce)
					}
					random[string(nonce)] = true
				case !bytes.Equal(nonce, unhex(t, want.Nonce)):
					t.Errorf("the nonce is %x", nonce)
				}
			}
			if vector.Started != nil {
				commitment := &refereev1.SeedCommitment{Commitment: unhex(t, vector.Started.Commitment)}
				n.onMatchStarted(&refereev1.Match{Id: vector.Started.Match, SeedCommitment: commitment})
			}
			for _, ended := range vector.Ended {
				published := &refereev1.SeedCommitment{Commitment: unhex(t, ended.Commitment), Seed: unhex(t, ended.Seed)}
				for seat, nonce := range ended.Nonces {
					published.Nonces = append(published.Nonces, &refereev1.SeatNonce{Seat: uint32(seat), Nonce: unhex(t, nonce)})
				}
				n.onMatchEnded(ended.Match, published)
			}
			got := messages()
			if len(got) != len(vector.Reports) {
				t.Fatalf("reported: %q", got)
			}
			for i, report := range vector.Reports {
				if problems[report] == "" || !strings.Contains(got[i], problems[report]) {
					t.Errorf("reported %q, want %q", got[i], report)
				}
			}
		})
	}
}

func TestVectorsBackoff(t *testing.T) {
	var file struct {
		Vectors []struct {
			named
			Ends []struct {
				WelcomedMs *int64   `json:"welcomed_ms"`
				DrainingMs *int64   `json:"draining_ms"`
				OpenTurn   bool     `json:"open_turn"`
				PauseMs    [2]int64 `json:"pause_ms"`
			}
		}
	}
	loadVectors(t, "backoff", &file)
	for _, vector := range file.Vectors {
		for random := range 2 {
			t.Run(fmt.Sprintf("%s, random %d", vector.Name, random), func(t *testing.T) {
				var b backoff
				now := time.Now()
				for number, end := range vector.Ends {
					now = now.Add(20 * time.Second)
					if end.WelcomedMs != nil {
						b.onWelcome(now)
						now = now.Add(time.Duration(*end.WelcomedMs) * time.Millisecond)
					}
					var pause time.Duration
					if end.DrainingMs != nil {
						pause = b.afterDraining(time.Duration(*end.DrainingMs)*time.Millisecond, float64(random))
					} else {
						pause = b.next(now, end.OpenTurn, float64(random))
					}
					if pause.Milliseconds() != end.PauseMs[random] {
						t.Errorf("end %d: the pause is %v, want %d ms", number, pause, end.PauseMs[random])
					}
				}
			})
		}
	}
}

func TestVectorsEnds(t *testing.T) {
	var file struct {
		Vectors []struct {
			named
			Received []vectorItem
			Status   struct {
				Code    json.RawMessage
				Details *string
			}
			Failures int     // Before this end.
			PauseMs  []int64 `json:"pause_ms"`
			Exit     int
		}
	}
	loadVectors(t, "ends", &file)
	for _, vector := range file.Vectors {
		for random := range 2 {
			t.Run(fmt.Sprintf("%s, random %d", vector.Name, random), func(t *testing.T) {
				p := testPlayer(t, anyEnvironment)
				p.config.random = func() float64 { return float64(random) }
				var err error
				for _, item := range vector.Received {
					err = errors.Join(err, p.handle(item.message(t, nil)))
				}
				if err == nil {
					err = classifyError(streamError(t, vector.Status.Code, vector.Status.Details))
				}
				switch {
				case vector.Exit == 3 && errors.As(err, new(*TakenOverError)):
				case vector.Exit == 4 && errors.As(err, new(*RejectedError)):
				case vector.Exit == 0 && !isFinal(err):
					for range vector.Failures {
						p.nextPause()
					}
					if pause := p.nextPause().Milliseconds(); pause != vector.PauseMs[random] {
						t.Errorf("the pause is %d ms, want %d", pause, vector.PauseMs[random])
					}
				default:
					t.Errorf("the end is %v, want the exit status %d", err, vector.Exit)
				}
			})
		}
	}
}

// streamError returns the error of a stream that has ended. Malformed details are dropped by the gRPC library.
func streamError(t *testing.T, name json.RawMessage, details *string) error {
	t.Helper()
	var code codes.Code
	if string(name) == `"OK"` {
		return errors.New("the stream has ended")
	}
	if err := code.UnmarshalJSON(name); err != nil {
		t.Fatal(err)
	}
	message := &spb.Status{Code: int32(code), Message: "why"}
	if parsed := (&spb.Status{}); details != nil && proto.Unmarshal(unhex(t, *details), parsed) == nil {
		message.Details = parsed.GetDetails()
	}
	return status.FromProto(message).Err()
}
