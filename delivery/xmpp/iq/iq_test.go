package iq

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"tidings/delivery/xmpp/stream"
)

const (
	account = "news@example.com"
	other   = account + "/tidings-other"
	wait    = 15 * time.Second
)

// wire has what was sent.
type wire struct {
	*Requests
	sent chan *stream.Element
	err  error
}

func newWire() *wire {
	w := &wire{sent: make(chan *stream.Element, 2*MaxAsked)}
	w.Requests = New(account, func(e *stream.Element) error { w.sent <- e; return w.err })
	return w
}

// outcome is what Ask returns.
type outcome struct {
	response *stream.Element
	err      error
}

// ask sends a request, and returns its stanza and where its outcome will be.
func (w *wire) ask(ctx context.Context, to string) (*stream.Element, <-chan outcome) {
	done := make(chan outcome, 1)
	go func() {
		e, err := w.Ask(ctx, wait, "get", to, stream.New("urn:test", "question"))
		done <- outcome{e, err}
	}()
	return <-w.sent, done
}

func answer(kind, from, id string) *stream.Element {
	return stream.New("", "iq", "type", kind, "from", from, "id", id)
}

// A response comes from the address that was asked; what comes from others, with other IDs, twice or late, is none.
func TestResponses(t *testing.T) {
	for name, c := range map[string]struct {
		to, from string
		is       bool
	}{
		"a node":                            {other, other, true},
		"another node":                      {other, account + "/tidings-third", false},
		"the account for a node":            {other, account, false},
		"nobody for a node":                 {other, "", false},
		"a stranger":                        {other, "eve@example.org/x", false},
		"a server":                          {"example.com", "example.com", true},
		"another server":                    {"example.com", "example.org", false},
		"the account for its server":        {"example.com", account, false},
		"nobody for a server":               {"example.com", "", false},
		"nobody for the account":            {"", "", true},
		"the account":                       {"", account, true},
		"a node for the account":            {"", other, false},
		"a server for the account":          {"", "example.com", false},
		"a stranger for the account":        {"", "eve@example.org", false},
		"letters of another size of a node": {other, "News@example.com/tidings-other", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire()
				request, done := w.ask(t.Context(), c.to)
				if request.Get("to") != c.to || request.Get("type") != "get" ||
					request.Child("urn:test", "question") == nil {
					t.Errorf("sent %s", request)
				}
				e := answer("result", c.from, request.Get("id"))
				for _, wrong := range []*stream.Element{
					answer("get", c.from, request.Get("id")), answer("", c.from, request.Get("id")),
					answer("result", c.from, ""),
					answer("result", c.from, request.Get("id")+"0"),
					stream.New("", "message", "type", "result", "from", c.from, "id", request.Get("id")),
				} {
					if w.Receive(wrong) {
						t.Errorf("%s is the response", wrong)
					}
				}
				if w.Receive(e) != c.is {
					t.Fatalf("it is the response: %v", !c.is)
				}
				got := <-done
				if c.is && (got.response != e || got.err != nil) ||
					!c.is && !errors.Is(got.err, context.DeadlineExceeded) {
					t.Errorf("%v, %v", got.response, got.err)
				}
				if w.Receive(e) {
					t.Error("it counts again")
				}
			})
		})
	}
}

// Each request has an ID of its own, and its response, in whatever order these come.
func TestResponsesInAnyOrder(t *testing.T) {
	w := newWire()
	ids := make(map[string]<-chan outcome)
	for range 10 {
		request, done := w.ask(t.Context(), other)
		if ids[request.Get("id")] != nil {
			t.Fatalf("the ID %s comes twice", request.Get("id"))
		}
		ids[request.Get("id")] = done
	}
	for id := range ids { // in any order
		if !w.Receive(answer("result", other, id)) {
			t.Errorf("%s is no response", id)
		}
	}
	for id, done := range ids {
		if got := <-done; got.err != nil || got.response.Get("id") != id {
			t.Errorf("%s: %+v", id, got)
		}
	}
}

// A response of type error is an error.
func TestErrors(t *testing.T) {
	w := newWire()
	request, done := w.ask(t.Context(), other)
	e := answer("error", other, request.Get("id")).With(stream.New("", "error", "type",
		"cancel").With(stream.New(stream.Stanzas, "feature-not-implemented")))
	if !w.Receive(e) {
		t.Fatal("it is no response")
	}
	if got := <-done; got.err == nil || got.response != nil {
		t.Errorf("%+v", got)
	}
}

// A request ends with its time, its caller, its stream, and what cannot send it; then it is forgotten.
func TestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire()
		began := time.Now()
		request, done := w.ask(t.Context(), other)
		if got := <-done; !errors.Is(got.err, context.DeadlineExceeded) || time.Since(began) != wait {
			t.Errorf("after %v: %v", time.Since(began), got.err)
		}
		if w.Receive(answer("result", other, request.Get("id"))) {
			t.Error("a late response counts")
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, done = w.ask(ctx, other)
		cancel()
		if got := <-done; !errors.Is(got.err, context.Canceled) {
			t.Error(got.err)
		}
		request, done = w.ask(t.Context(), other)
		w.End()
		if got := <-done; !errors.Is(got.err, ErrEnded) {
			t.Error(got.err)
		}
		if w.Receive(answer("result", other, request.Get("id"))) {
			t.Error("a response of the stream before counts")
		}
		w.err = errors.New("no stream")
		if _, err := w.Ask(t.Context(), wait, "set", other, nil); !errors.Is(err, w.err) {
			t.Error(err)
		}
		if len(w.asked) != 0 {
			t.Errorf("%d are not forgotten", len(w.asked))
		}
	})
}

// So many are under way at a time, and there is room again when one has ended.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire()
		var last *stream.Element
		var first <-chan outcome
		for i := range MaxAsked {
			request, done := w.ask(t.Context(), fmt.Sprint("node", i))
			if i == 0 {
				last, first = request, done
			}
		}
		if _, err := w.Ask(t.Context(), wait, "get", other, nil); !errors.Is(err, ErrTooMany) {
			t.Error(err)
		}
		if len(w.sent) != 0 {
			t.Error("it was sent all the same")
		}
		if !w.Receive(answer("result", "node0", last.Get("id"))) {
			t.Error("no response")
		}
		<-first
		request, done := w.ask(t.Context(), other)
		w.Receive(answer("result", other, request.Get("id")))
		if got := <-done; got.err != nil {
			t.Error(got.err)
		}
	})
}
