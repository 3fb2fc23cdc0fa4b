package referee

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"referee/refereev1"
)

func TestABotThatPanicsOrFailsResignsItsSeat(t *testing.T) {
	turn := &refereev1.Turn{MatchId: "m1", Seat: 2, TurnToken: "t1"}
	for name, choose := range map[string]Choose{
		"panics": func(context.Context, Asked) (string, error) { panic("no idea") },
		"fails":  func(context.Context, Asked) (string, error) { return "", errors.New("no idea") },
	} {
		if got := answer(context.Background(), choose, Asked{Turn: turn}); !proto.Equal(got, resignation(turn)) {
			t.Errorf("a bot that %s says %v", name, got)
		}
	}
}

func TestAnAnswerThatNoMessageCanCarryIsSentAsOneThatIsRefused(t *testing.T) {
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
