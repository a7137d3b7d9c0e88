package homes

import (
	"context"
	"fmt"
	"slices"

	"tidings"
	"tidings/lab/cluster"
	"tidings/network/engine"
)

// pairs are the pairs of nodes that need each other: that are neighbours on the ring, as an onlooker sees it.
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
	members := w.all()
	ids := make([]engine.ID, len(views))
	for i, v := range views {
		if ids[i], err = engine.ParseID(v.ID); err != nil {
			return p, fmt.Errorf("reading the ID of %s: %w", members[i].name, err)
		}
	}
	ring := slices.SortedFunc(slices.Values(ids), engine.ID.Compare)
	for i, v := range views {
		for j := range i {
			if !slices.Contains(cluster.Closest(ring, ids[i]), views[j].ID) {
				continue
			}
			p.all++
			if connected(v, views[j].ID) && connected(views[j], v.ID) {
				p.connected++
			} else {
				p.apart = append(p.apart, members[j].name+" and "+members[i].name)
			}
			if w.net.Talk(members[i].machine, members[j].machine) {
				p.direct++
			}
		}
	}
	return p, nil
}

// connected reports whether a node says that it is connected with another, which is its neighbour.
func connected(v tidings.Network, id string) bool {
	return slices.ContainsFunc(v.Neighbours, func(p tidings.Peer) bool { return p.ID == id && p.Connected })
}

func share(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
