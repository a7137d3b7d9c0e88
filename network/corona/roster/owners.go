package roster

import (
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// shunned is a node that counts as an owner of nothing.
type shunned struct {
	node  engine.ID
	until time.Duration
}

const (
	maxShunned    = 256 // beyond it the first is dropped
	maxPassedOver = 4   // how many are expected among a channel's neighbours
)

func (c *core) shun(node engine.ID, until time.Duration) {
	l := &c.shunned
	*l = slices.DeleteFunc(*l, func(s shunned) bool { return s.node == node })
	if len(*l) >= maxShunned {
		*l = slices.Delete(*l, 0, 1)
	}
	*l = append(*l, shunned{node, until})
}

func (c *core) isShunned(p engine.Peer) bool {
	i := slices.IndexFunc(c.shunned, func(s shunned) bool { return s.node == p.ID })
	return i >= 0 && c.Env.Now() < c.shunned[i].until
}

// Owners returns the k owners of a channel by the ring, without those that are shunned; fewer if most around it are.
func (c *core) Owners(channel engine.ID, k int) (owners []engine.Peer, sure bool) {
	many := len(c.shunned)
	if many == 0 {
		return c.Ring.Owners(channel, k)
	}
	owners, sure = c.Ring.Owners(channel, k+min(many, maxPassedOver))
	owners = slices.DeleteFunc(slices.Clone(owners), c.isShunned)
	return owners[:min(k, len(owners))], sure
}

// primary returns the owner closest to a channel, and whether that is certain; zero if all candidates are shunned.
func (c *core) primary(channel engine.ID) (p engine.Peer, sure bool) {
	owners, sure := c.Owners(channel, 1)
	if len(owners) == 0 {
		return engine.Peer{}, false
	}
	return owners[0], sure
}

// Owns reports whether this node should own a channel, as far as it knows.
func (c *core) Owns(channel engine.ID) bool {
	owners, _ := c.Owners(channel, c.config.Owners)
	return slices.ContainsFunc(owners, c.IsSelf)
}

// neighbourhood is how many of the nodes closest to a channel may have owned it lately.
const neighbourhood = 16

// CouldOwn reports whether a node can own a channel, or have owned it lately, as far as this node knows. If the channel
// is among its neighbours, that is certain. Otherwise it judges by the node's distance from the channel, in nodes, by
// the density of its own neighbours. That errs by a quarter (one standard deviation): four times as many nodes as there
// are owners leave room for it. In a smaller ring every node could be an owner.
func (c *core) CouldOwn(channel, node engine.ID) bool {
	owners, sure := c.Ring.Owners(channel, neighbourhood)
	if sure {
		return len(owners) < neighbourhood || !engine.Closer(channel, owners[len(owners)-1].ID, node)
	}
	closer := 2 * channel.Distance(node).Position() * float64(c.Ring.Nodes())
	return closer <= float64(8*(c.config.Owners+1))
}

// SendToOwner passes a message that bypasses the primary on to the second owner.
func (c *core) SendToOwner(channel engine.ID, m engine.Message) {
	owners, sure := c.Owners(channel, c.config.Owners)
	if i := min(1, len(owners)-1); sure && i >= 0 && !c.IsSelf(owners[i]) {
		c.Env.Send(owners[i], m)
	}
}

// maxStamp is the highest stamp that is accepted: there is always a higher one for the next.
const maxStamp = 1<<63 - 1

// latestStamp is the highest stamp that is accepted today. Stamps follow the subscribers' calendars: one that is far
// ahead would block its subscriber's later changes until that day. A node with a calendar more than a day ahead is
// refused, and polls by itself meanwhile.
func (c *core) latestStamp() uint64 {
	now := c.Env.Wall().Add(machine.MaxAhead)
	if now.Unix() < machine.ClockUnset {
		return maxStamp
	}
	return uint64(now.UnixMilli())
}
