package corona

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"tidings/network"
	"tidings/network/engine"
)

// dissemination takes versions to a channel's subscribers. The primary sends them itself where
// subscribers are few (direct), which costs it a message for each; where there are more than
// Config.DirectUpTo, a tree of the network's router carries them (Agreement.Router).
//
// A channel moves from one to the other without a version being lost or given twice:
//
//  1. The primary sees that there are too many. Whoever subscribes from then on is told with the
//     acknowledgement to join the tree (Acknowledged.Routed).
//  2. All who subscribed before are sent a Routed, until they acknowledge. Versions still go to
//     everybody in the table directly.
//  3. When joinGrace is over after that, versions go down the tree alone (State.Routed). Who has not
//     acknowledged is sent them directly all the same, each with another Routed, until it does. Who
//     subscribes joins first and is acknowledged then, or is sent what it has missed as ever: an
//     acknowledgement tells the latest version.
//  4. A node that becomes the primary of such a channel tells all subscribers again: it does not know who had not
//     acknowledged, and they learn who the root of the tree is now by renewing their subscriptions.
//  5. When half of DirectUpTo are left, versions go directly again. Nobody need know:
//     subscribers stay in the tree until their next renewal.
//
// A version that comes both ways is one version: see isNews.
type dissemination struct {
	n      *versioner
	direct *direct
	trees  map[network.RouterName]network.Router
	member map[engine.ID]*audit // channels in whose trees this node is to be, as a subscriber
	passed passed

	// before is the router that the network had until lately, which still carries versions until
	// then: the nodes take over another one at different times.
	before network.RouterName
	until  time.Duration
}

// joinGrace is how long a subscriber may take to become part of a tree.
const joinGrace = 10 * time.Second

func (n *versioner) startDissemination() {
	d := &n.dissemination
	d.n, d.direct = n, &direct{n: n}
	d.trees = make(map[network.RouterName]network.Router)
	d.member = make(map[engine.ID]*audit)
	n.node.roster.OnChange(d.ownedChanged)
}

// untoldWait is for how long those are gathered that other owners tell of.
const untoldWait = 2 * time.Second

// Use has versions carried by a router where the network has agreed on that. It is called before
// anything is delivered to the node. The router's member is TreeMember.
func (n *versioner) Use(name network.RouterName, r network.Router) { n.dissemination.trees[name] = r }

// Root returns the node at which a channel's versions enter its tree, its primary, as far as that is known here; zero:
// it is not.
func (n *versioner) Root(channel engine.ID) engine.Peer {
	if o := n.node.roster.Find(channel); o != nil && o.Rank() >= 0 {
		if closest, _ := n.Ring.Owners(channel, 1); len(closest) > 0 {
			return closest[0]
		}
	}
	home, _ := n.node.roster.Home(channel)
	return home
}

// OnRoot has f called when Root may return another node for a channel.
func (n *versioner) OnRoot(f func(channel engine.ID)) {
	n.node.roster.homed = f
	n.node.roster.OnChange(func(o *owned) { f(o.ID()) })
}

// CarriedBy returns the router by which a channel's versions come to this node, as far as its
// primary has told.
func (n *versioner) CarriedBy(channel engine.ID) network.RouterName {
	d := &n.dissemination
	if _, in := d.member[channel]; !in || d.tree() == nil {
		return network.Direct
	}
	return n.config.Router
}

// tree returns the network's router; nil if the primary is to send everything itself.
func (d *dissemination) tree() network.Router { return d.trees[d.n.config.Router] }

// publish sends a version to all subscribers, after reconsider. Who stands in for the root of the tree sends it both ways: that
// one is dead, or has been found to equivocate.
func (d *dissemination) publish(o *owned, u *Update) {
	overlap := d.n.Env.Now() < d.until
	if !o.routed || !d.atRoot(o) || overlap && d.before == network.Direct {
		d.direct.Publish(o.ID(), u)
	}
	if !o.routed {
		d.offer(o, u)
		return
	}
	d.remind(o, u)
	d.tree().Publish(o.ID(), d.named(o, u))
	if before := d.trees[d.before]; before != nil && overlap {
		before.Publish(o.ID(), u)
	}
}

// offer sends a version of a channel with few subscribers, which they are sent directly, to those who want it by what it says. A version that says only
// which content there is says nothing to them.
func (d *dissemination) offer(o *owned, u *Update) {
	if s, ok := d.tree().(network.Selector); ok && len(u.Payload) > 0 && d.atRoot(o) {
		s.Offer(o.ID(), d.named(o, u))
	}
}

// named returns a version that says which channel it is of, where it goes to nodes that do not follow that: its finder leaves the URL out, as the owners know it.
func (d *dissemination) named(o *owned, u *Update) *Update {
	if _, ok := d.tree().(network.Selector); !ok || u.URL != "" {
		return u
	}
	whole := *u
	whole.URL = o.Channel().URL
	return &whole
}

// reaches reports whether a node gets a channel's versions down the tree alone. A poller that does passes them on to
// those below it in the wedge, as if this node had sent them: a primary of a channel that many poll would otherwise
// have to send several times as many messages to its contacts as to its children.
func (d *dissemination) reaches(o *owned, p engine.Peer) bool {
	if !o.routed || !d.atRoot(o) || d.n.Env.Now() < d.until {
		return false
	}
	return d.n.node.roster.Subscribes(o.ID(), p) && !slices.Contains(o.aloof, p)
}

// remind sends a version to those subscribers of whom it is not known whether they are in the tree, and tells them to
// join it.
func (d *dissemination) remind(o *owned, u *Update) {
	o.aloof = slices.DeleteFunc(o.aloof, func(p engine.Peer) bool { return !d.n.node.roster.Subscribes(o.ID(), p) })
	if len(o.aloof) == 0 {
		return
	}
	d.direct.publishTo(o, o.aloof, u)
	if o.reminding {
		return
	}
	o.reminding = true
	told := slices.Clone(o.aloof)
	d.direct.tell(o, told, func(missed []engine.Peer) {
		o.reminding = false
		o.aloof = slices.DeleteFunc(o.aloof, func(p engine.Peer) bool { return slices.Contains(told, p) })
		o.addAloof(missed)
	})
}

func (o *owned) addAloof(peers []engine.Peer) {
	for _, p := range peers {
		if !slices.Contains(o.aloof, p) {
			o.aloof = append(o.aloof, p)
		}
	}
}

// announceLeast is how far apart a primary tells all subscribers of a channel that it is one: a node beside it that comes and goes
// has it send them no more messages than some updates would.
const announceLeast = 5 * time.Minute

// ownedChanged tells the subscribers of a channel whose versions go down a tree when this node has become its primary.
// One that stands in for a primary that has been found to equivocate does not: they would renew over the ring, which still leads to that one.
func (d *dissemination) ownedChanged(o *owned) {
	switch {
	case o.Gone() || !o.Primary() || !o.routed:
		o.announced = false
	case !o.announced && d.tree() != nil && d.atRoot(o):
		o.announced = true
		if now := d.n.Env.Now(); o.announcedAt == 0 || now >= o.announcedAt+announceLeast {
			d.announce(o)
		} else {
			o.announcing.Soon(d.n.Env, o.announcedAt+announceLeast, func() { d.announce(o) })
		}
	}
}

func (d *dissemination) announce(o *owned) {
	if o.announced {
		o.announcedAt = d.n.Env.Now()
		d.direct.tell(o, nil, o.addAloof)
	}
}

// untold takes note of a subscriber of whom another owner has told: it may be in no tree, or in that of another root.
func (d *dissemination) untold(o *owned, s *Subscription) {
	if !o.announced || s.Count == 0 || d.n.IsSelf(s.Node) {
		return
	}
	o.untold = append(o.untold, s.Node)
	o.telling.Soon(d.n.Env, d.n.Env.Now()+untoldWait, func() {
		list := o.untold
		o.untold = nil
		if o.announced {
			d.direct.tell(o, list, o.addAloof)
		}
	})
}

// atRoot reports whether this node is the one closest to a channel.
func (d *dissemination) atRoot(o *owned) bool {
	closest, _ := d.n.Ring.Owners(o.ID(), 1)
	return len(closest) > 0 && d.n.IsSelf(closest[0])
}

// reconsider decides, at the primary, whether a channel has so many subscribers that a tree is to
// carry its versions.
func (d *dissemination) reconsider(o *owned) {
	most := d.n.config.DirectUpTo
	switch {
	case d.tree() == nil:
		o.routed, o.moving, o.announced, o.aloof = false, false, false, nil
	case !o.Primary():
		o.moving = false
	case o.Live() <= most/2:
		if o.routed {
			o.routed, o.announced, o.aloof = false, false, nil
			d.n.node.restate(o)
		}
		o.moving = false
	case o.Live() > most && !o.routed && !o.moving:
		o.moving = true
		d.direct.tell(o, nil, func(missed []engine.Peer) {
			o.addAloof(missed)
			d.n.Env.After(joinGrace, func() { d.moved(o) })
		})
	}
}

// moved has a channel's versions go down the tree, now that its subscribers have been told.
func (d *dissemination) moved(o *owned) {
	if o.moving && o.Primary() && !o.Gone() && d.tree() != nil {
		o.routed, o.announced, o.announcedAt = true, true, d.n.Env.Now()
		d.n.node.restate(o)
		if d.n.node.roster.Subscribed(o.ID()) { // nobody tells itself
			d.join(o.ID(), true)
		}
	}
	o.moving = false
}

// routed reports whether a subscriber that is acknowledged is to join the tree. An owner that acknowledges in the place of the primary
// does not know whether the channel is about to move; so it goes by its own table. Who is in the tree too early loses nothing.
func (d *dissemination) routed(o *owned) bool {
	d.reconsider(o)
	return o.routed || o.moving || d.tree() != nil && !o.Primary() && o.Live() > d.n.config.DirectUpTo
}

// join has this node, which subscribes to a channel, be in the tree of it, or in none.
func (d *dissemination) join(channel engine.ID, routed bool) {
	switch _, in := d.member[channel]; {
	case !routed:
		d.leave(channel)
	case !in:
		a := new(audit)
		d.member[channel] = a
		d.auditLater(channel, a)
		if r := d.tree(); r != nil {
			r.Join(channel)
		}
		emit(d.n.core, d.n.listener.Carried, Carried{channel, d.n.CarriedBy(channel)})
	}
}

// leave has this node be in no tree of a channel.
func (d *dissemination) leave(channel engine.ID) {
	if _, in := d.member[channel]; !in {
		return
	}
	d.member[channel].timer.Stop()
	delete(d.member, channel)
	for _, name := range []network.RouterName{d.before, d.n.config.Router} {
		if r := d.trees[name]; r != nil {
			r.Leave(channel)
		}
	}
	emit(d.n.core, d.n.listener.Carried, Carried{channel, network.Direct})
}

// audit is how a subscriber finds out that what a tree should have brought was kept back by a node above: once a polling
// interval it asks an owner other than the primary whether there is something newer. So it hears of a change no later than a reader who polls
// alone, whoever lies in the tree; and it has another parent from then on.
type audit struct {
	timer engine.Timer
	asked time.Duration // when an answer was last waited for; 0: none is
}

const (
	auditWait = time.Minute // for an answer
	// auditGrace is how long a version that others have may be on its way down the tree.
	auditGrace = 20 * time.Second
)

func (d *dissemination) auditLater(channel engine.ID, a *audit) {
	a.timer = d.n.Env.After(d.n.Jitter(d.n.config.Interval), func() {
		n := d.n
		held, base := n.library.Held(channel)
		to := channel
		if n.Keys != nil {
			to = n.AlternateKey(channel)
		}
		a.asked = n.Env.Now()
		n.Ring.Route(to, &Missing{Channel: channel, Base: base, Version: held})
		d.auditLater(channel, a)
	})
}

// audited takes the answer of an owner that has something newer. What does not come down the tree within auditGrace was kept back.
func (d *dissemination) audited(from engine.Peer, m *Heard) {
	n, a := d.n, d.member[m.Channel]
	if a == nil || a.asked == 0 || n.Env.Now() > a.asked+auditWait {
		return
	}
	a.asked = 0
	n.Env.After(auditGrace, func() {
		if held, _ := n.library.Held(m.Channel); d.member[m.Channel] != a || held >= m.Version || !n.timely(m.Version) {
			return
		}
		if t, ok := d.tree().(interface{ Distrust(topic engine.ID) }); ok {
			t.Distrust(m.Channel)
		}
		n.MaybeBehind(from, m.Channel, m.Version)
	})
}

// takeRouted has this node join the tree of a channel that it subscribes to. Who lies about that costs it the
// upkeep of a tree and now and then a renewal.
func (n *versioner) takeRouted(from engine.Peer, m *Routed) {
	if !n.node.roster.CouldOwn(m.Channel, from.ID) {
		n.Env.Trace(Refused{m.Channel, 0, from.ID, Stranger})
		return
	}
	if n.node.roster.Subscribed(m.Channel) {
		n.dissemination.join(m.Channel, true)
		n.node.roster.MoveHome(m.Channel, from)
	}
	n.Env.Send(from, &Got{Channel: m.Channel})
}

// rerouted has the node go by another router than before. For a while versions come by both.
func (d *dissemination) rerouted(before network.RouterName) {
	overlap := 2 * d.n.config.Maintenance
	d.before, d.until = before, d.n.Env.Now()+overlap
	for _, channel := range d.channels() {
		if r := d.tree(); r != nil {
			r.Join(channel)
		}
		emit(d.n.core, d.n.listener.Carried, Carried{channel, d.n.CarriedBy(channel)})
	}
	d.n.Env.After(overlap, func() {
		r := d.trees[before]
		if r == nil || before == d.n.config.Router {
			return
		}
		for _, channel := range d.channels() {
			r.Leave(channel)
		}
	})
}

// channels returns those in whose trees this node is, in order.
func (d *dissemination) channels() []engine.ID {
	return slices.SortedFunc(maps.Keys(d.member), engine.ID.Compare)
}

// TreeMember is a node as the router of a network sees it: the updates of polled channels are its
// events.
type TreeMember struct{ n *versioner }

// TreeMember returns the node as routers see it.
func (n *versioner) TreeMember() TreeMember { return TreeMember{n} }

var _ network.Member = TreeMember{}

// updateOverhead is what an update is in bytes besides its payload, about.
const updateOverhead = 512

// Admit lets pass on what an owner of the channel has signed, and nothing older than what has been
// passed on a while ago.
func (m TreeMember) Admit(topic engine.ID, event engine.Message, from engine.Peer) (digest uint64, bytes int, ok bool) {
	u, is := event.(*Update)
	if !is || u.Channel != topic || !numbers(u.Hash, u.Version) {
		return 0, 0, false
	}
	n := m.n
	if !n.IsSelf(from) && (!n.dissemination.passed.timely(u, n.Env.Now()) || !n.possible(from, u) || !n.proven(from, u)) {
		return 0, 0, false
	}
	n.dissemination.passed.note(u, n.Env.Now())
	h := u.header()
	sum := sha256.Sum256(h.words())
	return binary.BigEndian.Uint64(sum[:]), len(u.Payload) + updateOverhead, true
}

// Deliver takes an update that has come down a tree, and passes it on to those who poll the channel below this node:
// see reaches.
func (m TreeMember) Deliver(_ engine.ID, event engine.Message, from engine.Peer) {
	u, n := event.(*Update), m.n
	n.Env.After(0, func() { // the router is not to be called back before it has returned
		if passed, _, in := n.node.plan.Passed(u.Channel); in && u.Version > passed && !n.IsSelf(from) {
			n.shareBelow(&Shared{Update: *u})
		}
		if n.node.roster.Subscribed(u.Channel) && n.isNews(u.Seal.Giver, u) { // an owner, who can do something about a number that is too high
			n.bring(&arrival{update: u, from: from})
		}
	})
}

var _ network.Recoverer = TreeMember{}

// Recovers reports whether this node asks owners for the channel's versions now and then: see audit.
func (m TreeMember) Recovers(channel engine.ID) bool {
	_, in := m.n.dissemination.member[channel]
	return in
}

// passed is the latest versions that went through this node, so that nobody can have old ones go
// round again. It is bounded by maxSeals: those that were seen first go first.
type passed struct {
	of    map[engine.ID]passedVersion
	order []engine.ID
}

type passedVersion struct {
	version uint64
	at      time.Duration
}

// passedAge is for how long an older version may come after a newer one.
const passedAge = time.Minute

func (p *passed) timely(u *Update, now time.Duration) bool {
	v, known := p.of[u.Channel]
	return !known || u.Version >= v.version || now < v.at+passedAge
}

func (p *passed) note(u *Update, now time.Duration) {
	v, known := p.of[u.Channel]
	switch {
	case known && u.Version <= v.version:
		return
	case !known && len(p.order) >= maxSeals:
		delete(p.of, p.order[0])
		p.order = p.order[1:]
	}
	if p.of == nil {
		p.of = make(map[engine.ID]passedVersion)
	}
	if !known {
		p.order = append(p.order, u.Channel)
	}
	p.of[u.Channel] = passedVersion{u.Version, now}
}
