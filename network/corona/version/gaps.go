package version

import (
	"slices"
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// gaps holds the versions that this node knows of and lacks.
type gaps struct {
	*core
	of    map[engine.ID]*gap // by channel, at most maxUnderWay
	lends int                // requests that the library has not answered, at most maxLends
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
	since   time.Duration // when the wait for the first poll began, by Env.Now
	firstBy time.Duration // when it ends at the latest, by Env.Now
	found   *Update       // by the first poll: it is reported to the primary, unless it is the missing version
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

// maybeBehind is called with each mention of a channel's latest version.
func (n *gaps) maybeBehind(from engine.Peer, channel engine.ID, version uint64) {
	if version > n.held(channel) && update.Timely(n.Env.Wall(), version) && n.duties.wants(channel) {
		n.miss(from, channel, version)
	}
}

// missOf requests the latest version of a channel from the other owners, unless the library has its content under
// another number.
func (n *gaps) missOf(o *record) {
	if _, hash := n.Library.Held(o.ID()); hash == o.hash {
		n.intake.bring(&arrival{update: &Update{Channel: o.ID(), Version: o.Version(), Base: hash, Hash: hash}})
		return
	}
	n.miss(n.otherOwner(o), o.ID(), o.Version())
}

// otherOwner draws one of the other owners; zero if there are none.
func (n *gaps) otherOwner(o *record) engine.Peer {
	others := o.Others()
	if len(others) == 0 {
		return engine.Peer{}
	}
	return others[n.Env.Rand().IntN(len(others))]
}

// miss notes a gap, and requests the version.
func (n *gaps) miss(source engine.Peer, channel engine.ID, version uint64) {
	if g := n.gap(source, channel, version); g != nil && g.timer == (engine.Timer{}) {
		n.fill(g)
	}
}

// missWhole requests a whole version, after a peer sent a change that did not fit.
func (n *gaps) missWhole(source engine.Peer, channel engine.ID, version uint64) {
	if g := n.gap(source, channel, version); g != nil {
		if g.whole = true; g.timer == (engine.Timer{}) {
			n.fill(g)
		}
	}
}

// setAside keeps an update until the missing versions have come, or the change to it.
func (n *gaps) setAside(a *arrival) {
	g := n.gap(a.from, a.update.Channel, a.update.Version)
	if g == nil {
		return
	}
	g.setAside(a)
	switch {
	case g.timer != (engine.Timer{}):
	case a.update.IsBare(): // nothing lies between: the change to it has to be requested
		n.fill(g)
	default:
		g.timer = n.Env.After(gapGrace+n.Ring.Patience(), func() { n.fill(g) })
	}
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
		if !room(n.core, n.of, channel, "gaps", maxUnderWay) {
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
func (n *gaps) fill(g *gap) {
	held, base := n.Library.Held(g.channel)
	if held >= g.version || !n.duties.wants(g.channel) {
		n.end(g)
		return
	}
	if n.awaitFirstPoll(g) {
		return
	}
	if now := n.Library.Content(g.channel); now != (Hash{}) {
		base = now // if it is that very content, the lender sends the number alone
	}
	if g.whole {
		base = Hash{}
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
		n.end(g)
		n.trust.suspect(g.channel, Silent)
		return
	}
	g.stage++
	g.timer = n.Env.After(wait, func() { n.fill(g) })
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
		if o := n.find(g.channel); o != nil && n.duties.makesVersions(o) {
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
	g.timer = n.Env.After(min(g.firstBy-now, look), func() { n.fill(g) })
	return true
}

// polledFirst continues a gap that waits for the first poll of its channel. It returns false if none does.
func (n *gaps) polledFirst(channel engine.ID, found *Update) bool {
	g := n.of[channel]
	if g == nil || g.first != awaited {
		return false
	}
	g.first, g.found = over, found
	g.timer.Stop()
	n.closeGap(channel)
	if n.of[channel] == g {
		n.fill(g)
	}
	return true
}

// askOrigin polls the origin after a random wait: all subscribers may be about to do so.
func (n *gaps) askOrigin(g *gap) {
	c := n.channelOf(g.channel)
	if c.URL == "" {
		return
	}
	n.Env.After(n.Chance(originWait/2), func() {
		if n.of[g.channel] == g {
			n.origins.pollForGap(c)
		}
	})
}

// fillBy fills the gap with this node's poll of the origin. It returns false if that did not show the missing version.
func (n *gaps) fillBy(channel engine.ID, r *PollResult) bool {
	g := n.of[channel]
	if g == nil || !g.polled || !numbers(r.Hash, g.version) {
		return false
	}
	u := Update{Channel: channel, Version: g.version}
	if n.Keys != nil { // a mention of a number does not make it one
		i := slices.IndexFunc(g.aside, func(a *arrival) bool {
			return a.update.Hash == r.Hash &&
				a.update.Version == g.version
		})
		if i < 0 {
			return false
		}
		u = *g.aside[i].update
	}
	if u = seenAs(u, r); n.Keys == nil && r.Update != nil {
		u.FoundBy, u.FoundAt, u.Modified = r.Update.FoundBy, r.Update.FoundAt, r.Update.Modified
	}
	n.intake.bring(&arrival{update: &u, seen: true})
	return true
}

// closeGap is called when the library has stored an update: those set aside may lead on from it.
func (n *gaps) closeGap(channel engine.ID) {
	g := n.of[channel]
	if g == nil {
		return
	}
	aside := g.aside
	g.aside = nil
	for _, a := range aside {
		n.intake.bring(a) // sets aside again what still does not fit
	}
	if n.held(channel) >= g.version && len(g.aside) == 0 {
		n.end(g)
	}
}

// came ends a gap: the version has come, and others have no more to add.
func (n *gaps) came(channel engine.ID, version uint64) {
	if g := n.of[channel]; g != nil && g.version <= version {
		n.end(g)
	}
}

func (n *gaps) end(g *gap) {
	g.timer.Stop()
	if n.of[g.channel] != g {
		return
	}
	delete(n.of, g.channel)
	if _, held := n.Library.Held(g.channel); g.found != nil && g.found.Hash != held &&
		g.found.Hash == n.Library.Content(g.channel) {
		n.reports.found(g.found)
	}
}

// offered requests the missing version from an owner that offers it. It returns false if none is missing.
func (n *gaps) offered(from engine.Peer, m *Heard) bool {
	g := n.of[m.Channel]
	if g == nil {
		return false
	}
	if m.Version > n.held(g.channel) && g.offers < maxOffers {
		g.offers++
		g.source, g.stage = from, askSource
		g.timer.Stop()
		n.fill(g)
	}
	return true
}
