package xmpp

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/delivery/xmpp/share"
	"tidings/delivery/xmpp/stream"
)

// fakeLedger answers as a test says.
type fakeLedger struct {
	keys    []share.Key
	granted []int
	wait    bool
	pages   []uint64 // asked for
}

func (l *fakeLedger) page(after uint64, _ int) ([]share.Key, uint64) {
	l.pages = append(l.pages, after)
	return l.keys, after + uint64(len(l.keys))
}

func (l *fakeLedger) grantTo(string, string, []share.Key) ([]int, bool) { return l.granted, l.wait }

// directory is a Shared that fails, or has rows.
type directory struct {
	rows   []tidings.Following
	merged []tidings.Following
	block  chan struct{} // nil: it does not wait
	err    error
}

func (d *directory) Note(context.Context, string) ([]tidings.Following, error) { return d.rows, d.err }

func (d *directory) Followings(ctx context.Context, after tidings.FollowingCursor,
	most int) ([]tidings.Following, error) {
	if d.block != nil {
		<-d.block
	}
	var rest []tidings.Following
	for _, f := range d.rows {
		if f.Address > after.Address && len(rest) < most {
			rest = append(rest, f)
		}
	}
	return rest, d.err
}

func (d *directory) Merge(_ context.Context, all []tidings.Following, _ int) error {
	d.merged = append(d.merged, all...)
	return d.err
}

// served is a service with what it writes.
type served struct {
	*service
	ledger    *fakeLedger
	directory *directory
	sent      chan *stream.Element
}

func newServed() *served {
	s := &served{ledger: new(fakeLedger), directory: new(directory), sent: make(chan *stream.Element, 100)}
	write := func(e *stream.Element) error { s.sent <- e; return nil }
	s.service = newService(write, s.ledger, followings{s.directory, 100, slog.New(slog.DiscardHandler)}, new(flights))
	return s
}

// ask sends a request, and returns what is answered to it.
func (s *served) ask(ctx context.Context, kind string, content *stream.Element) *stream.Element {
	s.onRequest(ctx, stream.New("", "iq", "type", kind, "from", otherNode, "id", "7"), "tidings-other", content)
	return <-s.sent
}

func condition(e *stream.Element) string {
	if e.Get("type") != "error" || len(e.Children) != 1 || len(e.Children[0].Children) != 1 {
		return ""
	}
	return e.Children[0].Children[0].Local
}

// Each request has its answer, to its sender and with its ID.
func TestRequestsOfOtherNodes(t *testing.T) {
	a := tidings.Following{Address: "a@b", Channel: "https://example.org/", Changed: time.UnixMilli(5)}
	for name, c := range map[string]struct {
		kind    string
		content *stream.Element
		given   func(*served)
		want    string // part of the answer
		refused string
	}{
		"granted": {"get", claimElement("a@b", "", []string{"x", "y"}), func(s *served) {
			s.ledger.granted = []int{1}
		}, `state='yours'>y<`, ""},
		"all are sent": {"get", claimElement("a@b", "", []string{"x"}), nil, `state='sent'`, ""},
		"wait": {"get", claimElement("a@b", "", []string{"x"}), func(s *served) {
			s.ledger.wait = true
			s.ledger.granted = []int{0}
		}, `state='wait'`, ""},
		"no parts": {"get", claimElement("a@b", "", nil), func(s *served) { s.ledger.granted = []int{0} },
			`state='wait'`, ""},
		"no bare address": {"get", claimElement("a@b/c", "", []string{"x"}), func(s *served) {
			s.ledger.granted = []int{0}
		}, `state='wait'`, ""},
		"seen": {"get", stream.New(nsAccount, "seen", "after", "0"), func(s *served) {
			s.ledger.keys = []share.Key{{1}}
		}, `last='1'`, ""},
		"seen, no number": {"get", stream.New(nsAccount, "seen", "after", "-1"), nil, "", "bad-request"},
		"followings": {"get", stream.New(nsAccount, "followings"), func(s *served) {
			s.directory.rows = []tidings.Following{a}
		}, `channel='https://example.org/'`, ""},
		"followings fail": {"get", stream.New(nsAccount, "followings"), func(s *served) {
			s.directory.err = errors.New("no")
		}, "", "internal-server-error"},
		"set followings": {"set", followingsElement([]tidings.Following{a}), nil, `type='result'`, ""},
		"set fails": {"set", followingsElement([]tidings.Following{a}), func(s *served) {
			s.directory.err = errors.New("no")
		}, "", "internal-server-error"},
		"set seen":       {"set", stream.New(nsAccount, "seen", "after", "0"), nil, "", "feature-not-implemented"},
		"set claim":      {"set", claimElement("a@b", "", []string{"x"}), nil, "", "feature-not-implemented"},
		"something else": {"get", stream.New(nsAccount, "else"), nil, "", "feature-not-implemented"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServed()
			if c.given != nil {
				c.given(s)
			}
			answer := s.ask(t.Context(), c.kind, c.content)
			if answer.Get("to") != otherNode || answer.Get("id") != "7" || condition(answer) != c.refused ||
				c.refused == "" && answer.Get("type") != "result" {
				t.Errorf("answered %s", answer)
			}
			if !strings.Contains(answer.String(), c.want) {
				t.Errorf("answered %s, without %s", answer, c.want)
			}
			if merged := len(s.directory.merged); (merged == 1) != (c.kind == "set" &&
				c.content.Local == "followings") {
				t.Errorf("%d merged", merged)
			}
		})
	}
}

// So many requests are answered at a time; more are refused, but a claim never waits.
func TestServiceIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServed()
		s.directory.block = make(chan struct{})
		for range maxServed {
			s.onRequest(t.Context(), stream.New("", "iq", "type", "get", "from", otherNode), "tidings-other",
				stream.New(nsAccount, "followings"))
		}
		if answer := s.ask(t.Context(), "get", stream.New(nsAccount, "followings")); condition(
			answer) != "resource-constraint" {
			t.Errorf("answered %s", answer)
		}
		if answer := s.ask(t.Context(), "get", claimElement("a@b", "", []string{"x"})); answer.Get("type") != "result" {
			t.Errorf("a claim is answered %s", answer)
		}
		close(s.directory.block)
		for range maxServed {
			if answer := <-s.sent; answer.Get("type") != "result" {
				t.Errorf("answered %s", answer)
			}
		}
		synctest.Wait()
		if answer := s.ask(t.Context(), "get", stream.New(nsAccount, "followings")); answer.Get("type") != "result" {
			t.Errorf("answered %s when there is room again", answer)
		}
	})
}

// The first page of the sent messages waits until those under way are done, or for a bounded time. Later pages do not
// wait.
func TestTheFirstPageWaitsForWhatIsUnderWay(t *testing.T) {
	first := stream.New(nsAccount, "seen", "after", "0")
	synctest.Test(t, func(t *testing.T) {
		s := newServed()
		landed, later := s.flights.begin(), s.flights.begin()
		s.onRequest(t.Context(), stream.New("", "iq", "type", "get", "from", otherNode), "tidings-other", first)
		landed()
		synctest.Wait()
		if len(s.sent) != 0 {
			t.Fatal("it is answered while something is under way")
		}
		s.ask(t.Context(), "get", stream.New(nsAccount, "seen", "after", "3"))
		afterwards := s.flights.begin() // which the answer does not wait for
		later()
		if <-s.sent; len(s.ledger.pages) != 2 || s.ledger.pages[1] != 0 {
			t.Errorf("pages after %v", s.ledger.pages)
		}
		began := time.Now()
		s.ask(t.Context(), "get", first)
		if waited := time.Since(began); waited != flightTimeout {
			t.Errorf("it waits %v", waited)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		began = time.Now()
		s.ask(ended, "get", first)
		if waited := time.Since(began); waited != 0 {
			t.Errorf("it waits %v although the stream has ended", waited)
		}
		afterwards()
		if len(s.flights.under) != 0 {
			t.Errorf("%d are under way", len(s.flights.under))
		}
	})
}

// Followings are pulled page by page, and a page that leads nowhere or back is the last.
func TestFollowingsArePulledInPages(t *testing.T) {
	var rows []tidings.Following
	for _, a := range []string{"a@b", "b@b", "c@b"} {
		rows = append(rows, tidings.Following{Address: a, Channel: "https://example.org/", Changed: time.UnixMilli(5)})
	}
	page := func(r tidings.Following) *stream.Element {
		e := followingsElement([]tidings.Following{r})
		e.Attributes = cursorOf(r)
		return e
	}
	broken := errors.New("no answer")
	for name, c := range map[string]struct {
		pages  []*stream.Element // nil: an error
		err    error
		merged int
	}{
		"three and an empty one": {[]*stream.Element{page(rows[0]), page(rows[1]), page(rows[2]),
			stream.New(nsAccount, "followings")}, nil, 3},
		"one twice": {[]*stream.Element{page(rows[0]), page(rows[1]), page(rows[1]), page(rows[2])}, nil,
			3},
		"one that leads back": {[]*stream.Element{page(rows[1]), page(rows[0]), page(rows[2])}, nil, 2},
		"an error":            {[]*stream.Element{page(rows[0]), nil}, broken, 1},
	} {
		d := new(directory)
		asked := ""
		err := followings{d, 100, slog.New(slog.DiscardHandler)}.pull(t.Context(),
			func(after *stream.Element) (*stream.Element, error) {
				if after.Get("address") < asked {
					t.Errorf("%s: asked for what comes after %s", name, after)
				}
				asked = after.Get("address")
				p := c.pages[0]
				if c.pages = c.pages[1:]; p == nil {
					return nil, broken
				}
				return p, nil
			})
		if !errors.Is(err, c.err) || len(d.merged) != c.merged {
			t.Errorf("%s: %v, %d merged", name, err, len(d.merged))
		}
	}
}
