package machine

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// Ownership is a node's view of which nodes own a channel: the closest ones by the ring, but for those that are
// shunned.
type Ownership struct {
	Base
	K int // owners of a channel

	shunned []shunned // the latest last; at most maxShunned
}

// shunned is a node that counts as an owner of nothing.
type shunned struct {
	node  engine.ID
	until time.Duration
}

const (
	maxShunned    = 256 // beyond it the first is dropped
	maxPassedOver = 4   // how many are expected among a channel's neighbours
)

// Shun has a node own nothing until then.
func (o *Ownership) Shun(node engine.ID, until time.Duration) {
	l := &o.shunned
	*l = slices.DeleteFunc(*l, func(s shunned) bool { return s.node == node })
	if len(*l) >= maxShunned {
		*l = slices.Delete(*l, 0, 1)
	}
	*l = append(*l, shunned{node, until})
}

func (o *Ownership) isShunned(p engine.Peer) bool {
	i := slices.IndexFunc(o.shunned, func(s shunned) bool { return s.node == p.ID })
	return i >= 0 && o.Env.Now() < o.shunned[i].until
}

// Owners returns the k owners of a channel by the ring, without those that are shunned; fewer if most around it are.
func (o *Ownership) Owners(channel engine.ID, k int) (owners []engine.Peer, sure bool) {
	many := len(o.shunned)
	if many == 0 {
		return o.Ring.Owners(channel, k)
	}
	owners, sure = o.Ring.Owners(channel, k+min(many, maxPassedOver))
	owners = slices.DeleteFunc(slices.Clone(owners), o.isShunned)
	return owners[:min(k, len(owners))], sure
}

// Primary returns the owner closest to a channel, and whether that is certain; zero if all candidates are shunned.
func (o *Ownership) Primary(channel engine.ID) (p engine.Peer, sure bool) {
	owners, sure := o.Owners(channel, 1)
	if len(owners) == 0 {
		return engine.Peer{}, false
	}
	return owners[0], sure
}

// Owns reports whether this node should own a channel, as far as it knows.
func (o *Ownership) Owns(channel engine.ID) bool {
	owners, _ := o.Owners(channel, o.K)
	return slices.ContainsFunc(owners, o.IsSelf)
}

// Neighbourhood is how many of the nodes closest to a channel may have owned it lately.
const Neighbourhood = 16

// CouldOwn reports whether a node can own a channel, or have owned it lately, as far as this node knows. If the channel
// is among its neighbours, that is certain. Otherwise it judges by the node's distance from the channel, in nodes, by
// the density of its own neighbours. That errs by a quarter (one standard deviation): four times as many nodes as there
// are owners leave room for it. In a smaller ring every node could be an owner.
func (o *Ownership) CouldOwn(channel, node engine.ID) bool {
	owners, sure := o.Ring.Owners(channel, Neighbourhood)
	if sure {
		return len(owners) < Neighbourhood || !engine.Closer(channel, owners[len(owners)-1].ID, node)
	}
	closer := 2 * channel.Distance(node).Position() * float64(o.Ring.Nodes())
	return closer <= float64(8*(o.K+1))
}

// SendToOwner passes a message that bypasses the primary on to the second owner.
func (o *Ownership) SendToOwner(channel engine.ID, m engine.Message) {
	owners, sure := o.Owners(channel, o.K)
	if i := min(1, len(owners)-1); sure && i >= 0 && !o.IsSelf(owners[i]) {
		o.Env.Send(owners[i], m)
	}
}
