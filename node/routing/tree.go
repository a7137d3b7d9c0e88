package routing

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"tidings"
	router "tidings/network"
	"tidings/network/engine"
	"tidings/network/live"
	"tidings/network/routers/scribe"
	"tidings/view"
)

// Tree returns how a channel's updates come to this node. The caller has made sure that the channel is followed.
func (r *Routing) Tree(ctx context.Context, url string) (view.Tree, error) {
	t := view.Tree{Channel: url, Ancestors: []view.TreeNode{}, Children: []view.TreeNode{}}
	id := engine.ID(tidings.IDOf(url))
	topic, way := r.host.WayOf(id)
	t.Pushed, t.Turns = way == ByPublisher, way == ByTurns
	if way == ByNobody {
		return t, nil
	}
	links := make(map[engine.ID]live.PeerInfo)
	for _, link := range r.connections.Peers() {
		links[link.Peer.ID] = link
	}
	err := r.ask(ctx, func() {
		p := acquaintance{r, links}
		by := r.carried.Name()
		if way == ByOwners {
			by = r.updates.CarriedBy(id)
		}
		switch t.Router = by.String(); by {
		case router.Direct:
			p.direct(&t, id)
		case router.Scribe:
			p.scribe(&t, topic)
		case router.Rappel:
			p.rappel(&t, topic)
		case router.SpiderCast:
			p.spidercast(&t, topic)
		case router.NewsWire:
			t.Zone, t.Rooted = r.host.Zone()
		}
	})
	if err != nil {
		return view.Tree{}, err
	}
	return t, nil
}

// acquaintance is the nodes that a node knows, and their distances. It is used in the host's loop.
type acquaintance struct {
	*Routing
	links map[engine.ID]live.PeerInfo
}

// describe describes a node of a tree; rtt is a round trip that the tree itself has measured, or 0.
func (a acquaintance) describe(p engine.Peer, rtt time.Duration) view.TreeNode {
	onRing, _ := a.ring.RTT(p.ID)
	rtt = cmp.Or(rtt, a.links[p.ID].RTT, onRing)
	return view.TreeNode{ID: p.ID.String(), Address: live.FormatAddress(p),
		RTT: float64(rtt) / float64(time.Millisecond)}
}

func (a acquaintance) describeAll(peers []engine.Peer) []view.TreeNode {
	list := make([]view.TreeNode, len(peers))
	for i, p := range peers {
		list[i] = a.describe(p, 0)
	}
	return list
}

// direct describes which node sends a channel's updates to this node itself.
func (a acquaintance) direct(t *view.Tree, channel engine.ID) {
	switch root := a.updates.Root(channel); {
	case root.ID == a.connections.Self().ID:
		t.Root, t.Rooted = true, true
	case !root.IsZero():
		t.Ancestors, t.Rooted = a.describeAll([]engine.Peer{root}), true
	}
}

// rappel describes a tree of subscribers.
func (a acquaintance) rappel(t *view.Tree, topic engine.ID) {
	v, in := a.Routing.rappel.Tree(topic)
	if !in {
		return
	}
	t.Root, t.Rooted = v.Root, v.Root || len(v.Ancestors) > 0
	t.Children = a.describeAll(v.Children)
	for i, above := range v.Ancestors {
		rtt := time.Duration(0)
		if i == 0 {
			rtt = v.ParentRTT
		}
		t.Ancestors = append(t.Ancestors, a.describe(above.Peer, rtt))
	}
}

// spidercast describes the links over which a topic's events travel at once, to and fro: such a tree has no root.
func (a acquaintance) spidercast(t *view.Tree, topic engine.ID) {
	tree, joined := a.spider.Tree(topic)
	t.Rooted, t.Children = joined, a.describeAll(tree)
}

// scribe describes a tree over the ring. Of the nodes above the parent it knows how their IDs begin, and finds those
// that it has met otherwise.
func (a acquaintance) scribe(t *view.Tree, topic engine.ID) {
	p, in := a.Routing.scribe.Place(scribe.Group{Topic: topic})
	if !in {
		return
	}
	t.Root, t.Children = p.Root, a.describeAll(p.Children)
	if p.Root || p.Parent.IsZero() {
		t.Rooted = p.Root
		return
	}
	t.Rooted, t.Ancestors = p.Rooted, append(t.Ancestors, a.describe(p.Parent, 0))
	met := make(map[uint64]engine.Peer)
	for _, known := range a.ring.Known() {
		met[binary.BigEndian.Uint64(known.ID[:])] = known
	}
	for _, link := range a.links {
		met[binary.BigEndian.Uint64(link.Peer.ID[:])] = link.Peer
	}
	for i, start := range p.Above {
		if i == 0 { // the parent
			continue
		}
		if known, ok := met[start]; ok {
			t.Ancestors = append(t.Ancestors, a.describe(known, 0))
		} else {
			t.Ancestors = append(t.Ancestors, view.TreeNode{ID: fmt.Sprintf("%016x", start)})
		}
	}
}
