package version

import (
	"slices"
	"time"

	"tidings/network"
	"tidings/network/engine"
)

// carrier takes versions to a channel's subscribers. The primary sends them itself where subscribers are few (direct), which costs it a message for each;
// where there are more than Config.DirectUpTo, a tree of the network's router carries them.
//
// A channel moves from one to the other without a version being lost or given twice:
//
//  1. The primary sees that there are too many. Whoever subscribes from then on is told with the acknowledgement to join the tree (Machine.Routed).
//  2. All who subscribed before are sent a Routed, until they acknowledge. Versions still go to everybody in the table directly.
//  3. When joinGrace is over after that, versions go down the tree alone (State.Routed). Who has not acknowledged is sent them directly all the same, each
//     with another Routed, until it does. Who subscribes joins first and is acknowledged then, or is sent what it has missed as ever.
//  4. A node that becomes the primary of such a channel tells all subscribers again: it does not know who had not acknowledged, and they learn who the root
//     of the tree is now by renewing their subscriptions.
//  5. When half of DirectUpTo are left, versions go directly again. Nobody need know: subscribers stay in the tree until their next renewal.
//
// A version that comes both ways is one version: see isNews.
type carrier struct {
	*core
	direct direct
	trees  map[network.RouterName]network.Router
	member map[engine.ID]*audit // channels in whose trees this node is to be, as a subscriber

	// passed is the latest versions that went through this node down trees, so that nobody can have old ones go round again.
	passed newest[passedVersion]

	// before is the router that the network had until lately, which still carries versions until then: nodes take over another one at different times.
	before network.RouterName
	until  time.Duration
}

// tree is how versions of a channel that is owned here come to subscribers.
type tree struct {
	routed bool // a tree carries them: all subscribers have been told to join it
	moving bool // they are being told; not if routed
	// aloof are subscribers that have not acknowledged it, of which the primary knows: they may be in no tree, and are told again with each version, which
	// is sent to them as well.
	aloof     []engine.Peer
	reminding bool // they are being told just now

	announced   bool          // this node has told all subscribers, as the primary, or is to; only if routed
	announcedAt time.Duration // when it did last; 0: never
	announcing  engine.Alarm  // when it is to
	untold      []engine.Peer // those that other owners have told it of since
	telling     engine.Alarm  // when these are told
}

const (
	joinGrace = 10 * time.Second // for a subscriber to become part of a tree
	// announceLeast is how far apart a primary tells all subscribers that it is one, lest a node that comes and goes beside it has it flood them.
	announceLeast = 5 * time.Minute
	untoldWait    = 2 * time.Second // until those that are told together have come
)

// tree returns the network's router; nil if the primary is to send everything itself.
func (d *carrier) tree() network.Router { return d.trees[d.config.Router] }

// carriedBy returns the router by which a channel's versions come to this node, as far as its primary has told.
func (d *carrier) carriedBy(channel engine.ID) network.RouterName {
	if _, in := d.member[channel]; !in || d.tree() == nil {
		return network.Direct
	}
	return d.config.Router
}

func (d *carrier) say(channel engine.ID) {
	event := Carried{channel, d.carriedBy(channel)}
	d.Env.Trace(event)
	d.Host.Carried(event)
}

// atRoot reports whether this node is the one closest to a channel.
func (d *carrier) atRoot(o *record) bool {
	closest, _ := d.Ring.Owners(o.ID(), 1)
	return len(closest) > 0 && d.IsSelf(closest[0])
}

// publish sends a version to all subscribers, after reconsider. Who stands in for the root, which is dead or equivocates, sends it both ways.
func (d *carrier) publish(o *record, u *Update) {
	overlap := d.Env.Now() < d.until
	if !o.tree.routed || !d.atRoot(o) || overlap && d.before == network.Direct {
		d.direct.Publish(o.ID(), u)
	}
	if !o.tree.routed {
		// Those who want it by what it says have it by the router all the same. A version that says only which content there is says nothing to them.
		if s, ok := d.tree().(network.Selector); ok && len(u.Payload) > 0 && d.atRoot(o) {
			s.Offer(o.ID(), d.named(o, u))
		}
		return
	}
	d.remind(o, u)
	d.tree().Publish(o.ID(), d.named(o, u))
	if before := d.trees[d.before]; before != nil && overlap {
		before.Publish(o.ID(), u)
	}
}

// named returns a version that says which channel it is of, where it goes to nodes that do not follow that.
func (d *carrier) named(o *record, u *Update) *Update {
	if _, ok := d.tree().(network.Selector); !ok || u.URL != "" {
		return u
	}
	whole := *u
	whole.URL = o.Channel().URL
	return &whole
}

// reaches reports whether a poller gets versions down the tree alone: it passes them on to those below it, which saves the primary most messages to pollers.
func (d *carrier) reaches(o *record, p engine.Peer) bool {
	return o.tree.routed && d.atRoot(o) && d.Env.Now() >= d.until && d.Roster.Subscribes(o.ID(), p) && !slices.Contains(o.tree.aloof, p)
}

// remind sends a version to those subscribers of whom it is not known whether they are in the tree, and tells them to join it.
func (d *carrier) remind(o *record, u *Update) {
	t := &o.tree
	t.aloof = slices.DeleteFunc(t.aloof, func(p engine.Peer) bool { return !d.Roster.Subscribes(o.ID(), p) })
	if len(t.aloof) == 0 {
		return
	}
	d.direct.publishTo(o, t.aloof, u)
	if t.reminding {
		return
	}
	t.reminding = true
	told := slices.Clone(t.aloof)
	d.direct.tell(o, told, func(missed []engine.Peer) {
		t.reminding = false
		t.aloof = slices.DeleteFunc(t.aloof, func(p engine.Peer) bool { return slices.Contains(told, p) })
		t.addAloof(missed)
	})
}

func (t *tree) addAloof(peers []engine.Peer) {
	for _, p := range peers {
		if !slices.Contains(t.aloof, p) {
			t.aloof = append(t.aloof, p)
		}
	}
}

// ownedChanged tells the subscribers when this node has become the root of the tree. Who stands in for a root that equivocates does not: they would renew
// over the ring, which still leads to that one.
func (d *carrier) ownedChanged(o *record) {
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

func (d *carrier) announce(o *record) {
	if o.tree.announced {
		o.tree.announcedAt = d.Env.Now()
		d.direct.tell(o, nil, o.tree.addAloof)
	}
}

// untold takes note of a subscriber of whom another owner has told: it may be in no tree, or in that of another root.
func (d *carrier) untold(o *record, p engine.Peer) {
	t := &o.tree
	if !t.announced || d.IsSelf(p) {
		return
	}
	t.untold = append(t.untold, p)
	t.telling.Soon(d.Env, d.Env.Now()+untoldWait, func() {
		list := t.untold
		t.untold = nil
		if t.announced {
			d.direct.tell(o, list, t.addAloof)
		}
	})
}

// reconsider decides, at the primary, whether a channel has so many subscribers that a tree is to carry its versions.
func (d *carrier) reconsider(o *record) {
	t, most := &o.tree, d.config.DirectUpTo
	switch {
	case d.tree() == nil:
		t.routed, t.moving, t.announced, t.aloof = false, false, false, nil
	case !o.Primary():
		t.moving = false
	case o.Live() <= most/2:
		if t.routed {
			t.routed, t.announced, t.aloof = false, false, nil
			d.Roster.Restate(o.ID())
		}
		t.moving = false
	case o.Live() > most && !t.routed && !t.moving:
		t.moving = true
		d.direct.tell(o, nil, func(missed []engine.Peer) {
			t.addAloof(missed)
			d.Env.After(joinGrace, func() { d.moved(o) })
		})
	}
}

// moved has a channel's versions go down the tree, now that its subscribers have been told.
func (d *carrier) moved(o *record) {
	t := &o.tree
	if t.moving && o.Primary() && !o.Gone() && d.tree() != nil {
		t.routed, t.announced, t.announcedAt = true, true, d.Env.Now()
		d.Roster.Restate(o.ID())
		if d.reads(o.ID()) { // nobody tells itself
			d.join(o.ID(), true)
		}
	}
	t.moving = false
}

// routed reports whether a subscriber that is acknowledged is to join the tree. An owner in the place of the primary goes by its own table: who is in the tree
// too early loses nothing.
func (d *carrier) routed(o *record) bool {
	d.reconsider(o)
	return o.tree.routed || o.tree.moving || d.tree() != nil && !o.Primary() && o.Live() > d.config.DirectUpTo
}
