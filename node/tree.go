package node

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
	"tidings/network/scribe"
	"tidings/network/volunteer"
	"tidings/node/coop"
)

// Trees returns the URLs of the channels followed here whose updates come down trees of the network's router, sorted.
func (n *Node) Trees() []string {
	if n.coop == nil {
		return nil
	}
	return n.coop.ByTrees()
}

// Tree tells how a channel's updates come to this node. It is asked of what is followed: whoever asks has seen to that.
func (n *network) Tree(ctx context.Context, url string) (tidings.Tree, error) {
	t := tidings.Tree{Channel: url, Ancestors: []tidings.TreeNode{}, Children: []tidings.TreeNode{}}
	id := engine.ID(tidings.IDOf(url))
	topic, way := n.wayOf(id)
	t.Pushed, t.Turns = way == pushedWay, way == turnsWay
	if way == noWay {
		return t, nil
	}
	links := make(map[engine.ID]live.PeerInfo)
	for _, link := range n.host.Peers() {
		links[link.Peer.ID] = link
	}
	err := n.host.Do(ctx, func() {
		p := acquaintance{n, links}
		r := router.Scribe
		if way == ownersWay {
			r = n.coop.Corona().CarriedBy(id)
		}
		switch t.Router = r.String(); r {
		case router.Direct:
			p.direct(&t, id)
		case router.Scribe:
			p.scribe(&t, topic)
		case router.Rappel:
			p.rappel(&t, topic)
		case router.SpiderCast:
			p.spidercast(&t, topic)
		case router.NewsWire:
			path, placed := n.node.zones.Path()
			t.Zone, t.Rooted = string(path), placed
		}
	})
	if err != nil {
		return tidings.Tree{}, fmt.Errorf("asking the network: %w", err)
	}
	return t, nil
}

// way is by whom a channel's updates are brought.
type way int

const (
	noWay     way = iota // nobody but this node itself
	ownersWay            // the channel's owners
	pushedWay            // its publisher
	turnsWay             // nodes that poll in turns
)

// wayOf returns by whom a channel's updates are brought, and the topic of the tree if they come down one.
func (n *network) wayOf(id engine.ID) (topic engine.ID, w way) {
	n.pushes.mu.Lock()
	topic, pushed := n.pushes.follows[id]
	n.pushes.mu.Unlock()
	switch n.coop.Means(id, pushed) {
	case coop.ByPushes:
		return topic, pushedWay
	case coop.ByTurns:
		return volunteer.TopicOf(id), turnsWay
	case coop.ByOwners:
		return id, ownersWay
	}
	return engine.ID{}, noWay
}

// acquaintance is whom a node knows and how far away they are. It is used in the host's loop.
type acquaintance struct {
	*network
	links map[engine.ID]live.PeerInfo
}

// tell describes a node of a tree; rtt is a round trip that the tree itself has measured, or 0.
func (a acquaintance) tell(p engine.Peer, rtt time.Duration) tidings.TreeNode {
	onRing, _ := a.ring.RTT(p.ID)
	rtt = cmp.Or(rtt, a.links[p.ID].RTT, onRing)
	return tidings.TreeNode{ID: p.ID.String(), Address: live.FormatAddress(p), RTT: float64(rtt) / float64(time.Millisecond)}
}

func (a acquaintance) tellAll(peers []engine.Peer) []tidings.TreeNode {
	list := make([]tidings.TreeNode, len(peers))
	for i, p := range peers {
		list[i] = a.tell(p, 0)
	}
	return list
}

// direct tells who sends a channel's updates to this node itself.
func (a acquaintance) direct(t *tidings.Tree, channel engine.ID) {
	switch root := a.coop.Corona().Root(channel); {
	case root.ID == a.host.Self().ID:
		t.Root, t.Rooted = true, true
	case !root.IsZero():
		t.Ancestors, t.Rooted = a.tellAll([]engine.Peer{root}), true
	}
}

// rappel tells of a tree of subscribers.
func (a acquaintance) rappel(t *tidings.Tree, topic engine.ID) {
	v, in := a.network.rappel.Tree(topic)
	if !in {
		return
	}
	t.Root, t.Rooted = v.Root, v.Root || len(v.Ancestors) > 0
	t.Children = a.tellAll(v.Children)
	for i, above := range v.Ancestors {
		rtt := time.Duration(0)
		if i == 0 {
			rtt = v.ParentRTT
		}
		t.Ancestors = append(t.Ancestors, a.tell(above.Peer, rtt))
	}
}

// spidercast tells of the links over which a topic's events travel at once, to and fro: such a tree has no root.
func (a acquaintance) spidercast(t *tidings.Tree, topic engine.ID) {
	tree, joined := a.network.spider.Tree(topic)
	t.Rooted, t.Children = joined, a.tellAll(tree)
}

// scribe tells of a tree over the ring. Of the nodes above the parent it knows how their IDs begin, and finds those
// that it has met otherwise.
func (a acquaintance) scribe(t *tidings.Tree, topic engine.ID) {
	p, in := a.network.scribe.Place(scribe.Group{Topic: topic})
	if !in {
		return
	}
	t.Root, t.Children = p.Root, a.tellAll(p.Children)
	if p.Root || p.Parent.IsZero() {
		t.Rooted = p.Root
		return
	}
	t.Rooted, t.Ancestors = p.Rooted, append(t.Ancestors, a.tell(p.Parent, 0))
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
			t.Ancestors = append(t.Ancestors, a.tell(known, 0))
		} else {
			t.Ancestors = append(t.Ancestors, tidings.TreeNode{ID: fmt.Sprintf("%016x", start)})
		}
	}
}
