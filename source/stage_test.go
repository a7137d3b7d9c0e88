package source

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/source/page"
)

// scene is one channel with its origin and the shelf that keeps what was found of it.
// Its polls follow one another at the plan's times.
type scene struct {
	t      *testing.T
	origin web
	shelf  shelf
	poller *Poller
	watch  watch
}

const address = "https://origin.example/doc"

// onStage runs a scene on virtual time, whose contexts are those of s.t.
func onStage(t *testing.T, act func(*scene)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &scene{t: t, origin: web{}, watch: watch{Job: Job{Channel: tidings.Channel{URL: address}}}}
		s.poller = s.newPoller()
		act(s)
	})
}

func (s *scene) newPoller() *Poller {
	return &Poller{
		Fetch: s.origin.fetch, Library: &s.shelf, Plan: fetch.DefaultPlan(), NodeID: "node",
		Feed: feed.Default(), Page: page.Default(), Again: 2 * time.Second,
	}
}

// poll makes the next poll and stores what comes of it.
func (s *scene) poll() Result {
	s.t.Helper()
	r := s.poller.Poll(s.t.Context(), s.watch.Job, "by plan")
	if r.Err != nil {
		s.t.Fatalf("check: %v", r.Err)
	}
	s.settle(r)
	time.Sleep(max(0, time.Until(s.watch.Next)))
	return r
}

func (s *scene) settle(r Result) {
	if r.Change != nil {
		s.shelf.store(r.Change)
	}
	s.watch.apply(r)
}

// want makes a poll that must end so, with a change or without.
func (s *scene) want(o tidings.Outcome, change bool) Result {
	s.t.Helper()
	r := s.poll()
	if r.Poll.Outcome != o || (r.Change != nil) != change {
		s.t.Fatalf("the check ended %q (%s), change %v; want %q, change %v",
			r.Poll.Outcome, r.Poll.Error, r.Change != nil, o, change)
	}
	return r
}

// serve lets the origin answer with documents: each request gets the next, and the last
// one stays.
func (s *scene) serve(documents ...answer) {
	o := s.origin[address]
	if o == nil {
		o = &origin{}
		s.origin[address] = o
	}
	o.answers = documents
}

func (s *scene) requests() []fetch.Request { return s.origin[address].requests }

// web is origins by address.
type web map[string]*origin

type origin struct {
	answers  []answer
	requests []fetch.Request
}

// answer is what an origin gives to a request.
type answer func(fetch.Request) (*fetch.Response, error)

func (w web) fetch(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	o := w[r.URL]
	if o == nil {
		return nil, &fetch.StatusError{Status: http.StatusNotFound}
	}
	o.requests = append(o.requests, r)
	now := o.answers[0]
	if len(o.answers) > 1 {
		o.answers = o.answers[1:]
	}
	res, err := now(r)
	if res != nil && res.URL == "" {
		res.URL = r.URL
	}
	return res, err
}

// text answers with a document that has no validators.
func text(contentType, body string) answer {
	return func(fetch.Request) (*fetch.Response, error) {
		return &fetch.Response{
			Status: http.StatusOK, Body: []byte(body), Wire: int64(len(body)),
			Header: http.Header{"Content-Type": {contentType}},
		}, nil
	}
}

func html(body string) answer { return text("text/html; charset=utf-8", body) }
func rss(items string) answer { return text("application/rss+xml", rssOf(items)) }

func rssOf(items string) string {
	return `<rss version="2.0"><channel><title>Feed</title><link>https://origin.example/</link>` + items +
		`</channel></rss>`
}

// tagged answers as a, under an ETag. A request with that ETag gets 304.
func tagged(etag string, a answer) answer {
	return func(r fetch.Request) (*fetch.Response, error) {
		if r.ETag == etag {
			return &fetch.Response{Status: http.StatusNotModified, ETag: etag}, nil
		}
		res, err := a(r)
		res.ETag = etag
		return res, err
	}
}

// failing answers with an error.
func failing(err error) answer {
	return func(fetch.Request) (*fetch.Response, error) { return nil, err }
}

// shelf keeps one channel's content as a store does.
type shelf struct {
	items   []tidings.KnownItem
	lines   []string
	hash    string
	version tidings.Version
	raw     []byte
	rawType string
	broken  error // what every reading answers
}

func (s *shelf) KnownItems(context.Context, string) ([]tidings.KnownItem, error) {
	return slices.Clone(s.items), s.broken
}

func (s *shelf) Lines(context.Context, string) ([]string, string, tidings.Version, error) {
	return s.lines, s.hash, s.version, s.broken
}

func (s *shelf) Document(context.Context, string) ([]byte, string, error) {
	return s.raw, s.rawType, s.broken
}

func (s *shelf) store(f *tidings.Change) {
	if f.Kind == tidings.KindPage {
		s.lines, s.hash, s.raw, s.rawType = f.Lines, f.Hash, f.Raw, f.RawType
		s.version++
		return
	}
	for i := range s.items {
		s.items[i].Listed = s.items[i].Listed && f.Partial
	}
	for _, found := range f.Items {
		row := found.Row
		if row == 0 {
			row = int64(len(s.items) + 1)
			s.items = append(s.items, tidings.KnownItem{Row: row})
		}
		s.items[row-1].ItemIdentity, s.items[row-1].Listed = found.Mark, true
	}
}
