package referee

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"referee/refereev1"
)

func TestABotThatPanicsOrReturnsAnErrorResigns(t *testing.T) {
	turn := &refereev1.Turn{MatchId: "m1", Seat: 2, TurnToken: "t1"}
	for name, choose := range map[string]Choose{
		"panics":           func(context.Context, TurnRequest) (string, error) { panic("no idea") },
		"returns an error": func(context.Context, TurnRequest) (string, error) { return "", errors.New("no idea") },
	} {
		got := chooseAnswer(context.Background(), choose, TurnRequest{Turn: turn})
		if !proto.Equal(got, resignationItem(turn)) {
			t.Errorf("a bot that %s answers %v", name, got)
		}
	}
}

func TestAnAnswerThatCannotBeSentIsChangedIntoOneThatIsRejected(t *testing.T) {
	turn := &refereev1.Turn{MatchId: "m1", Seat: 2, TurnToken: "t1"}
	for move, want := range map[string]string{
		"c2-c3":                      "c2-c3",
		strings.Repeat("ü", 1000):    strings.Repeat("ü", 1000),
		strings.Repeat("ü", 2<<20):   strings.Repeat("ü", 1001),
		"c2\xffc3":                   "c2\ufffdc3",
		strings.Repeat("x\xff", 501): strings.Repeat("x\ufffd", 500) + "x",
	} {
		if got := moveItem(turn, move).GetMove().GetMove(); got != want {
			t.Errorf("%.20q is sent as %.20q", move, got)
		}
	}
}
