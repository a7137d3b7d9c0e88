package archive

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// replicas are the nodes that own keys together with this one, and the comparisons with them. Each is compared once in
// Config.Compare if nothing differs. If something does, it is after Config.Again, or up to maxWaits times Compare. It
// sends each co-owner at most partRate parts and lists a second, on average.
type replicas struct {
	env    engine.Env
	config *Config
	node   comparing
	list   []*coOwner
	timer  engine.Alarm
}

// comparing is what replicas need of their node.
type comparing interface {
	// shared returns the sums of the items here with keys that this node and the one at a place both own.
	shared(place int) []Part
	// have lists what is in the store of an arc.
	have(a keyRange) *Have
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
	silent   comparison = iota // nothing came
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
func (r *replicas) compareWithAll(v *view) {
	now := r.env.Now()
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
		c.due = min(c.due, now+time.Duration(r.env.Rand().Int64N(int64(r.config.Again)+1)))
		list = append(list, c)
	}
	r.list = list
	r.compareNext()
}

// compareNext waits for the next comparison that is due.
func (r *replicas) compareNext() {
	if len(r.list) == 0 {
		r.timer.Stop()
		return
	}
	next := r.list[0].due
	for _, c := range r.list {
		next = min(next, c.due)
	}
	r.timer.Set(r.env, next, func() {
		for _, c := range r.list {
			if c.due <= r.env.Now() {
				r.compareWith(c)
			}
		}
		r.compareNext()
	})
}

// compareWith begins a comparison, and says when the next one is: later if the last has changed nothing.
func (r *replicas) compareWith(c *coOwner) {
	c.wait = r.pause(c)
	c.state, c.gained = silent, false
	c.due = r.env.Now() + jitter(r.env, c.wait)
	if parts := r.node.shared(c.place); len(parts) > 0 {
		r.env.Send(c.peer, &Compare{Parts: parts})
	}
}

// pause returns how long to wait if nothing comes.
func (r *replicas) pause(c *coOwner) time.Duration {
	switch {
	case c.wait == 0 || c.gained || c.state == equal:
		return r.config.Again
	case c.state == silent:
		return min(2*c.wait, r.config.Compare)
	}
	return min(2*c.wait, maxWaits*r.config.Compare)
}

// onEqual notes that a co-owner has the same.
func (r *replicas) onEqual(from engine.Peer) {
	if c := r.find(from.ID); c != nil && c.state == silent {
		c.state = equal
		c.due = r.env.Now() + jitter(r.env, r.config.Compare)
		r.compareNext()
	}
}

// differs notes that a co-owner has something else.
func (r *replicas) differs(c *coOwner) {
	if c.state != differed {
		c.state = differed
		r.env.Trace(Differed{c.peer})
	}
}

// answer sends a co-owner what differs: parts, and the lists of arcs.
func (r *replicas) answer(c *coOwner, parts []Part, lists []keyRange) {
	r.differs(c)
	r.sendParts(c, parts)
	for _, a := range lists {
		if !c.parts.Take(1, r.env.Now()) {
			limitHit(r.env, "partRate", partRate)
			return
		}
		r.env.Send(c.peer, r.node.have(a))
	}
}

// sendParts sends parts. If there are more than the co-owner can be sent, it draws which, so that it is not always the
// same that wait.
func (r *replicas) sendParts(c *coOwner, parts []Part) {
	r.env.Rand().Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	m := &Compare{}
	for _, p := range parts {
		if !c.parts.Take(1, r.env.Now()) {
			limitHit(r.env, "partRate", partRate)
			break
		}
		if len(m.Parts) == maxParts {
			r.env.Send(c.peer, m)
			m = &Compare{}
		}
		m.Parts = append(m.Parts, p)
	}
	if len(m.Parts) > 0 {
		r.env.Send(c.peer, m)
	}
}
