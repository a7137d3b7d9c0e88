package node

import (
	"slices"
	"sync"
)

// maxOlderWays is of how many channels the way through their archive documents is remembered.
const maxOlderWays = 16

// olderWays remembers which archive documents feeds have led to, so that who reads on need not begin at the feed, and
// no circle of documents is read twice.
type olderWays struct {
	mu   sync.Mutex
	ways []olderWay // that of the latest question at the end
}

// olderWay is a channel's archive documents, from the latest backwards: maxOlderDocuments at most.
type olderWay struct {
	channel   string
	documents []string
}

// keep remembers how far a channel's documents were read.
func (w *olderWays) keep(channel string, documents []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ways = slices.DeleteFunc(w.ways, func(o olderWay) bool { return o.channel == channel })
	if len(w.ways) >= maxOlderWays {
		w.ways = slices.Delete(w.ways, 0, 1)
	}
	w.ways = append(w.ways, olderWay{channel, slices.Clone(documents)})
}

// to returns the documents before one; known tells whether the feed has led there.
func (w *olderWays) to(channel, document string) (before []string, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, o := range w.ways {
		if at := slices.Index(o.documents, document); o.channel == channel && at >= 0 {
			return slices.Clone(o.documents[:at]), true
		}
	}
	return nil, false
}
