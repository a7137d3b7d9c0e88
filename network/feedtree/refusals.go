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

// blamed is of whom something was refused, the latest at the end.
type blamed struct{ list []*blame }

type blame struct {
	peer    engine.ID
	counts  [whys]uint64
	last    time.Duration
	strikes int
	until   time.Duration // not listened to
}

func (l *blamed) find(peer engine.ID) int {
	return slices.IndexFunc(l.list, func(b *blame) bool { return b.peer == peer })
}

// of returns a peer's faults, and takes note that there is another one now.
func (l *blamed) of(peer engine.ID, most int) *blame {
	b := &blame{peer: peer}
	if i := l.find(peer); i >= 0 {
		b = l.list[i]
		l.list = slices.Delete(l.list, i, i+1)
	} else if len(l.list) >= most {
		l.list = slices.Delete(l.list, 0, 1)
	}
	l.list = append(l.list, b)
	return b
}

// refuse counts that something was refused, and who sent it. A peer that sends what no honest node does
// is not listened to after a while.
func (n *Node) refuse(topic engine.ID, number uint64, from engine.Peer, why Why) {
	b := n.blamed.of(from.ID, n.config.MaxPeers)
	now := n.env.Now()
	if now > b.last+n.config.StrikeFor {
		b.strikes = 0
	}
	b.counts[why]++
	b.last = now
	n.env.Trace(Refused{topic, number, from, why})
	if !why.false() || from.ID == (engine.ID{}) || n.isSelf(from) {
		return
	}
	if b.strikes++; b.strikes >= n.config.Strikes && now >= b.until {
		b.until = now + n.config.StrikeFor
		n.env.Trace(Banned{topic, from, why})
	}
}

// isBanned tells whether a peer is not listened to.
func (n *Node) isBanned(peer engine.ID) bool {
	i := n.blamed.find(peer)
	return i >= 0 && n.env.Now() < n.blamed.list[i].until
}
