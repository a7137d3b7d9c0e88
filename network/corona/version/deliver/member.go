package deliver

import (
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

// Join joins this node, which subscribes to a channel, to its tree, or to none.
func (d *trees) Join(channel engine.ID, routed bool) {
	if !routed {
		d.Leave(channel)
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

// Leave leaves the channel's tree.
func (d *trees) Leave(channel engine.ID) {
	a, in := d.member[channel]
	if !in {
		return
	}
	a.timer.Stop()
	delete(d.member, channel)
	for _, name := range []network.RouterName{d.before, d.config.Router} {
		if r := d.routers[name]; r != nil {
			r.Leave(channel)
		}
	}
	d.reportRouter(channel)
}

func (d *trees) auditLater(channel engine.ID, a *audit) {
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

// ReceiveRouted joins the tree of a channel that this node subscribes to. A false Routed costs the upkeep of a tree and
// an occasional renewal.
func (d *trees) ReceiveRouted(from engine.Peer, m *Routed) {
	if !d.Roster.CouldOwn(m.Channel, from.ID) {
		update.Refuse(&d.Base, m.Channel, 0, from, update.Stranger)
		return
	}
	if d.Roster.Readers(m.Channel) > 0 {
		d.Join(m.Channel, true)
		d.Roster.MoveHome(m.Channel, from)
	}
	d.Env.Send(from, &Got{Channel: m.Channel})
}

// rerouted moves this node to another router. For two maintenance intervals versions come by both.
func (d *trees) rerouted(before network.RouterName) {
	overlap := 2 * d.config.Maintenance
	d.before, d.until = before, d.Env.Now()+overlap
	for _, channel := range d.channels() {
		if r := d.tree(); r != nil {
			r.Join(channel)
		}
		d.reportRouter(channel)
	}
	d.Env.After(overlap, func() {
		if r := d.routers[before]; r != nil && before != d.config.Router {
			for _, channel := range d.channels() {
				r.Leave(channel)
			}
		}
	})
}

// channels returns the channels of this node's trees, in order.
func (d *trees) channels() []engine.ID {
	return slices.SortedFunc(maps.Keys(d.member), engine.ID.Compare)
}

// Recovers reports whether this node regularly asks owners for the channel's versions: see audit.
func (d *trees) Recovers(channel engine.ID) bool {
	_, in := d.member[channel]
	return in
}

// passedVersion is a version that went through this node, and when.
type passedVersion struct {
	version uint64
	at      time.Duration
}

// passedAge is how long an older version may come after a newer one.
const passedAge = time.Minute

// Outdated reports whether an update is older than one that went through this node down a tree more than passedAge ago.
func (d *trees) Outdated(u *update.Update) bool {
	v, _ := d.through.Get(u.Channel)
	return u.Version < v.version && d.Env.Now() >= v.at+passedAge
}

// GoesThrough notes that an update goes through this node down a tree.
func (d *trees) GoesThrough(u *update.Update) {
	if v, known := d.through.Get(u.Channel); !known || u.Version > v.version {
		d.through.Put(u.Channel, passedVersion{u.Version, d.Env.Now()})
	}
}
