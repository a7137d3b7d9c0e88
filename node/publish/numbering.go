package publish

import (
	"sync"
	"time"

	"tidings/node/broadcast"
	"tidings/store/published"
)

// numbering gives the items of a publication their numbers and times.
type numbering struct {
	issuing sync.Mutex           // held while numbers are given; before all other locks
	fresh   *broadcast.Broadcast // rings when there is something to send

	mu     sync.Mutex
	last   uint64 // number of the last item that was kept
	handed uint64 // number of the last that was given to FeedTree
	spoken int64  // the latest time that was signed, in milliseconds since 1970
}

func newNumbering(kept published.Publication) *numbering {
	n := &numbering{fresh: broadcast.New(), last: kept.Next - 1, handed: kept.Next - 1}
	if !kept.Last.IsZero() {
		n.spoken = kept.Last.UnixMilli()
	}
	return n
}

// now returns the time to sign: a clock that goes back does not make time go back.
func (n *numbering) now(last time.Time) time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.spoken = max(time.Now().UnixMilli(), n.spoken)
	if !last.IsZero() {
		n.spoken = max(n.spoken, last.UnixMilli())
	}
	return time.UnixMilli(n.spoken)
}

// kept notes the number of the last item that is kept now.
func (n *numbering) kept(last uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last = last
}

// raise notes that items are numbered from next to last after others were overtaken.
func (n *numbering) raise(next, last uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last, n.handed = last, max(n.handed, next-1)
}

// restart notes the number of the first item to give to FeedTree, 0 if there is none. It returns the number of the last
// item that is kept.
func (n *numbering) restart(unsent uint64) (last uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if unsent > 0 {
		n.handed = unsent - 1
	}
	return n.last
}

// gave notes that FeedTree was given an item.
func (n *numbering) gave(number uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.handed = max(n.handed, number)
}

// given returns the number of the last item that FeedTree was given.
func (n *numbering) given() uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.handed
}

// said returns the number of the last item, and whether all up to it were given to FeedTree.
func (n *numbering) said() (last uint64, all bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.last, n.handed == n.last
}
