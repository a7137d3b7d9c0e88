package volunteer

import "time"

// ceilingShare is the part of a host's ceiling that all nodes' turns come to in the long run at most. As much again may
// come at once, where nodes have not polled the host for a while. So the ceiling holds in any interval.
const ceilingShare = 0.5

// ceiling keeps this node's polls of a host to its share of what all nodes may poll there. A node learns of polls only
// of channels that it follows itself, so none knows how many poll a host: each assumes that all nodes of the network
// do.
type ceiling struct {
	most  int        // polls of a host in an interval, of all nodes together; 0: there is no ceiling
	nodes func() int // estimates how many there are
	hosts map[string]*allowance
}

// allowance is what this node may poll at a host.
type allowance struct {
	channels int // that are followed there
	left     float64
	at       time.Duration // when that was reckoned; negative: never
}

// SetCeiling limits this node's polls of each host to its share of most polls in an interval; nodes estimates how many
// nodes share them. 0: there is no ceiling.
func (n *Node) SetCeiling(most int, nodes func() int) { n.ceiling.most, n.ceiling.nodes = most, nodes }

// come notes that one more channel of a host is followed.
func (l *ceiling) come(host string) {
	a := l.hosts[host]
	if a == nil {
		a = &allowance{at: -1}
		l.hosts[host] = a
	}
	a.channels++
}

// leave notes that one fewer is.
func (l *ceiling) leave(host string) {
	a := l.hosts[host]
	if a.channels--; a.channels == 0 {
		delete(l.hosts, host)
	}
}

// allows reports whether this node may poll a channel now, as far as its host is concerned, and counts the poll if so.
func (n *Node) allows(c *channel) bool {
	l := &n.ceiling
	if l.most == 0 || c.host == "" {
		return true
	}
	share := ceilingShare * float64(l.most) / float64(max(1, l.nodes()))
	a, now := l.hosts[c.host], n.env.Now()
	switch {
	case a.at >= 0:
		a.left = min(max(1, share), a.left+share*float64(now-a.at)/float64(n.config.Interval))
	case share >= 1:
		a.left = share
	default: // as if it had always shared: otherwise all nodes that begin to follow the host had one poll at once
		a.left = n.env.Rand().Float64()
	}
	a.at = now
	if a.left < 1 {
		n.env.Trace(LimitHit{"ceiling", l.most})
		return false
	}
	a.left--
	return true
}
