package referee

import (
	"errors"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"referee/refereev1"
)

func TestOnlyWhatMayPassByItselfIsABreak(t *testing.T) {
	for code, want := range map[codes.Code]bool{
		codes.Unavailable:      true,
		codes.Internal:         true,
		codes.Canceled:         true,
		codes.DeadlineExceeded: true,
		codes.Unauthenticated:  false,
		codes.PermissionDenied: false,
		codes.InvalidArgument:  false,
	} {
		if got := !errors.As(endOf(t.Context(), status.Error(code, "")), &refusedError{}); got != want {
			t.Errorf("%v is a break: %v", code, got)
		}
	}
	if !errors.Is(endOf(t.Context(), status.Error(codes.Aborted, "")), errTakenOver) {
		t.Error("to be taken over is not seen")
	}
}

func TestWhatComesUpWhileAMessageIsOnItsWayTravelsTogether(t *testing.T) {
	session := &session{toSay: make(chan []*refereev1.BotItem, 1)}
	for id := range uint64(3) {
		session.say(&refereev1.BotItem{ItemId: id})
	}
	together := <-session.toSay
	if len(together) != 3 || together[0].GetItemId() != 0 || together[2].GetItemId() != 2 {
		t.Errorf("these travel together: %v", together)
	}
}
