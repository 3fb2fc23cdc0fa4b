package referee

import (
	"context"
	"net"
	"reflect"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"referee.example/referee/refereev1"
)

func failure(t *testing.T, code codes.Code, retryAfterMs string) error {
	t.Helper()
	info := &errdetails.ErrorInfo{Metadata: map[string]string{"retry_after_ms": retryAfterMs}}
	detailed, err := status.New(code, "not now").WithDetails(info)
	if err != nil {
		t.Fatal(err)
	}
	return detailed.Err()
}

func TestCallsAreRepeatedAfterThePauseThatTheServerAsksFor(t *testing.T) {
	final := status.Error(codes.NotFound, "there is no such match")
	unavailable := failure(t, codes.Unavailable, "7")
	cases := map[string]struct {
		failures []error
		pauses   []time.Duration
		end      error
	}{
		"an error with a time": {
			failures: []error{failure(t, codes.Unavailable, "1500"), failure(t, codes.ResourceExhausted, "20000")},
			pauses:   []time.Duration{1500 * time.Millisecond, 20 * time.Second},
		},
		"a time that is no number of milliseconds": {
			failures: []error{failure(t, codes.Unavailable, "soon"), failure(t, codes.Unavailable, "60001")},
			pauses:   []time.Duration{time.Second, time.Second},
		},
		"no time": {
			failures: []error{errBroken, failure(t, codes.Unavailable, "0"), errBroken},
			pauses:   []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second},
		},
		"a rejection": {failures: []error{final}, end: final},
		"five failures": {
			failures: []error{unavailable, unavailable, unavailable, unavailable, unavailable},
			pauses:   []time.Duration{7e6, 7e6, 7e6, 7e6},
			end:      unavailable,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var pauses []time.Duration
			r := retries{
				random: func() float64 { return 0.5 },
				sleep:  func(_ context.Context, pause time.Duration) { pauses = append(pauses, pause) },
			}
			attempts := 0
			err := r.repeat(context.Background(), func() error {
				if attempts++; attempts <= len(c.failures) {
					return c.failures[attempts-1]
				}
				return nil
			})
			if err != c.end {
				t.Errorf("the error is %v, not %v", err, c.end)
			}
			if !reflect.DeepEqual(pauses, c.pauses) {
				t.Errorf("pauses %v, not %v", pauses, c.pauses)
			}
		})
	}
}

func TestACallThatIsCancelledInAPauseIsNotRepeated(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	attempts := 0
	r := retries{random: func() float64 { return 0 }, sleep: sleep}
	err := r.repeat(ctx, func() error {
		attempts++
		cancel()
		return failure(t, codes.Unavailable, "60000")
	})
	if status.Code(err) != codes.Canceled || attempts != 1 {
		t.Errorf("%v after %d attempts", err, attempts)
	}
}

// forgetfulBots registers each bot, but loses the response to the first call.
type forgetfulBots struct {
	refereev1.UnimplementedBotServiceServer
	ids []string
}

func (f *forgetfulBots) RegisterBot(
	_ context.Context, request *refereev1.RegisterBotRequest,
) (*refereev1.RegisterBotResponse, error) {
	if f.ids = append(f.ids, request.GetRequestId()); len(f.ids) == 1 {
		return nil, status.Error(codes.Unavailable, "lost")
	}
	return &refereev1.RegisterBotResponse{}, nil // The token is shown only once.
}

func (*forgetfulBots) CreateBotToken(
	_ context.Context, request *refereev1.CreateBotTokenRequest,
) (*refereev1.CreateBotTokenResponse, error) {
	return &refereev1.CreateBotTokenResponse{Secret: "token of " + request.GetBot()}, nil
}

func TestABotIsRegisteredOnceAndItsLostTokenReplaced(t *testing.T) {
	bots := &forgetfulBots{}
	server := grpc.NewServer()
	refereev1.RegisterBotServiceServer(server, bots)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(listener) }()
	defer server.Stop()
	noPause := func(c *config) { c.random = func() float64 { return -0.5 } }
	client, err := NewClient(WithAddress(listener.Addr().String()), WithToken("secret"), noPause)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	token, err := client.RegisterBot(context.Background(), "anna", "")
	if err != nil || token != "token of anna" {
		t.Errorf("the token is %q, with the error %v", token, err)
	}
	if len(bots.ids) != 2 || bots.ids[0] != bots.ids[1] || bots.ids[0] == "" {
		t.Errorf("the request ids are %q", bots.ids)
	}
}
