package deliver

import (
	"slices"
	"time"

	"tidings/network"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/table"
)

// trees sends versions to a channel's subscribers. The primary sends them itself while subscribers are few
// (fan), one message for each. Above Config.DirectUpTo subscribers, a tree of the network's router carries them.
//
// A channel moves from one to the other without losing or doubling a version:
//
//  1. The primary sees too many subscribers. From then on the acknowledgement of a subscription says to join the tree
//     (Machine.Routes).
//  2. All earlier subscribers are sent a Routed, until they acknowledge. Versions still go directly to all in the
//     table.
//  3. When joinGrace is over after that, versions go down the tree alone (State.Routed). A subscriber that has not
//     acknowledged is still sent them directly, each with another Routed, until it does. A new subscriber joins first
//     and is acknowledged then, or is sent what it has missed, as ever.
//  4. A node that becomes the primary of such a channel notifies all subscribers again. It does not know which had not
//     acknowledged, and by renewing their subscriptions they learn the new root of the tree. The previous primary may
//     not have noticed yet, and acknowledge a renewal itself. That subscriber is notified again when that owner's
//     table comes (subscriberReported).
//  5. When half of DirectUpTo are left, versions go directly again. Subscribers need no notice: they stay in the tree
//     until their next renewal.
//  6. If all owners are lost at once, their successors have an empty table, and subscribers that did not notice are in
//     the tree still. The new primary sends versions both ways for lossLasts. By those that arrive, subscribers
//     notice that the primary is another, and renew their subscriptions there.
//
// A version that comes both ways is one version: the library has it once.
type trees struct {
	fan
	routers map[network.RouterName]network.Router
	member  map[engine.ID]*audit // channels with a tree that this node is to join

	// through holds the latest versions that went through this node down trees, so that no node can send old ones
	// around again.
	through table.Newest[passedVersion]

	// before is the network's previous router, which still carries versions until then: nodes adopt a new one at
	// different times.
	before network.RouterName
	until  time.Duration
}

// tree is how versions of a channel owned here reach subscribers.
type tree struct {
	routed bool // a tree carries them: all subscribers have been sent a Routed
	moving bool // Routed is being sent; not if routed
	// unjoined are the subscribers that have not acknowledged a Routed, as far as the primary knows. They may be in no
	// tree: each version is sent to them directly, with another Routed.
	unjoined  []engine.Peer
	reminding bool // they are being sent one now

	lossUntil time.Duration // until then versions also go down a tree: see Machine.noteLoss

	announced   bool          // this node has notified all subscribers, as the primary, or is to; only if routed
	announcedAt time.Duration // when it last did; 0: never
	announcing  engine.Alarm  // when it is to
	unnotified  []engine.Peer // subscribers that other owners have named since
	notifying   engine.Alarm  // when they are notified
}

const (
	joinGrace = 10 * time.Second // for a subscriber to become part of a tree
	// announceLeast is the least time between two announcements of a primary to all subscribers. Otherwise a node that
	// comes and goes beside it could make it flood them.
	announceLeast = 5 * time.Minute
	lossLasts     = time.Hour       // an audit comes once an interval, which is half of that by default
	notifyWait    = 2 * time.Second // collects the subscribers that are notified together
)

// tree returns the network's router, or nil if the primary is to send everything itself.
func (d *trees) tree() network.Router { return d.routers[d.config.Router] }

// CarriedBy returns the router that carries a channel's versions to this node, as far as its primary has announced it.
func (d *trees) CarriedBy(channel engine.ID) network.RouterName {
	if _, in := d.member[channel]; !in || d.tree() == nil {
		return network.Direct
	}
	return d.config.Router
}

func (d *trees) reportRouter(channel engine.ID) {
	event := Carried{channel, d.CarriedBy(channel)}
	d.Env.Trace(event)
	d.Host.Carried(event)
}

// atRoot reports whether this node is the closest to a channel.
func (d *trees) atRoot(o *record) bool {
	closest, _ := d.Ring.Owners(o.ID(), 1)
	return len(closest) > 0 && d.IsSelf(closest[0])
}

// noteLoss notes, before a version is numbered, that a channel's owners were all lost at once: no owner has reported a
// version of it, and yet there are some.
func (m *Machine) noteLoss(o *record) {
	if o.Version() == 0 && max(m.held(o.ID()), m.Floor(o.ID())) > 0 {
		o.tree.lossUntil = m.Env.Now() + lossLasts
	}
}

// publishAll sends a version to all subscribers, after reconsider. A node that acts for the root, which is dead or
// equivocates, sends it both ways.
func (d *trees) publishAll(o *record, u *update.Update) {
	overlap := d.Env.Now() < d.until
	if !o.tree.routed || !d.atRoot(o) || overlap && d.before == network.Direct {
		d.publish(o, u)
	}
	if !o.tree.routed && (d.tree() == nil || d.Env.Now() >= o.tree.lossUntil) {
		// Subscribers by content get versions by the router in any case. A bare version says nothing to them.
		if s, ok := d.tree().(network.Selector); ok && len(u.Payload) > 0 && d.atRoot(o) {
			s.Offer(o.ID(), d.named(o, u))
		}
		return
	}
	if o.tree.routed {
		d.remind(o, u)
	}
	d.tree().Publish(o.ID(), d.named(o, u))
	if before := d.routers[d.before]; before != nil && overlap {
		before.Publish(o.ID(), u)
	}
}

// named returns a version with its channel's URL, if it goes to nodes that do not follow the channel.
func (d *trees) named(o *record, u *update.Update) *update.Update {
	if _, ok := d.tree().(network.Selector); !ok || u.URL != "" {
		return u
	}
	whole := *u
	whole.URL = o.Channel().URL
	return &whole
}

// reaches reports whether a poller gets versions down the tree alone. It passes them on to the pollers below it, which
// saves the primary most messages to pollers.
func (d *trees) reaches(o *record, p engine.Peer) bool {
	return o.tree.routed && d.atRoot(o) && d.Env.Now() >= d.until && d.Roster.Subscribes(o.ID(), p) &&
		!slices.Contains(o.tree.unjoined, p)
}

// remind sends a version to the subscribers that may not be in the tree, with a Routed.
func (d *trees) remind(o *record, u *update.Update) {
	t := &o.tree
	t.unjoined = slices.DeleteFunc(t.unjoined, func(p engine.Peer) bool { return !d.Roster.Subscribes(o.ID(), p) })
	if len(t.unjoined) == 0 {
		return
	}
	d.publishTo(o, t.unjoined, u)
	if t.reminding {
		return
	}
	t.reminding = true
	notified := slices.Clone(t.unjoined)
	d.sendRouted(o, notified, func(missed []engine.Peer) {
		t.reminding = false
		t.unjoined = slices.DeleteFunc(t.unjoined, func(p engine.Peer) bool { return slices.Contains(notified, p) })
		t.addUnjoined(missed)
	})
}

func (t *tree) addUnjoined(peers []engine.Peer) {
	for _, p := range peers {
		if !slices.Contains(t.unjoined, p) {
			t.unjoined = append(t.unjoined, p)
		}
	}
}

// ownedChanged notifies the subscribers when this node has become the root of the tree. A node that acts for a root
// that equivocates does not: subscribers would renew over the ring, which still leads to that root.
func (d *trees) ownedChanged(o *record) {
	t := &o.tree
	switch {
	case o.Gone() || !o.Primary() || !t.routed:
		t.announced = false
	case !t.announced && d.tree() != nil && d.atRoot(o):
		t.announced = true
		if now := d.Env.Now(); t.announcedAt == 0 || now >= t.announcedAt+announceLeast {
			d.announce(o)
		} else {
			t.announcing.Soon(d.Env, t.announcedAt+announceLeast, func() { d.announce(o) })
		}
	}
}

func (d *trees) announce(o *record) {
	if o.tree.announced {
		o.tree.announcedAt = d.Env.Now()
		d.sendRouted(o, nil, o.tree.addUnjoined)
	}
}

// subscriberReported notes a subscriber that another owner has named: it may be in no tree, or in that of another root.
func (d *trees) subscriberReported(o *record, p engine.Peer) {
	t := &o.tree
	if !t.announced || d.IsSelf(p) {
		return
	}
	t.unnotified = append(t.unnotified, p)
	t.notifying.Soon(d.Env, d.Env.Now()+notifyWait, func() {
		list := t.unnotified
		t.unnotified = nil
		if t.announced {
			d.sendRouted(o, list, t.addUnjoined)
		}
	})
}

// reconsider decides, at the primary, whether a channel has so many subscribers that a tree is to carry its versions.
func (d *trees) reconsider(o *record) {
	t, most := &o.tree, d.config.DirectUpTo
	switch {
	case d.tree() == nil:
		t.routed, t.moving, t.announced, t.unjoined = false, false, false, nil
	case !o.Primary():
		t.moving = false
	case o.Live() <= most/2:
		if t.routed {
			t.routed, t.announced, t.unjoined = false, false, nil
			d.Roster.Restate(o.ID())
		}
		t.moving = false
	case o.Live() > most && !t.routed && !t.moving:
		t.moving = true
		d.sendRouted(o, nil, func(missed []engine.Peer) {
			t.addUnjoined(missed)
			d.Env.After(joinGrace, func() { d.moved(o) })
		})
	}
}

// moved sends a channel's versions down the tree, once its subscribers have been notified.
func (d *trees) moved(o *record) {
	t := &o.tree
	if t.moving && o.Primary() && !o.Gone() && d.tree() != nil {
		t.routed, t.announced, t.announcedAt = true, true, d.Env.Now()
		d.Roster.Restate(o.ID())
		if d.Roster.Readers(o.ID()) > 0 { // no node notifies itself
			d.Join(o.ID(), true)
		}
	}
	t.moving = false
}

// routed reports whether a subscriber that is being acknowledged is to join the tree. An owner that acts for the
// primary goes by its own table: a subscriber that joins too early loses nothing.
func (d *trees) routed(o *record) bool {
	d.reconsider(o)
	return o.tree.routed || o.tree.moving || d.tree() != nil && !o.Primary() && o.Live() > d.config.DirectUpTo
}
