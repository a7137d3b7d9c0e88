// Package origin is an HTTP origin for tests, experiments and benchmarks. It replays recorded histories at any speed or
// step by step, with the caching headers of a careful publisher (RFC 9110: strong ETags, Last-Modified, conditional
// requests, content codings; RFC 3229 with the "feed" manipulation on request). Or it misbehaves in one of the ways of
// [FaultKind]. It counts and logs requests, and knows when each state became current, so that detection times can be
// computed.
//
// A document named N is served at /N, a list of all at /. The same controls as the Go methods are offered under /-/
// (see control.go). It is no server for the open internet: every client that reaches it controls it.
//
// The path of an ordinary request does no compression and no hashing, which are done once a state. The handler must be
// cheap beside what it measures.
package origin

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"tidings/lab/dataset"
)

// Config has an Origin's clock and how much it remembers.
type Config struct {
	// Clock gives the time of requests and changes. nil: time.Now.
	Clock func() time.Time
	// Start is when replay begins. Zero: when New is called.
	Start time.Time
	// Speed is how many seconds of a recorded history pass in a second. State i of a
	// history is current from Start + (time of i − time of the first) / Speed.
	// 0: states change only by hand.
	Speed float64
	// LogSize is how many requests are remembered; older ones are only counted.
	// 0: 65,536, about 20 MB.
	LogSize int
	// Observe, if not nil, is called with each request when it has been answered, before it is logged. It is called by
	// many goroutines at a time, and must be quick.
	Observe func(Request)
}

// Validate reports what in c cannot be.
func (c Config) Validate() error {
	if c.Speed < 0 {
		return fmt.Errorf("speed %v is negative", c.Speed)
	}
	if c.LogSize < 0 {
		return fmt.Errorf("log size %d is negative", c.LogSize)
	}
	return nil
}

// Options say how one document is served. The zero value is a careful publisher.
type Options struct {
	ContentType    string        // empty: by the content
	MaxAge         time.Duration // Cache-Control: max-age, in whole seconds; 0: no such header
	NoETag         bool
	NoLastModified bool
	NoCompression  bool
	// Delta answers A-IM: feed with 226 and only the items that the client's state lacks, for RSS and Atom in UTF-8.
	Delta bool
	// EachRequest moves on to the next state at each GET (after the last, to the first). It is for load in which every
	// poll finds a change.
	EachRequest bool
}

var (
	// ErrNoDocument says that no document has that name.
	ErrNoDocument = errors.New("no such document")
	// ErrNoState says that a document has no such state, or none after the current one.
	ErrNoState = errors.New("no such state")
)

// Origin is an http.Handler. Its methods may be called at any time from anywhere.
type Origin struct {
	clock func() time.Time
	start time.Time
	speed float64
	log   *requestLog

	observe     func(Request)
	compressors compressors

	mu        sync.RWMutex
	documents map[string]*document
}

// New returns an origin without documents. It panics if c is not valid.
func New(c Config) *Origin {
	if err := c.Validate(); err != nil {
		panic("origin: " + err.Error())
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Start.IsZero() {
		c.Start = c.Clock()
	}
	if c.LogSize == 0 {
		c.LogSize = 1 << 16
	}
	return &Origin{
		clock:     c.Clock,
		start:     c.Start,
		speed:     c.Speed,
		log:       newRequestLog(c.LogSize),
		observe:   c.Observe,
		documents: make(map[string]*document),
	}
}

// Add replays h as the document name, in place of one that had the name.
func (o *Origin) Add(name string, h dataset.History, opts Options) error {
	if len(h.Snapshots) == 0 {
		return fmt.Errorf("adding document %q: %w: empty history", name, ErrNoState)
	}
	return o.add(name, ofHistory(h), opts)
}

// AddStatic serves one body that never changes.
func (o *Origin) AddStatic(name, contentType string, body []byte, opts Options) error {
	opts.ContentType = cmp.Or(contentType, opts.ContentType)
	return o.add(name, ofBody(body), opts)
}

// AddFeed serves a made-up feed, with states that change only by hand or with Options.EachRequest.
func (o *Origin) AddFeed(name string, f Feed, opts Options) error {
	return o.add(name, ofFeed(f), opts)
}

// AddMade serves what a function makes of the number of a state, from 0 up without end. States change only by
// hand or with Options.EachRequest. The function may be called at any time from anywhere, and gives the
// same for the same number.
func (o *Origin) AddMade(name string, body func(state int) []byte, opts Options) error {
	return o.add(name, series{body: body}, opts)
}

func (o *Origin) add(name string, s series, opts Options) error {
	if name == "" || strings.HasPrefix(name, "-/") || strings.HasPrefix(name, "/") {
		return fmt.Errorf("adding document: name %q cannot be used", name)
	}
	d := newDocument(name, s, opts, o.start, o.speed, &o.compressors)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.documents[name] = d
	return nil
}

// Names lists the documents.
func (o *Origin) Names() []string {
	var names []string
	for _, d := range o.all() {
		names = append(names, d.name)
	}
	return names
}

// all returns the documents by name.
func (o *Origin) all() []*document {
	o.mu.RLock()
	defer o.mu.RUnlock()
	all := make([]*document, 0, len(o.documents))
	for _, d := range o.documents {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b *document) int { return cmp.Compare(a.name, b.name) })
	return all
}

func (o *Origin) document(name string) (*document, error) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	if d := o.documents[name]; d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("%w: %q", ErrNoDocument, name)
}

// Step makes the next state current and returns its number. A document that was once
// stepped or set is no longer replayed by itself. After the last state it is ErrNoState.
func (o *Origin) Step(name string) (int, error) {
	d, err := o.document(name)
	if err != nil {
		return 0, err
	}
	now := o.clock()
	d.mu.Lock()
	defer d.mu.Unlock()
	next := d.at(now) + 1
	return next, d.set(next, now)
}

// Set makes the given state current; states count from 0.
func (o *Origin) Set(name string, state int) error {
	d, err := o.document(name)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.set(state, o.clock())
}

// State returns the number of the current state and how many there are (0: no end).
func (o *Origin) State(name string) (current, states int, err error) {
	d, err := o.document(name)
	if err != nil {
		return 0, 0, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.at(o.clock()), d.series.states, nil
}

// Body returns what the document is in the given state.
func (o *Origin) Body(name string, state int) ([]byte, error) {
	d, err := o.document(name)
	if err != nil {
		return nil, err
	}
	if state < 0 || d.series.states > 0 && state >= d.series.states {
		return nil, fmt.Errorf("%w: %s has no state %d", ErrNoState, name, state)
	}
	return d.series.body(state), nil
}

// Changed returns when each state became current, up to now, in order. Of a document changed by hand the latest 65,536
// changes are known.
func (o *Origin) Changed(name string) ([]Change, error) {
	d, err := o.document(name)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changed(o.clock()), nil
}

// Fail makes a document misbehave; the fault replaces an earlier one.
func (o *Origin) Fail(name string, f Fault) error {
	d, err := o.document(name)
	if err != nil {
		return err
	}
	if err := f.validate(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault = &f
	return nil
}

// Heal ends a document's fault.
func (o *Origin) Heal(name string) error {
	d, err := o.document(name)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault = nil
	return nil
}

// ServeHTTP answers and logs one request. Requests to the controls are not logged.
func (o *Origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if rest, ok := strings.CutPrefix(name, "-/"); ok {
		o.control(w, r, rest)
		return
	}
	now := o.clock()
	rec := &recorder{ResponseWriter: w}
	request := requestOf(r, name, now)
	defer func() { // also when a fault aborts the handler
		request.Status, request.Bytes = rec.status, rec.bytes
		if o.observe != nil {
			o.observe(request)
		}
		o.log.add(request)
	}()
	d, err := o.document(name)
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		rec.Header().Set("Allow", "GET, HEAD")
		http.Error(rec, "only GET and HEAD", http.StatusMethodNotAllowed)
	case name == "":
		o.index(rec)
	case err != nil:
		http.Error(rec, err.Error(), http.StatusNotFound)
	default:
		request.State, request.Fault = d.serve(rec, r, now)
	}
}
