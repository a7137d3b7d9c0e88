// Package iq sends requests over a stream of XMPP and finds the response to each: IQ stanzas (RFC 6120, section 8.2.3).
//
// A response counts only if it comes from the address that was asked. So nobody else can answer, whatever IDs they
// guess. Each request has a deadline, and those that are under way are bounded by [MaxAsked].
package iq

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"tidings/delivery/xmpp/stream"
)

// MaxAsked bounds the requests under way.
const MaxAsked = 256

// idPrefix is what the IDs of requests begin with.
const idPrefix = "tidings-ask-"

var (
	ErrTooMany = errors.New("too many answers are awaited")
	ErrEnded   = errors.New("the stream has ended before the answer came")
)

// Requests are those that this side has sent and that have no response yet. Any number of goroutines may call its
// methods at once.
type Requests struct {
	account string // bare
	write   func(stanza *stream.Element) error

	mu    sync.Mutex
	asked map[string]asked // by ID
	ids   int
}

// asked is a request without a response so far.
type asked struct {
	to       string               // address; "": the account
	response chan *stream.Element // of size 1; closed when the stream ends
}

// New returns Requests of an account, which are sent by write. write does not wait for the network.
func New(account string, write func(stanza *stream.Element) error) *Requests {
	return &Requests{account: account, write: write, asked: make(map[string]asked)}
}

// Ask sends a request of a kind, get or set, and returns its response. to is a full address, or the domain of a server;
// "": the account. Errors: that of the context, context.DeadlineExceeded after the timeout, ErrEnded, ErrTooMany, or
// that of write. For a response of type error, it is that of [stream.ErrorOf].
func (r *Requests) Ask(
	ctx context.Context, timeout time.Duration, kind, to string, content *stream.Element,
) (*stream.Element, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	id, response := r.expect(to)
	if response == nil {
		return nil, ErrTooMany
	}
	defer r.forget(id)
	if err := r.write(stream.New("", "iq", "type", kind, "to", to, "id", id).With(content)); err != nil {
		return nil, err
	}
	select {
	case e, ok := <-response:
		switch {
		case !ok:
			return nil, ErrEnded
		case e.Get("type") == "error":
			return nil, stream.ErrorOf(e)
		}
		return e, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// expect returns the ID of a new request, and where its response will be; nil: too many are awaited.
func (r *Requests) expect(to string) (id string, response <-chan *stream.Element) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.asked) >= MaxAsked {
		return "", nil
	}
	r.ids++
	id = idPrefix + strconv.Itoa(r.ids)
	a := asked{to, make(chan *stream.Element, 1)}
	r.asked[id] = a
	return id, a.response
}

func (r *Requests) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.asked, id)
}

// Receive receives a stanza, and reports whether it is the response to a request. A server that speaks for the account
// may leave its address out (RFC 6120, section 8.1.2.1).
func (r *Requests) Receive(e *stream.Element) bool {
	if kind := e.Get("type"); e.Local != "iq" || kind != "result" && kind != "error" {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	id, from := e.Get("id"), e.Get("from")
	a, found := r.asked[id]
	if !found || from != a.to && (a.to != "" || from != r.account) {
		return false
	}
	delete(r.asked, id)
	a.response <- e
	return true
}

// End ends all requests under way with ErrEnded: their stream has ended. Later ones are of the next stream.
func (r *Requests) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.asked {
		close(a.response)
	}
	clear(r.asked)
}
