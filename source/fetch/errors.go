package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"tidings/egress"
)

// What can be wrong with an answer or an address. They arrive wrapped with what was being done.
var (
	// ErrForbidden is the same for every address that this node does not connect to.
	ErrForbidden = egress.ErrAddress
	// ErrPort says that the address names a port on which no web server is expected.
	ErrPort = egress.ErrPort
	// ErrTooLarge says that a body exceeded Config.MaxBody, or its headers their limits.
	ErrTooLarge = errors.New("larger than this node reads")
	// ErrBomb says that a body grew by more than Config.MaxRatio when it was decompressed.
	ErrBomb = errors.New("compressed beyond all reason")
	// ErrTruncated says that the connection ended before the body did.
	ErrTruncated = errors.New("cut off before its end")
	// ErrCorrupt says that a compressed body cannot be decompressed.
	ErrCorrupt = errors.New("damaged compression")
	// ErrEmpty says that an answer of status 200 had no body.
	ErrEmpty = errors.New("empty document")
	// ErrUnasked says that "not modified" was the answer to a request without validators.
	ErrUnasked = errors.New(`"not modified" (304), though nothing to compare with was sent`)
	// ErrClosed says that the client was closed.
	ErrClosed = errors.New("the client is closed")
)

// StatusError is an answer with a status that brings no document.
type StatusError struct {
	Status int
	Host   string
	// After is how long the origin asks to wait, from Retry-After, else from
	// X-RateLimit-Reset; between MinPatience and MaxPatience, and 0 if it did not say.
	After time.Duration
}

// Error says the status in words.
func (e *StatusError) Error() string {
	text := http.StatusText(e.Status)
	if text == "" {
		text = "unknown status"
	}
	msg := fmt.Sprintf("%s answered %d (%s)", e.Host, e.Status, text)
	if e.Status == http.StatusUnauthorized {
		msg += ": it asks for a user name and password, or does not accept those given"
	}
	if e.After > 0 {
		msg += ", and asks to wait " + inWords(e.After)
	}
	return msg
}

// ChallengeError is an answer that wants to see a person or a browser.
type ChallengeError struct {
	Status int
	Host   string
	Mark   string        // what gave it away, such as "cf-mitigated"
	After  time.Duration // as in StatusError
}

// Error names the host and the mark.
func (e *ChallengeError) Error() string {
	return fmt.Sprintf("%s wants to see a person or a browser (%s)", e.Host, e.Mark)
}

// RedirectError is a chain of redirects that this client does not follow to its end.
type RedirectError struct {
	Host string // whose answer was not followed
	Why  string
}

// Error names the host and the reason.
func (e *RedirectError) Error() string {
	return fmt.Sprintf("redirect by %s not followed: %s", e.Host, e.Why)
}

// LimitedError says that no request was sent, because the host, or this part of it, is to be left alone for now.
type LimitedError struct {
	Host  string
	Until time.Time
	// Own says that this node's own budget for the host is used up. If it is false, the origin asked for patience.
	Own bool
}

// Error says until when, and whose wish it is.
func (e *LimitedError) Error() string {
	if e.Own {
		return fmt.Sprintf("this node sends %s no more requests for the moment", e.Host)
	}
	// Rounded up, so that what is still to be waited for does not seem to be over.
	until := e.Until.Add(time.Minute - 1).Truncate(time.Minute)
	return fmt.Sprintf("%s asked to be left alone until %s", e.Host, until.UTC().Format("2006-01-02 15:04 MST"))
}

// NetworkError is a failure below HTTP, or of HTTP itself, in one line of plain words.
type NetworkError struct {
	Words string
	Err   error
}

// Error returns the plain words.
func (e *NetworkError) Error() string { return e.Words }

// Unwrap returns what the network library said.
func (e *NetworkError) Unwrap() error { return e.Err }
