package referee

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const maxAttempts = 5

// retries makes attempts until one succeeds or fails for good.
type retries struct {
	random func() float64
	sleep  func(context.Context, time.Duration)
}

// sleep waits until the time has passed or the context is cancelled.
func sleep(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// repeat makes five attempts at most, and returns the last error.
func (r retries) repeat(ctx context.Context, attempt func() error) error {
	var pauses backoff
	for attempts := 1; ; attempts++ {
		err := attempt()
		if err == nil || attempts == maxAttempts || !isTemporary(err) {
			return err
		}
		r.sleep(ctx, pauses.afterError(newCallError(err), r.random()))
		if ctx.Err() != nil {
			return status.FromContextError(ctx.Err()).Err()
		}
	}
}

// interceptCall makes a call, again if it fails for a moment. The request, and so its request id, stays the same.
func (r retries) interceptCall(
	ctx context.Context, method string, request, response any,
	conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	return r.repeat(ctx, func() error { return invoke(ctx, method, request, response, conn, options...) })
}

func isTemporary(err error) bool {
	_, temporary := retryAfter(newCallError(err))
	return temporary || status.Code(err) == codes.Unavailable
}

// afterError returns the pause after an error of a call: what the server asks for, or else the next one.
func (b *backoff) afterError(err *Error, random float64) time.Duration {
	if delay, _ := retryAfter(err); delay > 0 {
		return delay
	}
	return b.next(time.Now(), false, random)
}
