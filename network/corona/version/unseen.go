package version

import (
	"time"

	"tidings/network/engine"
)

// unseen holds the versions that too few witnesses have seen. Readers' nodes poll for each of them before they show it.
type unseen struct {
	*core
	of       map[engine.ID]*sight  // by channel, at most maxUnderWay
	tried    newest[tried]         // versions that this node has polled for in vain, or could not
	polls    newest[*sights]       // made for such versions
	variable newest[time.Duration] // when two polls for a version saw two other contents
	givers   falseReporters        // givers of versions when the origin showed the one before
	shown    newest[shown]         // versions that only others have seen
}

// sight is a version that this node is to see.
type sight struct {
	*arrival
	other Hash          // the first poll's content, neither the version nor the one before; zero: none
	old   int           // how often polls have shown the one before
	until time.Duration // when this node stops polling
}

// sights counts the polls of a channel for versions that too few witnesses have seen.
type sights struct {
	allowance
	latest time.Duration // when the latest poll was made
}

// tried is a version that is not polled for again within an interval.
type tried struct {
	version uint64
	at      time.Duration
}

// shown is a version that this node has accepted because others have seen it.
type shown struct {
	update  *Update       // without its payload
	before  Hash          // the content before it
	refuted time.Duration // when a poll by this node first showed that content; 0: never
}

const (
	// firstPollWithin is the time within which all readers' nodes poll. A node that sees something else polls again
	// after repollAfter, as mirrors lag, and doubles that each time.
	firstPollWithin = time.Second
	repollAfter     = 2 * time.Second
	// extraPatience is how much longer a node waits if the origin wants few polls: another owner may send the version
	// with its finder's signature.
	extraPatience = 5 * time.Second
	// In an interval a node polls a channel for this at least leastPolls and at most mostPolls times. Between these
	// bounds it polls as often as its readers would by themselves. Beyond that it polls every pollEvery, and sees the
	// newest version.
	leastPolls, mostPolls = 4, 12
	pollEvery             = time.Minute
	// maxRepolls is how often it polls for one version that it does not see.
	maxRepolls = 4
	// giveUpAfter is when a node stops if its host does not let it poll, or it has not seen the version. It then asks
	// others once more: witnesses may have signed meanwhile.
	giveUpAfter = 20 * time.Second
	// variableFor is how long a node polls once for a version, not twice, after two polls saw two other contents.
	variableFor = 24 * time.Hour
)

// see polls for a version, if this node has readers for it or is to send it on. Other nodes see it when they poll in
// their turn.
func (n *unseen) see(a *arrival) {
	u := a.update
	n.gaps.came(u.Channel, u.Version)
	o := n.find(u.Channel)
	reads := n.reads(u.Channel) || o != nil && n.duties.makesVersions(o)
	switch w := n.of[u.Channel]; {
	case !reads, u.Version <= n.tried.of[u.Channel].version && n.Env.Now() < n.tried.of[u.Channel].at+n.config.Interval:
	case w != nil:
		if u.Version > w.update.Version {
			w.arrival = a
		}
	case room(n.core, n.of, u.Channel, "unseen", maxUnderWay):
		w = &sight{arrival: a}
		n.of[u.Channel] = w
		wait := n.Chance(firstPollWithin)
		if n.origins.wantsFew(u.Channel) {
			wait += extraPatience
		}
		w.until = n.Env.Now() + giveUpAfter + n.Ring.Patience()
		n.Env.After(wait, func() { n.poll(w) })
		n.giveUpIn(w, w.until-n.Env.Now())
	}
}

// giveUpIn asks others for a version that this node has not seen by then, unless its poll was put off.
func (n *unseen) giveUpIn(w *sight, wait time.Duration) {
	n.Env.After(wait, func() {
		switch left := w.until - n.Env.Now(); {
		case n.of[w.update.Channel] != w:
		case left > 0:
			n.giveUpIn(w, left)
		default:
			n.end(w)
			n.gaps.miss(w.from, w.update.Channel, w.update.Version)
		}
	})
}

func (n *unseen) poll(w *sight) {
	c := n.channelOf(w.update.Channel)
	if n.of[c.ID] != w || c.URL == "" || !n.Ceilings.LetsReaders(c) || n.origins.wantsFewer(c.ID) {
		return
	}
	p := n.polls.of[c.ID]
	if p == nil {
		p = new(sights)
		n.polls.put(c.ID, p)
	}
	now, most := n.Env.Now(), min(max(leastPolls, n.Roster.Readers(c.ID)), mostPolls)
	liar := n.givers.known(w.update.Seal.Giver.ID, now)
	if liar {
		most = 1
	}
	if !p.spend(now, n.config.Interval, most) {
		if liar {
			return
		}
		if wait := p.latest + pollEvery - now; wait > 0 {
			w.until = now + wait + giveUpAfter
			n.Env.After(wait, func() { n.poll(w) })
			return
		}
	}
	p.latest = now
	n.Poller.Verify(c)
}

func (n *unseen) end(w *sight) {
	delete(n.of, w.update.Channel)
	n.tried.put(w.update.Channel, tried{w.update.Version, n.Env.Now()})
}

// polled handles what a poll by this node shows: the version that it waits for, or that a node has lied. It returns
// true if it was that version.
func (n *unseen) polled(channel engine.ID, r *PollResult) bool {
	n.refute(channel, r.Hash)
	w := n.of[channel]
	if w == nil || r.Hash == (Hash{}) {
		return false
	}
	_, held := n.Library.Held(channel)
	switch {
	case r.Hash == w.update.Hash:
		delete(n.of, channel)
		n.variable.drop(channel)
		u := seenAs(*w.update, r)
		n.intake.bring(&arrival{update: &u, from: w.from, seen: true})
		return true
	case r.Hash == held && w.old < maxRepolls-1:
		n.Env.After(repollAfter<<w.old, func() { n.poll(w) })
		w.old++
	case r.Hash == held:
		n.end(w)
		n.givers.count(w.update.Seal.Giver.ID, w.update.Hash, n.Env.Now())
		n.reportContradiction(w.update, false)
	case w.other == (Hash{}) && !n.varies(channel): // a mirror may lag
		w.other = r.Hash
		n.Env.After(repollAfter, func() { n.poll(w) })
	default:
		if r.Hash != w.other {
			n.variable.put(channel, n.Env.Now())
		}
		n.end(w)
	}
	return false
}

// varies reports whether the origin has lately shown this node something else in each of two polls. It serves each
// request something else, or changes faster than this node polls. A second poll for a version would not find it either.
func (n *unseen) varies(channel engine.ID) bool {
	at, ok := n.variable.of[channel]
	return ok && n.Env.Now() < at+variableFor
}

// stored remembers a version that this node did not see itself.
func (n *unseen) stored(u *Update, before Hash) {
	if w := n.of[u.Channel]; w != nil && w.update.Version <= u.Version {
		delete(n.of, u.Channel)
	}
	if n.Keys == nil || before == (Hash{}) || u.Hash == before {
		return
	}
	header := *u
	header.Payload = nil
	n.shown.put(u.Channel, shown{update: &header, before: before})
}

// refute withdraws a version if the origin still shows the predecessor half an interval after it first did, and never
// showed the version.
func (n *unseen) refute(channel engine.ID, h Hash) {
	s, ok := n.shown.of[channel]
	now := n.Env.Now()
	switch {
	case !ok || h == (Hash{}):
	case h != s.before:
		n.shown.drop(channel)
	case s.refuted == 0:
		s.refuted = now
		n.shown.of[channel] = s
	case now >= s.refuted+n.config.Interval/2:
		n.shown.drop(channel)
		n.reportContradiction(s.update, true)
	}
}

func (n *unseen) reportContradiction(u *Update, wasShown bool) {
	e := Contradicted{Channel: u.Channel, Version: u.Version, Hash: u.Hash, FoundBy: u.FoundBy, Giver: u.Seal.Giver.ID,
		Shown: wasShown}
	for i := range u.Seal.Seen { // only nodes that have signed are blamed
		if a := &u.Seal.Seen[i]; n.attests.isSound(u, a) {
			e.Seen = append(e.Seen, a.By.ID)
		}
	}
	n.Env.Trace(e)
	n.Host.Contradicted(e)
}

// seenAs returns an update with the change that this node has seen.
func seenAs(u Update, r *PollResult) Update {
	u.Base, u.Hash, u.Payload, u.Size = r.Hash, r.Hash, nil, r.Size // held here under another number
	if r.Update != nil {
		u.Base, u.Payload, u.Size = r.Update.Base, r.Update.Payload, r.Update.Size
	}
	return u
}
