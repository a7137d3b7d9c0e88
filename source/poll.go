package source

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"tidings"
	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/source/page"
)

// Library holds what was found before.
type Library interface {
	// KnownItems returns all items of a feed that were ever found and are remembered.
	KnownItems(ctx context.Context, url string) ([]tidings.KnownItem, error)
	// Lines returns a page's latest version: its lines, their hash, its number. Before
	// the first version they are none, "" and 0.
	Lines(ctx context.Context, url string) (lines []string, hash string, v tidings.Version, err error)
	// Document returns the document of a page's latest version as it was received, with its
	// Content-Type; nil if there is none.
	Document(ctx context.Context, url string) (document []byte, contentType string, err error)
}

// Poller makes polls. Its fields are set once; it may be used by many goroutines.
type Poller struct {
	Fetch func(context.Context, fetch.Request) (*fetch.Response, error) // usually (*fetch.Client).Fetch
	// FetchGuest fetches for guests, where private addresses that are open to this node's people
	// are not to be open to others; nil: Fetch does.
	FetchGuest func(context.Context, fetch.Request) (*fetch.Response, error)
	Library    Library
	Plan       fetch.Plan
	NodeID     string // named as the finder
	Feed       feed.Config
	Page       page.Config
	// KeepsDocument reports whether the document of a feed is wanted as it was received; nil: none is.
	KeepsDocument func(url string) bool
	// Discovers says that results are to have what documents say of hubs.
	Discovers bool
	// Pushed returns until when a channel need not be polled by plan, because it is pushed, and why it is polled then;
	// zero: it is not. nil: none is.
	Pushed func(url string) (until time.Time, why string)
	// Now returns the time of a poll, which is remembered and compared over days; nil: time.Now.
	Now func() time.Time
	// Again is the pause before a document that changed is fetched once more to see what
	// differs from fetch to fetch.
	Again time.Duration
}

// poll is one poll while it is made.
type poll struct {
	Poller
	Job
	at    time.Time
	mem   memory
	noise page.Noise
	wire  int64       // bytes received
	cost  *fetch.Cost // of all requests

	result  Result
	reading fetch.Reading
	note    string         // what is odd about the channel, though it was read: one line of plain words
	feed    *feed.Document // as read, if it is one
	page    *page.Document // as read, if it is one

	statesPrices bool // of a first poll: the page states prices for programs
}

// Poll polls a channel once. why says why now, in plain words.
func (l *Poller) Poll(ctx context.Context, w Job, why string) Result {
	k := l.begin(w, why)
	res, err := k.fetch(ctx, k.request())
	if err == nil && res.Status != http.StatusNotModified && (k.Whole || !k.mem.origin.Same(res)) {
		if res, err = k.read(ctx, res); err != nil {
			k.result.Err = &tidings.Failure{Op: "reading", Address: w.URL, Err: err}
			return k.result
		}
	}
	return k.end(res, err)
}

// Sooner moves the next poll of a channel forward if the plan's interval is now shorter than the one it was planned by.
// It reports whether it has changed the job.
func (l *Poller) Sooner(w *Job) bool {
	m := remembered(w.Memory, w.ID())
	next, why, sooner := l.Plan.Sooner(&m.origin, w.Next, w.Last.NextWhy, chance())
	if sooner {
		w.Next, w.Last.Next, w.Last.NextWhy = next, next, why
	}
	return sooner
}

func (l *Poller) begin(w Job, why string) *poll {
	k := &poll{Poller: *l, Job: w, at: l.now(), cost: new(fetch.Cost)}
	k.mem = remembered(w.Memory, w.ID())
	k.keepSlot()
	if noise, err := page.DecodeNoise(string(w.Noise)); err == nil {
		k.noise = noise
	}
	k.result.Poll = tidings.Poll{At: k.at, Why: why}
	return k
}

func (l *Poller) now() time.Time {
	if l.Now == nil {
		return time.Now()
	}
	return l.Now()
}

func (k *poll) request() fetch.Request {
	r := fetch.Request{URL: k.Origin()}
	if !k.Whole {
		r = k.Plan.Request(&k.mem.origin, k.Origin(), k.at)
	}
	r.Access = k.access()
	// all nodes are to see the same document, and subscribers all of it
	r.Delta = r.Delta && !k.Shared && !k.keepsDocument()
	return r
}

// keepsDocument reports whether the document of a feed is wanted as it was received.
func (k *poll) keepsDocument() bool { return k.KeepsDocument != nil && k.KeepsDocument(k.URL) }

func (k *poll) fetch(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	ask := k.Fetch
	if k.Guest && k.FetchGuest != nil {
		ask = k.FetchGuest
	}
	r.Cost = k.cost
	res, err := ask(ctx, r)
	if err == nil {
		k.wire += res.Wire
	}
	return res, err
}

// end concludes what the poll means for the channel.
func (k *poll) end(res *fetch.Response, err error) Result {
	v := k.Plan.Conclude(&k.mem.origin, k.now(), res, err, k.reading, chance())
	r := &k.result
	r.Poll.Outcome, r.Poll.Status, r.Poll.Error = v.Outcome, v.Status, v.Error
	r.Poll.Next, r.Poll.NextWhy = v.Next, v.NextWhy
	r.Poll.Bytes, r.Poll.Took = k.wire, k.now().Sub(k.at)
	r.Failures, r.Since, r.Ended = v.Failures, v.Since, v.Ended
	r.Hold, r.Wait, r.Least = v.Hold, v.Wait, v.Least
	if !k.Slot.IsZero() && !v.Ended {
		if r.Poll.Next.Before(k.Slot.NotBefore) {
			r.Poll.Next = k.Slot.After(r.Poll.Next)
			r.Poll.NextWhy = "after the time for which the origin asked another node to be left alone"
		} else if r.Poll.Next.Before(k.Slot.From) {
			r.Poll.Next = k.Slot.From
		}
	}
	if k.Pushed != nil && k.Slot.IsZero() && v.Outcome.Read() && !v.Ended {
		if until, why := k.Pushed(k.URL); until.After(r.Poll.Next) {
			r.Poll.Next, r.Poll.NextWhy = until, why
		}
	}
	if r.Health != tidings.HealthNoisy || v.Health != tidings.HealthGood {
		r.Health = v.Health
	}
	if r.Poll.Error == "" {
		r.Poll.Error = k.note
	}
	if v.Moved != k.Origin() {
		r.Moved = v.Moved
	}
	r.Memory = k.mem.encode()
	if k.feed != nil && res != nil {
		r.Document = k.document(res)
	}
	if k.Discovers && res != nil && v.Outcome.Read() {
		r.Hubs = k.hubs(res)
	}
	return *r
}

// chance returns a source of chance for one poll.
func chance() *rand.Rand { return rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())) }
