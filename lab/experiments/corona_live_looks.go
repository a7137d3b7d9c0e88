package experiments

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"tidings/lab/origin"
)

// liveLooks is the origin's account of all requests.
type liveLooks struct {
	town   *liveTown
	window time.Duration
	index  map[string]int // of channels, by document

	mu       sync.Mutex
	last     []time.Duration   // by channel: the latest request
	seen     [][]time.Duration // by channel and state: the first request that was served it
	served   [][]int           // and how often that was to who did not have it
	windows  []liveWindow
	requests int
	failed   int // requests that were not answered as they should have been
}

// liveWindow sums the requests of a time, and the gaps between two of one channel that end in it.
type liveWindow struct {
	requests int
	bytes    int64
	waits    float64 // the sum of all seconds that random moments in the gaps wait for the next request, weighted by subscriptions
	spans    float64 // the sum of the gaps' seconds, weighted alike
}

const unseen = time.Duration(-1)

func newLiveLooks(t *liveTown) *liveLooks {
	l := &liveLooks{
		town: t, window: t.sizes.Interval / windowsInInterval, index: make(map[string]int),
		last: make([]time.Duration, len(t.work.channels)), seen: make([][]time.Duration, len(t.work.channels)),
		served: make([][]int, len(t.work.channels)),
	}
	for i, c := range t.work.channels {
		l.index[c.name], l.last[i] = i, unseen
	}
	return l
}

// observe takes note of a request.
func (l *liveLooks) observe(r origin.Request) {
	at := r.Time.Sub(l.town.began)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests++
	i, known := l.index[r.Name]
	if !known || r.Status != http.StatusOK && r.Status != http.StatusNotModified {
		l.failed++
		return
	}
	w := l.at(at)
	w.requests++
	w.bytes += r.Bytes
	if before := l.last[i]; before >= 0 && at > before {
		gap, weight := (at - before).Seconds(), float64(len(l.town.work.channels[i].readers))
		w.waits += weight * gap * gap / 2
		w.spans += weight * gap
	}
	l.last[i] = max(l.last[i], at)
	for len(l.seen[i]) <= r.State {
		l.seen[i], l.served[i] = append(l.seen[i], unseen), append(l.served[i], 0)
	}
	if r.Status == http.StatusOK {
		l.served[i][r.State]++
	}
	if l.seen[i][r.State] == unseen || at < l.seen[i][r.State] {
		l.seen[i][r.State] = at
	}
}

// at returns the window of a time.
func (l *liveLooks) at(t time.Duration) *liveWindow {
	i := max(int(t/l.window), 0)
	for len(l.windows) <= i {
		l.windows = append(l.windows, liveWindow{})
	}
	return &l.windows[i]
}

// sum adds up the windows that lie between two times.
func (l *liveLooks) sum(from, to time.Duration) (w liveWindow) {
	for i := range l.windows {
		if begin := time.Duration(i) * l.window; begin >= from && begin+l.window <= to {
			w.requests += l.windows[i].requests
			w.bytes += l.windows[i].bytes
			w.waits += l.windows[i].waits
			w.spans += l.windows[i].spans
		}
	}
	return w
}

// detection is the mean time from a random moment to the next request, in seconds.
func (w liveWindow) detection() float64 { return w.waits / max(w.spans, 1e-9) }

// first returns when anybody was first served one of some states of a channel; unseen: nobody was.
func (l *liveLooks) first(channel, from, to int) time.Duration {
	seen := l.seen[channel]
	if from >= len(seen) {
		return unseen
	}
	served := slices.DeleteFunc(slices.Clone(seen[from:min(to+1, len(seen))]), func(d time.Duration) bool { return d == unseen })
	if len(served) == 0 {
		return unseen
	}
	return slices.Min(served)
}

// witnesses returns how often the origin has served some states of a channel to who did not have them: mostly, to how many
// nodes.
func (l *liveLooks) witnesses(channel, from, to int) (sum int) {
	for state := from; state <= to && state < len(l.served[channel]); state++ {
		sum += l.served[channel][state]
	}
	return sum
}
