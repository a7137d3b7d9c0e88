// Package machine is what the machines that Corona consists of have in common: the channels, the ring as they see it, and how they sign and draw.
package machine

import (
	"time"

	"tidings/network/engine"
)

// Base is what every machine of a node is given.
type Base struct {
	Env  engine.Env
	Ring Ring
	Keys engine.Keys // nil: nothing is signed, and no signature is asked for
	Seed uint64      // of tables, so that nobody can make keys fall together
}

// IsSelf reports whether a peer is this node.
func (b *Base) IsSelf(p engine.Peer) bool { return p.ID == b.Env.Self().ID }

// Neighbours reports whether two addresses are in one part of the network, of which one owner may have many: see engine.Prefixer. Nothing is known of that where
// networks are closed, or simulated without it.
func (b *Base) Neighbours(a, c engine.Address) bool {
	prefix := engine.PrefixOf(b.Env, a)
	return prefix != "" && prefix == engine.PrefixOf(b.Env, c)
}

// Admits reports whether an ID has the work that the network asks for: see engine.Admitter. Who has not can be nothing in Corona: the network takes no message
// from there, and Keys no signature; this is for what messages say of others without.
func (b *Base) Admits(id engine.ID) bool { return engine.Admissible(b.Env, id) }

// primaryReach is how far from a channel its primary may be, in mean numbers of nodes.
const primaryReach = 8

// MayLead reports whether a node can be a channel's primary in a ring of so many nodes, or can have been one a moment ago.
func (b *Base) MayLead(id, channel engine.ID, nodes int) bool {
	return b.Admits(id) && id.Distance(channel).Position()*2*float64(nodes) <= primaryReach
}

// Chance returns a random time below d.
func (b *Base) Chance(d time.Duration) time.Duration {
	return time.Duration(b.Env.Rand().Int64N(int64(d)))
}

// Jitter returns a time a little below d, so that what nodes do at intervals does not fall together.
func (b *Base) Jitter(d time.Duration) time.Duration {
	return d - time.Duration(b.Env.Rand().Int64N(int64(d/8)+1))
}

// LimitHit says that a bound was reached and something left undone.
type LimitHit struct {
	What  string // the bound's name
	Limit int
}

// LimitHit traces that a bound was reached. It returns false.
func (b *Base) LimitHit(what string, limit int) bool {
	b.Env.Trace(LimitHit{what, limit})
	return false
}
