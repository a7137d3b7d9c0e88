package history

import (
	"slices"
	"sync"
)

// maxWays is of how many channels the way through their archive documents is remembered.
const maxWays = 16

// ways remembers which archive documents feeds have led to. So a reader that reads on need not begin at the feed, and
// no circle of documents is read twice.
type ways struct {
	mu    sync.Mutex
	known []way // that of the latest question at the end
}

// way is a channel's archive documents, from the latest backwards: maxDocuments at most.
type way struct {
	channel   string
	documents []string
}

// keep remembers how far a channel's documents were read.
func (w *ways) keep(channel string, documents []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known = slices.DeleteFunc(w.known, func(o way) bool { return o.channel == channel })
	if len(w.known) >= maxWays {
		w.known = slices.Delete(w.known, 0, 1)
	}
	w.known = append(w.known, way{channel, slices.Clone(documents)})
}

// to returns the documents before one; known reports whether the feed has led there.
func (w *ways) to(channel, document string) (before []string, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, o := range w.known {
		if at := slices.Index(o.documents, document); o.channel == channel && at >= 0 {
			return slices.Clone(o.documents[:at]), true
		}
	}
	return nil, false
}
