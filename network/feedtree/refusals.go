package feedtree

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// Refusal is how often something was refused of a peer for one reason.
type Refusal struct {
	Peer  engine.ID // the zero ID: nobody knows who sent it
	Why   Why
	Count uint64
	Last  time.Duration // when, by Env.Now
}

// Refusals returns what was refused, by peer and reason, whoever was refused last at the end. It goes
// back to Config.MaxPeers peers.
func (n *Node) Refusals() (list []Refusal) {
	for _, b := range n.blamed.list {
		for why, count := range b.counts {
			if count > 0 {
				list = append(list, Refusal{b.peer, Why(why), count, b.last})
			}
		}
	}
	return list
}

// blamed is of whom something was refused.
type blamed struct {
	of   map[engine.ID]*blame
	list []*blame // the latest at the end
}

type blame struct {
	peer    engine.ID
	counts  [whys]uint64
	last    time.Duration
	strikes int
	until   time.Duration // not listened to
}

// faults returns a peer's, and takes note that there is another one now. Whose last one is the oldest is
// forgotten where there would be too many.
func (l *blamed) faults(peer engine.ID, most int) *blame {
	b := l.of[peer]
	if b == nil {
		b = &blame{peer: peer}
		l.of[peer] = b
		if len(l.list) >= most {
			delete(l.of, l.list[0].peer)
			l.list = slices.Delete(l.list, 0, 1)
		}
	} else {
		i := slices.Index(l.list, b)
		l.list = slices.Delete(l.list, i, i+1)
	}
	l.list = append(l.list, b)
	return b
}

// refuse counts that something was refused, and who sent it. A peer that sends what no honest node does
// is not listened to after a while.
func (n *Node) refuse(topic engine.ID, number uint64, from engine.Peer, why Why) {
	b := n.blamed.faults(from.ID, n.config.MaxPeers)
	now := n.env.Now()
	if now > b.last+n.config.StrikeFor {
		b.strikes = 0
	}
	b.counts[why]++
	b.last = now
	n.env.Trace(Refused{topic, number, from, why})
	n.listener.Refused(topic, why)
	if !why.false() || from.ID == (engine.ID{}) || n.isSelf(from) {
		return
	}
	if b.strikes++; b.strikes >= n.config.Strikes && now >= b.until {
		b.until = now + n.config.StrikeFor
		n.env.Trace(Banned{topic, from, why})
		n.listener.Banned(from, why)
		n.env.After(0, func() { n.shun(topic, from) }) // the tree may be in the middle of its work
	}
}

// isBanned reports whether a peer is not listened to.
func (n *Node) isBanned(peer engine.ID) bool {
	b := n.blamed.of[peer]
	return b != nil && n.env.Now() < b.until
}

// shun has another parent looked for in a topic if a peer is it.
func (n *Node) shun(topic engine.ID, peer engine.Peer) {
	if parent, ok := n.tree.Parent(topic); ok && parent.ID == peer.ID {
		n.tree.Distrust(topic)
	}
}
