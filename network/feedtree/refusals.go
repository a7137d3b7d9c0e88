package feedtree

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// Refusal is how often something was refused of a peer for one reason.
type Refusal struct {
	Peer  engine.ID // the zero ID: its sender is not known
	Why   Why
	Count uint64
	Last  time.Duration // when, by Env.Now
}

// Refusals returns what was refused, by peer and reason, the one refused last at the end. It goes
// back to Config.MaxPeers peers.
func (n *Node) Refusals() []Refusal { return n.refusals.all() }

// refusals counts what was refused, by peer. It bans a peer for Config.StrikeFor after Config.Strikes faults that no
// honest node has. Each fault must follow the one before within Config.StrikeFor. It keeps Config.MaxPeers peers.
type refusals struct {
	env     engine.Env
	strikes int
	ban     time.Duration
	most    int
	of      map[engine.ID]*blame
	list    []*blame // the latest at the end
}

type blame struct {
	peer    engine.ID
	counts  [whys]uint64
	last    time.Duration
	strikes int
	until   time.Duration // not listened to
}

func newRefusals(env engine.Env, c Config) *refusals {
	return &refusals{env: env, strikes: c.Strikes, ban: c.StrikeFor, most: c.MaxPeers, of: make(map[engine.ID]*blame)}
}

// all returns what was refused, by peer and reason, the one refused last at the end.
func (r *refusals) all() (list []Refusal) {
	for _, b := range r.list {
		for why, count := range b.counts {
			if count > 0 {
				list = append(list, Refusal{b.peer, Why(why), count, b.last})
			}
		}
	}
	return list
}

// latest returns a peer's, which has the latest fault from now on. If there are too many, the one with the oldest last
// fault is forgotten.
func (r *refusals) latest(peer engine.ID) *blame {
	b := r.of[peer]
	if b == nil {
		b = &blame{peer: peer}
		r.of[peer] = b
		if len(r.list) >= r.most {
			delete(r.of, r.list[0].peer)
			r.list = slices.Delete(r.list, 0, 1)
		}
	} else {
		i := slices.Index(r.list, b)
		r.list = slices.Delete(r.list, i, i+1)
	}
	r.list = append(r.list, b)
	return b
}

// count notes that a statement of a peer was refused. It reports whether that is a new reason to ban the peer.
func (r *refusals) count(from engine.Peer, why Why) (banned bool) {
	b, now := r.latest(from.ID), r.env.Now()
	if now > b.last+r.ban {
		b.strikes = 0
	}
	b.counts[why]++
	b.last = now
	if !why.false() || from.ID == (engine.ID{}) || from.ID == r.env.Self().ID {
		return false
	}
	if b.strikes++; b.strikes < r.strikes || now < b.until {
		return false
	}
	b.until = now + r.ban
	return true
}

// isBanned reports whether a peer is not listened to.
func (r *refusals) isBanned(peer engine.ID) bool {
	b := r.of[peer]
	return b != nil && r.env.Now() < b.until
}

// refuse counts that something was refused, and its sender. A peer that repeatedly sends what no honest node does is
// ignored, and is no parent in that topic.
func (n *Node) refuse(topic engine.ID, number uint64, from engine.Peer, why Why) {
	banned := n.refusals.count(from, why)
	n.env.Trace(Refused{topic, number, from, why})
	n.listener.Refused(topic, why)
	if !banned {
		return
	}
	n.env.Trace(Banned{topic, from, why})
	n.listener.Banned(from, why)
	n.env.After(0, func() { // the tree may be in the middle of its work
		if parent, ok := n.tree.Parent(topic); ok && parent.ID == from.ID {
			n.tree.Distrust(topic)
		}
	})
}
