package referee

import (
	"errors"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"referee/refereev1"
)

func TestOnlyTemporaryErrorsLeadToAReconnect(t *testing.T) {
	for code, want := range map[codes.Code]bool{
		codes.Unavailable:      true,
		codes.Internal:         true,
		codes.Canceled:         true,
		codes.DeadlineExceeded: true,
		codes.Unauthenticated:  false,
		codes.PermissionDenied: false,
		codes.InvalidArgument:  false,
	} {
		if got := !errors.As(classifyError(t.Context(), status.Error(code, "")), &rejectedError{}); got != want {
			t.Errorf("%v is temporary: got %v, want %v", code, got, want)
		}
	}
	if !errors.Is(classifyError(t.Context(), status.Error(codes.Aborted, "")), errTakenOver) {
		t.Error("ABORTED is not recognised as a session that was taken over")
	}
}

func TestItemsThatWaitWhileAMessageIsSentGoIntoOneMessage(t *testing.T) {
	session := &session{outgoing: make(chan []*refereev1.BotItem, 1)}
	for id := range uint64(3) {
		session.send(&refereev1.BotItem{ItemId: id})
	}
	batch := <-session.outgoing
	if len(batch) != 3 || batch[0].GetItemId() != 0 || batch[2].GetItemId() != 2 {
		t.Errorf("the message has the items %v", batch)
	}
}
