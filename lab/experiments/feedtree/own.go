package feedtree

import (
	"slices"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
)

// ownBytes returns what the publishers' nodes have sent so far because they publish.
func (f *forest) ownBytes() (bytes uint64) {
	for _, p := range f.feeds {
		bytes += p.own
	}
	return bytes
}

// isRoot reports whether a publisher's node is one of the roots of its feed's tree.
func (f *forest) isRoot(p *pushedFeed) bool {
	closer := 0
	for _, n := range f.nodes {
		if engine.Closer(p.topic, n.env.Self().ID, p.at.env.Self().ID) {
			closer++
		}
	}
	return closer < scribe.Default().Roots
}

// countOwn counts a message that a publisher's node sends because it publishes.
func (f *forest) countOwn(d sim.Delivery) {
	if d.Fate != sim.Sent {
		return
	}
	for _, p := range f.feeds {
		if p.at != nil && p.at.number == d.From && p.owns(d.Message) && !f.isMembers(p, d) {
			p.own += uint64(d.Bytes)
		}
	}
}

// owns reports whether a message brings what a publisher has said, or offers it.
func (p *pushedFeed) owns(m engine.Message) bool {
	for {
		carrier, is := m.(engine.Carrier)
		if !is || carrier.Carried() == nil {
			break
		}
		m = carrier.Carried()
	}
	switch m := m.(type) {
	case *feedtree.Item:
		return m.Key == feedtree.KeyOf(p.private)
	case *feedtree.Heartbeat:
		return m.Key == feedtree.KeyOf(p.private)
	case *feedtree.Items:
		return m.Topic == p.topic
	case *scribe.IHave:
		return m.Group.Topic == p.topic
	}
	return false
}

// isMembers reports whether any member in the place of a publisher's node would send a message of its feed as well. A
// member sends to its children, of which Config.MaxChildren bounds the number. A root answers members that lack
// something, as each asks one of the roots every Config.Compare.
func (f *forest) isMembers(p *pushedFeed, d sim.Delivery) bool {
	if _, lacked := d.Message.(*scribe.Missed); lacked && p.root {
		return true
	}
	return d.To >= 0 && slices.ContainsFunc(p.at.scribe.Children(p.topic),
		func(c engine.Peer) bool { return c.ID == f.Peer(d.To).ID })
}
