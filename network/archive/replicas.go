package archive

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// replicas are the nodes that own some keys together with this one.
type replicas struct {
	list  []*coOwner
	timer engine.Alarm
}

// coOwner is one of them, and how the comparison with it stands.
type coOwner struct {
	peer   engine.Peer
	place  int // beside this node, in the view
	due    time.Duration
	wait   time.Duration // before the last comparison
	state  comparison
	gained bool // since then one of the two has begun to fetch something from the other
	parts  engine.Bucket
}

// comparison says what came of the latest one.
type comparison uint8

const (
	silent   comparison = iota // nothing was heard
	equal                      // there is no difference
	differed                   // there is
)

// maxWaits is how many times Compare the pause between fruitless comparisons is at most.
const maxWaits = 16

// How many parts and lists a node sends one co-owner: partRate a second, on average, and partBurst at once.
const (
	partRate  = 16
	partBurst = 1024
)

func (r *replicas) find(id engine.ID) *coOwner {
	i := slices.IndexFunc(r.list, func(c *coOwner) bool { return c.peer.ID == id })
	if i < 0 {
		return nil
	}
	return r.list[i]
}

// gains notes that an item is fetched by a peer, or from it.
func (r *replicas) gains(id engine.ID) {
	if c := r.find(id); c != nil {
		c.gained = true
	}
}

// compareWithAll has all co-owners compared soon: the neighbours have changed.
func (n *Node) compareWithAll() {
	r := &n.replicas
	now := n.env.Now()
	v := &n.look().view
	var list []*coOwner
	for _, place := range v.coOwners() {
		p, _ := v.at(place)
		if slices.ContainsFunc(list, func(c *coOwner) bool { return c.peer.ID == p.ID }) {
			continue
		}
		c := r.find(p.ID)
		if c == nil {
			c = &coOwner{due: 1<<63 - 1, parts: engine.NewBucket(partRate, partBurst)}
		}
		c.peer, c.place, c.wait, c.state = p, place, 0, silent
		c.due = min(c.due, now+time.Duration(n.env.Rand().Int64N(int64(n.config.Again)+1)))
		list = append(list, c)
	}
	r.list = list
	n.compareNext()
}

// compareNext waits for the next comparison that is due.
func (n *Node) compareNext() {
	r := &n.replicas
	if len(r.list) == 0 {
		r.timer.Stop()
		return
	}
	next := r.list[0].due
	for _, c := range r.list {
		next = min(next, c.due)
	}
	r.timer.Set(n.env, next, func() {
		for _, c := range r.list {
			if c.due <= n.env.Now() {
				n.compareWith(c)
			}
		}
		n.compareNext()
	})
}

// compareWith begins a comparison, and says when the next one is: later if the last has changed nothing.
func (n *Node) compareWith(c *coOwner) {
	c.wait = n.pause(c)
	c.state, c.gained = silent, false
	c.due = n.env.Now() + n.jitter(c.wait)
	m := &Compare{}
	for _, a := range n.look().view.shared(c.place) {
		m.Parts = append(m.Parts, n.held.sum(a))
	}
	if len(m.Parts) > 0 {
		n.env.Send(c.peer, m)
	}
}

// pause returns how long to wait if nothing is heard.
func (n *Node) pause(c *coOwner) time.Duration {
	switch {
	case c.wait == 0 || c.gained || c.state == equal:
		return n.config.Again
	case c.state == silent:
		return min(2*c.wait, n.config.Compare)
	}
	return min(2*c.wait, maxWaits*n.config.Compare)
}

// takeEqual notes that a co-owner has the same.
func (n *Node) takeEqual(from engine.Peer) {
	if c := n.replicas.find(from.ID); c != nil && c.state == silent {
		c.state = equal
		c.due = n.env.Now() + n.jitter(n.config.Compare)
		n.compareNext()
	}
}

// differs notes that a co-owner has something else.
func (n *Node) differs(c *coOwner) {
	if c.state != differed {
		c.state = differed
		n.env.Trace(Differed{c.peer})
	}
}
