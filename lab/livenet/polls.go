package livenet

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"tidings/lab/origin"
)

// Polls is the origin's account of all requests. It may be read when the origin has ended.
type Polls struct {
	Window  time.Duration // how long each of Windows is
	Windows []Window
	Failed  int // requests that were not answered as they should have been

	net    *Net
	mu     sync.Mutex
	last   []time.Duration   // by channel: the latest request
	seen   [][]time.Duration // by channel and state: the first request that was served it
	served [][]int           // and how often that was to nodes that did not have it
}

// windowsInInterval is how many windows an interval has.
const windowsInInterval = 3

// Window sums the requests of a time, and the gaps between two of one channel that end in it.
type Window struct {
	Requests int

	// the sum of all seconds that random moments in the gaps wait for the next request, weighted by readers
	waits float64
	spans float64 // the sum of the gaps' seconds, weighted alike
}

func newPolls(n *Net) *Polls {
	count := len(n.work.Channels)
	return &Polls{
		net: n, Window: n.work.Interval / windowsInInterval,
		last:   slices.Repeat([]time.Duration{Unseen}, count),
		seen:   make([][]time.Duration, count),
		served: make([][]int, count),
	}
}

// observe notes a request.
func (p *Polls) observe(r origin.Request) {
	at := r.Time.Sub(p.net.Began)
	p.mu.Lock()
	defer p.mu.Unlock()
	i, known := p.net.index[r.Name]
	if !known || r.Status != http.StatusOK && r.Status != http.StatusNotModified {
		p.Failed++
		return
	}
	w := p.at(at)
	w.Requests++
	if before := p.last[i]; before >= 0 && at > before {
		gap, weight := (at - before).Seconds(), float64(len(p.net.work.Channels[i].Readers))
		w.waits += weight * gap * gap / 2
		w.spans += weight * gap
	}
	p.last[i] = max(p.last[i], at)
	for len(p.seen[i]) <= r.State {
		p.seen[i], p.served[i] = append(p.seen[i], Unseen), append(p.served[i], 0)
	}
	if r.Status == http.StatusOK {
		p.served[i][r.State]++
	}
	if p.seen[i][r.State] == Unseen || at < p.seen[i][r.State] {
		p.seen[i][r.State] = at
	}
}

// at returns the window of a time.
func (p *Polls) at(t time.Duration) *Window {
	i := max(int(t/p.Window), 0)
	for len(p.Windows) <= i {
		p.Windows = append(p.Windows, Window{})
	}
	return &p.Windows[i]
}

// Sum adds up the windows that lie between two times.
func (p *Polls) Sum(from, to time.Duration) (sum Window) {
	for i, w := range p.Windows {
		if begin := time.Duration(i) * p.Window; begin >= from && begin+p.Window <= to {
			sum.Requests += w.Requests
			sum.waits += w.waits
			sum.spans += w.spans
		}
	}
	return sum
}

// Detection is the mean time from a random moment to the next request, in seconds, weighted by readers.
func (w Window) Detection() float64 { return w.waits / max(w.spans, 1e-9) }

// First returns when anybody was first served one of some states of a channel; Unseen: nobody was.
func (p *Polls) First(channel, from, to int) time.Duration {
	seen := p.seen[channel]
	first := Unseen
	for _, at := range seen[min(from, len(seen)):min(to+1, len(seen))] {
		if at != Unseen && (first == Unseen || at < first) {
			first = at
		}
	}
	return first
}

// Witnesses returns how often the origin has served some states of a channel to nodes that did not have them: mostly,
// to how many nodes.
func (p *Polls) Witnesses(channel, from, to int) (sum int) {
	served := p.served[channel]
	for _, times := range served[min(from, len(served)):min(to+1, len(served))] {
		sum += times
	}
	return sum
}
