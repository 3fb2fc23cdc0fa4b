package referee

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"referee.example/referee/refereev1"
)

// Error is an error of the server: it rejected an answer or a call.
type Error struct {
	// Reason is an upper-case name from the contract, such as "ILLEGAL_MOVE". Programs should use it, and never the
	// message. If the error is not from the server itself, it is the name of a gRPC status code.
	Reason string
	// Message is one sentence for people.
	Message string
	// Metadata has the variables of the message by name.
	Metadata map[string]string
	cause    error
}

// Error returns the message and the reason.
func (e *Error) Error() string {
	if e.Reason == "" {
		return e.Message
	}
	return fmt.Sprintf("%s (%s)", e.Message, e.Reason)
}

// Unwrap returns the error of the call, which has the gRPC status.
func (e *Error) Unwrap() error { return e.cause }

// SettingError says that a setting is missing or invalid. Nothing was connected.
type SettingError struct {
	// Variable is the environment variable of the setting, also if it was set by an option.
	Variable string
	// Problem says what is wrong.
	Problem string
}

// Error returns the variable and its problem.
func (e *SettingError) Error() string { return fmt.Sprintf("%s %s", e.Variable, e.Problem) }

// TakenOverError says that a newer session of the same bot and version has taken over its seats. Reconnecting would make
// the two sessions replace each other for ever.
type TakenOverError struct{}

// Error says that the bot was taken over.
func (*TakenOverError) Error() string { return "a newer session of this bot has taken over its seats" }

// RejectedError says that the server rejects the bot, for example because of its token. Reconnecting does not help until
// something is changed.
type RejectedError struct{ Err *Error }

// Error returns the error of the server.
func (e *RejectedError) Error() string { return "the referee rejects this bot: " + e.Err.Error() }

// Unwrap returns the error of the server.
func (e *RejectedError) Unwrap() error { return e.Err }

// silenceError is the time for which nothing was received.
type silenceError time.Duration

func (e silenceError) Error() string {
	return fmt.Sprintf("nothing was received for %v s", time.Duration(e).Seconds())
}

// withLikelyCause returns the message of a failed connection with what is likely wrong, which gRPC does not say.
func withLikelyCause(message string) string {
	switch {
	case strings.Contains(message, "error reading server preface"):
		return message + "; the server may use TLS at this port: set BOT_CA to the file of its certificate authority, " +
			"or, for another machine with a public one, do not set BOT_PLAINTEXT"
	case strings.Contains(message, "first record does not look like a TLS handshake"):
		return message + "; the server uses no TLS at this port: do not set BOT_CA, and for another machine set " +
			"BOT_PLAINTEXT=1"
	}
	return message
}

// newCallError converts the error of a failed call, unless it is converted already.
func newCallError(err error) *Error {
	if converted := (*Error)(nil); errors.As(err, &converted) {
		return converted
	}
	converted := &Error{Reason: codeName(status.Code(err)), Message: withLikelyCause(status.Convert(err).Message()), cause: err}
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			converted.Reason, converted.Metadata = info.GetReason(), info.GetMetadata()
		}
	}
	return converted
}

// codeName returns the name of a code as the contract writes it.
func codeName(code codes.Code) string {
	var name strings.Builder
	for i, letter := range code.String() {
		if i > 0 && letter >= 'A' && letter <= 'Z' && code != codes.OK {
			name.WriteByte('_')
		}
		name.WriteRune(letter)
	}
	return strings.ToUpper(name.String())
}

// newDetailError converts an error that was received in a stream.
func newDetailError(detail *refereev1.ErrorDetail) *Error {
	reason := strings.TrimPrefix(detail.GetReason().String(), "ERROR_REASON_")
	return &Error{Reason: reason, Message: detail.GetMessage(), Metadata: maps.Clone(detail.GetMetadata())}
}

// classifyError separates the errors after which a bot must not reconnect, which become a TakenOverError or a
// RejectedError, from all others. Only the status code decides.
func classifyError(err error) error {
	switch status.Code(err) {
	case codes.Aborted: // The contract uses this code of a stream for one reason only: SESSION_TAKEN_OVER.
		return &TakenOverError{}
	case codes.Unauthenticated, codes.PermissionDenied, codes.InvalidArgument:
		return &RejectedError{newCallError(err)}
	}
	return err
}

// isFinal tells whether reconnecting does not help.
func isFinal(err error) bool {
	return errors.As(err, new(*TakenOverError)) || errors.As(err, new(*RejectedError))
}

const (
	maxRetryAfter     = time.Minute
	defaultRetryAfter = time.Second
)

var milliseconds = regexp.MustCompile(`^0*([0-9]{1,5})$`)

// retryAfter returns the time after which the same answer may be accepted, if the error is temporary.
func retryAfter(rejection *Error) (time.Duration, bool) {
	text, temporary := rejection.Metadata["retry_after_ms"]
	if !temporary {
		return 0, false
	}
	if found := milliseconds.FindStringSubmatch(text); found != nil {
		ms, _ := strconv.Atoi(found[1]) // At most five digits.
		if delay := time.Duration(ms) * time.Millisecond; delay <= maxRetryAfter {
			return delay, true
		}
	}
	return defaultRetryAfter, true
}
