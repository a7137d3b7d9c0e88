// Package machine holds what Corona's machines share: channels, their view of the ring and of channels'
// owners, sizes of polling sets, signatures and random draws.
package machine

import (
	"time"

	"tidings/network/engine"
)

// Base is the environment of every machine of a node.
type Base struct {
	Env  engine.Env
	Ring Ring
	Keys engine.Keys // nil: nothing is signed, and no signature is needed
	Seed uint64      // of tables, so that nobody can choose keys that collide
}

// IsSelf reports whether a peer is this node.
func (b *Base) IsSelf(p engine.Peer) bool { return p.ID == b.Env.Self().ID }

// Neighbours reports whether two addresses are in one part of the network, of which one owner may have many: see
// engine.Prefixer. It is false where networks are closed, or simulated without prefixes.
func (b *Base) Neighbours(a, c engine.Address) bool {
	prefix := engine.PrefixOf(b.Env, a)
	return prefix != "" && prefix == engine.PrefixOf(b.Env, c)
}

// Admits reports whether an ID has the work that the network demands: see engine.Admitter. The network accepts no
// message, and Keys no signature, of an ID without it. Admits checks the nodes that messages name.
func (b *Base) Admits(id engine.ID) bool { return engine.Admissible(b.Env, id) }

// primaryReach is how far from a channel its primary may be, in mean numbers of nodes.
const primaryReach = 8

// MayLead reports whether a node can be, or just have been, a channel's primary in a ring of so many nodes.
func (b *Base) MayLead(id, channel engine.ID, nodes int) bool {
	return b.Admits(id) && id.Distance(channel).Position()*2*float64(nodes) <= primaryReach
}

// Chance returns a random time below d.
func (b *Base) Chance(d time.Duration) time.Duration {
	return time.Duration(b.Env.Rand().Int64N(int64(d)))
}

// Jitter returns a time up to an eighth below d, so that the nodes' periodic work does not coincide.
func (b *Base) Jitter(d time.Duration) time.Duration {
	return d - time.Duration(b.Env.Rand().Int64N(int64(d/8)+1))
}

// LimitHit reports that a bound was reached and something left undone.
type LimitHit struct {
	What  string // the bound's name
	Limit int
}

// LimitHit traces that a bound was reached. It returns false.
func (b *Base) LimitHit(what string, limit int) bool {
	b.Env.Trace(LimitHit{what, limit})
	return false
}
