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

// rankOf returns how many nodes are closer to a feed's topic than its publisher's node. 0: that is the closest root.
func (f *forest) rankOf(p *pushedFeed) (closer int) {
	for _, n := range f.nodes {
		if engine.Closer(p.topic, n.env.Self().ID, p.at.env.Self().ID) {
			closer++
		}
	}
	return closer
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
// something, as each asks one of the roots every Config.Compare. The closest root sends nothing to itself; what it
// sends to one child counts in place of that. Otherwise publishers that are their own roots would make a day cheap.
func (f *forest) isMembers(p *pushedFeed, d sim.Delivery) bool {
	switch d.Message.(type) {
	case *scribe.Missed:
		if p.rank < scribe.Default().Roots {
			return true
		}
	case *scribe.Disseminate:
	default:
		return false
	}
	children := p.at.scribe.Children(p.topic)
	if p.rank == 0 && len(children) > 0 {
		children = children[1:]
	}
	return d.To >= 0 && slices.ContainsFunc(children, func(c engine.Peer) bool { return c.ID == f.Peer(d.To).ID })
}
