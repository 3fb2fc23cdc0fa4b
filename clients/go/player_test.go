package referee

import (
	"context"
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	"referee/refereev1"
)

func TestABotThatPanicsOrFailsResignsItsSeat(t *testing.T) {
	turn := &refereev1.Turn{MatchId: "m1", Seat: 2, Token: "t1"}
	for name, choose := range map[string]Choose{
		"panics": func(context.Context, Asked) (string, error) { panic("no idea") },
		"fails":  func(context.Context, Asked) (string, error) { return "", errors.New("no idea") },
	} {
		if got := answer(context.Background(), choose, Asked{Turn: turn}); !proto.Equal(got, resignation(turn)) {
			t.Errorf("a bot that %s says %v", name, got)
		}
	}
}
