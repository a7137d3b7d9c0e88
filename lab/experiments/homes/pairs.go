package homes

import (
	"context"
	"slices"

	"tidings/cluster"
	"tidings/network/engine"
	"tidings/view"
)

// pairs are the pairs of nodes that need each other: neighbours on the ring, in the view of an observer.
type pairs struct {
	all       int
	connected int // both say that they are
	direct    int // packets went both ways between their public addresses
	apart     []string
}

// pairs looks at all nodes, which are up.
func (w *world) pairs(ctx context.Context) (p pairs, err error) {
	views, err := w.views(ctx)
	if err != nil {
		return p, err
	}
	ring, err := ringOf(views)
	if err != nil {
		return p, err
	}
	for i, a := range w.all() {
		id, _ := engine.ParseID(views[a].ID) // it is on the ring
		closest := cluster.Closest(ring, id)
		for _, b := range w.all()[:i] {
			if !slices.Contains(closest, views[b].ID) {
				continue
			}
			p.all++
			if connected(views[a], views[b].ID) && connected(views[b], views[a].ID) {
				p.connected++
			} else {
				p.apart = append(p.apart, b.name+" and "+a.name)
			}
			if w.net.Talk(a.machine, b.machine) {
				p.direct++
			}
		}
	}
	return p, nil
}

// connected reports whether a node says that it is connected with another, which is its neighbour.
func connected(v view.Network, id string) bool {
	return slices.ContainsFunc(v.Neighbours, func(p view.Peer) bool { return p.ID == id && p.Connected })
}

func share(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
