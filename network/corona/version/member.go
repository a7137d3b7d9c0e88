package version

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"tidings/network"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// audit detects a node above in the tree that withholds versions. Once an interval a subscriber asks an owner other
// than the primary for newer versions. So it learns of a change no later than a reader that polls alone. Then it
// changes its parent.
type audit struct {
	timer engine.Timer
	asked time.Duration // when the last unanswered request was sent; 0: none is
}

const (
	auditWait  = time.Minute      // for an answer
	auditGrace = 20 * time.Second // for a version that others have, to come down the tree
)

// join joins this node, which subscribes to a channel, to its tree, or to none.
func (d *distribution) join(channel engine.ID, routed bool) {
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
	d.reportRouter(channel)
}

// leave leaves the channel's tree.
func (d *distribution) leave(channel engine.ID) {
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
	d.reportRouter(channel)
}

func (d *distribution) auditLater(channel engine.ID, a *audit) {
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

// audited handles the answer of an owner with a newer version. If it does not come down the tree within auditGrace, it
// was withheld.
func (d *distribution) audited(from engine.Peer, m *Heard) {
	a := d.member[m.Channel]
	if a == nil || a.asked == 0 || d.Env.Now() > a.asked+auditWait {
		return
	}
	a.asked = 0
	d.Env.After(auditGrace, func() {
		if d.member[m.Channel] != a || d.held(m.Channel) >= m.Version || !update.Timely(d.Env.Wall(), m.Version) {
			return
		}
		if t, ok := d.tree().(interface{ Distrust(topic engine.ID) }); ok {
			t.Distrust(m.Channel)
		}
		d.gaps.maybeBehind(from, m.Channel, m.Version)
	})
}

// receiveRouted joins the tree of a channel that this node subscribes to. A false Routed costs the upkeep of a tree and
// an occasional renewal.
func (d *distribution) receiveRouted(from engine.Peer, m *Routed) {
	if !d.Roster.CouldOwn(m.Channel, from.ID) {
		update.Refuse(&d.Base, m.Channel, 0, from, Stranger)
		return
	}
	if d.reads(m.Channel) {
		d.join(m.Channel, true)
		d.Roster.MoveHome(m.Channel, from)
	}
	d.Env.Send(from, &Got{Channel: m.Channel})
}

// rerouted moves this node to another router. For two maintenance intervals versions come by both.
func (d *distribution) rerouted(before network.RouterName) {
	overlap := 2 * d.config.Maintenance
	d.before, d.until = before, d.Env.Now()+overlap
	for _, channel := range d.channels() {
		if r := d.tree(); r != nil {
			r.Join(channel)
		}
		d.reportRouter(channel)
	}
	d.Env.After(overlap, func() {
		if r := d.trees[before]; r != nil && before != d.config.Router {
			for _, channel := range d.channels() {
				r.Leave(channel)
			}
		}
	})
}

// channels returns the channels of this node's trees, in order.
func (d *distribution) channels() []engine.ID {
	return slices.SortedFunc(maps.Keys(d.member), engine.ID.Compare)
}

// TreeMember is a node as the network's router sees it: the updates of polled channels are its events.
type TreeMember struct{ n *distribution }

var (
	_ network.Member    = TreeMember{}
	_ network.Recoverer = TreeMember{}
	_ network.Doubter   = TreeMember{}
)

// updateOverhead is about how many bytes an update has besides its payload.
const updateOverhead = 512

// Admit admits updates that an owner of the channel has signed, unless older than one passed on more than passedAge
// ago.
func (m TreeMember) Admit(topic engine.ID, event engine.Message, from engine.Peer) (digest uint64, bytes int, ok bool) {
	u, is := event.(*Update)
	if !is || u.Channel != topic || !numbers(u.Hash, u.Version) {
		return 0, 0, false
	}
	if !m.n.IsSelf(from) {
		switch {
		case !m.n.believe.Possible(from, u):
			return 0, 0, false
		case m.n.outdates(u):
			if h := u.Header(); m.n.Keys == nil ||
				m.n.Roster.CouldOwn(topic, u.Seal.Giver.ID) && update.IsSigned(m.n.Keys, &h) {
				return treeDigest(u), 0, false
			}
			return 0, 0, false
		case !m.n.proven(from, u):
			return 0, 0, false
		}
	}
	if v, known := m.n.passed.Get(topic); !known || u.Version > v.version {
		m.n.passed.Put(topic, passedVersion{u.Version, m.n.Env.Now()})
	}
	return treeDigest(u), len(u.Payload) + updateOverhead, true
}

// treeDigest identifies an update. It does not cover the giver: all owners vouch for the same version.
func treeDigest(u *Update) uint64 {
	h := u.Header()
	sum := sha256.Sum256(h.Words())
	return binary.BigEndian.Uint64(sum[:])
}

// Doubted implements [network.Doubter]: the giver has signed, but cannot be an owner as far as this node knows. Other
// nodes see another part of the ring, above all while it is cut and just after.
func (m TreeMember) Doubted(topic engine.ID, event engine.Message) (digest uint64, is bool) {
	u, ok := event.(*Update)
	if !ok || u.Channel != topic || m.n.Keys == nil || m.n.Roster.CouldOwn(topic, u.Seal.Giver.ID) {
		return 0, false
	}
	h := u.Header()
	return treeDigest(u), update.IsSigned(m.n.Keys, &h)
}

// CouldPublish reports whether a node can be one of a channel's owners, as far as this node knows: only they publish
// its versions.
func (m TreeMember) CouldPublish(channel, node engine.ID) bool {
	return m.n.Keys == nil || m.n.Roster.CouldOwn(channel, node)
}

// Deliver accepts an update from a tree, and passes it on to the pollers below this node: see reaches.
func (m TreeMember) Deliver(_ engine.ID, event engine.Message, from engine.Peer) {
	u, n := event.(*Update), m.n
	n.Env.After(0, func() { // the router must return before it is called again
		if passed, _, in := n.Plan.Passed(u.Channel); in && u.Version > passed && !n.IsSelf(from) {
			n.intake.passOn(&Shared{Update: *u})
		}
		// the giver is an owner, which can act on a number that is too high
		if n.reads(u.Channel) && n.intake.isNews(u.Seal.Giver, u) {
			n.intake.bring(&arrival{update: u, from: from})
		}
	})
}

// Recovers reports whether this node regularly asks owners for the channel's versions: see audit.
func (m TreeMember) Recovers(channel engine.ID) bool {
	_, in := m.n.member[channel]
	return in
}

// passedVersion is a version that went through this node, and when.
type passedVersion struct {
	version uint64
	at      time.Duration
}

// passedAge is how long an older version may come after a newer one.
const passedAge = time.Minute

// outdates reports whether an update is older than one passed on more than passedAge ago.
func (d *distribution) outdates(u *Update) bool {
	v, _ := d.passed.Get(u.Channel)
	return u.Version < v.version && d.Env.Now() >= v.at+passedAge
}
