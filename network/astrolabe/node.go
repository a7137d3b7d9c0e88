package astrolabe

import (
	"math/rand/v2"
	"slices"
	"time"

	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// Node is a node's part in Astrolabe: copies of the tables on its path, and its own row in the lowest.
type Node struct {
	env     engine.Env
	config  Config
	seams   Seams
	watcher Watcher

	branch   branch
	own      attr.Row // the node's attributes, without what it adds itself
	bearing  bearing
	stamps   stamps
	started  time.Duration // by Env.Now
	contacts contacts
	down     absent

	news    []fresh // to be passed on; at most maxUpdates
	duty    duties
	seeking *seeking      // nil: the node is placed
	small   time.Duration // since when the node's zone is small; 0: it is not
	uneven  bool          // the node's zone has changed since it was looked through, or its size calls for something
	// those with which the node came to its zone, as long as it knows none there; at most maxPeers
	fellows []engine.Peer
	quiet   time.Duration // until when it writes no zone's row

	denied Denial // why others have not let the node in, when it last asked; 0: they have, or nobody has answered

	functions functions
	admission admission

	tick, flush, settle engine.Alarm
}

// New returns a node that looks for its place. It panics if c is not valid.
func New(env engine.Env, c Config, seams Seams) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	if seams.Home == "" {
		seams.Home = zone.Root
	}
	n := &Node{env: env, config: c, seams: seams, started: env.Now(),
		branch:    branch{self: env.Self().ID, label: zone.Member(env.Self().ID)},
		admission: admission{trusted: seams.Trusted, closed: seams.Closed},
		functions: functions{compile: seams.Compile},
		bearing:   bearing{coordinates: seams.Coordinates}, stamps: stamps{keys: seams.Keys}}
	if s := seams.Settled; s != nil {
		n.branch.path, n.branch.placed, n.own = s.Zone, true, s.Own
		for _, t := range s.Tables {
			n.branch.tables = append(n.branch.tables, t.Copy())
		}
	} else {
		n.seek(nil)
	}
	n.Meet(seams.Contacts...)
	n.tick.Set(env, env.Now()+jittered(c.Interval, env.Rand()), n.beat)
	return n
}

// Watch has a Watcher called with what changes.
func (n *Node) Watch(w Watcher) { n.watcher = w }

// jittered returns about d, so that nodes do not act in step.
func jittered(d time.Duration, chance *rand.Rand) time.Duration {
	return d/2 + time.Duration(chance.Int64N(int64(d)))
}

// Path returns the zone that the node is a member of; not ok: it has not found its place yet.
func (n *Node) Path() (p zone.Path, ok bool) { return n.branch.path, n.branch.placed }

// Set makes attributes part of the node's row, in place of its former ones by these names; NULL removes one. What the
// node announces by itself (its address, place and zone) cannot be set.
func (n *Node) Set(attributes ...attr.Attribute) {
	row := attr.Of(append(slices.Clone(n.own), attributes...)...)
	if row.Equal(n.own) {
		return
	}
	n.own = row
	if n.branch.placed {
		n.issueOwn()
	}
}

// Says returns an attribute that the node's row has by Set; NULL: none by that name.
func (n *Node) Says(name string) attr.Value { return n.own.Get(name) }

// Table returns the copy of the table of a zone on the node's path; nil: it is not on it.
func (n *Node) Table(p zone.Path) *table.Table {
	if !n.branch.placed || !p.Contains(n.branch.path) {
		return nil
	}
	return &n.branch.tables[p.Depth()]
}

// beat is what a node does at every interval.
func (n *Node) beat() {
	n.tick.Set(n.env, n.env.Now()+jittered(n.config.Interval, n.env.Rand()), n.beat)
	n.maybeSeek()
	if !n.branch.placed {
		return
	}
	n.expire()
	n.maybeRefresh()
	n.gossip()
	n.maybeReunite()
	n.aggregateAll()
	n.maybeReshape()
}

// expire forgets rows that were not stamped for too long, and in a closed network members with an expired certificate:
// a stamp holds for longer than that.
func (n *Node) expire() {
	for depth := range n.branch.tables {
		expired := n.branch.tables[depth].Expire(n.env.Now())
		if n.admission.closed {
			self, now := n.env.Self().ID, n.env.Wall()
			expired = append(expired, n.branch.tables[depth].End(func(r table.Row) bool {
				return r.Issuer.ID != self && uncertified(r, now)
			})...)
		}
		for _, r := range expired {
			n.learned(depth, r, true)
		}
	}
}

// learned reports news in a table.
func (n *Node) learned(depth int, r table.Row, gone bool) {
	n.env.Trace(Learned{r.Zone, r.Label, gone})
	if zone.IsFunction(r.Label) {
		n.duty.changedAll() // it applies to all tables below
	} else {
		n.duty.changed(depth)
	}
	if zone.IsZone(r.Label) {
		n.meetIssuer(r)
	}
	n.uneven = n.uneven || depth == n.branch.lowest()
	n.settle.Soon(n.env, n.env.Now()+n.config.Settle, n.aggregateAll)
	if n.watcher != nil {
		n.watcher.TableChanged(r.Zone)
	}
}

// Receive handles a message.
func (n *Node) Receive(from engine.Peer, m engine.Message) {
	n.down.received(from.ID)
	n.contacts.moved(from)
	switch m := m.(type) {
	case *Gossip:
		n.onGossip(from, m)
	case *Compare:
		n.onCompare(from, m)
	case *Want:
		n.onWant(from, m)
	case *Rows:
		n.onRows(from, m)
	case *Locate:
		n.onLocate(from, m)
	case *Located:
		n.onLocated(from, m)
	case *Move:
		n.onMove(from, m)
	case *Denied:
		n.onDenied(from, m)
	}
}

// Meet names nodes that may know of others.
func (n *Node) Meet(peers ...engine.Peer) {
	for _, p := range peers {
		if p.ID == n.env.Self().ID || p.IsZero() {
			continue
		}
		n.contacts.meet(p)
		if n.branch.placed && n.branch.alone() {
			n.gossipWith(p, 0)
		}
	}
	n.maybeSeek()
}

// Stop withdraws the node's row.
func (n *Node) Stop() {
	if n.branch.placed {
		n.farewell(n.branch.path, 0)
	}
	for _, a := range []*engine.Alarm{&n.tick, &n.flush, &n.settle} {
		a.Stop()
	}
	n.endSeek()
	n.functions.close()
}

var _ engine.Protocol = (*Node)(nil)
