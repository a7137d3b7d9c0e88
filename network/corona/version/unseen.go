package version

import (
	"time"

	"tidings/network/engine"
)

// unseen is the versions that too few witnesses have seen: their readers' nodes see for themselves before they show them, by one poll each.
type unseen struct {
	*core
	of     map[engine.ID]*arrival // by channel, at most maxUnderWay: the latest
	givers falseReporters         // who gave a version when the origin showed the one before
	shown  newest[shown]          // versions that others alone have seen
}

// shown is a version that this node has taken because others have seen it.
type shown struct {
	update  *Update       // without its payload
	before  Hash          // the content before it
	refuted time.Duration // when a poll by this node has first shown that content; 0: none has
}

const (
	// seeWithin is within what time all who read a channel see for themselves.
	seeWithin = time.Second
	// seeAgain is when a node asks again that its host does not let poll, or that the origin did not answer: witnesses may have signed meanwhile.
	seeAgain = 20 * time.Second
)

// see has this node poll for a version, if it is for readers here or to be sent on. Others come upon it when they poll in their turn.
func (n *unseen) see(a *arrival) {
	channel := a.update.Channel
	n.gaps.came(channel, a.update.Version)
	o := n.find(channel)
	if reads := n.Roster.Subscribed(channel) || o != nil && n.duties.judges(o); !reads || n.givers.known(a.update.Seal.Giver.ID, n.Env.Now()) {
		return
	}
	switch before := n.of[channel]; {
	case before != nil:
		if a.update.Version > before.update.Version {
			n.of[channel] = a
		}
		return
	case !room(n.core, n.of, channel, "unseen", maxUnderWay):
		return
	}
	n.of[channel] = a
	n.Env.After(n.Chance(seeWithin), func() {
		if c := n.channelOf(channel); n.of[channel] != nil && c.URL != "" && n.Ceilings.TakeOwnPoll(c) {
			n.Poller.Verify(c)
		}
		n.Env.After(seeAgain, func() {
			if a := n.of[channel]; a != nil {
				delete(n.of, channel)
				n.gaps.miss(a.from, channel, a.update.Version)
			}
		})
	})
}

// polled takes what a poll by this node shows: the version that it waits for, or that somebody has lied. It returns true if it was that version.
func (n *unseen) polled(channel engine.ID, r *PollResult) bool {
	n.refute(channel, r.Hash)
	a := n.of[channel]
	if a == nil || r.Hash == (Hash{}) {
		return false
	}
	_, held := n.Library.Held(channel)
	switch r.Hash {
	case a.update.Hash:
		delete(n.of, channel)
		u := seenAs(*a.update, r)
		n.intake.bring(&arrival{update: &u, from: a.from})
		return true
	case held:
		delete(n.of, channel)
		n.contradict(a.update)
	}
	return false
}

// contradict counts a version that this node has looked for in vain.
func (n *unseen) contradict(u *Update) {
	n.givers.count(u.Seal.Giver.ID, u.Hash, n.Env.Now())
	n.tell(u, false)
}

// taken remembers a version that this node did not see itself.
func (n *unseen) taken(u *Update, before Hash) {
	if n.Keys == nil || before == (Hash{}) || u.Hash == before {
		return
	}
	header := *u
	header.Payload = nil
	n.shown.put(u.Channel, shown{update: &header, before: before})
}

// refute withdraws a version whose predecessor the origin shows this node still an interval after it has shown it first, without ever showing the version.
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
		n.tell(s.update, true)
	}
}

func (n *unseen) tell(u *Update, wasShown bool) {
	e := Contradicted{Channel: u.Channel, Version: u.Version, Hash: u.Hash, FoundBy: u.FoundBy, Giver: u.Seal.Giver.ID, Shown: wasShown}
	for i := range u.Seal.Seen {
		e.Seen = append(e.Seen, u.Seal.Seen[i].By.ID)
	}
	n.Env.Trace(e)
	n.Host.Contradicted(e)
}

// seenAs returns an update as what this node has seen leads to it.
func seenAs(u Update, r *PollResult) Update {
	u.Base, u.Hash, u.Payload, u.Size = r.Hash, r.Hash, nil, r.Size // held here under another number
	if r.Update != nil {
		u.Base, u.Payload, u.Size = r.Update.Base, r.Update.Payload, r.Update.Size
	}
	return u
}
