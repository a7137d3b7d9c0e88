package deliver

import (
	"slices"
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/table"
)

// gaps holds the versions that this node knows of and lacks.
type gaps struct {
	around
	records table.Index[*record] // of the channels that are owned here
	of      map[engine.ID]*gap   // by channel, at most maxUnderWay
}

// gap is a missing version. It is requested from the node that announced it, then from an owner, then from the origin.
type gap struct {
	channel engine.ID
	version uint64
	source  engine.Peer // which announced it
	aside   []*arrival  // updates that lead on from the missing version, in order; at most maxAfter
	stage   gapStage
	whole   bool // it is requested whole: the change to it did not fit
	polled  bool // the origin was polled for this version: that happens once, whatever is offered later
	offers  int  // that were followed, at most maxOffers
	anew    int  // how often a later version restarted the requests; at most maxOffers
	timer   engine.Timer
	first   firstPoll
	since   time.Duration  // when the wait for the first poll began, by Env.Now
	firstBy time.Duration  // when it ends at the latest, by Env.Now
	found   *update.Update // by the first poll: it is reported to the primary, unless it is the missing version
}

// firstPoll is whether a gap waits for this node's first poll of a channel. That poll may bring the content; then only
// its number is missing.
type firstPoll uint8

const (
	notAwaited firstPoll = iota
	awaited
	over
)

// gapStage is the next step to fill a gap.
type gapStage uint8

const (
	askSource gapStage = iota
	askOwner
	askOwnerAgain
	askOrigin
	giveUp
)

const (
	gapGrace   = 3 * time.Second // for a missing version to come by itself, when a later one has
	gapWait    = 3 * time.Second // for an answer
	originWait = time.Minute     // for the origin's, after a random time up to half of this
	maxOffers  = 4               // that are followed to fill a gap
)

// find returns the record of a channel, or nil if it is not owned here.
func (n *gaps) find(channel engine.ID) *record { return n.records.Get(channel) }

// held returns the number of the latest version that the library has.
func (a *around) held(channel engine.ID) uint64 {
	version, _ := a.Library.Held(channel)
	return version
}

// wants reports whether a channel's versions are kept here.
func (a *around) wants(channel engine.ID) bool {
	_, wants := a.Host.Wants(channel)
	return wants
}

// MaybeBehind is called with each mention of a channel's latest version.
func (n *gaps) MaybeBehind(from engine.Peer, channel engine.ID, version uint64) update.Steps {
	if version > n.held(channel) && update.Timely(n.Env.Wall(), version) && n.wants(channel) {
		return n.Miss(from, channel, version)
	}
	return nil
}

// otherOwner draws one of the other owners; zero if there are none.
func (n *gaps) otherOwner(o *record) engine.Peer {
	others := o.Others()
	if len(others) == 0 {
		return engine.Peer{}
	}
	return others[n.Env.Rand().IntN(len(others))]
}

// Miss notes a gap, and requests the version.
func (n *gaps) Miss(source engine.Peer, channel engine.ID, version uint64) update.Steps {
	if g := n.gap(source, channel, version); g != nil && g.timer == (engine.Timer{}) {
		return n.fill(g)
	}
	return nil
}

// missWhole requests a whole version, after a peer sent a change that did not fit.
func (n *gaps) missWhole(source engine.Peer, channel engine.ID, version uint64) update.Steps {
	if g := n.gap(source, channel, version); g != nil {
		if g.whole = true; g.timer == (engine.Timer{}) {
			return n.fill(g)
		}
	}
	return nil
}

// setAside keeps an update until the missing versions have come, or the change to it.
func (n *gaps) setAside(a *arrival) update.Steps {
	g := n.gap(a.from, a.update.Channel, a.update.Version)
	if g == nil {
		return nil
	}
	g.setAside(a)
	switch {
	case g.timer != (engine.Timer{}):
	case a.update.IsBare(): // nothing lies between: the change to it has to be requested
		return n.fill(g)
	default:
		n.fillIn(g, gapGrace+n.Ring.Patience())
	}
	return nil
}

// fillIn takes the next step to fill a gap after some time.
func (n *gaps) fillIn(g *gap, wait time.Duration) {
	g.timer = n.Host.After(wait, func() update.Steps { return n.fill(g) })
}

// setAside keeps an update in its place, once, if there is room.
func (g *gap) setAside(a *arrival) {
	at, found := slices.BinarySearchFunc(g.aside, a.update.Version, func(b *arrival, v uint64) int {
		if b.update.Version < v {
			return -1
		}
		return int(min(b.update.Version-v, 1))
	})
	if !found && len(g.aside) < maxAfter {
		g.aside = slices.Insert(g.aside, at, a)
	}
}

// gap returns a channel's gap, extended to version, or nil if there is no room for it.
func (n *gaps) gap(source engine.Peer, channel engine.ID, version uint64) *gap {
	g := n.of[channel]
	if g == nil {
		if !update.Room(&n.Base, len(n.of), "gaps", maxUnderWay) {
			return nil
		}
		g = &gap{channel: channel, source: source}
		n.of[channel] = g
		n.Env.Trace(Missed{channel, version})
	}
	if version > g.version {
		g.version, g.source, g.polled = version, source, false
		g.beginAnew()
	}
	return g
}

// beginAnew restarts the requests when a later version is announced while the origin is waited for: the announcing node
// has the change to it. Restarts are bounded, so that ever later versions do not put off the end.
func (g *gap) beginAnew() {
	if g.stage != giveUp || g.anew >= maxOffers {
		return
	}
	g.anew++
	g.stage, g.offers = askSource, 0
	g.timer.Stop()
	g.timer = engine.Timer{}
}

// fill takes the next step to fill a gap.
func (n *gaps) fill(g *gap) update.Steps {
	held, base := n.Library.Held(g.channel)
	if held >= g.version || !n.wants(g.channel) {
		return n.endGap(g)
	}
	if n.awaitFirstPoll(g) {
		return nil
	}
	if now := n.Library.Content(g.channel); now != (update.Hash{}) {
		base = now // if it is that very content, the lender sends the number alone
	}
	if g.whole {
		base = update.Hash{}
	}
	m, wait := &Missing{Channel: g.channel, Base: base, Version: held}, gapWait+n.Ring.Patience()
	if g.stage == askSource && (g.source.IsZero() || n.IsSelf(g.source)) {
		g.stage = askOwner
	}
	switch g.stage {
	case askSource:
		n.Env.Send(g.source, m)
	case askOwner, askOwnerAgain:
		wait = n.askOwner(g, m, wait)
	case askOrigin:
		if !g.polled {
			n.askOrigin(g)
			g.polled = true
		}
		wait = originWait
	default:
		return append(n.endGap(g), Silent{g.channel})
	}
	g.stage++
	n.fillIn(g, wait)
	return nil
}

// askOwner requests the missing version from an owner, and returns how long to wait for an answer.
func (n *gaps) askOwner(g *gap, m *Missing, wait time.Duration) time.Duration {
	if o := n.find(g.channel); o != nil && o.Primary() { // the ring would bring the request back
		if p := n.otherOwner(o); !p.IsZero() {
			n.Env.Send(p, m)
		}
		return wait
	}
	to := g.channel
	if g.stage == askOwnerAgain && n.Keys != nil {
		to = n.AlternateKey(g.channel) // the primary may avoid answering
	}
	n.Ring.Route(to, m)
	return 2 * wait
}

// awaitFirstPoll puts off a gap until the first poll of its channel. A primary does not wait: others ask it.
func (n *gaps) awaitFirstPoll(g *gap) bool {
	switch {
	case g.first == awaited:
		if n.Env.Now() < g.firstBy && n.Poller.FirstPoll(g.channel) > 0 {
			break
		}
		g.first = over // in vain, or it was over before this node knew that others poll the channel too
		return false
	case g.first == over:
		return false
	default:
		if n.Host.Makes(g.channel) {
			return false
		}
		wait := n.Poller.FirstPoll(g.channel)
		if wait <= 0 {
			return false
		}
		g.first, g.since, g.firstBy = awaited, n.Env.Now(), n.Env.Now()+wait
	}
	now := n.Env.Now()
	look := max(gapWait, now-g.since) // ever less often: a poll that brings it reports that itself
	n.fillIn(g, min(g.firstBy-now, look))
	return true
}

// askOrigin polls the origin after a random wait: all subscribers may be about to do so.
func (n *gaps) askOrigin(g *gap) {
	c, _ := n.Host.Wants(g.channel)
	if c.URL == "" {
		return
	}
	n.Env.After(n.Chance(originWait/2), func() {
		if n.of[g.channel] == g {
			n.Poller.PollForGap(c)
		}
	})
}

// byOrigin returns the missing version as this node's poll of the origin shows it, or nil if that shows something else.
func (n *gaps) byOrigin(channel engine.ID, r *update.PollResult) *update.Update {
	g := n.of[channel]
	if g == nil || !g.polled || !update.Numbers(r.Hash, g.version) {
		return nil
	}
	u := update.Update{Channel: channel, Version: g.version}
	if n.Keys != nil { // a mention of a number does not make it one
		i := slices.IndexFunc(g.aside,
			func(a *arrival) bool { return a.update.Hash == r.Hash && a.update.Version == g.version })
		if i < 0 {
			return nil
		}
		u = *g.aside[i].update
	}
	if u = update.SeenAs(u, r); n.Keys == nil && r.Update != nil {
		u.FoundBy, u.FoundAt, u.Modified = r.Update.FoundBy, r.Update.FoundAt, r.Update.Modified
	}
	return &u
}

// Came ends a gap: the version has come, and others have no more to add.
func (n *gaps) Came(channel engine.ID, version uint64) update.Steps {
	if g := n.of[channel]; g != nil && g.version <= version {
		return n.endGap(g)
	}
	return nil
}

func (n *gaps) endGap(g *gap) update.Steps {
	g.timer.Stop()
	if n.of[g.channel] != g {
		return nil
	}
	delete(n.of, g.channel)
	if _, held := n.Library.Held(g.channel); g.found != nil && g.found.Hash != held &&
		g.found.Hash == n.Library.Content(g.channel) {
		return update.Steps{Found{g.found}}
	}
	return nil
}

// ReceiveOffer requests a version that the primary could not send to this node, a subscriber.
func (n *gaps) ReceiveOffer(from engine.Peer, m *Offer) update.Steps {
	if !n.wants(m.Channel) {
		return nil
	}
	if m.Version <= n.held(m.Channel) { // the acknowledgement was lost
		n.Env.Send(from, &Got{Channel: m.Channel, Version: m.Version})
		return nil
	}
	return n.MaybeBehind(from, m.Channel, m.Version)
}

// Offered requests the missing version from an owner that offers it. It returns false if none is missing.
func (n *gaps) Offered(from engine.Peer, channel engine.ID, version uint64) (next update.Steps, missing bool) {
	g := n.of[channel]
	if g == nil {
		return nil, false
	}
	if version > n.held(channel) && g.offers < maxOffers {
		g.offers++
		g.source, g.stage = from, askSource
		g.timer.Stop()
		next = n.fill(g)
	}
	return next, true
}

// Lacks reports whether a version of a channel is missing, and requested.
func (n *gaps) Lacks(channel engine.ID) bool { return n.of[channel] != nil }
