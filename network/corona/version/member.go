package version

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"tidings/network"
	"tidings/network/engine"
)

// audit is how a subscriber finds out that a node above in the tree keeps versions back: once an interval it asks an owner other than the primary whether
// there is something newer, so that it hears of a change no later than a reader who polls alone. Then it has another parent.
type audit struct {
	timer engine.Timer
	asked time.Duration // when an answer was last waited for; 0: none is
}

const (
	auditWait  = time.Minute      // for an answer
	auditGrace = 20 * time.Second // for a version that others have to come down the tree
)

// join has this node, which subscribes to a channel, be in the tree of it, or in none.
func (d *carrier) join(channel engine.ID, routed bool) {
	if !routed {
		d.leave(channel)
		return
	}
	if _, in := d.member[channel]; in {
		return
	}
	a := new(audit)
	d.member[channel] = a
	d.auditLater(channel, a)
	if r := d.tree(); r != nil {
		r.Join(channel)
	}
	d.say(channel)
}

// leave has this node be in no tree of a channel.
func (d *carrier) leave(channel engine.ID) {
	a, in := d.member[channel]
	if !in {
		return
	}
	a.timer.Stop()
	delete(d.member, channel)
	for _, name := range []network.RouterName{d.before, d.config.Router} {
		if r := d.trees[name]; r != nil {
			r.Leave(channel)
		}
	}
	d.say(channel)
}

func (d *carrier) auditLater(channel engine.ID, a *audit) {
	a.timer = d.Env.After(d.Jitter(d.config.Interval), func() {
		held, base := d.Library.Held(channel)
		to := channel
		if d.Keys != nil {
			to = d.AlternateKey(channel)
		}
		a.asked = d.Env.Now()
		d.Ring.Route(to, &Missing{Channel: channel, Base: base, Version: held})
		d.auditLater(channel, a)
	})
}

// audited takes the answer of an owner that has something newer. What does not come down the tree within auditGrace was kept back.
func (d *carrier) audited(from engine.Peer, m *Heard) {
	a := d.member[m.Channel]
	if a == nil || a.asked == 0 || d.Env.Now() > a.asked+auditWait {
		return
	}
	a.asked = 0
	d.Env.After(auditGrace, func() {
		if d.member[m.Channel] != a || d.held(m.Channel) >= m.Version || !d.seals.timely(m.Version) {
			return
		}
		if t, ok := d.tree().(interface{ Distrust(topic engine.ID) }); ok {
			t.Distrust(m.Channel)
		}
		d.gaps.maybeBehind(from, m.Channel, m.Version)
	})
}

// takeRouted has this node join the tree of a channel that it subscribes to. Who lies about that costs it the upkeep of a tree and now and then a renewal.
func (d *carrier) takeRouted(from engine.Peer, m *Routed) {
	if !d.Roster.CouldOwn(m.Channel, from.ID) {
		d.Env.Trace(Refused{m.Channel, 0, from.ID, Stranger})
		return
	}
	if d.reads(m.Channel) {
		d.join(m.Channel, true)
		d.Roster.MoveHome(m.Channel, from)
	}
	d.Env.Send(from, &Got{Channel: m.Channel})
}

// rerouted has the node go by another router than before. For a while versions come by both.
func (d *carrier) rerouted(before network.RouterName) {
	overlap := 2 * d.config.Maintenance
	d.before, d.until = before, d.Env.Now()+overlap
	for _, channel := range d.channels() {
		if r := d.tree(); r != nil {
			r.Join(channel)
		}
		d.say(channel)
	}
	d.Env.After(overlap, func() {
		if r := d.trees[before]; r != nil && before != d.config.Router {
			for _, channel := range d.channels() {
				r.Leave(channel)
			}
		}
	})
}

// channels returns those in whose trees this node is, in order.
func (d *carrier) channels() []engine.ID {
	return slices.SortedFunc(maps.Keys(d.member), engine.ID.Compare)
}

// TreeMember is a node as the router of a network sees it: the updates of polled channels are its events.
type TreeMember struct{ n *carrier }

var (
	_ network.Member    = TreeMember{}
	_ network.Recoverer = TreeMember{}
)

// updateOverhead is what an update is in bytes besides its payload, about.
const updateOverhead = 512

// Admit lets pass on what an owner of the channel has signed, and nothing older than what has been passed on a while ago.
func (m TreeMember) Admit(topic engine.ID, event engine.Message, from engine.Peer) (digest uint64, bytes int, ok bool) {
	u, is := event.(*Update)
	if !is || u.Channel != topic || !numbers(u.Hash, u.Version) {
		return 0, 0, false
	}
	if !m.n.IsSelf(from) && (!m.n.timely(u) || !m.n.seals.possible(from, u) || !m.n.seals.proven(from, u)) {
		return 0, 0, false
	}
	if v, known := m.n.passed.of[topic]; !known || u.Version > v.version {
		m.n.passed.put(topic, passedVersion{u.Version, m.n.Env.Now()})
	}
	h := u.Header()
	sum := sha256.Sum256(h.Words())
	return binary.BigEndian.Uint64(sum[:]), len(u.Payload) + updateOverhead, true
}

// CouldPublish reports whether a node can be one of a channel's owners, as far as this node knows: nobody else publishes its versions.
func (m TreeMember) CouldPublish(channel, node engine.ID) bool {
	return m.n.Keys == nil || m.n.Roster.CouldOwn(channel, node)
}

// Deliver takes an update that has come down a tree, and passes it on to those who poll the channel below this node: see reaches.
func (m TreeMember) Deliver(_ engine.ID, event engine.Message, from engine.Peer) {
	u, n := event.(*Update), m.n
	n.Env.After(0, func() { // the router is not to be called back before it has returned
		if passed, _, in := n.Plan.Passed(u.Channel); in && u.Version > passed && !n.IsSelf(from) {
			n.intake.passOn(&Shared{Update: *u})
		}
		if n.reads(u.Channel) && n.intake.isNews(u.Seal.Giver, u) { // an owner, who can do something about a number that is too high
			n.intake.bring(&arrival{update: u, from: from})
		}
	})
}

// Recovers reports whether this node asks owners for the channel's versions now and then: see audit.
func (m TreeMember) Recovers(channel engine.ID) bool {
	_, in := m.n.member[channel]
	return in
}

// passedVersion is a version that went through this node, and when.
type passedVersion struct {
	version uint64
	at      time.Duration
}

// passedAge is for how long an older version may come after a newer one.
const passedAge = time.Minute

func (d *carrier) timely(u *Update) bool {
	v, known := d.passed.of[u.Channel]
	return !known || u.Version >= v.version || d.Env.Now() < v.at+passedAge
}
