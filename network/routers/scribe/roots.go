package scribe

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// rootsOf is the list of a group's roots, as far as this node has learned it. Liars can add names and remove none. Many
// nodes are asked, and each named node has to have its ID.
type rootsOf struct {
	list  []engine.Peer // closest first
	heard time.Duration
	asked time.Duration
	vain  int // how often in a row it was asked without an answer, up to 16
}

// rootsLast is how long what was learned of roots is believed.
const rootsLast = 10 * time.Minute

func (r *rootsOf) old(now time.Duration) bool { return len(r.list) == 0 || now > r.heard+rootsLast }

func (r *rootsOf) set(list []engine.Peer, now time.Duration) {
	r.list, r.heard, r.vain = slices.Clone(list), now, 0
}

// drop removes one that does not answer. It comes back if it is named again.
func (r *rootsOf) drop(id engine.ID) {
	r.list = slices.DeleteFunc(r.list, func(p engine.Peer) bool { return p.ID == id })
}

func (r *rootsOf) has(id engine.ID) bool {
	return slices.ContainsFunc(r.list, func(p engine.Peer) bool { return p.ID == id })
}

// add inserts the roots that a node names, and keeps of all the closest to the key.
func (r *rootsOf) add(key engine.ID, list []engine.Peer, most int, now time.Duration) {
	if r.old(now) {
		r.list = nil
	}
	for _, p := range list {
		if !r.has(p.ID) {
			r.list = append(r.list, p)
		}
	}
	slices.SortFunc(r.list, func(a, b engine.Peer) int {
		switch {
		case a.ID == b.ID:
			return 0
		case engine.Closer(key, a.ID, b.ID):
			return -1
		}
		return 1
	})
	r.list = r.list[:min(len(r.list), 2*most)]
	r.heard, r.vain = now, 0
}
