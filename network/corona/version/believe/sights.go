package believe

import (
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/table"
)

// sights holds the versions that too few witnesses have seen. Readers' nodes poll for each of them before they show it.
type sights struct {
	around
	of       map[engine.ID]*sight        // by channel, at most maxUnderWay
	tried    table.Newest[tried]         // versions that this node has polled for in vain, or could not
	polls    table.Newest[*counted]      // made for such versions
	variable table.Newest[time.Duration] // when two polls for a version saw two other contents
	givers   table.Offenders             // givers of versions when the origin showed the one before
	shown    table.Newest[shown]         // versions that only others have seen
}

// sight is a version that this node is to see.
type sight struct {
	update *update.Update
	from   engine.Peer   // the sender
	other  update.Hash   // the first poll's content, neither the version nor the one before; zero: none
	old    int           // how often polls have shown the one before
	until  time.Duration // when this node stops polling
}

// counted are the polls of a channel for versions that too few witnesses have seen.
type counted struct {
	table.Allowance
	latest time.Duration // when the latest poll was made
}

// tried is a version that is not polled for again within an interval.
type tried struct {
	version uint64
	at      time.Duration
}

// shown is a version that this node has accepted because others have seen it.
type shown struct {
	update  *update.Update // without its payload
	before  update.Hash    // the content before it
	refuted time.Duration  // when a poll by this node first showed that content; 0: never
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

// Unseen is a step: a version that this node has not seen in time is to be requested from others once more. Witnesses
// may have signed meanwhile.
type Unseen struct {
	From    engine.Peer
	Channel engine.ID
	Version uint64
}

// Sees is a version that this node has seen itself, with the change as it has seen it.
type Sees struct {
	Update *update.Update
	From   engine.Peer
}

// See polls for a version, for this node's readers or because it is to send it on. Other nodes see it when they poll in
// their turn.
func (n *sights) See(from engine.Peer, u *update.Update) {
	tried, _ := n.tried.Get(u.Channel)
	switch w := n.of[u.Channel]; {
	case u.Version <= tried.version && n.Env.Now() < tried.at+n.config.Interval:
	case w != nil:
		if u.Version > w.update.Version {
			w.update, w.from = u, from
		}
	case update.Room(&n.Base, len(n.of), "unseen", maxUnderWay):
		w = &sight{update: u, from: from}
		n.of[u.Channel] = w
		wait := n.Chance(firstPollWithin)
		if n.host.WantsFew(u.Channel) {
			wait += extraPatience
		}
		w.until = n.Env.Now() + giveUpAfter + n.Ring.Patience()
		n.Env.After(wait, func() { n.poll(w) })
		n.giveUpIn(w, w.until-n.Env.Now())
	}
}

// giveUpIn asks others for a version that this node has not seen by then, unless its poll was put off.
func (n *sights) giveUpIn(w *sight, wait time.Duration) {
	n.host.After(wait, func() update.Steps {
		switch left := w.until - n.Env.Now(); {
		case n.of[w.update.Channel] != w:
		case left > 0:
			n.giveUpIn(w, left)
		default:
			n.end(w)
			return update.Steps{Unseen{w.from, w.update.Channel, w.update.Version}}
		}
		return nil
	})
}

func (n *sights) poll(w *sight) {
	if n.of[w.update.Channel] != w {
		return
	}
	c, may := n.host.MayPoll(w.update.Channel)
	if !may {
		return
	}
	p, _ := n.polls.Get(c.ID)
	if p == nil {
		p = new(counted)
		n.polls.Put(c.ID, p)
	}
	now, most := n.Env.Now(), min(max(leastPolls, n.host.Readers(c.ID)), mostPolls)
	liar := n.givers.Known(w.update.Seal.Giver.ID, now)
	if liar {
		most = 1
	}
	if !p.Spend(now, n.config.Interval, most) {
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
	n.host.Poll(c)
}

func (n *sights) end(w *sight) {
	delete(n.of, w.update.Channel)
	n.tried.Put(w.update.Channel, tried{w.update.Version, n.Env.Now()})
}

// Polled handles what a poll by this node shows. It returns the version that this node waits for, if it shows that, or
// nil. It also returns whether it contradicts that version: all polls for it have shown the content before.
func (n *sights) Polled(channel engine.ID, r *update.PollResult) (sees *Sees, contradicts bool) {
	n.refute(channel, r.Hash)
	w := n.of[channel]
	if w == nil || r.Hash == (update.Hash{}) {
		return nil, false
	}
	_, held := n.contents.Held(channel)
	switch {
	case r.Hash == w.update.Hash:
		delete(n.of, channel)
		n.variable.Drop(channel)
		u := update.SeenAs(*w.update, r)
		return &Sees{&u, w.from}, false
	case r.Hash == held && w.old < maxRepolls-1:
		n.Env.After(repollAfter<<w.old, func() { n.poll(w) })
		w.old++
	case r.Hash == held:
		n.end(w)
		n.givers.Count(w.update.Seal.Giver.ID, w.update.Hash, n.Env.Now())
		n.reportContradiction(w.update, false)
		return nil, true
	case w.other == (update.Hash{}) && !n.varies(channel): // a mirror may lag
		w.other = r.Hash
		n.Env.After(repollAfter, func() { n.poll(w) })
	default:
		if r.Hash != w.other {
			n.variable.Put(channel, n.Env.Now())
		}
		n.end(w)
	}
	return nil, false
}

// varies reports whether the origin has lately shown this node something else in each of two polls. It serves each
// request something else, or changes faster than this node polls. A second poll for a version would not find it either.
func (n *sights) varies(channel engine.ID) bool {
	at, ok := n.variable.Get(channel)
	return ok && n.Env.Now() < at+variableFor
}

// Stored remembers a version that this node did not see itself.
func (n *sights) Stored(u *update.Update, before update.Hash) {
	if w := n.of[u.Channel]; w != nil && w.update.Version <= u.Version {
		delete(n.of, u.Channel)
	}
	if n.Keys == nil || before == (update.Hash{}) || u.Hash == before {
		return
	}
	header := *u
	header.Payload = nil
	n.shown.Put(u.Channel, shown{update: &header, before: before})
}

// refute withdraws a version if the origin still shows the predecessor half an interval after it first did, and never
// showed the version.
func (n *sights) refute(channel engine.ID, h update.Hash) {
	s, ok := n.shown.Get(channel)
	now := n.Env.Now()
	switch {
	case !ok || h == (update.Hash{}):
	case h != s.before:
		n.shown.Drop(channel)
	case s.refuted == 0:
		s.refuted = now
		n.shown.Put(channel, s)
	case now >= s.refuted+n.config.Interval/2:
		n.shown.Drop(channel)
		n.reportContradiction(s.update, true)
	}
}

func (n *sights) reportContradiction(u *update.Update, wasShown bool) {
	e := Contradicted{Channel: u.Channel, Version: u.Version, Hash: u.Hash, FoundBy: u.FoundBy, Giver: u.Seal.Giver.ID,
		Shown: wasShown}
	for i := range u.Seal.Seen { // only nodes that have signed are blamed
		if a := &u.Seal.Seen[i]; n.isSound(u, a) {
			e.Seen = append(e.Seen, a.By.ID)
		}
	}
	n.Env.Trace(e)
	n.host.Contradicted(e)
}
