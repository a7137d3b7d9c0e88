package origin

import (
	"fmt"
	"net/http"
	"sort"
	"strconv"
	"sync"
	"time"

	"tidings/lab/dataset"
)

// Change is a state's becoming current.
type Change struct {
	State int       `json:"state"`
	At    time.Time `json:"at"`
}

// maxChanges bounds the changes by hand that a document remembers.
const maxChanges = 1 << 16

// series is a document's content over time.
type series struct {
	states int                     // how many; 0: without end
	after  func(int) time.Duration // from the first state to this one, as recorded; nil: only by hand
	body   func(int) []byte
}

func ofHistory(h dataset.History) series {
	s := h.Snapshots
	return series{
		states: len(s),
		after:  func(i int) time.Duration { return s[i].Time.Sub(s[0].Time) },
		body:   func(i int) []byte { return s[i].Body },
	}
}

func ofBody(body []byte) series {
	return series{states: 1, body: func(int) []byte { return body }}
}

func ofFeed(f Feed) series { return series{body: f.states()} }

// document is one resource of the origin.
type document struct {
	name         string
	opts         Options
	series       series
	start        time.Time
	speed        float64
	cacheControl []string
	vary         []string
	compressors  *compressors

	mu      sync.Mutex
	byHand  bool
	state   int      // current, if byHand
	changes []Change // if byHand
	fault   *Fault
	ready   *prepared  // of the state that was served last
	served  servedTags // for deltas
}

func newDocument(name string, s series, opts Options, start time.Time, speed float64, cs *compressors) *document {
	d := &document{name: name, opts: opts, series: s, start: start, speed: speed, vary: []string{"Accept-Encoding"},
		compressors: cs}
	if opts.MaxAge > 0 {
		d.cacheControl = []string{"max-age=" + strconv.Itoa(int(opts.MaxAge/time.Second))}
	}
	if opts.Delta {
		d.vary = []string{"Accept-Encoding, A-IM, If-None-Match"}
	}
	if speed == 0 || s.after == nil || opts.EachRequest {
		d.switchToManual(start)
	}
	return d
}

// changeTime is when replay makes state i current.
func (d *document) changeTime(i int) time.Time {
	return d.start.Add(time.Duration(float64(d.series.after(i)) / d.speed))
}

// at returns the state that is current at now. Under mu, as all that follow.
func (d *document) at(now time.Time) int {
	if d.byHand {
		return d.state
	}
	next := sort.Search(d.series.states, func(i int) bool { return d.changeTime(i).After(now) })
	return max(next-1, 0)
}

// since is when the state current at now became so, and whether it was so from the
// beginning.
func (d *document) since(now time.Time) (at time.Time, first bool) {
	if d.byHand {
		return d.changes[len(d.changes)-1].At, len(d.changes) == 1
	}
	state := d.at(now)
	return d.changeTime(state), state == 0
}

func (d *document) changed(now time.Time) []Change {
	if d.byHand {
		return append([]Change(nil), d.changes...)
	}
	var changes []Change
	for i := range d.at(now) + 1 {
		changes = append(changes, Change{State: i, At: d.changeTime(i)})
	}
	return changes
}

// switchToManual ends replay; what replay did remains known.
func (d *document) switchToManual(now time.Time) {
	if d.byHand {
		return
	}
	if d.speed > 0 && d.series.after != nil {
		d.changes, d.state = d.changed(now), d.at(now)
	} else {
		d.changes = []Change{{State: 0, At: d.start}}
	}
	d.byHand = true
}

func (d *document) set(state int, now time.Time) error {
	if state < 0 || d.series.states > 0 && state >= d.series.states {
		return fmt.Errorf("%w: %s has %d states, counted from 0, not %d", ErrNoState, d.name, d.series.states, state)
	}
	d.switchToManual(now)
	d.state = state
	if len(d.changes) == maxChanges {
		d.changes = append(d.changes[:0], d.changes[maxChanges/2:]...)
	}
	d.changes = append(d.changes, Change{State: state, At: now})
	return nil
}

// moveOn is Options.EachRequest.
func (d *document) moveOn(now time.Time) {
	next := d.state + 1
	if next == d.series.states {
		next = 0
	}
	_ = d.set(next, now) // next is always a state
}

// serve answers a GET or HEAD and returns what was served.
func (d *document) serve(w *recorder, r *http.Request, now time.Time) (state int, fault FaultKind) {
	d.mu.Lock()
	f := d.requestedFault(r)
	if d.opts.EachRequest && r.Method == http.MethodGet {
		d.moveOn(now)
	}
	p := d.prepare(now)
	d.mu.Unlock()
	if f != nil {
		misbehave(w, r, d, p, *f, now)
		return p.state, f.Kind
	}
	d.answer(w, r, p, now)
	return p.state, ""
}

// prepare returns what is needed to serve the state that is current at now.
func (d *document) prepare(now time.Time) *prepared {
	state := d.at(now)
	if d.ready == nil || d.ready.state != state {
		d.ready = newPrepared(state, d.series.body(state), d.opts.ContentType, d.compressors)
		d.served.add(d.ready.hash, state)
	}
	if since, first := d.since(now); !since.Equal(d.ready.since) {
		d.ready = d.ready.changedAt(since, first)
	}
	return d.ready
}

// requestedFault returns the fault that the request itself asks for (?fault=KIND&value=V),
// else the one that was set.
func (d *document) requestedFault(r *http.Request) *Fault {
	if r.URL.RawQuery != "" {
		q := r.URL.Query()
		f := Fault{Kind: FaultKind(q.Get("fault")), Value: q.Get("value")}
		if f.Kind == NoFault {
			return nil
		}
		if f.Kind != "" && f.validate() == nil {
			return &f
		}
	}
	if d.fault == nil {
		return nil
	}
	f := *d.fault
	if f.Times > 0 {
		if d.fault.Times--; d.fault.Times == 0 {
			d.fault = nil
		}
	}
	return &f
}
