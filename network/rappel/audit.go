package rappel

import (
	"time"

	"tidings/network/engine"
)

// audit is the examination of one candidate (section 3.4): its profile is fetched, unless it is known, and if it is worth it, it is
// asked to be a friend.
type audit struct {
	next   time.Duration // when the next begins
	on     bool
	peer   engine.Peer
	number uint32
	sent   time.Duration
	wooed  bool // friendship was asked for, not the profile
}

// runAudit does what is due, and returns when something will be. Audits follow each other at once while trees are still to be
// joined (section 5.2).
func (f *friends) runAudit(now time.Duration) time.Duration {
	a := &f.audit
	if a.on && now >= a.sent+f.config.PingTimeout {
		a.on = false
		f.candidates.remove(a.peer.ID)
	}
	if f.session.eager() && !a.on {
		a.next = min(a.next, now)
	}
	for !a.on && now >= a.next {
		k := f.candidates.next(now)
		if k != nil {
			f.examine(k)
		}
		if a.on || k == nil { // else its profile was known, and it was judged without a message
			a.next = now + f.config.Audit
		}
	}
	if a.on {
		return a.sent + f.config.PingTimeout
	}
	return max(a.next, now+time.Millisecond)
}

// examine begins an audit.
func (f *friends) examine(k *candidate) {
	k.audited = true
	f.audit.on, f.audit.peer, f.audit.wooed = true, k.peer, false
	if k.profile != nil {
		f.judge(k)
		return
	}
	f.audit.number, f.audit.sent = f.env.Rand().Uint32(), f.now()
	f.env.Send(k.peer, &ProfileRequest{Number: f.audit.number})
}

// judge asks a candidate to be a friend if that is of use.
func (f *friends) judge(k *candidate) {
	i, viable := f.victim(k)
	f.env.Trace(Audited{k.peer, viable})
	if !viable {
		f.audit.on = false
		return
	}
	f.audit.wooed, f.audit.number, f.audit.sent = true, f.env.Rand().Uint32(), f.now()
	var victim engine.ID
	if i >= 0 {
		victim = f.list[i].peer.ID
	}
	f.env.Send(k.peer, &FriendRequest{Number: f.audit.number, Versions: f.self.versions, Needed: f.needs(k.peer.ID, k.profile, victim)})
}

// victim returns which friend a candidate should replace, -1 if there is room, and whether it should be a friend at all.
func (f *friends) victim(k *candidate) (i int, viable bool) {
	if len(f.list) < f.config.Friends {
		return -1, true
	}
	var set []proximity
	var of []int
	for i, g := range f.list {
		if g.profile == nil { // of the session before, and not heard of yet
			continue
		}
		set, of = append(set, f.proximity(g.profile, f.distance(g))), append(of, i)
	}
	own := max(f.self.coordinate.Distance(k.profile.coordinate), k.rtt)
	i = improvement(&f.self.filter, set, f.proximity(k.profile, own), f.config.Gain, f.config.Cover)
	if i < 0 {
		return -1, false
	}
	return of[i], true
}

// proximity returns what makes a node useful, or the part of it that Config.Useful leaves: one distance for all, or one interest.
func (f *friends) proximity(p *profile, distance time.Duration) proximity {
	switch f.config.Useful {
	case InterestAlone:
		return proximity{&p.filter, time.Second}
	case DistanceAlone:
		return proximity{&f.self.filter, distance}
	}
	return proximity{&p.filter, distance}
}

// onProfile takes a profile: of a candidate, or of a friend that announced a newer one. It reports whether it was asked
// for.
func (f *friends) onProfile(from engine.Peer, m *Profile) {
	p := f.links.read(m)
	if nb := f.links.byID[from.ID]; nb != nil && nb.asked == m.Number && nb.asked != 0 && p != nil {
		nb.asked = 0
		nb.profile, nb.versions = p, p.versions
		if i := f.find(from.ID); i >= 0 {
			f.list[i].denied = nil
		}
		return
	}
	a := &f.audit
	if !a.on || a.wooed || a.peer.ID != from.ID || a.number != m.Number {
		return
	}
	k := f.candidates.find(from.ID)
	if k == nil || p == nil {
		a.on = false
		f.candidates.remove(from.ID)
		return
	}
	k.profile, k.rtt = p, f.now()-a.sent
	f.judge(k)
}

// onFriendReply ends an audit: the candidate is a friend now, or denied it.
func (f *friends) onFriendReply(from engine.Peer, m *FriendReply) {
	a := &f.audit
	if f.onRecall(from, m) {
		return
	}
	if !a.on || !a.wooed || a.peer.ID != from.ID || a.number != m.Number {
		return
	}
	a.on = false
	k := f.candidates.find(from.ID)
	if k == nil || k.profile == nil {
		f.env.Send(from, &Unfriend{})
		return
	}
	f.met(m.Friends...)
	k = f.candidates.find(from.ID) // it may lie elsewhere now, or be gone
	switch {
	case k == nil:
		f.env.Send(from, &Unfriend{})
	case !m.OK:
		if k.denied = f.now() + shunning; len(f.list) < f.config.Friends {
			a.next = f.now() // the audit is repeated with another
		}
	default:
		f.befriend(k)
	}
}

// befriend puts a candidate that has agreed into the set, in the place of the victim there is now.
func (f *friends) befriend(k *candidate) {
	i, viable := f.victim(k)
	if !viable {
		f.env.Send(k.peer, &Unfriend{})
		return
	}
	peer, profile := k.peer, k.profile
	var victim engine.Peer
	if i >= 0 {
		victim = f.list[i].peer
		f.env.Send(victim, &Unfriend{})
		f.drop(i, "replaced")
		f.met(victim)
	}
	f.add(peer, profile, victim)
}
