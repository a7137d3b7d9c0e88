package sync

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"time"

	"tidings"
	"tidings/delivery/memory"
)

// Fault is what a client learns of an error.
type Fault struct {
	Status     int
	Text       string // for the person
	RetryAfter time.Duration
}

// troubleWait is when a client comes again after trouble of the node's own.
const troubleWait = 30 * time.Second

// FaultOf returns what a client learns of an error. It logs those that the node itself has caused.
func FaultOf(ctx context.Context, log *slog.Logger, err error) Fault {
	f := Classify(err)
	switch {
	case f.Status != http.StatusServiceUnavailable || errors.Is(err, memory.ErrFull):
		log.DebugContext(ctx, "a reader's request was refused", "status", f.Status, "reason", f.Text)
	case ctx.Err() == nil: // else nobody waits for the answer, and what was under way may have failed of that
		log.ErrorContext(ctx, "a reader's request failed", "error", err)
	}
	return f
}

// Classify returns what a client learns of an error, and logs nothing.
func Classify(err error) Fault {
	var tries *TooManyTries
	var requests *TooManyRequests
	var large *http.MaxBytesError
	var at *tidings.Failure
	text := tidings.Explain(err)
	switch {
	case errors.Is(err, ErrWrong):
		return Fault{Status: http.StatusUnauthorized, Text: text}
	case errors.As(err, &tries):
		return Fault{http.StatusTooManyRequests, text, max(tries.RetryAfter, time.Second)}
	case errors.As(err, &requests):
		return Fault{http.StatusTooManyRequests, text, max(requests.RetryAfter, time.Second)}
	case errors.As(err, &large):
		return Fault{Status: http.StatusRequestEntityTooLarge, Text: "the request is too large"}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return Fault{Status: http.StatusRequestTimeout, Text: "the request did not come in time"}
	case errors.Is(err, memory.ErrFull):
		return Fault{http.StatusServiceUnavailable, text, 10 * time.Second}
	case errors.Is(err, tidings.ErrNotFound), errors.Is(err, tidings.ErrNotFollowed):
		return Fault{Status: http.StatusNotFound, Text: text}
	case errors.Is(err, tidings.ErrInvalid), errors.Is(err, tidings.ErrExists):
		return Fault{Status: http.StatusBadRequest, Text: text}
	case errors.Is(err, tidings.ErrUnauthorized):
		return Fault{Status: http.StatusForbidden, Text: text}
	case errors.As(err, &at) && at.Address != "": // an origin's trouble
		return Fault{Status: http.StatusBadGateway, Text: text}
	}
	return Fault{http.StatusServiceUnavailable, "the node cannot answer now", troubleWait}
}

// SetHeader says when to come again, if that is known.
func (f Fault) SetHeader(h http.Header) {
	if f.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((f.RetryAfter+time.Second-1)/time.Second)))
	}
}
