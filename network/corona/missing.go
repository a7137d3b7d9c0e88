package corona

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// gap is a version that this node has heard of and lacks. It asks who told of it, then an owner,
// then the origin.
type gap struct {
	channel engine.ID
	version uint64
	source  engine.Peer // who told of it
	aside   []*arrival  // updates that lead on from what is missing, in order
	stage   gapStage
	whole   bool // it is asked for whole: what was to lead to it did not
	polled  bool // the origin has been asked, for this version: it is asked once, whatever is offered afterwards
	offers  int  // that were followed
	anew    int  // how often it was asked for anew, as a later version was heard of
	timer   engine.Timer
	first   firstPoll
	firstBy time.Duration // until when that is awaited at most, by Env.Now
	found   *Update       // by the first poll: it is told to the primary, unless it is the version missing
}

// firstPoll is how a gap waits for this node's first poll of a channel of which it has nothing: that is
// about to bring the content, of which then the number alone is missing. A whole content is asked of others only
// where the poll does not come.
type firstPoll uint8

const (
	notAwaited firstPoll = iota
	awaited
	over
)

// gapStage is what is to be done next about a gap.
type gapStage uint8

const (
	askSource gapStage = iota
	askOwner
	askOwnerAgain
	askOrigin
	giveUp
)

const (
	gapGrace   = 3 * time.Second // for what is missing to come by itself, when what follows it has
	gapWait    = 3 * time.Second // for an answer
	originWait = time.Minute     // for the origin's, after a time drawn up to half of this
)

// maybeBehind is told by whoever hears of a channel's latest version.
func (n *versioner) MaybeBehind(from engine.Peer, channel engine.ID, version uint64) {
	if held, _ := n.library.Held(channel); version > held && n.timely(version) && n.wants(channel) {
		n.miss(from, channel, version)
	}
}

// missOf asks the other owners for the latest version of a channel that this node is primary of,
// unless the library has its content under another number.
func (n *versioner) missOf(o *owned) {
	if _, hash := n.library.Held(o.ID()); hash == o.hash {
		n.bring(&arrival{update: &Update{Channel: o.ID(), Version: o.Version(), Base: hash, Hash: hash}})
		return
	}
	n.miss(n.otherOwner(o), o.ID(), o.Version())
}

// otherOwner draws one of the other owners; zero if there are none.
func (n *versioner) otherOwner(o *owned) engine.Peer {
	if len(o.Others()) == 0 {
		return engine.Peer{}
	}
	return o.Others()[n.Env.Rand().IntN(len(o.Others()))]
}

// miss notes a gap, and asks.
func (n *versioner) miss(source engine.Peer, channel engine.ID, version uint64) {
	if g := n.gap(source, channel, version); g != nil && g.timer == (engine.Timer{}) {
		n.fill(g)
	}
}

// missWhole asks for a version whole, after what a peer has sent for it did not make it: that peer first, which may have
// been given it so, then an owner, then the origin.
func (n *versioner) missWhole(source engine.Peer, channel engine.ID, version uint64) {
	if g := n.gap(source, channel, version); g != nil {
		g.whole = true
		if g.timer == (engine.Timer{}) {
			n.fill(g)
		}
	}
}

// setAside keeps an update until what lies between has come, or what leads to it.
func (n *versioner) setAside(a *arrival) {
	g := n.gap(a.from, a.update.Channel, a.update.Version)
	if g == nil {
		return
	}
	g.setAside(a)
	switch {
	case g.timer != (engine.Timer{}):
	case a.update.isBare(): // nothing lies between: what leads to it has to be asked for
		n.fill(g)
	default:
		g.timer = n.Env.After(gapGrace+n.Ring.Patience(), func() { n.fill(g) })
	}
}

// setAside keeps an update in its place, once, if there is room.
func (g *gap) setAside(a *arrival) {
	at := 0
	for at < len(g.aside) && g.aside[at].update.Version < a.update.Version {
		at++
	}
	if len(g.aside) >= maxAfter || at < len(g.aside) && g.aside[at].update.Version == a.update.Version {
		return
	}
	g.aside = append(g.aside[:at], append([]*arrival{a}, g.aside[at:]...)...)
}

// gap returns a channel's gap, which now reaches up to a version; nil if there is no room for it.
func (n *versioner) gap(source engine.Peer, channel engine.ID, version uint64) *gap {
	v := &n.versions
	g := v.gaps[channel]
	switch {
	case g == nil && len(v.gaps) >= maxUnderWay:
		n.LimitHit("gaps", maxUnderWay)
		return nil
	case g == nil:
		g = &gap{channel: channel, source: source}
		v.gaps[channel] = g
		n.Env.Trace(Missed{channel, version})
	}
	if version > g.version {
		g.version, g.source, g.polled = version, source, false
		g.beginAnew()
	}
	return g
}

// beginAnew has a gap asked for from the beginning when a later version is heard of while the origin is waited for: who
// told of that one has what leads to it, and what comes meanwhile is set aside behind the gap. It is bounded, so
// that who tells of ever later versions does not put off the end.
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
func (n *versioner) fill(g *gap) {
	held, base := n.library.Held(g.channel)
	if held >= g.version || !n.wants(g.channel) {
		n.endGap(g)
		return
	}
	if n.awaitFirstPoll(g) {
		return
	}
	if now := n.library.Content(g.channel); now != (Hash{}) {
		base = now // whoever lends need send the number alone if that is the very content
	}
	if g.whole {
		base = Hash{}
	}
	m, wait := &Missing{Channel: g.channel, Base: base, Version: held}, gapWait+n.Ring.Patience()
	switch {
	case g.stage == askSource && (g.source.IsZero() || n.IsSelf(g.source)):
		g.stage++
		n.fill(g)
		return
	case g.stage == askSource:
		n.Env.Send(g.source, m)
	case g.stage == askOwner || g.stage == askOwnerAgain:
		if o := n.node.roster.Find(g.channel); o != nil && o.Primary() { // the ring would bring it back
			if p := n.otherOwner(o); !p.IsZero() {
				n.Env.Send(p, m)
			}
			break
		}
		to := g.channel
		if g.stage == askOwnerAgain && n.Keys != nil {
			to = n.AlternateKey(g.channel) // the primary may not want to be asked
		}
		n.Ring.Route(to, m)
		wait *= 2
	case g.stage == askOrigin:
		if !g.polled {
			n.askOrigin(g)
			g.polled = true
		}
		wait = originWait
	default:
		n.endGap(g)
		n.Suspect(g.channel, Silent)
		return
	}
	g.stage++
	g.timer = n.Env.After(wait, func() { n.fill(g) })
}

// awaitFirstPoll puts off a gap until the first poll of its channel, but for a primary: others ask it.
func (n *versioner) awaitFirstPoll(g *gap) bool {
	switch {
	case g.first == awaited:
		if n.Env.Now() < g.firstBy && n.node.poller.FirstPoll(g.channel) > 0 {
			n.waitForFirstPoll(g)
			return true
		}
		g.first = over // in vain, or it was over before this node was told of it as of a channel that others poll too
	case g.first == notAwaited:
		if o := n.node.roster.Find(g.channel); o != nil && n.judges(o) {
			return false
		}
		if wait := n.node.poller.FirstPoll(g.channel); wait > 0 {
			g.first, g.firstBy = awaited, n.Env.Now()+wait
			n.waitForFirstPoll(g)
			return true
		}
	}
	return false
}

// waitForFirstPoll polls again, soon, whether the first poll of a gap's channel is still to come.
func (n *versioner) waitForFirstPoll(g *gap) {
	g.timer = n.Env.After(min(g.firstBy-n.Env.Now(), gapWait), func() { n.fill(g) })
}

// polledFirst goes on with a gap that waits for the first poll of its channel. It returns false if none does.
func (n *versioner) polledFirst(channel engine.ID, found *Update) bool {
	g := n.versions.gaps[channel]
	if g == nil || g.first != awaited {
		return false
	}
	g.first, g.found = over, found
	g.timer.Stop()
	n.closeGap(channel)
	if n.versions.gaps[channel] == g {
		n.fill(g)
	}
	return true
}

// askOrigin polls the origin, some time soon: all subscribers may be about to do so.
func (n *versioner) askOrigin(g *gap) {
	c := n.channelOf(g.channel)
	if c.URL == "" {
		return
	}
	n.Env.After(n.Chance(originWait/2), func() {
		if n.versions.gaps[g.channel] == g {
			n.pollForGap(c)
		}
	})
}

// channelOf returns a channel that this node polls, owns or subscribes to.
func (n *versioner) channelOf(channel engine.ID) Channel {
	if c, _ := n.node.plan.Polled(channel); c.URL != "" {
		return c
	}
	if o := n.node.roster.Find(channel); o != nil {
		return o.Channel()
	}
	if c, ok := n.node.roster.Wanted(channel); ok {
		return c
	}
	return Channel{ID: channel}
}

// fillGap takes what this node has seen at the origin for the version that it lacks, if it is
// that. It returns false if nothing was missing, or something else was seen.
func (n *versioner) fillGap(channel engine.ID, r *PollResult) bool {
	g := n.versions.gaps[channel]
	if g == nil || !g.polled || !numbers(r.Hash, g.version) {
		return false
	}
	u := Update{Channel: channel, Version: g.version}
	if n.Keys != nil { // that somebody has spoken of a number does not make it one
		i := slices.IndexFunc(g.aside, func(a *arrival) bool { return a.update.Hash == r.Hash && a.update.Version == g.version })
		if i < 0 {
			return false
		}
		u = *g.aside[i].update
	}
	u.Base, u.Hash, u.Payload, u.Size = r.Hash, r.Hash, nil, r.Size // held here under another number
	if r.Update != nil {
		u.Base, u.Payload, u.Size = r.Update.Base, r.Update.Payload, r.Update.Size
		if n.Keys == nil {
			u.FoundBy, u.FoundAt, u.Modified = r.Update.FoundBy, r.Update.FoundAt, r.Update.Modified
		}
	}
	n.bring(&arrival{update: &u})
	return true
}

// closeGap is called when the library has taken an update: what was set aside may lead on from it.
func (n *versioner) closeGap(channel engine.ID) {
	g := n.versions.gaps[channel]
	if g == nil {
		return
	}
	aside := g.aside
	g.aside = nil
	for _, a := range aside {
		n.bring(a) // those that still do not fit are set aside again
	}
	if held, _ := n.library.Held(channel); held >= g.version && len(g.aside) == 0 {
		n.endGap(g)
	}
}

func (n *versioner) endGap(g *gap) {
	g.timer.Stop()
	if n.versions.gaps[g.channel] != g {
		return
	}
	delete(n.versions.gaps, g.channel)
	if _, held := n.library.Held(g.channel); g.found != nil && g.found.Hash != held && g.found.Hash == n.library.Content(g.channel) {
		n.tellFound(g.found)
	}
}

// askOfferer asks an owner that has what is missing.
func (n *versioner) askOfferer(g *gap, from engine.Peer, version uint64) {
	if held, _ := n.library.Held(g.channel); version <= held || g.offers >= maxOffers {
		return
	}
	g.offers++
	g.source, g.stage = from, askSource
	g.timer.Stop()
	n.fill(g)
}

// maxOffers is how many offers are followed to fill a gap.
const maxOffers = 4
